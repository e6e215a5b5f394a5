"""Entropy l-diversity: every group is at least as uncertain as l equally frequent values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from gyges.arguments import shown
from gyges.arrays import BoolArray, FloatArray
from gyges.criteria.base import Proposed, Risk, of_groups
from gyges.criteria.diversity_measure import EPSILON, MARGIN, Measure
from gyges.criteria.nearest_passing_rule import decimals_below, first_passing
from gyges.criteria.recursive_diversity import largest_share
from gyges.criteria.worst_group import DiversityByWorstGroup, WorstGroup
from gyges.data.schema import ValuesPerPerson
from gyges.errors import RuleError
from gyges.exact import Number, fraction, is_positive
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class EntropyDiversity(DiversityByWorstGroup):
    """-Σ p log p >= log l in every group [Machanavajjhala2007, entropy l-diversity].

    Close calls are settled without rounding, so l equally frequent values satisfy it for every l.
    """

    l: Fraction
    less_is_worse: ClassVar[bool] = True

    def __init__(self, l: Number) -> None:
        object.__setattr__(self, "l", fraction(l, "l"))
        if self.l < 1:
            raise RuleError(f"l is {shown(l)}: entropy diversity needs l of at least 1")

    def summarize(self, groups: Groups) -> WorstGroup:
        """The least exp(entropy): the number of equally frequent values that are as uncertain."""
        least = float(self.risks(groups).min(initial=math.inf))
        return WorstGroup(least, fails=not bool(self.holds_each(groups).all()))

    def risks(self, groups: Groups) -> FloatArray:
        """exp(entropy) of each group; 0 in a group without values."""
        exp_entropy: FloatArray = np.exp(_entropy(groups))
        exp_entropy[groups.n_distinct == 0] = 0.0
        return exp_entropy

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are uncertain enough."""
        margin = _entropy(groups) - math.log(self.l)
        enough: BoolArray = (margin > 0) & (groups.n_distinct > 0)
        close = (np.abs(margin) <= MARGIN) & (groups.n_distinct > 0)
        if not close.any():
            return enough
        settled: dict[tuple[int, ...], bool] = {}
        histograms = Ragged(groups.descending, groups.starts)
        for g in np.flatnonzero(close).tolist():
            counts = histograms[g]
            histogram = tuple(int(n) for n in counts // np.gcd.reduce(counts))
            if histogram not in settled:
                settled[histogram] = has_entropy(histogram, self.l)
            enough[g] = settled[histogram]
        return enough

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """m values have at most the entropy log m."""
        return math.ceil(self.l)

    def enough_values(self) -> int:
        """m values, each once, have the entropy log m."""
        return math.ceil(self.l)

    def measure(self) -> EntropyMeasure:
        """The entropy of expected counts."""
        return EntropyMeasure(self.l)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The largest l in few decimals."""
        if reached >= 1:
            yield from first_passing(decimals_below(reached), "l", EntropyDiversity, groups)

    def __str__(self) -> str:
        return f"every group's values are at least as uncertain as {self.l} equally frequent ones"


@dataclass(frozen=True, slots=True)
class EntropyMeasure(Measure):
    """-H of the shares, in nats."""

    l: Fraction

    @property
    def limit(self) -> Fraction:
        """l."""
        return self.l

    @property
    def threshold(self) -> float:
        """-log l."""
        return -math.log(self.l)

    @property
    def margin(self) -> float:
        """A sum of shares times logarithms, none much above 1."""
        return MARGIN

    def values(self, vectors: FloatArray) -> FloatArray:
        """Σ p log p."""
        p = vectors / vectors.sum(axis=1, keepdims=True)
        logs = np.log(p, out=np.zeros_like(p), where=p > 0)
        return np.asarray((p * logs).sum(axis=1))

    def ceiling(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The entropy is at least that of the largest share alone: Σ p log p <= log max p."""
        return np.log(largest_share(low, high))

    def worst_within(self, value: float, error: float, n_values: int) -> float:
        """|Δ Σ p log p| <= (exp(d) - 1) log m + d exp(d), for shares within exp(±d), d = 2 error.

        An entropy is never negative.
        """
        d = 2 * error + (n_values + 8) * EPSILON
        return min(0.0, value + math.expm1(d) * (math.log(n_values) + 1) + d * math.exp(d))

    def surely_passes(self, most: float) -> bool:
        """An entropy above log l; one value is always as good as one."""
        return self.l <= 1 or Measure.surely_passes(self, most)

    def shown(self, value: float) -> float:
        """exp(H)."""
        return math.exp(-value)

    def fails(self, vector: list[Fraction]) -> bool:
        """H < log l, in whole numbers."""
        return not has_entropy(_histogram(vector), self.l)

    def risk(self, vector: list[Fraction]) -> float:
        """exp(H): how many equally frequent values are as uncertain."""
        top = max(vector)
        shares = np.array([[float(entry / top) for entry in vector]])
        return self.shown(float(self.values(shares)[0]))


def _histogram(vector: list[Fraction]) -> tuple[int, ...]:
    """The same proportions in whole numbers, as small as they can be."""
    common = math.lcm(*(entry.denominator for entry in vector))
    whole = [int(entry * common) for entry in vector if entry]
    divisor = math.gcd(*whole)
    return tuple(sorted((n // divisor for n in whole), reverse=True))


def _entropy(groups: Groups) -> FloatArray:
    """H = log N - (1/N) Σ n log n of each group."""
    n = groups.value_counts.astype(np.float64)
    total = np.maximum(groups.n_occurrences, 1).astype(np.float64)
    share = n / total[groups.group_of_entry]
    summed = np.bincount(
        groups.group_of_entry, weights=-share * np.log(share), minlength=len(groups)
    )
    return np.asarray(summed, dtype=np.float64)


def has_entropy(histogram: tuple[int, ...], l: Fraction) -> bool:
    """Whether N^N >= l^N Π n^n, exactly, without forming the powers.

    Over coprime bases both sides are equal iff all exponents are 0; else digits decide.

    >>> has_entropy((1, 1, 1), Fraction(3)), has_entropy((2, 1, 1), Fraction(3))
    (True, False)
    """
    total = sum(histogram)
    powers = [(total, total), (l.denominator, total), (l.numerator, -total)]
    exponents = _coprime_powers([*powers, *((n, -n) for n in histogram)])
    return not any(exponents.values()) or is_positive(Fraction(0), exponents.items())


def _coprime_powers(powers: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The product Π base^power over bases without a common factor: it is 1 iff all powers are 0.

    Common factors are split off by greatest common divisors, so nothing large is factorized.
    """
    coprime: dict[int, int] = {}
    waiting = [(base, power) for base, power in powers if base > 1 and power]
    while waiting:
        base, power = waiting.pop()
        if base in coprime:
            coprime[base] += power
            continue
        for other in coprime:
            common = math.gcd(base, other)
            if common > 1:
                its_power = coprime.pop(other)
                parts = [(common, power + its_power), (base // common, power)]
                waiting += [p for p in [*parts, (other // common, its_power)] if p[0] > 1]
                break
        else:
            coprime[base] = power
    return coprime
