"""Recursive (c,l)-diversity: the most frequent value is not too frequent against the rare ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from gyges.arguments import flag, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import Reads, of_groups
from gyges.criteria.worst_value import Worst
from gyges.errors import RuleError
from gyges.exact import Number, compare, fraction, largest_ratio, whole
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class RecursiveDiversity:
    """r₁ < c (r_l + … + r_m) in every group, counts sorted r₁ >= r₂ >= … [Machanavajjhala2007].

    Strict as they define it; `strict=False` allows equality [Kifer2006, Def. 2.5].
    Fewer than l different values leave an empty tail: not diverse for any c.
    """

    c: Fraction
    l: int
    strict: bool = True
    is_monotone: ClassVar[bool] = True
    is_local: ClassVar[bool] = True
    is_floor: ClassVar[bool] = False
    reads: ClassVar[Reads] = "values"

    def __init__(self, c: Number, l: int, strict: bool = True) -> None:
        object.__setattr__(self, "c", fraction(c, "c"))
        object.__setattr__(self, "l", whole(l, "l", least=1))
        object.__setattr__(self, "strict", flag(strict, "strict"))
        if self.c <= 0:
            raise RuleError(f"c is {shown(c)}: recursive diversity needs a positive c")

    def summarize(self, groups: Groups) -> Worst:
        """The largest r₁/tail (infinite with an empty tail), and whether a group has too much."""
        tail = self._tail(groups)
        if (tail == 0).any():
            return Worst(math.inf, broken=True)
        largest = largest_ratio(groups.most_frequent, tail)
        if largest is None:
            return Worst(Fraction(0), broken=False)
        return Worst(largest, broken=largest >= self.c if self.strict else largest > self.c)

    def merge(self, one: Worst, other: Worst) -> Worst:
        """The larger of two."""
        return one.or_larger(other)

    def risk(self, summary: Worst) -> Fraction | float:
        """The largest r₁/(r_l + … + r_m)."""
        return summary.value

    def holds(self, summary: Worst) -> bool:
        """Below c (or at most c, if not strict) in every group."""
        return not summary.broken

    def risks(self, groups: Groups) -> FloatArray:
        """r₁/tail of each group."""
        tail = self._tail(groups)
        ratio = np.full(len(groups), math.inf)
        np.divide(groups.most_frequent, tail, out=ratio, where=tail > 0)
        return ratio

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are diverse enough."""
        sign = compare(groups.most_frequent, self._tail(groups), self.c)
        return sign < 0 if self.strict else sign <= 0

    def _tail(self, groups: Groups) -> IntArray:
        """r_l + … + r_m of each group."""
        rank = np.arange(len(groups.descending)) - groups.starts[:-1][groups.group_of_entry]
        return Ragged(np.where(rank >= self.l - 1, groups.descending, 0), groups.starts).sums()

    def __str__(self) -> str:
        bound = "below" if self.strict else "at most"
        return (
            f"in every group the most frequent value is {bound} {self.c} times "
            f"the values from the {_ordinal(self.l)} on"
        )


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 // 10 != 1 else 0, "th")
    return f"{number}{ending}"
