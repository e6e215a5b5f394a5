"""Cells: the distinct rows of a table with their counts, as codes. Every rule needs only these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray, frozen
from gyges.data.hierarchy import Ladder
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Kind, Value, positions
from gyges.exact import counted
from gyges.ragged import Ragged, starts_of


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """One column's values in sorted order; a value's code is its place among them.

    The domain is the leaves of the column's hierarchy, else the values present in the data.
    """

    name: str
    kind: Kind
    values: tuple[Value, ...]
    present: BoolArray  # which of the values occur in the data
    ladder: Ladder | None = None  # how the values may be generalized

    def __post_init__(self) -> None:
        frozen(self.present)

    def __repr__(self) -> str:
        return f"<Domain {self.name!r}: {len(self):,} values, {self.kind}>"

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def is_ordered(self) -> bool:
        """Whether the values lie on a line: numbers and dates."""
        return self.kind in (Kind.NUMBER, Kind.DATE)

    @cached_property
    def positions(self) -> FloatArray:
        """Where each value lies on the line; its code where the column has no line."""
        return positions(self.values, self.kind)

    @cached_property
    def range(self) -> float:
        """The distance from the least to the greatest value in the data; 0 for one value."""
        there = self.positions[self.present]
        return float(there.max() - there.min()) if len(there) else 0.0

    @property
    def height(self) -> int:
        """How many levels the column can be generalized; 0 without a hierarchy."""
        return self.ladder.height if self.ladder else 0


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Distinct combinations of quasi-identifiers, in lexicographic order of their codes.

    Cell c has `people[c]` people; the sensitive values found among them are
    `value_codes[starts[c]:starts[c+1]]`, each `value_counts[...]` times. With one value per
    person these counts add up to `people[c]`.
    """

    domains: tuple[Domain, ...]  # one for each quasi-identifier, in the schema's order
    codes: CodeArray  # cells × quasi-identifiers
    people: IntArray  # cells
    sensitive: Domain
    starts: IntArray  # cells + 1
    value_codes: CodeArray  # entries
    value_counts: IntArray  # entries
    values_per_person: ValuesPerPerson = "one"
    households: Ragged | None = None  # those of each cell's people, each once, if they are known

    def __post_init__(self) -> None:
        frozen(self.codes, self.people, self.starts, self.value_codes, self.value_counts)

    def __repr__(self) -> str:
        return f"<Cells: {counted(self.n_people, 'person')} in {counted(len(self), 'cell')}>"

    def __len__(self) -> int:
        return len(self.people)

    @cached_property
    def n_people(self) -> int:
        """How many people the table is about."""
        return int(self.people.sum())

    @cached_property
    def value_totals(self) -> IntArray:
        """How often each sensitive value occurs in the table, by its code."""
        totals = np.bincount(
            self.value_codes, weights=self.value_counts, minlength=len(self.sensitive)
        )
        return totals.astype(np.int64)

    @cached_property
    def cell_of_entry(self) -> IntArray:
        """The cell that each (value, count) entry belongs to."""
        return Ragged(self.value_codes, self.starts).segment_of_value

    @cached_property
    def columns(self) -> list[str]:
        """The names of the quasi-identifiers."""
        return [domain.name for domain in self.domains]

    @classmethod
    def from_entries(
        cls,
        *,
        domains: Sequence[Domain],
        codes: CodeArray,
        people: IntArray,
        sensitive: Domain,
        entry_codes: CodeArray,
        value_codes: CodeArray,
        value_counts: IntArray,
        values_per_person: ValuesPerPerson,
        entry_rows: IntArray | None = None,
    ) -> Cells:
        """Sort cells and add up the counts of repeated ones.

        `codes` and `people` give how many people have a combination; `entry_codes`,
        `value_codes` and `value_counts` give how often a value occurs among them. Combinations
        may come in any order and several times. Where they are known, `entry_rows` are the rows of
        `codes` that have the combinations of the entries.
        """
        widths, n_values = [len(domain) for domain in domains], max(len(sensitive), 1)
        if entry_rows is None and entry_codes is codes and math.prod(widths) * n_values < 2**62:
            counted = _one_value_each(codes, widths, value_codes, value_counts, n_values)
        else:
            rows = codes if entry_rows is not None else np.concatenate([codes, entry_codes])
            distinct, cell_of = distinct_rows(rows, widths)
            of_entry = cell_of[len(codes) :] if entry_rows is None else cell_of[entry_rows]
            n_people = np.bincount(cell_of[: len(codes)], weights=people, minlength=len(distinct))
            found = _any_values(len(distinct), of_entry, value_codes, value_counts)
            counted = (distinct, n_people.astype(np.int64), *found)
        distinct, n_people, starts, at_entry, counts = counted
        return cls(
            domains=tuple(domains),
            codes=distinct,
            people=n_people,
            sensitive=sensitive,
            starts=starts,
            value_codes=at_entry,
            value_counts=counts,
            values_per_person=values_per_person,
        )


@runtime_checkable
class WithCells(Protocol):
    """Whatever has cells: a table, or some columns of one."""

    @property
    def cells(self) -> Cells:
        """The distinct rows, counted."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellsByColumns:
    """The combinations of some quasi-identifiers of a table: where people are looked up by these.

    `place` is, for each cell of the table, its combination here.
    """

    cells: Cells
    place: IntArray


def by_columns(cells: Cells, names: Sequence[str]) -> CellsByColumns:
    """The distinct combinations of some of the quasi-identifiers, without values."""
    kept = [cells.columns.index(name) for name in names]
    domains = tuple(cells.domains[column] for column in kept)
    codes, place = distinct_rows(cells.codes[:, kept], [len(domain) for domain in domains])
    people = np.bincount(place, weights=cells.people, minlength=len(codes)).astype(np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    found = Cells(
        domains=domains,
        codes=codes,
        people=people,
        sensitive=cells.sensitive,
        starts=np.zeros(len(codes) + 1, dtype=np.int64),
        value_codes=nothing.astype(np.int32),
        value_counts=nothing,
        values_per_person="set",
    )
    return CellsByColumns(found, place)


_Counted: TypeAlias = "tuple[CodeArray, IntArray, IntArray, CodeArray, IntArray]"
_ROWS_WORTH_COMPILING = 1 << 18
_IN_CACHE = 1 << 15  # keys
_DENSE_KEYS = 1 << 22  # up to here, possible keys are added up in a dense array


def _one_value_each(
    codes: CodeArray,
    widths: Sequence[int],
    value_codes: CodeArray,
    value_counts: IntArray,
    n_values: int,
) -> _Counted:
    """(codes, people, starts, value codes, counts) where each person has one value.

    A combination with its value is one number, so that one pass sorts everything.
    """
    is_dense = math.prod(widths) * n_values <= max(_DENSE_KEYS, 4 * len(codes))
    if len(codes) >= _ROWS_WORTH_COMPILING and is_dense:
        return _added_up(codes, widths, value_codes, value_counts, n_values)
    keys = row_keys(codes, widths) * n_values + value_codes
    keys, counts = summed_keys(keys, value_counts, math.prod(widths) * n_values)
    of_cell, at_entry = np.divmod(keys, n_values)
    first = np.flatnonzero(np.diff(of_cell, prepend=-1))
    cells = Ragged(counts, np.append(first, len(keys)).astype(np.int64))
    codes = digits(of_cell[first], widths)
    return codes, cells.sums(), cells.starts, at_entry.astype(np.int32), counts


def _added_up(
    codes: CodeArray,
    widths: Sequence[int],
    value_codes: CodeArray,
    value_counts: IntArray,
    n_values: int,
) -> _Counted:
    """As `_one_value_each`, by a compiled pass: for many rows of few possible combinations."""
    from gyges.kernels.tally import add_up, collect

    sums = np.zeros((math.prod(widths), n_values), dtype=np.int64)
    radix = np.array(widths, dtype=np.int64)
    columns = np.ascontiguousarray(codes.T, dtype=np.int32)
    add_up(columns, radix, value_codes.astype(np.int32, copy=False), value_counts, sums)
    found: _Counted = collect(sums, radix)
    return found


def _any_values(
    n_cells: int, cell_of_entry: IntArray, value_codes: CodeArray, value_counts: IntArray
) -> tuple[IntArray, CodeArray, IntArray]:
    """(starts, value codes, counts), where people may have no value or several."""
    n_values = int(value_codes.max(initial=0)) + 1
    keys = cell_of_entry * n_values + value_codes
    keys, counts = summed_keys(keys, value_counts, n_cells * n_values)
    of_cell, at_entry = np.divmod(keys, n_values)
    starts = starts_of(np.bincount(of_cell, minlength=n_cells))
    return starts, at_entry.astype(np.int32), counts


def counted_keys(keys: IntArray, n_possible: int) -> tuple[IntArray, IntArray]:
    """The distinct keys in order, and how often each is there."""
    if n_possible <= max(_DENSE_KEYS, 2 * len(keys)):
        every = np.bincount(keys, minlength=n_possible)
        there = np.flatnonzero(every)
        return there, every[there]
    keys = np.sort(keys)
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], np.diff(np.append(first, len(keys)))


def summed_keys(keys: IntArray, counts: IntArray, n_possible: int) -> tuple[IntArray, IntArray]:
    """The distinct keys in order, and the sum of the counts of each."""
    if (keys[1:] > keys[:-1]).all():
        return keys, counts
    if n_possible <= max(_DENSE_KEYS, 4 * len(keys)):
        sums = np.bincount(keys, weights=counts, minlength=n_possible)
        distinct = np.flatnonzero(sums > 0)  # half the time that it takes with numbers
        return distinct, sums[distinct].astype(np.int64)
    if (counts == 1).all():  # only how often each key is there: no need to sort places
        return counted_keys(keys, n_possible)
    order = np.argsort(keys)
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[first], Ragged(counts, np.append(first, len(keys))).sums()


def locate(codes: CodeArray, cells: Cells) -> IntArray:
    """The cell of each row of codes; every row is in one."""
    widths = [len(domain) for domain in cells.domains]
    keys = row_keys(np.concatenate([cells.codes, codes]), widths)
    return np.searchsorted(keys[: len(cells)], keys[len(cells) :]).astype(np.int64)


def row_keys(codes: CodeArray | IntArray, widths: Sequence[int]) -> IntArray:
    """One integer for each row, in lexicographic order: codes as digits of a mixed radix.

    Where the digits do not fit into 63 bits, the leading columns are replaced by their ranks.
    """
    keys = np.zeros(len(codes), dtype=np.int64)
    size = 1
    for column, width in enumerate(widths):
        if size * max(width, 1) >= 2**62:
            _, keys = np.unique(keys, return_inverse=True)
            size = int(keys.max(initial=0)) + 1
        keys = keys * max(width, 1) + codes[:, column]
        size *= max(width, 1)
    return keys


def distinct_rows(codes: CodeArray, widths: Sequence[int]) -> tuple[CodeArray, IntArray]:
    """The distinct rows in lexicographic order, and for each row its place among them."""
    n_possible = math.prod(max(width, 1) for width in widths)
    if n_possible <= max(_DENSE_KEYS, 4 * len(codes)) and len(codes):
        keys = row_keys(codes, widths)
        is_there = np.zeros(n_possible, dtype=bool)
        is_there[keys] = True
        return digits(np.flatnonzero(is_there), widths), (np.cumsum(is_there) - 1)[keys]
    keys = row_keys(codes, widths)
    order = np.argsort(keys)  # much faster than the stable sort of np.unique
    is_new = np.diff(keys[order], prepend=-1) != 0
    where = np.empty(len(keys), dtype=np.int64)
    where[order] = np.cumsum(is_new) - 1
    return np.ascontiguousarray(codes[order[is_new]], dtype=np.int32), where


def digits(keys: IntArray, widths: Sequence[int]) -> CodeArray:
    """The rows of codes of keys whose digits fit into 63 bits: the inverse of `row_keys`."""
    codes = np.empty((len(keys), len(widths)), dtype=np.int32)
    for first in range(0, len(keys), _IN_CACHE):
        run = slice(first, first + _IN_CACHE)
        rest = keys[run]
        for column in reversed(range(len(widths))):
            width = max(widths[column], 1)
            above = rest // width  # np.divmod takes three times as long
            codes[run, column] = rest - above * width
            rest = above
    return codes
