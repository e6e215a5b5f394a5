"""Rows in memory as an Arrow table, counted by their dictionary codes."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.cells import counted_keys, digits, row_keys
from gyges.data.encoding import encoded_columns, places_of
from gyges.data.source import COUNT, Best, Join
from gyges.data.spelling import count_respelled
from gyges.engines.coded import IbisCells, code_cells
from gyges.engines.file_sources import embedded
from gyges.engines.ibis import source_of
from gyges.engines.joined_rows import MemoryJoinedRows
from gyges.engines.transfer import from_arrow, write_arrow

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class MemorySource:
    """An Arrow table that is already in memory."""

    rows: pa.Table  # the columns that are used
    name: str = "the table"
    all_columns: tuple[str, ...] = ()  # also those that are not used, where there are such
    notices: tuple[str, ...] = ()  # what a user should know about how it was read
    labelled: tuple[str, ...] = ()  # columns of codes with labels, in a file of SPSS, Stata or SAS
    described: Mapping[str, str] = field(default_factory=dict)  # what such a file says of columns

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rows.num_rows:,} rows>"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self.all_columns or tuple(self.rows.column_names)

    def count(self, by: Sequence[str]) -> pa.Table:
        """Each distinct combination of these columns, and its number of rows.

        The columns come back dictionary-encoded: they need not be encoded again.
        """
        import pyarrow as pa

        if not by:
            return pa.table({COUNT: arrow_numbers(np.array([self.rows.num_rows]))})
        columns = encoded_columns(self.rows, by)
        codes, counts = _count_codes(columns)
        taken = [
            pa.DictionaryArray.from_arrays(
                arrow_numbers(codes[:, i], codes[:, i] == len(column.dictionary)), column.dictionary
            )
            for i, column in enumerate(columns)
        ]
        return pa.table([*taken, arrow_numbers(counts)], names=[*by, COUNT])

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """For each combination of `by` the number of distinct combinations of `columns`."""
        together = self.count(list(dict.fromkeys([*by, *columns])))
        return MemorySource(together, self.name).count(by)

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """How many rows have a null in each of these columns."""
        return {name: self.rows.column(name).null_count for name in columns}

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """How many different texts of a column more there are than plain spellings."""
        return count_respelled(self.rows.column(column), marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows of these columns, in their order."""
        return self.rows.select(list(columns))

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> MemorySource:
        """The columns `keep` and what `mapping` has for each row's combination of `on`."""
        import pyarrow as pa

        columns = encoded_columns(self.rows, on)
        widths = [len(column.dictionary) + 2 for column in columns]  # null, and absent
        asked = row_keys(_stacked([places_of(c) for c in columns], self.rows.num_rows), widths)
        places = [_places_in(c, mapping.column(n)) for c, n in zip(columns, on, strict=True)]
        known = row_keys(_stacked(places, mapping.num_rows), widths)
        order = np.argsort(known)
        where = np.searchsorted(known[order], asked)
        where[where == len(known)] = 0
        found = known[order][where] == asked if len(known) else np.zeros(len(asked), dtype=bool)
        new = [name for name in mapping.column_names if name not in on]
        recoded = mapping.select(new).take(arrow_numbers(order[where[found]]))
        kept = self.rows.select(list(keep)).filter(arrow_numbers(found))
        both = [*kept.columns, *recoded.columns]
        return MemorySource(pa.table(both, names=[*keep, *new]), self.name)

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column's values."""
        import pyarrow as pa

        kind = self.rows.schema.field(column).type
        return kind.value_type if pa.types.is_dictionary(kind) else kind

    def keep_best(self, by: str, column: str, best: Best, keep: Sequence[str]) -> MemorySource:
        """The rows with the least or greatest value among those with their `by`."""
        who, values = encoded_columns(self.rows, [by, column])
        ranks = _ranks(values.dictionary)[places_of(values)]
        if best == "least":
            ranks = -ranks
        greatest = np.full(len(who.dictionary), ranks.min(initial=0), dtype=np.int64)
        np.maximum.at(greatest, places_of(who), ranks)
        kept = ranks == greatest[places_of(who)]
        return MemorySource(self.rows.select(list(keep)).filter(arrow_numbers(kept)), self.name)

    def join_rows(
        self, by: str, mappings: Sequence[pa.Table], how: Mapping[str, Join]
    ) -> MemoryJoinedRows:
        """For each value of `by` the numbers that its rows have together."""
        (who,) = encoded_columns(self.rows, [by])
        numbers = {}
        for mapping in mappings:
            (column,) = encoded_columns(self.rows, mapping.column_names[:1])
            place = np.zeros(len(column.dictionary) + 2, dtype=np.int64)  # null, and absent
            place[_places_in(column, mapping.column(0))] = np.arange(mapping.num_rows)
            of_row = place[places_of(column)]
            for name in mapping.column_names[1:]:
                numbers[name] = np.asarray(numbers_of(mapping.column(name)))[of_row]
        return MemoryJoinedRows.of(who, by, numbers, how)

    def distinct(self, columns: Sequence[str]) -> MemorySource:
        """Each distinct combination of these columns as one row."""
        return MemorySource(self.count(columns).select(list(columns)), self.name)

    def code(self, mappings: Sequence[pa.Table], *, own_memory: int) -> IbisCells:
        """Count distinct rows as codes, and keep them in an embedded DuckDB."""
        wanted = [mapping.column_names[0] for mapping in mappings]
        rows = from_arrow(embedded(), self.rows.select(wanted))
        return code_cells(source_of(rows, self.name), mappings, own_memory=own_memory)

    def write(self, target: str) -> None:
        """Write the rows to a file: .csv or .parquet."""
        write_arrow(self.rows, target)


def _count_codes(columns: Sequence[pa.DictionaryArray]) -> tuple[CodeArray, IntArray]:
    """The distinct rows of codes (rows × columns), and how often each occurs.

    The codes of a row are the digits of one number. Where few numbers are possible, they are
    counted in an array, else sorted.
    """
    widths = [len(column.dictionary) + 1 for column in columns]
    n_possible = math.prod(widths)
    if n_possible >= 2**62:  # the digits do not fit: `row_keys` handles it
        codes = _stacked([places_of(column) for column in columns], len(columns[0]))
        keys = row_keys(codes, widths)
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        return codes[first], counts.astype(np.int64)
    keys = places_of(columns[0]).astype(np.int64)
    for column, width in zip(columns[1:], widths[1:], strict=True):
        keys *= width
        keys += places_of(column)
    distinct, counts = counted_keys(keys, n_possible)
    return digits(distinct, widths), counts


def _ranks(values: pa.Array) -> IntArray:
    """The place of each number or date among the others."""
    import pyarrow.compute as pc

    ranks = pc.rank(values, sort_keys="ascending")
    return np.asarray(numbers_of(ranks)).astype(np.int64)


def _stacked(columns: Sequence[CodeArray], n_rows: int) -> CodeArray:
    return np.stack(columns, axis=1) if columns else np.zeros((n_rows, 0), dtype=np.int32)


def _places_in(column: pa.DictionaryArray, values: pa.ChunkedArray) -> CodeArray:
    """The codes that values have in a column; one beyond the null's where they do not occur."""
    import pyarrow.compute as pc

    values = values.cast(column.dictionary.type).combine_chunks()
    absent = arrow_numbers(np.array([len(column.dictionary) + 1], dtype=np.int32))[0]
    places = numbers_of(pc.index_in(values, column.dictionary).fill_null(absent)).copy()
    if values.null_count:
        places[numbers_of(values.is_null().cast("int8")) == 1] = len(column.dictionary)
    return places
