"""Counting the worlds of a few unknowns exactly: how often each is how large.

Unknowns that are not fixed by bounds and have no sum in common do not depend on each other, so each
connected part is counted by itself. The unknowns of a part are taken one after another; all that
matters of those already taken is how much is left of each sum. With r left of the cohort's sum, the
next unknown is x in C(r, x) ways, and the product over the cohort is the multinomial coefficient.
Two passes over the remainders, there and back, give the weight of every value of every unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TypeAlias

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.arrays import IntArray
from gyges.ragged import Ragged

_MOST_REMAINDERS = 5_000  # of one part
_MOST_UNKNOWNS = 300  # of one part
_MOST_CHOSEN = 50_000  # people with one value in a cohort, or without it

_Remainders: TypeAlias = "tuple[int, ...]"


@dataclass(frozen=True, slots=True)
class CountedUnknown:
    """The least, the largest and the mean count over all worlds."""

    least: int
    largest: int
    mean: Fraction


def parts(counts: JointCounts, low: IntArray, high: IntArray) -> list[IntArray]:
    """The unknowns that bounds do not fix, divided into parts without a common sum."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    free = np.flatnonzero(low < high)
    sums = counts.sums_of[free]
    unknown, column = np.nonzero(sums >= 0)
    used, place = np.unique(sums[unknown, column], return_inverse=True)
    n = len(free) + len(used)
    edges = coo_array((np.ones(len(unknown)), (unknown, len(free) + place)), shape=(n, n))
    n_parts, part = connected_components(edges, directed=False)
    return [free[one] for one in _segments(Ragged.group_by(part[: len(free)], n_parts))]


def _segments(ragged: Ragged) -> Iterator[IntArray]:
    return (ragged[s] for s in range(len(ragged)))


def count_worlds(
    counts: JointCounts, low: IntArray, high: IntArray, part: IntArray
) -> tuple[dict[int, CountedUnknown] | None, int]:
    """What each unknown of a part is over all worlds, and how many remainders were looked at.

    Empty where no world agrees with the sums; None where there would be too many remainders.
    """
    if len(part) > _MOST_UNKNOWNS or _has_large_coefficients(counts, low, high, part):
        return None, 0
    ordered = _by_neighbours(counts, part)
    steps, left = _steps(counts, low, high, ordered)
    layers: list[dict[_Remainders, int]] = [{left: 1}]
    n_remainders = 1
    for step in steps:
        following: dict[_Remainders, int] = defaultdict(int)
        for remainders, weight in layers[-1].items():
            for _, ways, after in step.choices(remainders):
                following[after] += weight * ways
            if n_remainders + len(following) > _MOST_REMAINDERS:
                return None, n_remainders + len(following)
        layers.append(following)
        n_remainders += len(following)
    if not layers[-1]:
        return {}, n_remainders
    return _there_and_back(ordered, steps, layers), n_remainders


def _has_large_coefficients(
    counts: JointCounts, low: IntArray, high: IntArray, part: IntArray
) -> bool:
    """Whether the ways to choose an unknown's people may be a number of too many digits."""
    chosen = np.minimum(high[part], counts.people[counts.cohort[part]] - low[part])
    return bool((chosen > _MOST_CHOSEN).any() or (high - low)[part].max() > _MOST_REMAINDERS)


@dataclass(frozen=True, slots=True)
class _Step:
    """One unknown: its bounds and its sums, by place; the cohort's sum comes first."""

    low: int
    high: int
    sums: tuple[int, ...]
    closing: tuple[int, ...]  # the sums of which it is the last unknown

    def choices(self, left: _Remainders) -> Iterator[tuple[int, int, _Remainders]]:
        """Each count that the remainders allow, in how many ways, and what is then left."""
        least, most = self.low, min(self.high, *(left[s] for s in self.sums))
        for s in self.closing:
            least, most = max(least, left[s]), min(most, left[s])
        for count in range(least, most + 1):
            after = list(left)
            for s in self.sums:
                after[s] -= count
            yield count, comb(left[self.sums[0]], count), tuple(after)


def _steps(
    counts: JointCounts, low: IntArray, high: IntArray, ordered: Sequence[int]
) -> tuple[list[_Step], _Remainders]:
    """The unknowns as steps, and what is left of their sums beside the fixed unknowns."""
    sums_of = [[int(s) for s in counts.sums_of[u] if s >= 0] for u in ordered]
    last = {s: step for step, sums in enumerate(sums_of) for s in sums}
    place = {s: k for k, s in enumerate(last)}
    inside = set(ordered)
    left = []
    for s in place:
        fixed = [u for u in counts.sums[s].tolist() if u not in inside]
        left.append(int(counts.totals[s]) - int(low[fixed].sum()))
    steps = [
        _Step(
            int(low[u]),
            int(high[u]),
            tuple(place[s] for s in sums),
            tuple(place[s] for s in sums if last[s] == step),
        )
        for step, (u, sums) in enumerate(zip(ordered, sums_of, strict=True))
    ]
    return steps, tuple(left)


def _there_and_back(
    ordered: Sequence[int], steps: Sequence[_Step], layers: Sequence[dict[_Remainders, int]]
) -> dict[int, CountedUnknown]:
    """The weight of each count of each unknown, from the last one to the first."""
    (total,) = layers[-1].values()
    found = {}
    behind = dict.fromkeys(layers[-1], 1)
    for u, step, layer in zip(ordered[::-1], steps[::-1], layers[-2::-1], strict=True):
        weights: dict[int, int] = defaultdict(int)
        before = {}
        for remainders, weight in layer.items():
            inward = 0
            for count, ways, after in step.choices(remainders):
                outward = ways * behind.get(after, 0)
                inward += outward
                weights[count] += weight * outward
            before[remainders] = inward
        behind = before
        seen = [count for count, weight in weights.items() if weight]
        mean = Fraction(sum(count * weight for count, weight in weights.items()), total)
        found[u] = CountedUnknown(min(seen), max(seen), mean)
    return found


def _by_neighbours(counts: JointCounts, part: IntArray) -> list[int]:
    """The unknowns of a part, cohort by cohort, each after one that it shares a sum with."""
    cohorts = Ragged.group_by(np.unique(counts.cohort[part], return_inverse=True)[1], len(part))
    own = [part[one].tolist() for one in _segments(cohorts) if len(one)]
    of_sum: dict[int, list[int]] = defaultdict(list)
    for number, unknowns in enumerate(own):
        for s in set(counts.sums_of[unknowns].ravel().tolist()) - {-1}:
            of_sum[s].append(number)
    order, seen = [0], {0}
    for number in order:
        for s in counts.sums_of[own[number]].ravel().tolist():
            for other in of_sum.get(s, ()):
                if other not in seen:
                    seen.add(other)
                    order.append(other)
    return [u for number in order for u in own[number]]
