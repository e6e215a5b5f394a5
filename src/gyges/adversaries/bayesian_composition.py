"""The attacker who combines what several releases say about a person by Bayes' rule.

They have a prior π over the sensitive values, the same for everyone. Each release j says that a
share p_j(v) of the person's group g_j has value v. The attacker takes the releases to be
independent given the person's value, so that

    P(v | g_1, …, g_n)  ∝  π(v) · Π_j p_j(v) / π(v)

One release alone gives its share p_1(v), and a release in which the person is not located changes
nothing. Set intersection only uses which shares are positive. With a prior that excludes nothing,
the same values stay possible under both attacks, and since the largest of |S| probabilities is at
least 1/|S|, this attacker is never less confident than intersection's 1/|S|: a person exposed there
at a confidence is exposed here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from gyges.adversaries.located_people import Located
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.values import Value, text_of
from gyges.errors import RuleError
from gyges.exact import Number, fraction, probability
from gyges.kernels.share_products import best_products

# The sum of the logarithms of a hundred shares, exponentiated, errs by far less.
_MARGIN = 1e-9


@dataclass(frozen=True, eq=False)
class BayesianAttack:
    """What the multiplying attacker believes about each person."""

    located: Located
    prior: tuple[Fraction, ...]  # π(v), in the order of the located values

    def posterior(self, person: str | int) -> dict[Value, Fraction]:
        """The belief about one person, exactly; empty where the releases contradict each other."""
        exact = self._exact(self.located.group_of[self.located.row(person)])
        return {self.located.values[code]: share for code, share in exact.items()}

    @property
    def confidence(self) -> FloatArray:
        """The largest belief about each person, rounded; NaN where the releases contradict."""
        return self._by_combination[0][self.located.combinations[1]]

    @property
    def guess(self) -> IntArray:
        """The most likely value of each person, as its place in `values`; -1 where none is."""
        return self._by_combination[1][self.located.combinations[1]]

    def exposed(self, confidence: Number) -> Fraction:
        """The share of people for whom some value has a probability of at least `confidence`."""
        return Fraction(int(self.is_exposed(confidence).sum()), len(self.located))

    def is_exposed(self, confidence: Number) -> BoolArray:
        """For each person, whether some value has at least this probability, exactly."""
        threshold = probability(confidence)
        largest, _, n_left = self._by_combination
        exposed = np.nan_to_num(largest, nan=-1.0) >= float(threshold)
        exposed[n_left == 1] = True
        close = np.abs(largest - float(threshold)) <= _MARGIN
        for c in np.flatnonzero(close & (n_left > 1)):
            exact = self._exact(self.located.combinations[0][c])
            exposed[c] = max(exact.values()) >= threshold
        return exposed[self.located.combinations[1]] & self.located.is_anywhere

    def exposed_before(self, confidence: Number) -> Fraction:
        """The share of people whom one release exposes by itself."""
        return Fraction(int(self.is_exposed_before(confidence).sum()), len(self.located))

    def is_exposed_before(self, confidence: Number) -> BoolArray:
        """For each person, whether one release exposes them by itself."""
        alone = np.zeros(len(self.located), dtype=bool)
        for release in range(len(self.located.releases)):
            alone |= BayesianAttack(self.located.only(release), self.prior).is_exposed(confidence)
        return alone

    def _exact(self, groups: IntArray) -> dict[int, Fraction]:
        """The belief about a person in these groups, by the value's code, without zeros."""
        releases = self.located.releases
        held = [
            (releases[j].value_counts_in(group), int(releases[j].sizes[group]))
            for j, group in enumerate(groups.tolist())
            if group >= 0
        ]
        weights = {
            code: pi * prod(Fraction(counts.get(code, 0), size) / pi for counts, size in held)
            for code, pi in enumerate(self.prior)
            if pi > 0
        }
        total = sum(weights.values())
        return {code: w / total for code, w in weights.items() if w > 0}

    @cached_property
    def _by_combination(self) -> tuple[FloatArray, IntArray, IntArray]:
        """The largest belief, its value and the number of possible values of each combination."""
        releases, combinations = self.located.releases, self.located.combinations[0]
        first = np.cumsum([0, *(len(groups) for groups in releases)])
        entry = np.cumsum([0, *(len(groups.value_codes) for groups in releases)])
        pi = np.array([float(share) for share in self.prior])
        with np.errstate(divide="ignore"):
            log_prior = np.log(pi)
        reference = np.where(pi > 0, log_prior, 0.0)
        lifts = [
            np.log(groups.value_counts / groups.sizes[groups.group_of_entry])
            - reference[groups.value_codes]
            for groups in releases
        ]
        starts = [
            groups.starts[:-1] + offset for groups, offset in zip(releases, entry, strict=False)
        ]
        largest, best, n_left = best_products(
            np.where(combinations >= 0, combinations + first[:-1], -1),
            np.concatenate([*starts, entry[-1:]]),
            np.concatenate([groups.value_codes for groups in releases]),
            np.concatenate(lifts),
            log_prior,
        )
        nowhere = (combinations < 0).all(axis=1)  # nothing is learned: the prior stays
        largest[nowhere], best[nowhere], n_left[nowhere] = pi.max(), pi.argmax(), (pi > 0).sum()
        return largest, best.astype(np.int64), n_left


def multiply(located: Located, prior: Mapping[Value, Number] | None = None) -> BayesianAttack:
    """The multiplying attacker; their prior is the share of each value in all releases together.

    A release counts with its whole table, so a person in two releases counts twice: the attacker
    does not know who is in both.
    """
    if prior is None:
        own = zip(located.releases, located.n_own, strict=True)
        counts = np.sum([groups.take(range(n)).value_totals for groups, n in own], axis=0)
        total = int(counts.sum())
        return BayesianAttack(located, tuple(Fraction(int(n), total) for n in counts))
    given = {text_of(value): fraction(share, "the prior") for value, share in prior.items()}
    missing = [value for value in located.values if text_of(value) not in given]
    if missing:
        raise RuleError(f"the prior has no share for {missing[0]!r}: give every value a share")
    if any(share < 0 for share in given.values()) or sum(given.values()) != 1:
        raise RuleError("the prior is not a distribution: give shares of at least 0 that sum to 1")
    return BayesianAttack(located, tuple(given[text_of(value)] for value in located.values))
