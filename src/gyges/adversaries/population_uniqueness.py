"""How many people are unique in the population, estimated from a sample alone.

A sample of n people falls into groups that look alike; the population has N = n / (sampling
fraction) people. A person who is unique in the sample may have doubles outside it. Each model
guesses how the population's groups are distributed: the result is an estimate, and decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

import numpy as np

from gyges.arguments import choice, shown
from gyges.arrays import FloatArray, IntArray
from gyges.errors import RuleError
from gyges.exact import Number, exact_text, fraction
from gyges.release.groups import Groups, check_groups

PopulationModel: TypeAlias = Literal["dankar", "pitman", "pitman exact", "zayatz", "snb"]

# Up to this sampling fraction Dankar's rule trusts Pitman's model [Dankar2012].
_SMALL_FRACTION = Fraction(1, 10)


def population_uniqueness(
    groups: Groups, sampling_fraction: Number, model: PopulationModel = "dankar"
) -> float:
    """Estimate the share of the population that is unique in it, from the groups of a sample.

    Args:
        groups: of the sample; only their sizes are read.
        sampling_fraction: n/N, above 0 and at most 1. With 1 the answer is exact.
        model: "zayatz" (the sample's sizes stand for the population's [Zayatz1991]), "pitman"
            (Pitman's sampling formula, by maximum likelihood; N^(α-1) Γ(θ+1)/Γ(θ+α), the
            asymptotic formula of [Hoshino2001] that other tools use, where it is within 1% of the
            expected share), "pitman exact" (the expected share itself), "snb" (one more than a
            negative binomial number [Chen1998]), or "dankar": Pitman up to a tenth, else the
            smaller of the other two [Dankar2012].
    """
    sizes = check_groups(groups).sizes
    return uniqueness_of_sizes(sizes, sampled_share(sampling_fraction), model)


def sampled_share(sampling_fraction: Number) -> Fraction:
    """The share of the population that is in the sample; refuses what is no such share."""
    share = fraction(sampling_fraction, "sampling_fraction")
    if not 0 < share <= 1:
        raise RuleError(
            f"sampling_fraction is {shown(sampling_fraction)}: give the share of the population "
            f"that is in the sample, above 0 and at most 1"
        )
    return share


def uniqueness_of_sizes(
    sizes: IntArray, share: Fraction, model: PopulationModel = "dankar"
) -> float:
    """The same from the sizes of the groups alone."""
    sample = _Sample.of(sizes)
    estimate = _MODELS[choice(model, get_args(PopulationModel), "model")]
    if sample.n_people == 0:
        raise RuleError("nobody is in these groups: there is nothing to estimate from")
    if sample.n_people > share * _MOST_PEOPLE:
        raise RuleError(
            f"sampling_fraction is {exact_text(share)}: the population would have more than "
            f"{_MOST_PEOPLE:,} members, beyond what the models can compute with"
        )
    if share == 1 or sample.n_unique == sample.n_people:
        return sample.n_unique / sample.n_people  # exactly; or the limit of every model
    found = estimate(sample, share)
    if found is None:
        raise RuleError(
            f"the model {model!r} does not fit such a sample: choose another, such as zayatz"
        )
    return min(found, 1.0)


_MOST_PEOPLE = 10**15  # beyond it the models' numbers lose their digits


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """How many groups of each size a sample has."""

    sizes: IntArray  # ascending, each once
    counts: IntArray  # how many groups have that size

    @classmethod
    def of(cls, sizes: IntArray) -> _Sample:
        return cls(*np.unique(sizes[sizes > 0], return_counts=True))

    @property
    def n_people(self) -> int:
        return int(self.sizes @ self.counts)

    @property
    def n_groups(self) -> int:
        return int(self.counts.sum())

    @property
    def n_unique(self) -> int:
        return int(self.counts[self.sizes == 1].sum())


def _zayatz(sample: _Sample, share: Fraction) -> float:
    """n₁/n · P(one of one | one is in the sample), by Bayes with the sample's sizes as prior.

    One person of a group of i is in the sample with probability i C(N-i, n-1) / C(N, n).
    """
    unique = sample.n_unique
    if not unique:
        return 0.0
    n, size = sample.n_people, sample.sizes.astype(np.float64)
    others = float(n / share) - size  # in the population, outside a group of this size
    one_of = size * np.exp(_log_choose(others, n - 1) - _log_choose(float(n / share) - 1, n - 1))
    one_of[others < n - 1] = 0.0
    return unique / n * unique / float(sample.counts @ one_of)


def _log_choose(of: FloatArray | float, chosen: float) -> FloatArray:
    """ln C(of, chosen), for real numbers; -inf where fewer than `chosen` are left."""
    from scipy.special import gammaln

    left = np.maximum(np.asarray(of, dtype=np.float64) - chosen, 0.0)
    return np.asarray(gammaln(left + chosen + 1) - gammaln(chosen + 1) - gammaln(left + 1))


def _pitman(sample: _Sample, share: Fraction) -> float | None:
    """Γ(θ+1)/Γ(θ+α) N^(α-1), or the expectation that it approximates where it does not.

    It does so for populations far larger than θ; for others it may exceed 1.
    """
    return _pitman_share(sample, share, pitman_asymptotic)


def _pitman_exact(sample: _Sample, share: Fraction) -> float | None:
    return _pitman_share(sample, share, pitman_expected)


def _pitman_share(
    sample: _Sample, share: Fraction, formula: Callable[[float, float, float], float]
) -> float | None:
    """The share of uniques by one formula, with the likeliest θ and α."""
    from scipy.optimize import minimize

    def unlikely(at: FloatArray) -> float:
        return -pitman_log_likelihood(sample.sizes, sample.counts, *_theta_alpha(at))

    starts = [(a, b) for a in (0.0, 4.0, 8.0) for b in (-1.0, 1.0)]
    found = [minimize(unlikely, start, method="Nelder-Mead", options=_PRECISE) for start in starts]
    best = min(found, key=lambda one: float(one.fun))
    at, n_population = _theta_alpha(best.x), float(sample.n_people / share)
    number, exact = formula(*at, n_population), pitman_expected(*at, n_population)
    if not best.success or not math.isfinite(exact):
        return None
    return number if abs(number - exact) <= _NEAR * exact else exact


def pitman_expected(theta: float, alpha: float, n_population: float) -> float:
    """The expected share of uniques among N people: Π (θ+α+i)/(θ+1+i) for i < N-1 [Pitman1995].

    Γ(θ+1)/Γ(θ+α) · Γ(θ+N+α-1)/Γ(θ+N).
    """
    from scipy.special import poch

    return float(poch(theta + alpha, 1 - alpha) * poch(theta + n_population, alpha - 1))


def pitman_asymptotic(theta: float, alpha: float, n_population: float) -> float:
    """The same as N grows: Γ(θ+1)/Γ(θ+α) N^(α-1) [Hoshino2001]."""
    from scipy.special import poch

    return float(poch(theta + alpha, 1 - alpha) * n_population ** (alpha - 1))


_NEAR = 0.01  # how far the asymptotic formula may be off, as a share of the expectation
_LARGE = 1e8  # beyond it the difference of two gamma functions loses too many digits
_PRECISE = {"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000, "maxfev": 4000}


def _theta_alpha(at: FloatArray) -> tuple[float, float]:
    """θ > 0 and 0 < α < 1 from two unbounded numbers."""
    return math.exp(min(at[0], 700.0)), 1 / (1 + math.exp(-max(at[1], -700.0)))


def pitman_log_likelihood(sizes: IntArray, counts: IntArray, theta: float, alpha: float) -> float:
    """ln of Π_{i<u} (θ+iα) / Π_{i<n} (θ+i) · Π_groups Π_{i<size} (i-α), i from 1 [Pitman1995]."""
    from scipy.special import gammaln

    n, u = int(sizes @ counts), int(counts.sum())
    ratio = theta / alpha
    if ratio < _LARGE:  # Π (θ+iα) = α^(u-1) Γ(θ/α+u)/Γ(θ/α+1)
        joined = (u - 1) * math.log(alpha) + gammaln(ratio + u) - gammaln(ratio + 1)
    else:
        joined = np.log(theta + alpha * np.arange(1, u)).sum()
    people = gammaln(theta + n) - gammaln(theta + 1)
    within = counts @ (gammaln(sizes - alpha) - gammaln(1 - alpha))
    return float(joined - people + within)


def _slide_negative_binomial(sample: _Sample, share: Fraction) -> float | None:
    """K β^α / N, where K groups, α and β give N people and the sample's groups and uniques."""
    from scipy.optimize import root

    if sample.n_unique == 0:
        return None

    n_population = float(sample.n_people / share)

    def missed(at: FloatArray) -> list[float]:
        groups, unique, _ = snb_expected(float(share), n_population, *_alpha_beta(at))
        return [groups / sample.n_groups - 1, unique / sample.n_unique - 1]

    for start in [(a, b) for a in (-3.0, -1.0, 1.0, 3.0) for b in (-5.0, -3.0, -1.0, 1.0, 3.0)]:
        found = root(missed, start)
        if found.success and max(map(abs, missed(found.x))) < 1e-8:
            alpha, beta = _alpha_beta(found.x)
            n_groups = snb_expected(float(share), n_population, alpha, beta)[2]
            return float(n_groups * beta**alpha / n_population)
    return None


def _alpha_beta(at: FloatArray) -> tuple[float, float]:
    """α > 0 and 0 < β < 1 from two unbounded numbers."""
    return math.exp(min(at[0], 50.0)), 1 / (1 + math.exp(min(-at[1], 700.0)))


def snb_expected(
    share: float, n_population: float, alpha: float, beta: float
) -> tuple[float, float, float]:
    """Expected groups and uniques of a sample, and the population's groups K [Chen1998].

    A group has one person more than a negative binomial number: its size has the generating
    function G(s) = s (β / (1 - (1-β) s))^α. Each person is in the sample with probability π: then
    none is with G(1-π), exactly one with π G'(1-π). K = N / (1 + α (1-β)/β).
    """
    s = 1 - share
    rest = 1 - (1 - beta) * s
    power = (beta / rest) ** alpha
    one = share * power * (1 + s * alpha * (1 - beta) / rest)
    n_groups = n_population / (1 + alpha * (1 - beta) / beta)
    return n_groups * (1 - s * power), n_groups * one, n_groups


def _dankar(sample: _Sample, share: Fraction) -> float:
    """Pitman's model up to a tenth, else the smaller of the others; Zayatz where none fits."""
    if share <= _SMALL_FRACTION:
        found = _pitman(sample, share)
        return _zayatz(sample, share) if found is None else found
    other = _slide_negative_binomial(sample, share)
    return min(_zayatz(sample, share), math.inf if other is None else other)


_MODELS: dict[str, Callable[[_Sample, Fraction], float | None]] = {
    "dankar": _dankar,
    "pitman": _pitman,
    "pitman exact": _pitman_exact,
    "zayatz": _zayatz,
    "snb": _slide_negative_binomial,
}
