"""Rows of several tables in one coding, so that an attacker can compare them.

A column of numbers or dates is scaled to 0…1, any other is coded. The distance of two rows is
Gower's: for each column the difference, or 0 for equal and 1 for different values [Gower1971]. A
missing value equals a missing one and differs from all others. Where a released column has labels
that stand for several values, its codes number labels, and those of people their values.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.adversaries.shown_labels import ShownLabels, shown_labels
from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.encoding import dictionary, make_coder
from gyges.data.hierarchy import Hierarchy
from gyges.data.values import MISSING, Kind, Value, guess_kind, positions, text_of
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
    labels: ShownLabels | None = None  # of a released column: then `values` are their texts

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
    """The distinct rows of a table in some columns, prepared to find the nearest ones.

    Rows that are suppressed in all of these columns say nothing, and are left out unless all are:
    they fit everyone as well as their own row does. Of rows that are equally near, those whose
    labels cover the fewest combinations of values are nearest: so a row with suppressed cells does
    not hide the row of which everything is shown.
    """

    rows: ComparedRows
    columns: tuple[int, ...]  # in the order of the search: few values first, lines last
    order: IntArray  # their places among the columns that were given
    points: FloatArray
    changes: CodeArray
    ends: CodeArray
    sizes: IntArray  # how many rows of the table are this one
    of_row: IntArray  # which of them each row of the table is; -1 if it says nothing
    breadths: FloatArray | None  # how many combinations of values each may stand for, if several

    @classmethod
    def of(cls, rows: ComparedRows, columns: Sequence[int]) -> NearestRows:
        """Sort the rows by these columns."""
        by = [(rows.columns[c].is_ordered, len(rows.columns[c].values), c) for c in columns]
        order = np.array(sorted(range(len(columns)), key=lambda place: by[place]), dtype=np.int64)
        chosen = tuple(columns[place] for place in order)
        codes, of_row = rows.distinct(chosen)
        breadths, says = _breadths(rows.columns, chosen, codes)
        if says is not None and says.any() and not says.all():
            codes, breadths = codes[says], None if breadths is None else breadths[says]
            of_row = np.where(says, np.cumsum(says) - 1, -1)[of_row]
        sizes = np.bincount(of_row[of_row >= 0], minlength=len(codes))
        changes, ends = runs(codes)
        points = rows.points(chosen, codes)
        return cls(rows, chosen, order, points, changes, ends, sizes, of_row, breadths)

    @property
    def _far(self) -> tuple[IntArray, IntArray, FloatArray]:
        """For each column where its labels start in a flat list, their values, and that list."""
        labels = [self.rows.columns[column].labels for column in self.columns]
        flat = [np.zeros(0) if one is None else one.far.ravel() for one in labels]
        starts = np.cumsum([0, *map(len, flat)])[:-1]
        widths = [0 if one is None else one.far.shape[1] for one in labels]
        return starts.astype(np.int64), np.array(widths, dtype=np.int64), np.concatenate(flat)

    def __len__(self) -> int:
        return len(self.points)

    def batches(self, targets: IntArray) -> Iterator[tuple[int, int, IntArray, IntArray]]:
        """Targets first to last, their nearest rows, and where those of each one start."""
        points = self.rows.points(self.columns, targets[:, self.order])
        is_line = np.array([self.rows.columns[c].is_ordered for c in self.columns], dtype=bool)
        near = np.empty(len(self) + _ROOM, dtype=np.int32)
        starts = np.zeros(len(targets) + 1, dtype=np.int64)
        rows, far = (self.points, is_line, self.changes, self.ends), self._far
        first = 0
        while first < len(targets):
            last = nearest_rows(*rows, *far, points, first, near, starts)
            ends = starts[first : last + 1].copy()
            yield first, last, *self._narrowest(near[: ends[-1]].astype(np.int64), ends)
            first = last

    def _narrowest(self, near: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Of the rows that are nearest to each target, those that may stand for the least."""
        if self.breadths is None or not len(near):
            return near, starts
        breadths = self.breadths[near]
        least = np.minimum.reduceat(breadths, starts[:-1])
        keeps = breadths == np.repeat(least, np.diff(starts))
        return near[keeps], np.concatenate([[0], np.cumsum(keeps)])[starts]

    def to_each(self, targets: IntArray) -> Iterator[IntArray]:
        """The nearest rows of each target."""
        for first, last, near, starts in self.batches(targets):
            for i in range(last - first):
                yield near[starts[i] : starts[i + 1]]


def _breadths(
    columns: Sequence[ComparedColumn], chosen: Sequence[int], codes: IntArray
) -> tuple[FloatArray | None, BoolArray | None]:
    """How many combinations of values rows may stand for, and whether they say anything.

    None where no column has labels.
    """
    shown = [(place, columns[c].labels) for place, c in enumerate(chosen)]
    labelled = [(place, labels) for place, labels in shown if labels is not None]
    if not labelled:
        return None, None
    breadths, hides = np.ones(len(codes)), np.ones(len(codes), dtype=bool)
    for place, labels in labelled:
        breadths *= np.maximum(labels.covers.sum(axis=1), 1)[codes[:, place]]
        hides &= labels.hides[codes[:, place]]
    return breadths, ~hides if len(labelled) == len(chosen) else None


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
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> ComparedTables:
    """Code the same columns of the tables.

    A label of the released table that is nobody's value is read as one that covers several, by the
    column's hierarchy if there is one. Refuses one that cannot be read: it would equal nobody's
    value, and every attack would fail for the wrong reason.
    """
    tables = [table for table in (released, original, control) if table is not None]
    shown, columns = [], []
    codes = [np.empty((table.num_rows, len(names)), np.int64) for table in tables]
    for place, name in enumerate(names):
        raw = [_texts(dictionary(table.column(name), name)) for table in tables]
        others = {value for held, _ in raw[1:] for value in held if value}
        strange = _strange([value for value in raw[0][0] if value], others)
        held_by = raw[1:] if strange else raw
        coder = make_coder(
            name,
            {v for held, _ in held_by for v in held},
            hierarchy=(hierarchies or {}).get(name) if strange else None,
            missing_is_value=True,
        )
        column = _column(name, coder.domain.values)
        columns.append(column)
        shown.append(_labelled(column, raw, coder.domain) if strange else column)
        for j, (held, of_row) in enumerate(raw):
            is_label = strange and j == 0
            of_value = range(len(held)) if is_label else [coder.code_of_raw[v] for v in held]
            codes[j][:, place] = np.array(of_value)[of_row]
    people = (ComparedRows(tuple(columns), one) for one in codes[1:])
    return ComparedTables(ComparedRows(tuple(shown), codes[0]), *people)


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


def _strange(released: Sequence[str], others: set[str]) -> bool:
    """Whether a released column has labels that are no values.

    A number or date between those of the people is a value.
    """
    strange = [one for one in released if one not in others]
    kinds = {guess_kind(others), guess_kind(strange)} if strange else {Kind.NUMBER}
    return kinds not in ({Kind.NUMBER}, {Kind.DATE})


def _labelled(
    column: ComparedColumn,
    raw: Sequence[tuple[list[str | None], CodeArray]],
    domain: Domain,
) -> ComparedColumn:
    """The released column, whose codes number its labels."""
    texts = raw[0][0]
    is_value = any(held[one] is None for held, of_row in raw[1:] for one in np.unique(of_row))
    labels = shown_labels(texts, domain, column.places, missing_is_value=is_value)
    return ComparedColumn(column.name, tuple(text or MISSING for text in texts), None, labels)
