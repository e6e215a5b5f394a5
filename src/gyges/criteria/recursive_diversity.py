"""Recursive (c,l)-diversity: the most frequent value is not too frequent against the rare ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gyges.arguments import flag, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import Proposed, Risk, of_groups
from gyges.criteria.diversity_measure import EPSILON, Measure
from gyges.criteria.nearest_passing_rule import decimals_above, first_passing, number_text
from gyges.criteria.worst_group import DiversityByWorstGroup, WorstGroup
from gyges.data.schema import ValuesPerPerson
from gyges.errors import RuleError
from gyges.exact import Number, compare, fraction, largest_ratio, whole
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class RecursiveDiversity(DiversityByWorstGroup):
    """r₁ < c (r_l + … + r_m) in every group, counts sorted r₁ >= r₂ >= … [Machanavajjhala2007].

    Strict, as they define it; `strict=False` allows equality [Kifer2006, Def. 2.5].
    With fewer than l different values the tail is empty: such a group fails for any c.
    """

    c: Fraction
    l: int
    strict: bool = True

    def __init__(self, c: Number, l: int, strict: bool = True) -> None:
        object.__setattr__(self, "c", fraction(c, "c"))
        object.__setattr__(self, "l", whole(l, "l", least=1))
        object.__setattr__(self, "strict", flag(strict, "strict"))
        if self.c <= 0:
            raise RuleError(f"c is {shown(c)}: recursive diversity needs a positive c")

    def summarize(self, groups: Groups) -> WorstGroup:
        """The largest r₁/(r_l + … + r_m), infinite with an empty tail; whether it is too large."""
        tail = self._tail(groups)
        if (tail == 0).any():
            return WorstGroup(math.inf, fails=True)
        largest = largest_ratio(groups.most_frequent, tail)
        if largest is None:
            return WorstGroup(Fraction(0), fails=False)
        return WorstGroup(largest, fails=largest >= self.c if self.strict else largest > self.c)

    def risks(self, groups: Groups) -> FloatArray:
        """r₁/tail of each group."""
        return _quotient(groups.most_frequent, self._tail(groups))

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are diverse enough."""
        sign = compare(groups.most_frequent, self._tail(groups), self.c)
        return sign < 0 if self.strict else sign <= 0

    def _tail(self, groups: Groups) -> IntArray:
        """r_l + … + r_m of each group."""
        rank = Ragged(groups.descending, groups.starts).place_in_segment
        return Ragged(np.where(rank >= self.l - 1, groups.descending, 0), groups.starts).sums()

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """An empty tail r_l + … is never enough."""
        return self.l

    def enough_values(self) -> int:
        """The least m with 1 < c (m - l + 1)."""
        return self.l - 1 + math.floor(1 / self.c) + 1

    def measure(self) -> RecursiveMeasure:
        """r₁/tail of expected counts."""
        return RecursiveMeasure(self.c, self.l, self.strict)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The least c in few decimals, or the largest l."""
        if math.isfinite(reached):
            enough = (
                decimals_above(reached) if self.strict else iter([number_text(Fraction(reached))])
            )
            yield from first_passing(
                enough, "c", lambda c: RecursiveDiversity(c, self.l, self.strict), groups
            )
        fewer = range(self.l - 1, 0, -1)
        yield from first_passing(fewer, "l", lambda l: replace(self, l=l), groups)

    def __str__(self) -> str:
        bound = "less than" if self.strict else "at most"
        return (
            f"in every group the most frequent value occurs {bound} {self.c} times as often as "
            f"the {_ordinal(self.l)} most frequent and all rarer ones together"
        )


@dataclass(frozen=True, slots=True)
class RecursiveMeasure(Measure):
    """r₁ / (r_l + … + r_m); infinite with an empty tail [Kifer2006, Def. 2.5].

    For l = 1 it is the largest share, and never above 1.
    """

    c: Fraction
    l: int
    strict: bool

    @property
    def limit(self) -> Fraction:
        """c."""
        return self.c

    def values(self, vectors: FloatArray) -> FloatArray:
        """The largest entry over the sum of all but the l - 1 largest."""
        return _quotient(vectors.max(axis=1), _float_tail(vectors, self.l))

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The largest head over the smallest tail."""
        if self.l == 1:
            return largest_share(low, high)
        return _quotient(high.max(axis=1), _float_tail(low, self.l))

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """Head and tail are off by a factor each; a share is at most 1."""
        wider = value * math.exp(2 * error) * (1 + 2 * (n_values + 4) * EPSILON)
        return min(1.0, wider) if self.l == 1 else wider

    def surely_passes(self, most: float) -> bool:
        """Below c; with l = 1 the head is part of the tail, and c = 1 always passes."""
        is_always = self.l == 1 and (self.c > 1 or (self.c == 1 and not self.strict))
        return is_always or Measure.surely_passes(self, most)

    def is_of_quotients(self, n_values: int) -> bool:
        """The tail is the smallest entry."""
        return self.l == n_values

    def fails(self, vector: list[Fraction]) -> bool:
        """r₁ > c·tail, or r₁ >= c·tail where the rule is strict."""
        head, bound = max(vector), self.c * self._exact_tail(vector)
        return head >= bound if self.strict else head > bound

    def risk(self, vector: list[Fraction]) -> Fraction | float:
        """r₁/tail."""
        tail = self._exact_tail(vector)
        return max(vector) / tail if tail else math.inf

    def _exact_tail(self, vector: list[Fraction]) -> Fraction:
        return sum(sorted(vector, reverse=True)[self.l - 1 :], Fraction(0))


def largest_share(low: FloatArray, high: FloatArray) -> FloatArray:
    """The largest share that an entry can have between two bounds: the others at their least."""
    others = low.sum(axis=1, keepdims=True) - low
    share = np.divide(high, high + others, out=np.zeros_like(high), where=high > 0)
    return np.asarray(share.max(axis=1))


def _float_tail(vectors: FloatArray, l: int) -> FloatArray:
    """The sum of all but the l - 1 largest entries of each row."""
    if l == 1:
        return np.asarray(vectors.sum(axis=1))
    n_values = vectors.shape[1]
    if l > n_values:
        return np.zeros(len(vectors))
    smallest = np.partition(vectors, n_values - l, axis=1)[:, : n_values - l + 1]
    return np.asarray(smallest.sum(axis=1))


def _quotient(head: FloatArray | IntArray, tail: FloatArray | IntArray) -> FloatArray:
    """head/tail, infinite where the tail is empty."""
    quotient = np.full(len(head), math.inf)
    np.divide(head, tail, out=quotient, where=tail > 0)
    return quotient


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 // 10 != 1 else 0, "th")
    return f"{number}{ending}"
