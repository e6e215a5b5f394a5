"""MDAV: groups of k to 2k-1 similar people, taken from the outside of the table inwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Cells
from gyges.kernels.mdav import farthest, nearest_holding, remove
from gyges.search.microaggregation_distances import Space


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shares:
    """Of the people of `cell[i]`, `count[i]` are in `group[i]`; groups are numbered from 0."""

    cell: IntArray
    group: IntArray
    count: IntArray


def mdav(cells: Cells, k: int, *, may_divide: bool = True, space: Space | None = None) -> Shares:
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
