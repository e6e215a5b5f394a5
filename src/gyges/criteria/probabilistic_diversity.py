"""Probabilistic l-diversity: no person has any value with a probability above 1/l."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from gyges.arguments import shown
from gyges.arrays import BoolArray, FloatArray
from gyges.criteria.base import Proposed, Risk, of_groups
from gyges.criteria.nearest_passing_rule import number_text
from gyges.criteria.recursive_diversity import RecursiveMeasure
from gyges.criteria.worst_group import DiversityByWorstGroup, WorstGroup
from gyges.data.schema import ValuesPerPerson
from gyges.errors import RuleError
from gyges.exact import Number, compare, fraction, largest_ratio
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class ProbabilisticDiversity(DiversityByWorstGroup):
    """The most frequent value of every group has a share of at most 1/l [Xiao2006, Def. 2].

    The share of the group's people who have the value is the probability that a person has it.
    Where a person may have a value several times (multisets), n occurrences belong to at most n
    people: the share is capped at 1 and is an upper bound.
    """

    l: Fraction
    bounds_each_person: ClassVar[bool] = True

    def __init__(self, l: Number) -> None:
        object.__setattr__(self, "l", fraction(l, "l"))
        if self.l < 1:
            raise RuleError(f"l is {shown(l)}: probabilistic diversity needs l of at least 1")

    def summarize(self, groups: Groups) -> WorstGroup:
        """The largest share, and whether it is too large."""
        largest = largest_ratio(np.minimum(groups.most_frequent, groups.sizes), groups.sizes)
        if largest is None:
            return WorstGroup(Fraction(0), fails=False)
        return WorstGroup(largest, fails=largest * self.l > 1)

    def risks(self, groups: Groups) -> FloatArray:
        """The largest share in each group."""
        return np.minimum(groups.most_frequent / groups.sizes, 1.0)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups have no share above 1/l."""
        top = np.minimum(groups.most_frequent, groups.sizes)
        return compare(top, groups.sizes, 1 / self.l) <= 0

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """m shares of at most 1/l add up to 1, where each person has one value."""
        return math.ceil(self.l) if values_per_person == "one" else 0

    def most_of_a_value(self, people: int) -> int:
        """The share 1/l of them."""
        return math.floor(people / self.l)

    def enough_values(self) -> int:
        """Each of m values, each once, has the share 1/m."""
        return math.ceil(self.l)

    def measure(self) -> RecursiveMeasure:
        """The largest share of expected counts: r₁ over r₁ + … + r_m."""
        return RecursiveMeasure(1 / self.l, 1, strict=False)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The l that is reached, exactly."""
        if reached > 0:
            exact = 1 / Fraction(reached)
            yield f"l = {number_text(exact)}", ProbabilisticDiversity(exact)

    def __str__(self) -> str:
        return f"in every group each value has a share of at most {1 / self.l}"
