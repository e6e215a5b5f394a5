"""Which sets of columns make people unique."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.arrow_arrays import numbers_of
from gyges.data.cells import row_keys
from gyges.data.encoding import dictionary
from gyges.data.source import COUNT, Source
from gyges.exact import counted, percent

MOST_SETS = 400  # sets of columns of one size that are tried
_MOST_NAMED = 6  # columns that are named one by one


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """How many people are the only ones with their values in some columns."""

    columns: tuple[str, ...]
    n_alone: int
    n_people: int

    @property
    def share(self) -> float:
        """The share of people who are unique."""
        return self.n_alone / max(self.n_people, 1)

    def __str__(self) -> str:
        named = ", ".join(self.columns)
        if len(self.columns) > _MOST_NAMED:
            named = f"all {len(self.columns)} of them"
        people = counted(self.n_alone, "person is", "people are")
        share = percent(Fraction(self.n_alone, max(self.n_people, 1)))
        return f"{named}: {people} unique ({share})"


def uniqueness(
    source: Source, columns: Sequence[str], largest: int = 3, marks: Collection[str] = ()
) -> list[Uniqueness]:
    """The number of unique people, for sets of up to `largest` columns and for all columns.

    Rows are taken as people, and `marks` as missing, which is one value. The engine counts once,
    and every set is summed from that count. If there are too many sets, only extensions of the
    smaller sets with most unique people are tried.
    """
    counted = source.count(list(columns))
    encoded = [dictionary(counted.column(name), name) for name in columns]
    codes = np.stack([_without_marks(raw, places, marks) for raw, places in encoded], axis=1)
    widths = [len(raw) + 1 for raw, _ in encoded]
    people = np.asarray(numbers_of(counted.column(COUNT)), dtype=np.int64)

    def measured(chosen: tuple[int, ...]) -> Uniqueness:
        alone = _alone(codes[:, list(chosen)], [widths[i] for i in chosen], people)
        return Uniqueness(tuple(columns[i] for i in chosen), alone, int(people.sum()))

    found: dict[tuple[int, ...], Uniqueness] = {}
    sets: list[tuple[int, ...]] = [(i,) for i in range(len(columns))]
    for size in range(1, min(largest, len(columns)) + 1):
        found |= {chosen: measured(chosen) for chosen in sets}
        sets = _larger(found, size, len(columns))
    everything = tuple(range(len(columns)))
    if everything not in found:
        found[everything] = measured(everything)
    return [found[chosen] for chosen in sorted(found, key=lambda one: (len(one), one))]


def _without_marks(raw: list[Hashable], places: CodeArray, marks: Collection[str]) -> CodeArray:
    """The places of values, those of marks being that of a null: the last."""
    is_mark = np.array([*(str(value).strip() in marks for value in raw), True])
    return np.where(is_mark[places], len(raw), places)


def _larger(
    found: dict[tuple[int, ...], Uniqueness], size: int, n_columns: int
) -> list[tuple[int, ...]]:
    """The sets with one more column: all, or the extensions of those with most unique people."""
    if comb(n_columns, size + 1) <= MOST_SETS:
        return list(combinations(range(n_columns), size + 1))
    known = [chosen for chosen in found if len(chosen) == size]
    ranked = sorted(known, key=lambda chosen: -found[chosen].n_alone)
    kept = ranked[: max(1, MOST_SETS // n_columns)]
    return sorted(
        {tuple(sorted({*one, i})) for one in kept for i in range(n_columns) if i not in one}
    )


def _alone(codes: CodeArray, widths: list[int], people: IntArray) -> int:
    _, where = np.unique(row_keys(codes, widths), return_inverse=True)
    return int((np.bincount(where.ravel(), weights=people) == 1).sum())
