"""One row of whole numbers for each person, made from all of their rows; see `JoinedRows`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.arrow_arrays import arrow_numbers
from gyges.data.encoding import places_of
from gyges.data.source import COUNT, Join
from gyges.engines.transfer import to_arrow
from gyges.ragged import Ragged

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from gyges.engines.ibis import IbisSource

_UFUNCS: dict[Join, np.ufunc] = {
    "least": np.minimum,
    "greatest": np.maximum,
    "any": np.bitwise_or,
}


@dataclass(frozen=True, eq=False, repr=False)
class IbisJoinedRows:
    """An expression of an engine."""

    rows: ibis.Table
    source: IbisSource  # holds its tables

    @classmethod
    def of(
        cls, rows: ibis.Table, by: str, how: Mapping[str, Join], source: IbisSource
    ) -> IbisJoinedRows:
        """Join rows of numbers."""
        joined = [_joined(rows[name], join).name(name) for name, join in how.items()]
        return cls(rows.group_by(by).aggregate(joined), source)

    def fetch(self) -> pa.Table:
        """All of them."""
        return to_arrow(self.rows, self.source.name)

    def count(self, by: Sequence[str], bits: Mapping[str, int]) -> pa.Table:
        """Each distinct combination, and how many have it."""
        counts = {COUNT: self.rows.count()}
        for name, n_bits in bits.items():
            for bit in range(n_bits):
                counts[f"{name} {bit}"] = ((self.rows[name] >> bit) & 1).sum()
        counted = to_arrow(self.rows.group_by(list(by)).aggregate(**counts), self.source.name)
        for place, name in enumerate(counted.column_names):  # sums have up to 128 bits there
            counted = counted.set_column(place, name, counted.column(name).cast("int64"))
        return counted


@dataclass(frozen=True, eq=False, repr=False)
class MemoryJoinedRows:
    """Rows in memory."""

    by: str
    people: pa.Array  # the values of `by`
    numbers: Mapping[str, IntArray]

    @classmethod
    def of(
        cls,
        who: pa.DictionaryArray,
        by: str,
        numbers: Mapping[str, IntArray],
        how: Mapping[str, Join],
    ) -> MemoryJoinedRows:
        """Join rows of numbers."""
        rows = Ragged.group_by(places_of(who), len(who.dictionary))
        there = np.flatnonzero(rows.lengths)
        joined = {
            name: rows.of(numbers[name]).reduced(_UFUNCS[join], 0)[there]
            for name, join in how.items()
        }
        return cls(by, who.dictionary.take(arrow_numbers(there)), joined)

    def fetch(self) -> pa.Table:
        """All of them."""
        import pyarrow as pa

        columns = {name: arrow_numbers(column) for name, column in self.numbers.items()}
        return pa.table({self.by: self.people} | columns)

    def count(self, by: Sequence[str], bits: Mapping[str, int]) -> pa.Table:
        """Each distinct combination, and how many have it."""
        import pyarrow as pa

        columns = np.stack([self.numbers[name] for name in by], axis=1)
        distinct, place = np.unique(columns, axis=0, return_inverse=True)
        place, n = np.asarray(place).ravel(), len(distinct)
        counts = {COUNT: np.bincount(place, minlength=n)}
        for name, n_bits in bits.items():
            for bit in range(n_bits):
                has_it = place[self.numbers[name] >> bit & 1 == 1]
                counts[f"{name} {bit}"] = np.bincount(has_it, minlength=n)
        found = {name: distinct[:, i] for i, name in enumerate(by)} | counts
        return pa.table(
            {name: arrow_numbers(column.astype(np.int64)) for name, column in found.items()}
        )


def _joined(column: ibis.Column, join: Join) -> ibis.IntegerScalar:
    if join == "any":
        return _any_bit(column)
    return column.min() if join == "least" else column.max()


def _any_bit(column: ibis.Column) -> ibis.IntegerScalar:
    """The "or" of all words; Ibis does not know Spark's."""
    import ibis

    if column.get_backend().name != "pyspark":
        return column.bit_or()

    @ibis.udf.agg.builtin(name="bit_or", signature=(("int64",), "int64"))
    def bit_or(word):  # type: ignore[no-untyped-def]
        ...

    return bit_or(column)
