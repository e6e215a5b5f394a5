"""How undiverse a vector of sensitive counts is: one number for each definition, larger is worse.

Each measure is quasi-convex and does not change when a vector is multiplied by a constant. So
its largest value over a set of groups is reached at an extreme ray of the cone they span, which
is why pruning to these loses nothing [Kifer2006, Thm. 7.1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np

from gyges.arrays import FloatArray
from gyges.criteria.base import Risk
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity, has_entropy
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.recursive_diversity import RecursiveDiversity
from gyges.errors import RuleError

Diversity: TypeAlias = (
    RecursiveDiversity | EntropyDiversity | DistinctDiversity | ProbabilisticDiversity
)

# A product of some dozen quotients of counts is rounded by far less than this.
MARGIN = 1e-9
_EPS = 2.0**-52


class Measure(Protocol):
    """A definition of diversity on vectors of (expected, fractional) counts."""

    @property
    def threshold(self) -> float:
        """The largest value that passes, rounded; close calls are settled by `fails`."""
        ...

    @property
    def margin(self) -> float:
        """How far from the threshold rounding may mislead; 0 where values are whole numbers."""
        ...

    def values(self, vectors: FloatArray) -> FloatArray:
        """The value of each vector (rows × sensitive values, each with something positive)."""
        ...

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """No vector between `low` and `high` (row by row) has a larger value than this."""
        ...

    def fails(self, vector: list[Fraction]) -> bool:
        """Whether one vector breaks the rule, exactly."""
        ...

    def risk(self, vector: list[Fraction]) -> Risk:
        """The number that the criterion compares with its threshold."""
        ...

    def shown(self, value: float) -> float:
        """That number from one of `values`, rounded."""
        ...

    @property
    def limit(self) -> Risk:
        """The threshold that this number is compared with."""
        ...

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """No vector has a larger value whose entries are within a factor exp(±error).

        `value` is that of one vector, rounded, or the largest one of several.
        """
        ...

    def surely_passes(self, most: float) -> bool:
        """Whether every vector passes whose value is at most this, whatever was rounded."""
        ...


def measure_of(rule: Diversity) -> Measure:
    """The measure behind one of the criteria."""
    match rule:
        case RecursiveDiversity():
            return Recursive(rule)
        case EntropyDiversity():
            return Entropy(rule)
        case DistinctDiversity():
            return Distinct(rule)
        case ProbabilisticDiversity():
            return Largest(rule)
        case _:
            raise RuleError(f"{type(rule).__name__} cannot be judged on marginals")


@dataclass(frozen=True, slots=True)
class Recursive:
    """r₁ / (r_l + … + r_m); infinite with an empty tail [Kifer2006, Def. 2.5]."""

    rule: RecursiveDiversity

    @property
    def threshold(self) -> float:
        """c."""
        return float(self.rule.c)

    @property
    def margin(self) -> float:
        """Relative to c."""
        return MARGIN * self.threshold

    @property
    def limit(self) -> Fraction:
        """c."""
        return self.rule.c

    def values(self, vectors: FloatArray) -> FloatArray:
        """The largest entry over the sum of all but the l - 1 largest."""
        return _quotient(vectors.max(axis=1), _tail(vectors, self.rule.l))

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The largest head over the smallest tail."""
        return _quotient(high.max(axis=1), _tail(low, self.rule.l))

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """Head and tail are off by a factor each."""
        return _wider(value, error, n_values)

    def surely_passes(self, most: float) -> bool:
        """Below c; with l = 1 the head is part of the tail, and c = 1 always passes."""
        is_always = self.rule.l == 1 and (
            self.rule.c > 1 or (self.rule.c == 1 and not self.rule.strict)
        )
        return is_always or _is_below(most, self.threshold)

    def shown(self, value: float) -> float:
        """The value itself."""
        return value

    def fails(self, vector: list[Fraction]) -> bool:
        """r₁ > c·tail, or r₁ >= c·tail where the rule is strict."""
        head, bound = max(vector), self.rule.c * self._exact_tail(vector)
        return head >= bound if self.rule.strict else head > bound

    def risk(self, vector: list[Fraction]) -> Fraction | float:
        """r₁/tail."""
        tail = self._exact_tail(vector)
        return max(vector) / tail if tail else math.inf

    def _exact_tail(self, vector: list[Fraction]) -> Fraction:
        return sum(sorted(vector, reverse=True)[self.rule.l - 1 :], Fraction(0))


@dataclass(frozen=True, slots=True)
class Entropy:
    """-H of the shares, in nats."""

    rule: EntropyDiversity

    @property
    def threshold(self) -> float:
        """-log l."""
        return -math.log(self.rule.l)

    @property
    def margin(self) -> float:
        """A sum of shares times logarithms, none much above 1."""
        return MARGIN

    @property
    def limit(self) -> Fraction:
        """l."""
        return self.rule.l

    def values(self, vectors: FloatArray) -> FloatArray:
        """Σ p log p."""
        p = vectors / vectors.sum(axis=1, keepdims=True)
        logs = np.log(p, out=np.zeros_like(p), where=p > 0)
        return np.asarray((p * logs).sum(axis=1))

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The entropy is at least that of the largest share alone: Σ p log p <= log max p."""
        return np.log(_largest_share(low, high))

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """|Δ Σ p log p| <= (exp(d) - 1) log m + d exp(d), for shares within exp(±d), d = 2 error.

        An entropy is never negative.
        """
        d = 2 * error + (n_values + 8) * _EPS
        return min(0.0, value + math.expm1(d) * (math.log(n_values) + 1) + d * math.exp(d))

    def surely_passes(self, most: float) -> bool:
        """An entropy above log l; one value is always as good as one."""
        return self.rule.l <= 1 or _is_below(most, self.threshold)

    def shown(self, value: float) -> float:
        """exp(H)."""
        return math.exp(-value)

    def fails(self, vector: list[Fraction]) -> bool:
        """H < log l, in whole numbers."""
        return not has_entropy(_histogram(vector), self.rule.l)

    def risk(self, vector: list[Fraction]) -> float:
        """exp(H): how many equally frequent values are as uncertain."""
        return self.shown(float(self.values(_as_floats(vector))[0]))


@dataclass(frozen=True, slots=True)
class Distinct:
    """Minus the number of values that are possible."""

    rule: DistinctDiversity

    @property
    def threshold(self) -> float:
        """-l."""
        return -float(self.rule.l)

    @property
    def margin(self) -> float:
        """Positive products of doubles stay positive here: nothing is rounded."""
        return 0.0

    @property
    def limit(self) -> int:
        """l."""
        return self.rule.l

    def values(self, vectors: FloatArray) -> FloatArray:
        """Count the positive entries."""
        return -np.asarray((vectors > 0).sum(axis=1), dtype=np.float64)

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """What is surely positive is counted."""
        return -np.asarray((low > 0).sum(axis=1), dtype=np.float64)

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """What is positive stays positive."""
        return value

    def surely_passes(self, most: float) -> bool:
        """At least l values: whole numbers, nothing is rounded."""
        return most <= self.threshold

    def shown(self, value: float) -> float:
        """How many values."""
        return -value

    def fails(self, vector: list[Fraction]) -> bool:
        """Fewer than l."""
        return self.risk(vector) < self.rule.l

    def risk(self, vector: list[Fraction]) -> int:
        """How many values are possible."""
        return sum(1 for entry in vector if entry)


@dataclass(frozen=True, slots=True)
class Largest:
    """The share of the most frequent value."""

    rule: ProbabilisticDiversity

    @property
    def threshold(self) -> float:
        """1/l."""
        return float(1 / self.rule.l)

    @property
    def margin(self) -> float:
        """Relative to 1/l."""
        return MARGIN * self.threshold

    @property
    def limit(self) -> Fraction:
        """1/l."""
        return 1 / self.rule.l

    def values(self, vectors: FloatArray) -> FloatArray:
        """r₁ over the total."""
        return np.asarray(vectors.max(axis=1) / vectors.sum(axis=1))

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """One entry as large as it can be, the others as small."""
        return _largest_share(low, high)

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """The entry and the total are off by a factor each; a share is at most 1."""
        return min(1.0, _wider(value, error, n_values))

    def surely_passes(self, most: float) -> bool:
        """Below 1/l; a share is never above 1."""
        return self.rule.l <= 1 or _is_below(most, self.threshold)

    def shown(self, value: float) -> float:
        """The value itself."""
        return value

    def fails(self, vector: list[Fraction]) -> bool:
        """More than 1/l."""
        return self.risk(vector) * self.rule.l > 1

    def risk(self, vector: list[Fraction]) -> Fraction:
        """r₁ over the total."""
        return max(vector) / sum(vector, Fraction(0))


def _wider(quotient: float, error: float, n_values: int) -> float:
    """The largest that a quotient of two sums of up to so many entries can be."""
    return quotient * math.exp(2 * error) * (1 + 2 * (n_values + 4) * _EPS)


def _is_below(value: float, threshold: float) -> bool:
    """Clearly below: by more than the rounding of the threshold."""
    return value < threshold - 8 * _EPS * abs(threshold)


def _tail(vectors: FloatArray, l: int) -> FloatArray:
    """The sum of all but the l - 1 largest entries of each row."""
    if l == 1:
        return np.asarray(vectors.sum(axis=1))
    n_values = vectors.shape[1]
    if l > n_values:
        return np.zeros(len(vectors))
    smallest = np.partition(vectors, n_values - l, axis=1)[:, : n_values - l + 1]
    return np.asarray(smallest.sum(axis=1))


def _quotient(head: FloatArray, tail: FloatArray) -> FloatArray:
    quotient = np.full(len(head), math.inf)
    np.divide(head, tail, out=quotient, where=tail > 0)
    return quotient


def _largest_share(low: FloatArray, high: FloatArray) -> FloatArray:
    """The largest share that an entry can have between two bounds."""
    others = low.sum(axis=1, keepdims=True) - low
    share = np.divide(high, high + others, out=np.zeros_like(high), where=high > 0)
    return np.asarray(share.max(axis=1))


def _histogram(vector: list[Fraction]) -> tuple[int, ...]:
    """The same proportions in whole numbers, as small as they can be."""
    common = math.lcm(*(entry.denominator for entry in vector))
    whole = [int(entry * common) for entry in vector if entry]
    divisor = math.gcd(*whole)
    return tuple(sorted((n // divisor for n in whole), reverse=True))


def _as_floats(vector: list[Fraction]) -> FloatArray:
    top = max(vector)
    return np.array([[float(entry / top) for entry in vector]])
