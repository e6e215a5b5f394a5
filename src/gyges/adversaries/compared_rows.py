"""Rows of several tables in one coding, so that an attacker can compare them.

A column of numbers or dates is scaled to 0…1, any other is coded. The distance of two rows is
Gower's: for each column the difference, or 0 for equal and 1 for different values [Gower1971]. A
missing value equals a missing one and differs from all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.encoding import NO_CODE, dictionary, make_coder
from gyges.data.values import MISSING, Kind, Value, guess_kind, positions, text_of
from gyges.errors import SourceError
from gyges.kernels.nearest_rows import nearest_rows, runs

if TYPE_CHECKING:
    import pyarrow as pa

_ROOM = 1_000_000  # rows that are found before they are used
_MOST_KEYS = 2**62  # keys of rows stay within 64 bits


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

    @property
    def n_known(self) -> int:
        """The number of values on a line: the missing one has the last code."""
        return len(self.values) - 1


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

    def and_also(self, others: ComparedRows) -> ComparedRows:
        """These rows, and then the others."""
        return ComparedRows(self.columns, np.concatenate([self.codes, others.codes]))

    def distinct(self, columns: Sequence[int]) -> tuple[IntArray, IntArray]:
        """The distinct rows of some columns in order, and which of them each row is."""
        keys = np.zeros(len(self), dtype=np.int64)
        n_keys = 1  # keys below it, in the order of the rows
        for column in columns:
            n_values = len(self.columns[column].values)
            if n_keys * n_values > _MOST_KEYS:
                held, keys = np.unique(keys, return_inverse=True)
                n_keys = len(held)
            keys, n_keys = keys * n_values + self.codes[:, column], n_keys * n_values
        _, some_row, of_row = np.unique(keys, return_index=True, return_inverse=True)
        return self.codes[some_row][:, list(columns)], of_row

    def points(self, columns: Sequence[int], codes: IntArray) -> FloatArray:
        """Rows of codes in some columns as points: where values lie, or their code."""
        points = codes.astype(np.float64)
        for place, column in enumerate(columns):
            places = self.columns[column].places
            if places is not None:
                points[:, place] = places[codes[:, place]]
        return points


@dataclass(frozen=True, slots=True, eq=False)
class NearestRows:
    """The distinct rows of a table in some columns, prepared to find the nearest ones."""

    rows: ComparedRows
    columns: tuple[int, ...]  # in the order of the search: few values first, lines last
    order: IntArray  # their places among the columns that were given
    points: FloatArray
    changes: CodeArray
    ends: CodeArray
    sizes: IntArray  # how many rows of the table are this one
    of_row: IntArray  # which of them each row of the table is

    @classmethod
    def of(cls, rows: ComparedRows, columns: Sequence[int]) -> NearestRows:
        """Sort the rows by these columns."""
        by = [(rows.columns[c].is_ordered, len(rows.columns[c].values), c) for c in columns]
        order = np.array(sorted(range(len(columns)), key=lambda place: by[place]), dtype=np.int64)
        chosen = tuple(columns[place] for place in order)
        codes, of_row = rows.distinct(chosen)
        sizes = np.bincount(of_row, minlength=len(codes))
        changes, ends = runs(codes)
        points = rows.points(chosen, codes)
        return cls(rows, chosen, order, points, changes, ends, sizes, of_row)

    def __len__(self) -> int:
        return len(self.points)

    def batches(self, targets: IntArray) -> Iterator[tuple[int, int, IntArray, IntArray]]:
        """Targets first to last, their nearest rows, and where those of each one start."""
        points = self.rows.points(self.columns, targets[:, self.order])
        is_line = np.array([self.rows.columns[c].is_ordered for c in self.columns], dtype=bool)
        near = np.empty(len(self) + _ROOM, dtype=np.int32)
        starts = np.zeros(len(targets) + 1, dtype=np.int64)
        first = 0
        while first < len(targets):
            last = nearest_rows(
                self.points, is_line, self.changes, self.ends, points, first, near, starts
            )
            ends = starts[first : last + 1].copy()
            yield first, last, near[: ends[-1]].astype(np.int64), ends
            first = last

    def to_each(self, targets: IntArray) -> Iterator[IntArray]:
        """The nearest rows of each target."""
        for first, last, near, starts in self.batches(targets):
            for i in range(last - first):
                yield near[starts[i] : starts[i + 1]]


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
