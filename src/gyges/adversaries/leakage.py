"""Pointwise maximal leakage: by what factor a release can raise the probability of a value.

An attacker expects each value as often as it occurs among all people of the release. Who learns the
group of their target expects it as often as it occurs there. The leakage of a group is the natural
logarithm of the largest factor, over its values [Saeidian2023].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.data.values import Value, text_of
from gyges.release.groups import Groups

_CLOSE = 1e-12  # far above the rounding of a quotient of counts


@dataclass(frozen=True, slots=True)
class Leakage:
    """The value whose probability rises by the largest factor, and in which group."""

    factor: Fraction  # posterior over prior
    value: Value
    group: int
    prior: Fraction
    posterior: Fraction

    @property
    def nats(self) -> float:
        """The pointwise maximal leakage."""
        return math.log(self.factor)

    def __str__(self) -> str:
        change = f"rises from {self.prior} to {self.posterior}"
        about = f"For someone in group {self.group + 1}, the probability of {text_of(self.value)}"
        return f"{about} {change}."


def maximal_leakage(groups: Groups) -> Leakage | None:
    """The largest posterior over prior, exactly; None where no value is published.

    q/p = (n_v / n) / (N_v / N) for a value that n_v of n people of a group have, N_v of N in all.
    Not defined here for multisets: there shares of occurrences are no probabilities.
    """
    if not len(groups.value_codes) or groups.values_per_person == "multiset":
        return None
    n_all = int(groups.sizes.sum())
    sizes = groups.sizes[groups.group_of_entry]
    of_value = groups.value_totals[groups.value_codes]
    ratios = groups.value_counts / (sizes * of_value.astype(np.float64))
    near = np.flatnonzero(ratios >= ratios.max() * (1 - _CLOSE))
    terms = np.stack([groups.value_counts[near], sizes[near], of_value[near]], axis=1)
    different, first = np.unique(terms, axis=0, return_index=True)
    exact = [Fraction(n, size * total) for n, size, total in different.tolist()]
    best = max(range(len(exact)), key=lambda one: (exact[one], -first[one]))
    at = int(near[first[best]])
    n, size, total = different[best].tolist()
    prior, posterior = Fraction(total, n_all), Fraction(n, size)
    value, group = groups.values[int(groups.value_codes[at])], int(groups.group_of_entry[at])
    return Leakage(posterior / prior, value, group, prior, posterior)
