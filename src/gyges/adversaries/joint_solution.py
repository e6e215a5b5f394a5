"""What all worlds have in common: proven bounds of each unknown, and values shown to be possible.

1. Bounds from each sum, then from slices, until nothing changes (joint_counts.py, joint_slices.py).
   They only exclude what no world has.
2. Parts of the unknowns that are still free are counted exactly where they are small
   (joint_worlds.py).
3. If one world is known, exchanges show which values are possible besides (joint_exchanges.py).

A value between the two, neither excluded nor shown, is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.adversaries.joint_exchanges import shown_by_exchanges
from gyges.adversaries.joint_slices import fix_by_slices
from gyges.adversaries.joint_worlds import MOST_REMAINDERS, CountedUnknown, count_worlds, parts
from gyges.arrays import BoolArray, IntArray

_MOST_WORK = 2_000_000  # remainders, for all parts together


@dataclass(frozen=True, eq=False)
class JointSolution:
    """Proven bounds of each unknown, and how they were reached."""

    low: IntArray
    high: IntArray
    is_shown: BoolArray  # unknowns: some world has at least 1
    means: dict[int, Fraction]  # of the free unknowns that were counted
    is_contradicted: BoolArray  # cohorts about whom no world agrees with all releases

    def is_counted(self) -> BoolArray:
        """The unknowns whose mean over all worlds is known exactly."""
        counted = self.low == self.high
        counted[list(self.means)] = True
        return counted


def solve(counts: JointCounts, world: IntArray | None) -> JointSolution:
    """Bound every unknown; `world` is one that agrees with all sums, where one is known.

    Cohorts that a contradiction reaches are left out, and the rest is solved again.
    """
    is_out = np.zeros(len(counts.people), dtype=bool)
    while True:
        low, high = counts.bounds()
        high[is_out[counts.cohort]] = 0
        found = _solved(counts, low, high, world)
        if isinstance(found, JointSolution):
            return replace(found, is_contradicted=is_out)
        counts, more = counts.without(found)
        is_out |= more


def _solved(
    counts: JointCounts, low: IntArray, high: IntArray, world: IntArray | None
) -> JointSolution | BoolArray:
    """The solution within these bounds, or the sums that cannot be reached."""
    broken = counts.tighten(low, high)
    if not broken.any():
        broken = fix_by_slices(counts, low, high, world)
    if broken.any():
        return broken
    means, is_shown = {}, low > 0
    for part, found in _counted_parts(counts, low, high):
        if not found:
            broken[counts.cohort[part]] = True
            return broken
        for u, counted in found.items():
            low[u], high[u], means[u] = counted.least, counted.largest, counted.mean
            is_shown[u] = counted.largest > 0
    if world is not None:
        is_shown |= shown_by_exchanges(counts, world, low < high)
    return JointSolution(low, high, is_shown, means, np.zeros(len(counts.people), dtype=bool))


def _counted_parts(
    counts: JointCounts, low: IntArray, high: IntArray
) -> Iterator[tuple[IntArray, dict[int, CountedUnknown]]]:
    """The parts that are small enough to be counted, smallest first."""
    work_left = _MOST_WORK
    for part in sorted(parts(counts, low, high), key=len):
        if counts.is_loose[counts.cohort[part]].any():
            continue
        limit = min(MOST_REMAINDERS, work_left)
        found = count_worlds(counts, low, high, part, limit)
        work_left -= limit if found is None else len(part)
        if found is not None:
            yield part, found
        if work_left <= 0:
            return
