"""Rows of several tables in one coding, so that an attacker can compare them.

A column of numbers or dates is scaled to 0…1, any other is coded. The distance of two rows is
Gower's: for each column the difference, or 0 for equal and 1 for different values [Gower1971]. A
missing value equals a missing one and differs from all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.data.encoding import NO_CODE, dictionary, make_coder
from gyges.data.values import MISSING, Kind, Value, guess_kind, positions, text_of
from gyges.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

_EQUAL = 1e-9  # two sums of rounded differences are the same distance


@dataclass(frozen=True, slots=True, eq=False)
class ComparedColumn:
    """One column: its values in order, and where they lie if they lie on a line."""

    name: str
    values: tuple[Value, ...]  # by code
    places: FloatArray | None  # 0…1 by code; None where values are equal or different

    @property
    def is_ordered(self) -> bool:
        """Whether the values lie on a line."""
        return self.places is not None


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """The rows of one table: codes in shared columns, rows × columns."""

    columns: tuple[ComparedColumn, ...]
    codes: IntArray

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: IntArray) -> ComparedRows:
        """Some of the rows."""
        return ComparedRows(self.columns, self.codes[rows])

    def distinct(self, columns: Sequence[int]) -> tuple[IntArray, IntArray]:
        """The distinct rows of some columns, and which of them each row is."""
        found, of_row = np.unique(self.codes[:, list(columns)], axis=0, return_inverse=True)
        return found, of_row.reshape(-1)

    def nearest(self, target: IntArray, columns: Sequence[int], rows: IntArray) -> BoolArray:
        """Which of `rows` (codes in these columns) are nearest to a target's codes."""
        distance = np.zeros(len(rows))
        for place, column in enumerate(columns):
            distance += self._differences(column, int(target[place]))[rows[:, place]]
        return np.asarray(distance <= distance.min() + _EQUAL)

    def _differences(self, column: int, code: int) -> FloatArray:
        """The difference of every value of a column to one."""
        places = self.columns[column].places
        if places is None or np.isnan(places[code]):
            differences = np.ones(len(self.columns[column].values))
        else:
            differences = np.nan_to_num(np.abs(places - places[code]), nan=1.0)
        differences[code] = 0.0
        return differences


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTables:
    """The rows of a released table, and people on whom attacks are tried."""

    released: ComparedRows
    original: ComparedRows  # the people whose data it was made from
    control: ComparedRows | None = None  # people whose data it was not made from

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.released.columns]


def compared(
    released: pa.Table,
    original: pa.Table,
    control: pa.Table | None = None,
    *,
    names: Sequence[str],
) -> ComparedTables:
    """Code the same columns of the tables.

    Refuses a label of the released table that no other has as a value: a range or a set equals
    nobody's value, and every attack would fail for the wrong reason.
    """
    tables = [table for table in (released, original, control) if table is not None]
    columns, codes = [], [np.empty((table.num_rows, len(names)), np.int64) for table in tables]
    for place, name in enumerate(names):
        raw = [_texts(dictionary(table.column(name), name)) for table in tables]
        others = {value for held, _ in raw[1:] for value in held if value}
        _refuse_labels(name, [value for value in raw[0][0] if value], others)
        coder = make_coder(name, {v for held, _ in raw for v in held}, missing_is_value=True)
        columns.append(_column(name, coder.domain.values))
        for j, (held, of_row) in enumerate(raw):
            of_value = [coder.code_of_raw.get(value, NO_CODE) for value in held]
            codes[j][:, place] = np.array(of_value)[of_row]
    return ComparedTables(*(ComparedRows(tuple(columns), one) for one in codes))


def _texts(encoded: tuple[list[Hashable], CodeArray]) -> tuple[list[str | None], CodeArray]:
    """The distinct values as texts, a missing one last: a file may have "45", a frame 45."""
    held, of_row = encoded
    texts = [text_of(value) for value in held]  # type: ignore[arg-type]
    return [*(None if text in ("", MISSING) else text for text in texts), None], of_row


def _column(name: str, values: Sequence[Value]) -> ComparedColumn:
    """A column with its values on a line where all but the missing one are numbers or dates."""
    known = [value for value in values if value != MISSING]
    kind = guess_kind(known)
    if kind not in (Kind.NUMBER, Kind.DATE) or any(isinstance(value, str) for value in known):
        return ComparedColumn(name, tuple(values), None)
    line = positions(known, kind)
    places = np.full(len(values), np.nan)
    places[: len(known)] = (line - line.min()) / (float(line.max() - line.min()) or 1.0)
    return ComparedColumn(name, tuple(values), places)


def _refuse_labels(name: str, released: Sequence[str], others: set[str]) -> None:
    strange = [one for one in released if one not in others]
    kinds = {guess_kind(others), guess_kind(strange)} if strange else {Kind.NUMBER}
    if kinds == {Kind.NUMBER} or kinds == {Kind.DATE}:
        return  # a number or date in between is a value
    raise SourceError(
        f"column {name!r} of the table shows {strange[0]!r}, which no row of the original "
        f"or the control has"
    )
