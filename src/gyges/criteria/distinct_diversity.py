"""Distinct l-diversity: every group has at least l different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import Proposed, Reads, Risk
from gyges.criteria.diversity_measure import Measure
from gyges.criteria.worst_group import ByLeastCount
from gyges.data.schema import ValuesPerPerson
from gyges.exact import whole
from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True)
class DistinctDiversity(ByLeastCount):
    """Every group has at least `l` different sensitive values [Machanavajjhala2007].

    How often they occur does not count: ninety-nine people with one value and one with another
    are 2-diverse.
    """

    l: int
    is_monotone: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"
    survives_growth: ClassVar[bool] = True
    is_about_concentration: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", whole(self.l, "l", least=1))

    @property
    def least_count(self) -> int:
        """l."""
        return self.l

    def count_each(self, groups: Groups) -> IntArray:
        """The number of different values in each group."""
        return groups.n_distinct

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """l, by definition."""
        return self.l

    def enough_values(self) -> int:
        """l, by definition."""
        return self.l

    def measure(self) -> DistinctMeasure:
        """The number of values that are possible."""
        return DistinctMeasure(self.l)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The l that is reached."""
        if reached >= 1:
            yield f"l = {reached}", DistinctDiversity(int(reached))

    def __str__(self) -> str:
        return f"every group has at least {self.l} different sensitive values"


@dataclass(frozen=True, slots=True)
class DistinctMeasure(Measure):
    """Minus the number of values that are possible."""

    l: int

    @property
    def limit(self) -> int:
        """l."""
        return self.l

    @property
    def threshold(self) -> float:
        """-l."""
        return -float(self.l)

    @property
    def margin(self) -> float:
        """Positive products of doubles stay positive here: nothing is rounded."""
        return 0.0

    def values(self, vectors: FloatArray) -> FloatArray:
        """Count the positive entries."""
        return -np.asarray((vectors > 0).sum(axis=1), dtype=np.float64)

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Only what is certainly positive counts."""
        return self.values(low)

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """A positive entry stays positive."""
        return value

    def surely_passes(self, most: float) -> bool:
        """At least l values: whole numbers, nothing is rounded."""
        return most <= self.threshold

    def shown(self, value: float) -> float:
        """How many values."""
        return -value

    def fails(self, vector: list[Fraction]) -> bool:
        """Fewer than l."""
        return self.risk(vector) < self.l

    def risk(self, vector: list[Fraction]) -> int:
        """How many values are possible."""
        return sum(1 for entry in vector if entry)
