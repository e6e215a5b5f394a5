"""k-anonymity: nobody is in a group of fewer than k people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gyges.arrays import BoolArray, FloatArray
from gyges.criteria.base import JudgesEach, Proposed, Reads, Risk, Unprepared, of_groups
from gyges.exact import whole
from gyges.release.groups import Groups

NOBODY = np.iinfo(np.int64).max  # the least size of no groups: breaks nothing


@of_groups
@dataclass(frozen=True, slots=True)
class KAnonymity(Unprepared, JudgesEach[int]):
    """Every group holds at least `k` people [Sweeney2002].

    >>> from gyges.criteria.verdict import judge
    >>> judge(KAnonymity(2), Groups.from_lists([["Flu", "Gout"], ["Flu", "Flu"]])).safe
    True
    """

    k: int
    is_monotone: ClassVar[bool] = True
    reads: ClassVar[Reads] = "sizes"
    survives_growth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "k", least=1))

    def summarize(self, groups: Groups) -> int:
        """The least size."""
        return int(groups.sizes.min(initial=NOBODY))

    def merge(self, one: int, other: int) -> int:
        """The smaller of two least sizes."""
        return min(one, other)

    def risk(self, summary: int) -> int:
        """The least size."""
        return summary

    def holds(self, summary: int) -> bool:
        """At least k."""
        return summary >= self.k

    def risks(self, groups: Groups) -> FloatArray:
        """The size of each group."""
        return groups.sizes.astype(np.float64)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are large enough."""
        return groups.sizes >= self.k

    @property
    def least_people(self) -> int:
        """k."""
        return self.k

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The k that is reached."""
        if reached >= 1:
            yield f"k = {reached}", KAnonymity(int(reached))

    def __str__(self) -> str:
        return f"every group has at least {self.k} people"
