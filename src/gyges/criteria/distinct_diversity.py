"""Distinct l-diversity: every group holds l different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gyges.arrays import BoolArray, FloatArray
from gyges.criteria.base import Reads, of_groups
from gyges.criteria.k_anonymity import NOBODY
from gyges.exact import whole
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class DistinctDiversity:
    """Every group holds at least `l` different sensitive values [Machanavajjhala2007].

    It says nothing of how often they occur: ninety-nine people with one value and one with
    another are 2-diverse.
    """

    l: int
    is_monotone: ClassVar[bool] = True
    is_local: ClassVar[bool] = True
    is_floor: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"
    survives_growth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", whole(self.l, "l", least=1))

    def summarize(self, groups: Groups) -> int:
        """The least number of different values."""
        return int(groups.n_distinct.min(initial=NOBODY))

    def merge(self, one: int, other: int) -> int:
        """The smaller of two least numbers."""
        return min(one, other)

    def risk(self, summary: int) -> int:
        """The least number of different values."""
        return summary

    def holds(self, summary: int) -> bool:
        """At least l."""
        return summary >= self.l

    def risks(self, groups: Groups) -> FloatArray:
        """The number of different values in each group."""
        return groups.n_distinct.astype(np.float64)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are diverse enough."""
        return groups.n_distinct >= self.l

    def __str__(self) -> str:
        return f"every group has at least {self.l} different sensitive values"
