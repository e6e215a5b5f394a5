"""The least probability that atoms are all false: found in floats, decided exactly.

Floats find the rows that may attain a minimum (kernels/dominating_groups.py, with a proven margin);
integers decide between them. A row is (n, S_1, …, S_K): a group's size and the sums of its
largest counts. Groups with equal rows are one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gyges.arrays import FloatArray, IntArray, frozen
from gyges.kernels.atom_costs import best_ways, margin, reach
from gyges.kernels.dominating_groups import closures, join, scan
from gyges.release.groups import Groups

_MOST_REMEMBERED = 64  # atoms; for more, remembering every distribution takes too much memory
_ROOM = 64  # rows that may be close to each other before they are settled

Row: TypeAlias = tuple[int, ...]
Parts: TypeAlias = tuple[int, ...]  # how many atoms are about the first person, the second, …
Choice: TypeAlias = tuple[Fraction, tuple[tuple[int, int], ...]]  # value, (row, atoms) of each


@dataclass(frozen=True, slots=True, eq=False)
class DominatingRows:
    """The few rows that decide the worst case: all that must be kept of a batch of groups.

    `reach` is K, how many atoms (target included) are considered: k+1, or fewer where fewer are
    enough for certainty. Two are equal if they give the same odds for every number of atoms.
    """

    rows: IntArray  # rows × (reach + 1)
    costs: FloatArray  # rows × (reach + 1), see kernels/atom_costs.py
    reach: int
    cost: float  # -log of the least odds against the target, rounded; -inf without groups

    def __post_init__(self) -> None:
        frozen(self.rows, self.costs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DominatingRows):
            return NotImplemented
        return self.reach == other.reach and odds_of(self) == odds_of(other)

    __hash__ = None  # type: ignore[assignment]


def find(groups: Groups, k: int) -> tuple[DominatingRows, IntArray]:
    """The dominating rows of some groups for k facts and a target, and a group for each row."""
    sizes, starts, counts = groups.sizes, groups.starts, groups.value_counts
    K = reach(sizes, starts, k)
    room = 2 * K + _ROOM
    rows, costs = np.empty((room, K + 1), dtype=np.int64), np.empty((room, K + 1))
    ids = np.empty(room, dtype=np.int64)
    n_rows, at, cost = scan(sizes, starts, counts, 0, rows, costs, ids, 0)
    while n_rows == room:
        kept = _settled(rows, costs)
        n_rows = len(kept)
        rows[:n_rows], costs[:n_rows], ids[:n_rows] = rows[kept], costs[kept], ids[kept]
        n_rows, at, cost = scan(sizes, starts, counts, at, rows, costs, ids, n_rows)
    return DominatingRows(rows[:n_rows].copy(), costs[:n_rows].copy(), K, cost), ids[:n_rows].copy()


def merged(one: DominatingRows, other: DominatingRows) -> DominatingRows:
    """The dominating rows of two batches together."""
    K = min(one.reach, other.reach)
    rows, costs, n_rows, cost = join(one.rows, one.costs, other.rows, other.costs, K)
    rows, costs = rows[:n_rows], costs[:n_rows]
    if n_rows > 2 * K + _ROOM:
        kept = _settled(rows, costs)
        rows, costs = rows[kept], costs[kept]
    return DominatingRows(rows, costs, K, cost)


def odds_of(dominating: DominatingRows) -> list[Fraction]:
    """The least odds against the target for 1, 2, …, reach atoms, exactly; none without groups."""
    if not len(dominating.rows):
        return []
    placing = Placing(dominating)
    return [placing.odds(h) for h in range(1, dominating.reach + 1)]


class Placing:
    """How best to place atoms on people of different groups, exactly.

    star(j) is the least probability that none of j atoms holds, aim(h) the least odds against
    the target if it is one of h atoms [Martin2007, Eq. (1)]. Both are products over groups; a
    choice is remembered as the (row, number of atoms) that it multiplies.
    """

    def __init__(self, dominating: DominatingRows) -> None:
        self._rows: list[Row] = [tuple(row) for row in dominating.rows.tolist()]
        self._costs: list[list[float]] = dominating.costs.tolist()
        self._margin = margin(dominating.reach)
        star, aim = closures(dominating.costs)
        self._star: list[float] = star.tolist()
        self._aim: list[float] = aim.tolist()
        self._known: dict[tuple[bool, int], Choice] = {}

    def odds(self, h: int) -> Fraction:
        """aim(h): the least odds against the target."""
        return self._best(True, h)[0]

    def probability(self, j: int) -> Fraction:
        """star(j): the least probability that none of j atoms holds."""
        return self._best(False, j)[0] if j else Fraction(1)

    def places(self, h: int) -> tuple[tuple[int, int], ...]:
        """Which rows get how many of h atoms; the target is the first one's."""
        return self._best(True, h)[1]

    def spread(self, j: int) -> tuple[tuple[int, int], ...]:
        """Which rows get how many of j atoms, without a target."""
        return self._best(False, j)[1]

    def _best(self, aimed: bool, j: int) -> Choice:
        """The exact optimum among the choices that are within the margin of the rounded one."""
        if (aimed, j) not in self._known:
            options = [*self._single(aimed, j), *self._split(aimed, j)]
            self._known[aimed, j] = min(options, key=lambda option: option[0])
        return self._known[aimed, j]

    def _single(self, aimed: bool, j: int) -> list[Choice]:
        best = (self._aim if aimed else self._star)[j]
        options: list[Choice] = []
        for x, (row, costs) in enumerate(zip(self._rows, self._costs, strict=True)):
            if costs[j] + (costs[0] if aimed else 0.0) >= best - self._margin:
                product, people, _ = _best_parts(row, j)
                n, most = (row[0], row[1]) if aimed else (1, 1)
                options.append((Fraction(product * n, people * most), ((x, j),)))
        return options

    def _split(self, aimed: bool, j: int) -> list[Choice]:
        if (self._aim if aimed else self._star)[j] == math.inf:
            return []  # a single row is enough for certainty
        first = self._aim if aimed else self._star
        options = []
        for a in range(1, j if aimed else j // 2 + 1):
            if first[a] + self._star[j - a] >= first[j] - self._margin:
                one, other = self._best(aimed, a), self._best(False, j - a)
                options.append((one[0] * other[0], one[1] + other[1]))
        return options


def least_probability(row: Row, j: int) -> tuple[Fraction, Parts]:
    """The least probability that none of j atoms about one group holds, and how.

    The atoms about each person are about the most frequent values [Martin2007, Lemma 12]. Where
    fewer atoms are enough for certainty, only those are placed.

    >>> least_probability((5, 2, 4), 2)  # Flu, Flu, Lung Cancer, Lung Cancer, Mumps
    (Fraction(1, 5), (2,))
    """
    product, people, parts = _best_parts(row, j)
    return Fraction(product, people), parts


def _best_parts(row: Row, j: int) -> tuple[int, int, Parts]:
    """The least probability as numerator and denominator, not reduced, and the atoms by person."""
    parts, is_close = _rounded_parts(row)
    if is_close[j]:
        least, exact = _exact_parts(row)[j]
        return least.numerator, least.denominator, exact
    product = math.prod([max(row[0] - i - row[c], 0) for i, c in enumerate(parts[j])])
    return product, math.perm(row[0], len(parts[j])), parts[j]


@lru_cache(maxsize=4096)  # pure, of at most a few dozen small integers: many groups share them
def _rounded_parts(row: Row) -> tuple[list[Parts], list[bool]]:
    """The best parts for each number of atoms by rounded costs, and whether others are close."""
    if len(row) > _MOST_REMEMBERED:
        return [()] * len(row), [True] * len(row)
    found, is_close = best_ways(np.array(row, dtype=np.int64))
    return [tuple(c for c in parts if c) for parts in found.tolist()], is_close.tolist()


@lru_cache(maxsize=4096)  # as above
def _exact_parts(row: Row) -> tuple[tuple[Fraction, Parts], ...]:
    """The least probability for 0, 1, …, K atoms, and its parts, in integers throughout.

    With l people every denominator is n (n-1) …, so that for each l the products of numerators are
    compared.
    """
    n, K = row[0], len(row) - 1
    products: list[dict[int, tuple[int, Parts]]] = [{} for _ in range(K + 1)]
    products[0][0] = (1, ())
    for c in range(K, 0, -1):
        for i in range(min(K // c, n)):
            factor, reached = max(n - i - row[c], 0), products[i + 1]
            for r, (product, parts) in products[i].items():
                if r + c <= K and (r + c not in reached or product * factor < reached[r + c][0]):
                    reached[r + c] = (product * factor, (*parts, c))
    least: list[tuple[Fraction, Parts]] = [(Fraction(1), ())]
    for j in range(1, K + 1):
        options = [least[-1]]
        options += [
            (Fraction(at[j][0], math.perm(n, l)), at[j][1])
            for l, at in enumerate(products)
            if j in at
        ]
        least.append(min(options, key=lambda option: option[0]))
    return tuple(least)


def _settled(rows: IntArray, costs: FloatArray) -> IntArray:
    """The rows that are best for some number of atoms, with or without the target, exactly."""
    placing = Placing(DominatingRows(rows.copy(), costs.copy(), rows.shape[1] - 1, 0.0))
    chosen = {
        x
        for j in range(1, rows.shape[1])
        for aimed in (True, False)
        for x, _ in placing._best(aimed, j)[1]
    }
    return np.array(sorted(chosen), dtype=np.int64)
