"""Microaggregation: small groups of similar people, published by their centroids.

MDAV [DomingoFerrer2005] makes groups of k to 2k-1 people. It works on cells: people with equal
quasi-identifiers are one point that is divided where a group needs only part of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import BoundRule, Criterion, bind_all
from gyges.criteria.k_anonymity import KAnonymity
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.exact import whole
from gyges.kernels.mdav import farthest, nearest_holding, remove
from gyges.release.groups import Groups
from gyges.release.partition_of_cells import Partition, Pieces
from gyges.search.batch import Counter
from gyges.search.centroids import Centroids, centroid_labels, centroids, locate, nearest_other
from gyges.search.microaggregation_distances import Space
from gyges.search.mondrian import refuse_unsafe_whole

__all__ = ["Centroids", "centroid_labels", "centroids", "cluster", "locate", "search"]


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    k: int | None = None,
) -> Partition:
    """Group k to 2k-1 similar people; groups that break another rule are merged with the nearest.

    Where people have several sensitive values a point is not divided, and groups may be larger.

    Args:
        k: people in a group; by default the k of k-anonymity.
    """
    counter = Counter.of(cells)
    rules = bind_all(criteria, counter.everybody())
    asked = [k_asked for one in rules if (k_asked := one.rule.least_people) is not None]
    if k is None and not asked:
        raise RuleError(
            "microaggregation needs the size of its groups: add gy.KAnonymity(k) or give k"
        )
    size = max([*asked, whole(k, "k", least=1) if k is not None else 1])
    rules = [*rules, KAnonymity(size)]
    refuse_unsafe_whole(counter, rules)
    shares = cluster(cells, size, may_divide=cells.values_per_person == "one")
    return _mended(_partition(cells, shares), rules)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shares:
    """Of the people of `cell[i]`, `count[i]` are in `group[i]`; groups are numbered from 0."""

    cell: IntArray
    group: IntArray
    count: IntArray


def cluster(cells: Cells, k: int, *, may_divide: bool = True, space: Space | None = None) -> Shares:
    """MDAV [DomingoFerrer2005].

    1. While 3k people are left: take the point r farthest from the centroid of all these people,
       and the point s farthest from r; the k people nearest to each are a group.
    2. If 2k are left: the k nearest to the point farthest from the centroid are a group.
    3. The remaining people are a group.

    The centroid has the mean of numbers and the most frequent value of categories. Distances are
    those of `space`; by default numbers count in standard deviations.
    """
    remaining = _Remaining(cells, space or Space.of(cells))
    while remaining.n_left >= 2 * k:
        is_last = remaining.n_left < 3 * k
        r = remaining.farthest_from_centroid()
        goal = remaining.point(r)
        remaining.take_nearest(goal, k, may_divide)
        if not is_last and remaining.n_left >= 2 * k:
            remaining.take_nearest(remaining.point(remaining.farthest_from(goal)), k, may_divide)
    return remaining.shares()


class _Remaining:
    """The people who are not yet in a group, and the groups so far."""

    def __init__(self, cells: Cells, space: Space) -> None:
        self._codes = cells.codes
        self._marked = space.marked
        self._space = space
        self._numbers = space.numbers(space.places(cells.codes))
        self._marks = space.marks(cells.codes)
        self._weights = space.mark_weights
        self._people = cells.people.copy()
        self._names = np.arange(len(cells))
        self._n = len(cells)
        self.n_left = cells.n_people
        self._sums = self._numbers @ self._people.astype(np.float64)
        self._counts = [
            np.bincount(cells.codes[:, j], weights=cells.people, minlength=len(cells.domains[j]))
            for j in self._marked
        ]
        self._taken: list[tuple[IntArray, IntArray]] = []  # (cells, people) of each group

    def farthest_from_centroid(self) -> int:
        """The place of the point farthest from the centroid of the remaining people."""
        codes = np.zeros((1, len(self._space.domains)), dtype=np.int64)
        for j, counts in zip(self._marked, self._counts, strict=True):
            codes[0, j] = counts.argmax()
        modes = self._space.marks(codes)[:, 0].astype(np.int64)
        return self._farthest(self._sums, modes, float(self.n_left))

    def farthest_from(self, goal: tuple[FloatArray, IntArray]) -> int:
        """The place of the point farthest from another."""
        return self._farthest(*goal, 1.0)

    def _farthest(self, center: FloatArray, marks: IntArray, scale: float) -> int:
        return int(
            farthest(
                self._numbers,
                self._marks,
                self._weights,
                self._names,
                self._n,
                center,
                marks,
                scale,
            )
        )

    def point(self, place: int) -> tuple[FloatArray, IntArray]:
        """The numbers and marks of the point at a place."""
        return self._numbers[:, place].copy(), self._marks[:, place].astype(np.int64)

    def take_nearest(self, goal: tuple[FloatArray, IntArray], k: int, may_divide: bool) -> None:
        """Make a group of the k people nearest to a point."""
        near = nearest_holding(
            self._numbers,
            self._marks,
            self._weights,
            self._names,
            self._people,
            self._n,
            *goal,
            k,
        )
        counts = self._people[near]
        if may_divide:
            counts[-1] -= counts.sum() - k
        cells = self._names[near]
        self._taken.append((cells, counts))
        self.n_left -= int(counts.sum())
        self._sums -= self._numbers[:, near] @ counts.astype(np.float64)
        for j, held in zip(self._marked, self._counts, strict=True):
            np.subtract.at(held, self._codes[cells, j], counts)
        self._people[near] -= counts
        gone = np.sort(near[self._people[near] == 0])[::-1]
        self._n = remove(
            self._numbers, self._marks, self._people, self._names, self._n, gone.copy()
        )

    def shares(self) -> Shares:
        """The groups; the remaining people are the last one."""
        if self._n:
            self._taken.append((self._names[: self._n], self._people[: self._n]))
        lengths = [len(cells) for cells, _ in self._taken]
        return Shares(
            np.concatenate([cells for cells, _ in self._taken]),
            np.repeat(np.arange(len(lengths)), lengths),
            np.concatenate([counts for _, counts in self._taken]),
        )


def _partition(cells: Cells, shares: Shares) -> Partition:
    """The partition of cells, or of people where cells are divided."""
    order = np.lexsort((shares.group, shares.cell))
    cell, group, count = shares.cell[order], shares.group[order], shares.count[order]
    n_groups = int(group.max(initial=-1)) + 1
    if len(cell) == len(cells):
        return Partition(cells, group, n_groups)
    first = np.searchsorted(cell, np.arange(len(cells)))
    pieces = _pieces(cells, Shares(cell, group, count), n_groups)
    return Partition(cells, group[first], n_groups, pieces=pieces)


def _pieces(cells: Cells, shares: Shares, n_groups: int) -> Pieces:
    """Spread the values of a divided cell evenly over its groups; `shares` are sorted by cell.

    A share of c people has the places (t + 1/2)/c along its cell, and the cell's people, sorted
    by value, fill the places in order. So every share gets a sample of all values.
    """
    share = np.repeat(np.arange(len(shares.count)), shares.count)
    before = np.cumsum(shares.count) - shares.count
    place = (np.arange(len(share)) - before[share] + 0.5) / shares.count[share]
    share = share[np.lexsort((place, shares.cell[share]))]
    entry = np.repeat(np.arange(len(cells.value_counts)), cells.value_counts)
    return _counted(entry, shares.group[share], np.ones(len(entry)), n_groups)


def _counted(entry: IntArray, group: IntArray, count: IntArray | FloatArray, n: int) -> Pieces:
    """Pieces of these entries in groups 0..n-1, each pair once."""
    keys, where = np.unique(entry * n + group, return_inverse=True)
    return Pieces(keys // n, keys % n, np.bincount(where, weights=count).astype(np.int64))


def _mended(found: Partition, rules: list[BoundRule[Any]]) -> Partition:
    """Merge groups that break a rule with the nearest group until every rule holds.

    At the latest this ends with one group of all people, which holds.
    """
    while (broken := np.flatnonzero(_breaks(found.groups, rules))).size:
        into = np.arange(found.n_groups)
        is_merged = np.zeros(found.n_groups, dtype=bool)
        nearest = nearest_other(centroids(found), broken)
        for group, other in zip(broken, nearest, strict=True):
            if not is_merged[group] and not is_merged[other]:
                into[group] = other
                is_merged[[group, other]] = True
        found = _renumbered(found, into)
    return found


def _breaks(groups: Groups, rules: list[BoundRule[Any]]) -> BoolArray:
    """Which groups break a rule; none if there is only one group."""
    broken = np.zeros(len(groups), dtype=bool)
    for rule in rules if len(groups) > 1 else []:
        broken |= ~rule.holds_each(groups)
    return broken


def _renumbered(found: Partition, into: IntArray) -> Partition:
    """The same partition with each group put into another, numbered from 0 without gaps."""
    kept, number = np.unique(into, return_inverse=True)
    pieces = found.pieces
    if pieces is not None:
        pieces = _counted(pieces.entry, number[pieces.group], pieces.count, len(kept))
    return Partition(found.cells, number[found.group_of_cell], len(kept), pieces=pieces)
