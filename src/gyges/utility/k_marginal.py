"""NIST's k-marginal score, and the random sample that would score as much."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.utility.grouping import Grouping
from gyges.utility.marginal_tables import Axis, axes_of, distance, original_counts

BEST = 1000


def k_marginal(grouping: Grouping, k: int = 2) -> float:
    """1000 · (1 - mean over all sets of k columns of ½ Σ |p - p*|); larger is better [Task2023].

    p is the marginal of the original and p* that of the spread table (`marginal_tables.py`). The
    columns are the quasi-identifiers and, with one value per person, the sensitive column. All
    pairs count; the published tool draws some of them from 30 columns on.
    """
    marginals = _marginals(grouping, k)
    if not marginals:
        return float(BEST)
    lost = sum(distance(grouping, axes) for axes in marginals) / len(marginals)
    return BEST * (1 - lost)


def sample_equivalent(grouping: Grouping, k: int = 2) -> float:
    """The share x of people such that a random sample of x would score as much, on average.

    The largest sample, drawn without replacement, whose expected k-marginal score is at most the
    release's. A larger sample never scores less on average: a sample of m + 1 people is the mean of
    its samples of m, and the distance is convex. The published tool compares with samples that it
    draws; here the expectation is computed.
    """
    marginals = _marginals(grouping, k)
    n, score = grouping.n_people, k_marginal(grouping, k)
    if not marginals or n == 0:
        return 1.0
    counted = [_repeated(original_counts(grouping, axes)) for axes in marginals]
    least, most = 0, n  # a sample of `least` scores at most as much
    while most - least > 1:
        middle = (least + most) // 2
        if sample_score(counted, n, middle) <= score:
            least = middle
        else:
            most = middle
    return 1.0 if score >= BEST else least / n


def sample_score(counted: list[tuple[IntArray, IntArray]], n: int, m: int) -> float:
    """The expected score of a random sample of m of n people.

    In a cell of K people the sample has X, which is hypergeometric, and by [Diaconis1991]
    E|X - mK/n| = 2 v (n - K - m + v)/n · Pr(X = v) with v = ⌊mK/n⌋ + 1.
    """
    lost = [float(_deviation(size, n, m) @ times) / (2 * m) for size, times in counted]
    return BEST * (1 - sum(lost) / len(lost))


def _deviation(size: IntArray, n: int, m: int) -> FloatArray:
    """E|X - mK/n| for each cell size K."""
    from scipy.special import gammaln

    v = size * m // n + 1
    inside = np.flatnonzero((v <= size) & (v <= m) & (n - size - m + v > 0))
    k, x = size[inside], v[inside]

    def log_choose(a: IntArray | int, b: IntArray | int) -> FloatArray:
        return np.asarray(gammaln(a + 1.0) - gammaln(b + 1.0) - gammaln(a - b + 1.0))

    chance = np.exp(log_choose(k, x) + log_choose(n - k, m - x) - log_choose(n, m))
    expected = np.zeros(len(size))
    expected[inside] = 2.0 * x * (n - k - m + x) / n * chance
    return expected


def _repeated(counts: FloatArray) -> tuple[IntArray, IntArray]:
    """The different sizes of cells, and how many cells have each."""
    size, times = np.unique(counts[counts > 0].astype(np.int64), return_counts=True)
    return size, times


def _marginals(grouping: Grouping, k: int) -> list[tuple[Axis, ...]]:
    """Every set of k columns; all columns, where there are fewer."""
    axes = [*axes_of(grouping).values()]
    return [*combinations(axes, min(k, len(axes)))] if axes else []
