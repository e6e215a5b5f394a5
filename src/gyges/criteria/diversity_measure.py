"""Diversity of expected counts: one number for each definition, larger is worse.

Several published tables together are judged on expected, fractional counts. Each measure is
quasi-convex and invariant under scaling. So its largest value over a set of groups is reached at
an extreme ray of the cone that they span, and it is enough to check these [Kifer2006, Thm. 7.1].
"""

from __future__ import annotations

from fractions import Fraction

from gyges.arrays import FloatArray
from gyges.criteria.base import Risk

# A product of some dozen quotients of counts is rounded by far less than this.
MARGIN = 1e-9
EPSILON = 2.0**-52


class Measure:
    """A definition of diversity on vectors of counts (rows × values, each with some count)."""

    @property
    def limit(self) -> Risk:
        """The threshold that `risk` is compared with."""
        raise NotImplementedError

    @property
    def threshold(self) -> float:
        """The largest of `values` that passes, rounded; `fails` decides close calls exactly."""
        return float(self.limit)

    @property
    def margin(self) -> float:
        """How far from the threshold rounding may mislead; 0 where values are whole numbers."""
        return MARGIN * self.threshold

    def values(self, vectors: FloatArray) -> FloatArray:
        """The value of each vector."""
        raise NotImplementedError

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """No vector between `low` and `high` (row by row) has a larger value than this."""
        raise NotImplementedError

    def fails(self, vector: list[Fraction]) -> bool:
        """Whether one vector breaks the rule, exactly."""
        raise NotImplementedError

    def risk(self, vector: list[Fraction]) -> Risk:
        """The number that the rule compares with its threshold."""
        raise NotImplementedError

    def shown(self, value: float) -> float:
        """That number from one of `values`, rounded."""
        return value

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """No vector has a larger value whose entries are within a factor exp(±error).

        `value` is that of one vector, rounded, or the largest one of several.
        """
        raise NotImplementedError

    def surely_passes(self, most: float) -> bool:
        """Whether every vector with at most this value passes, allowing for rounding."""
        return most < self.threshold - 8 * EPSILON * abs(self.threshold)

    def is_of_quotients(self, n_values: int) -> bool:
        """Whether it compares the largest of `n_values` entries with the smallest."""
        return False
