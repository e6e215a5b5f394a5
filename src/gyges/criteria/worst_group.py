"""What rules that judge each group by itself share: the worst group decides.

Most of them differ only in the number that they compute for a group. `ByLeastCount` is for whole
numbers that must not be too small; `ByWorstGroup` for other numbers. An entropy is no fraction, so
the worst number alone cannot always be compared exactly with the threshold: each group is decided
exactly, and the summary says whether any group fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import JudgesEach, Reads, Unprepared, of_groups
from gyges.release.groups import Groups

NO_GROUPS = np.iinfo(np.int64).max  # the least count of no groups: breaks nothing


@of_groups
class ByLeastCount(Unprepared, JudgesEach[int]):
    """Every group has at least `least_count` of something: people, different values, …"""

    @property
    def least_count(self) -> int:
        """The threshold."""
        raise NotImplementedError

    def count_each(self, groups: Groups) -> IntArray:
        """How many each group has."""
        raise NotImplementedError

    def summarize(self, groups: Groups) -> int:
        """The least count of a group."""
        return int(self.count_each(groups).min(initial=NO_GROUPS))

    def merge(self, one: int, other: int) -> int:
        """The smaller of two least counts."""
        return min(one, other)

    def risk(self, summary: int) -> int:
        """The least count."""
        return summary

    def holds(self, summary: int) -> bool:
        """At least the threshold."""
        return summary >= self.least_count

    def risks(self, groups: Groups) -> FloatArray:
        """The count of each group."""
        return self.count_each(groups).astype(np.float64)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups have enough."""
        return np.asarray(self.count_each(groups) >= self.least_count)


@dataclass(frozen=True, slots=True)
class WorstGroup:
    """The worst value of a batch of groups, and whether any group of it fails."""

    value: Fraction | float
    fails: bool


class ByWorstGroup(JudgesEach[WorstGroup]):
    """Keeps the worst number of a group: the largest, or the smallest where less is worse."""

    less_is_worse: ClassVar[bool] = False

    def merge(self, one: WorstGroup, other: WorstGroup) -> WorstGroup:
        """The worse of two numbers; it fails if either does."""
        worse = min if self.less_is_worse else max
        return WorstGroup(worse(one.value, other.value), one.fails or other.fails)

    def risk(self, summary: WorstGroup) -> Fraction | float:
        """The worst number of a group."""
        return summary.value

    def holds(self, summary: WorstGroup) -> bool:
        """No group fails."""
        return not summary.fails


class DiversityByWorstGroup(Unprepared, ByWorstGroup):
    """A monotone rule about the values of each group that takes nothing from the table."""

    is_monotone: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"
    is_about_concentration: ClassVar[bool] = True
