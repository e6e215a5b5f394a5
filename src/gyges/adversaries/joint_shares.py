"""The Bayesian attacker of several releases: a probability is the share of joint worlds.

All worlds that agree with all releases are equally likely. That is not the product of the shares in
each release, which takes the releases to be independent (bayesian_composition.py). Shares are exact
where worlds were counted, estimated elsewhere; only what is exact or bounded decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from gyges.adversaries.bayesian_composition import multiply
from gyges.adversaries.joint_counts import JointCounts
from gyges.adversaries.joint_estimate import fitted
from gyges.adversaries.joint_solution import JointSolution
from gyges.adversaries.located_people import Located
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.exact import Number, probability


@dataclass(frozen=True, eq=False)
class JointShares:
    """What share of the joint worlds gives each person each value."""

    located: Located
    counts: JointCounts
    solution: JointSolution
    cohort: IntArray  # of each person

    @cached_property
    def probability(self) -> FloatArray:
        """People × values: exact up to rounding, or estimated; NaN where the releases contradict.

        See `is_exact_for` and `is_sampled_for`.
        """
        counts, n_values = self.counts, len(self.located.values)
        by_cohort = np.zeros((len(counts.people), n_values))
        by_cohort[counts.cohort, counts.value] = fitted(counts, self.solution)
        by_cohort[counts.totals[: len(by_cohort)] < 0] = 1 / n_values
        by_cohort /= np.maximum(by_cohort.sum(axis=1, keepdims=True), 1e-300)
        by_cohort[self.solution.is_contradicted] = np.nan
        return by_cohort[self.cohort]

    @cached_property
    def is_exact_for(self) -> BoolArray:
        """For each person, whether all worlds were counted."""
        is_exact = ~self.counts.is_loose & ~self.solution.is_contradicted
        is_exact[self.counts.cohort[~self.solution.is_counted]] = False
        return np.asarray(is_exact[self.cohort])

    @cached_property
    def is_sampled_for(self) -> BoolArray:
        """For each person, whether the probabilities were estimated from sampled worlds."""
        is_sampled = np.zeros(len(self.counts.people), dtype=bool)
        if self.solution.sampled is not None:
            is_sampled[self.counts.cohort[self.solution.sampled.unknowns]] = True
        return np.asarray(is_sampled[self.cohort] & ~self.is_exact_for)

    @property
    def n_worlds(self) -> int:
        """How many worlds were sampled; 0 where none had to be, or none is known to begin with."""
        return 0 if self.solution.sampled is None else self.solution.sampled.n_worlds

    def interval(self, person: int, code: int) -> tuple[float, float] | None:
        """The 95% interval of a sampled probability; None where it was not sampled."""
        sampled, c = self.solution.sampled, int(self.cohort[person])
        own = np.arange(self.counts.starts[c], self.counts.starts[c + 1])
        own = own[self.counts.value[own] == code]
        if sampled is None or not len(own) or not self.is_sampled_for[person]:
            return None
        n, u = int(self.counts.people[c]), int(own[0])
        low, high = int(self.solution.low[u]) / n, int(self.solution.high[u]) / n
        at = int(np.searchsorted(sampled.unknowns, u))
        if at == len(sampled.unknowns) or sampled.unknowns[at] != u:
            return low, high
        mean, error = float(sampled.means[at]) / n, float(sampled.errors[at]) / n
        return max(low, mean - error), min(high, mean + error)

    def exposed(self, confidence: Number) -> Fraction:
        """The share of people for whom some value has a probability of at least `confidence`.

        Includes those for whom that is estimated.
        """
        return self._share(self.is_exposed(confidence))

    def is_exposed(self, confidence: Number) -> BoolArray:
        """Who has such a value, proven or estimated."""
        largest = np.nan_to_num(self.probability.max(axis=1), nan=-1.0)
        is_guess = ~self.is_exact_for & (largest >= float(probability(confidence)))
        return np.asarray((self.is_proven(confidence) | is_guess) & self.located.is_anywhere)

    def is_proven(self, confidence: Number) -> BoolArray:
        """Who certainly has such a value: by an exact share or a proven bound."""
        counted = np.array([self._at_least(mean, u, confidence) for u, mean in self._means.items()])
        is_reached = self._reaches(self.solution.low, confidence)
        is_reached[list(self._means)] |= counted.astype(bool)
        is_known = ~self.solution.is_contradicted[self.cohort]
        return np.asarray(self._of_people(is_reached) & is_known)

    def may_be_exposed(self, confidence: Number) -> BoolArray:
        """Who may have such a value: their share is only estimated, and no bound excludes it."""
        may = self._of_people(self._reaches(self.solution.high, confidence))
        is_open = ~self.is_exact_for & ~self.is_proven(confidence)
        return np.asarray(may & is_open & self.located.is_anywhere)

    def exposed_before(self, confidence: Number) -> Fraction:
        """The share of people whom one release exposes by itself."""
        return self._share(self.is_exposed_before(confidence))

    def is_exposed_before(self, confidence: Number) -> BoolArray:
        """Who has such a value by their share in the group of one release."""
        return multiply(self.located).is_exposed_before(confidence)

    @property
    def _means(self) -> dict[int, Fraction]:
        return self.solution.means

    def _at_least(self, mean: Fraction, u: int, confidence: Number) -> bool:
        n_people = int(self.counts.people[self.counts.cohort[u]])
        return mean >= probability(confidence) * n_people

    def _reaches(self, number: IntArray, confidence: Number) -> BoolArray:
        """Which unknowns are that share of their cohort, by a whole number of people, exactly."""
        least = probability(confidence)
        sizes, place = np.unique(self.counts.people, return_inverse=True)
        needed = [-(-n * least.numerator // least.denominator) for n in sizes.tolist()]
        return np.asarray(number >= np.array(needed, dtype=object)[place[self.counts.cohort]])

    def _of_people(self, is_reached: BoolArray) -> BoolArray:
        found = np.zeros(len(self.counts.people), dtype=bool)
        found[self.counts.cohort[is_reached]] = True
        return np.asarray(found[self.cohort])

    def _share(self, which: BoolArray) -> Fraction:
        return Fraction(int(which.sum()), len(which))
