"""What all worlds have in common: proven bounds of each unknown, and values shown to be possible.

1. Bounds from each sum, then from slices, until nothing changes (joint_counts.py, joint_slices.py).
   They only exclude what no world has.
2. If one world is known, exchanges show which values are possible besides (joint_exchanges.py).
3. Parts of the unknowns that are still open are counted exactly where they are small
   (joint_worlds.py), which excludes or shows every value in them.
4. In parts that are too large to count, linear programs exclude more or find worlds
   (joint_relaxation.py).

A value that is neither excluded nor shown is undecided. Probabilities are exact where a part was
counted, and estimated from sampled worlds elsewhere, if one world is known to begin with
(joint_samples.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.adversaries.joint_exchanges import shown_by_exchanges
from gyges.adversaries.joint_relaxation import PartProgram, find_worlds
from gyges.adversaries.joint_samples import MOST_ITEMS, SampledMeans, sampled_means
from gyges.adversaries.joint_slices import fix_by_slices
from gyges.adversaries.joint_worlds import CountedUnknown, count_worlds, parts
from gyges.arrays import BoolArray, IntArray

# Remainders that are counted: about 5 s to decide what is possible, a minute for probabilities.
_TO_DECIDE, _FOR_MEANS = 200_000, 1_000_000
_MOST_OF_PROGRAM = 5_000  # unknowns of a part for which programs are solved
_TO_RELAX, _FOR_WORLDS = 150_000, 150_000  # unknowns in all: a few seconds


@dataclass(frozen=True, eq=False)
class JointSolution:
    """Proven bounds of each unknown, and which are shown to be at least 1 in some world."""

    counts: JointCounts  # without what is contradicted
    low: IntArray
    high: IntArray
    is_shown: BoolArray  # unknowns
    is_contradicted: BoolArray  # cohorts about whom no world agrees with all releases
    world: IntArray  # unknowns: of one world where one is known, else -1

    @cached_property
    def means(self) -> dict[int, Fraction]:
        """The mean over all worlds of the unknowns that are not fixed, where they were counted."""
        listed = sorted(self._parts, key=len)
        counted = _counted(self.counts, self.low, self.high, listed, _FOR_MEANS)
        return {u: one.mean for _, found in counted for u, one in found.items()}

    @cached_property
    def is_counted(self) -> BoolArray:
        """The unknowns whose mean over all worlds is known exactly."""
        counted: BoolArray = self.low == self.high
        counted[list(self.means)] = True
        return counted

    def bounds_of(self, u: int) -> tuple[int, int]:
        """Proven bounds of one unknown; by linear programs where its part was not counted."""
        least, most = int(self.low[u]), int(self.high[u])
        if most - least < 2 or u in self.means or not len(part := self._part_of(u)):
            return least, most
        program = PartProgram.of(self.counts, self.low, self.high, part)
        place = int(np.searchsorted(part, u))
        return program.least(place), program.most(place)[0]

    def _part_of(self, u: int) -> IntArray:
        """The part of an unknown, ascending; empty where it is too large for a program."""
        listed = [part for part in self._parts if len(part) <= _MOST_OF_PROGRAM]
        return next((part for part in listed if u in part), self.low[:0])

    @cached_property
    def _parts(self) -> list[IntArray]:
        return parts(self.counts, self.low, self.high)

    @cached_property
    def sampled(self) -> SampledMeans | None:
        """Estimates for the other unknowns, in parts of which a world is known or found."""
        world = self.world.copy()
        is_loose = self.counts.is_loose
        rest = [part for part in self._parts if int(part[0]) not in self.means]
        rest = [part for part in rest if not is_loose[self.counts.cohort[part]].any()]
        small = [part for part in rest if len(part) <= _MOST_OF_PROGRAM and world[part[0]] < 0]
        programs = [PartProgram.of(self.counts, self.low, self.high, part) for part in small]
        find_worlds(programs, world, _FOR_WORLDS)
        is_open = np.zeros(len(world), dtype=bool)
        for part in rest:
            is_open[part] = world[part[0]] >= 0 and int(world[part].sum()) <= MOST_ITEMS
        return sampled_means(self.counts, world, is_open) if is_open.any() else None


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
    is_shown = low > 0
    if world is not None:
        is_shown |= shown_by_exchanges(counts, world, low < high)
    listed = parts(counts, low, high)
    for part, found in _counted(
        counts, low, high, _open(counts, listed, high, is_shown), _TO_DECIDE
    ):
        if not found:
            broken[counts.cohort[part]] = True
            return broken
        for u, one in found.items():
            low[u], high[u], is_shown[u] = one.least, one.largest, one.largest > 0
    known = np.full(len(low), -1, dtype=np.int64) if world is None else world.copy()
    if _relax(counts, low, high, is_shown, known):
        broken = counts.tighten(low, high)
        if broken.any():
            return broken
    nobody = np.zeros(len(counts.people), dtype=bool)
    return JointSolution(counts, low, high, is_shown, nobody, known)


def _relax(
    counts: JointCounts, low: IntArray, high: IntArray, is_shown: BoolArray, known: IntArray
) -> bool:
    """Exclude or show values in place by programs; whether any was excluded.

    Worlds of parts are found first and put into `known`: exchanges from them show most values.
    """
    found = _open(counts, parts(counts, low, high), high, is_shown)
    small = [part for part in found if len(part) <= _MOST_OF_PROGRAM]
    small = [part for part in small if not counts.is_loose[counts.cohort[part]].any()]
    programs = [PartProgram.of(counts, low, high, part) for part in small]
    find_worlds(programs, known, _FOR_WORLDS)
    has_world = np.zeros(len(low), dtype=bool)
    for part in small:
        has_world[part] = known[part[0]] >= 0
    if has_world.any():
        world = np.where(has_world, known, low)
        is_shown |= shown_by_exchanges(counts, world, (low < high) & has_world)
    work, excluded = _TO_RELAX, False
    for program in programs:
        for place, u in enumerate(program.part.tolist()):
            if is_shown[u] or work <= 0:
                continue
            work -= program.cost
            most, one = program.most(place)
            if one is not None:
                is_shown[program.part[one > 0]] = True
            if most < 1:
                high[u], excluded = 0, True
    return excluded


def _open(
    counts: JointCounts, listed: list[IntArray], high: IntArray, is_shown: BoolArray
) -> list[IntArray]:
    """The parts with undecided unknowns; those first in which somebody may be certain."""
    n_shown = np.bincount(counts.cohort[is_shown], minlength=len(counts.people))
    is_open, may_be_certain = (high > 0) & ~is_shown, n_shown < 2
    is_urgent = is_open & may_be_certain[counts.cohort]
    found = [part for part in listed if is_open[part].any()]
    return sorted(found, key=lambda part: (not is_urgent[part].any(), len(part)))


def _counted(
    counts: JointCounts, low: IntArray, high: IntArray, listed: list[IntArray], most_work: int
) -> Iterator[tuple[IntArray, dict[int, CountedUnknown]]]:
    """The parts that can be counted with this much work, in this order."""
    for part in listed:
        if counts.is_loose[counts.cohort[part]].any():
            continue
        found, work = count_worlds(counts, low, high, part)
        if found is not None:
            yield part, found
        most_work -= work
        if most_work <= 0:
            return
