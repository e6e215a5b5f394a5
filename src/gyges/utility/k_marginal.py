"""NIST's k-marginal score, and the random sample that would score as much."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.utility.grouping import Grouping
from gyges.utility.marginal_tables import (
    Axis,
    axes_of,
    estimated_shares,
    original_counts,
    variation,
)

BEST = 1000


def k_marginal(grouping: Grouping, k: int = 2) -> float:
    """1000 · (1 - mean over all sets of k columns of ½ Σ |p - p*|); larger is better [Task2023].

    p is the marginal of the original and p* that of the spread table (`marginal_tables.py`). The
    columns are the quasi-identifiers and, with one value per person, the sensitive column. All
    pairs count; the published tool draws some of them from 30 columns on.
    """
    score, _ = grouping.once(_compared, k)
    return score


def _compared(grouping: Grouping, k: int) -> tuple[float, list[FloatArray]]:
    """The score, and the people in each cell of the original's marginals that has any."""
    lost, held = 0.0, []
    for axes in _marginals(grouping, k):
        counts = original_counts(grouping, axes)
        lost += variation(counts / max(grouping.n_people, 1), estimated_shares(grouping, axes))
        held.append(counts[counts > 0])
    return BEST * (1 - lost / max(len(held), 1)), held


def sample_equivalent(grouping: Grouping, k: int = 2) -> float:
    """The share x of people such that a random sample of x would score as much, on average.

    The largest sample, drawn without replacement, whose expected k-marginal score is at most the
    release's. A larger sample never scores less on average: a sample of m + 1 people is the mean of
    its samples of m, and the distance is convex. The published tool compares with samples that it
    draws; here the expectation is computed.
    """
    (score, marginals), n = grouping.once(_compared, k), grouping.n_people
    if not marginals or n == 0 or score >= BEST:
        return 1.0
    sizes = cell_sizes(marginals)
    least, most = 0, n  # a sample of `least` scores at most as much
    while most - least > 1:
        middle = (least + most) // 2
        if sample_score(sizes, len(marginals), n, middle) <= score:
            least = middle
        else:
            most = middle
    return least / n


def cell_sizes(marginals: list[FloatArray]) -> tuple[IntArray, IntArray]:
    """The different numbers of people in the cells of all marginals, and how many have each."""
    counts = np.concatenate(marginals).astype(np.int64)
    return np.unique(counts[counts > 0], return_counts=True)


def sample_score(sizes: tuple[IntArray, IntArray], n_marginals: int, n: int, m: int) -> float:
    """The expected score of a random sample of m of n people, by the sizes of all cells.

    In a cell of K people the sample has X, which is hypergeometric, and by [Diaconis1991]
    E|X - mK/n| = 2 v (n - K - m + v)/n · Pr(X = v) with v = ⌊mK/n⌋ + 1.
    """
    size, times = sizes
    return BEST * (1 - float(_deviation(size, n, m) @ times) / (2 * m * n_marginals))


def _deviation(size: IntArray, n: int, m: int) -> FloatArray:
    """E|X - mK/n| for each cell size K."""
    v = size * m // n + 1
    inside = np.flatnonzero((v <= size) & (v <= m) & (n - size - m + v > 0))
    k, x = size[inside], v[inside]

    def log_choose(a: IntArray | int, b: IntArray | int) -> FloatArray:
        return _log_factorial(a) - _log_factorial(b) - _log_factorial(a - b)

    chance = np.exp(log_choose(k, x) + log_choose(n - k, m - x) - log_choose(n, m))
    expected = np.zeros(len(size))
    expected[inside] = 2.0 * x * (n - k - m + x) / n * chance
    return expected


_SMALL = np.array([math.lgamma(n + 1.0) for n in range(32)])  # log n!


def _log_factorial(n: IntArray | int) -> FloatArray:
    """log n!: small ones from a table, others by Stirling's series, of which 1e-13 is left out.

    SciPy's function takes longer to load than these take to compute.
    """
    n = np.atleast_1d(n)
    x = np.maximum(n, len(_SMALL) - 1).astype(np.float64)
    rest = (1 / 12 - (1 / 360 - 1 / (1260 * x * x)) / (x * x)) / x
    series = (x + 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + rest
    return np.where(n < len(_SMALL), _SMALL[np.minimum(n, len(_SMALL) - 1)], series)


def _marginals(grouping: Grouping, k: int) -> list[tuple[Axis, ...]]:
    """Every set of k columns; all columns, where there are fewer."""
    axes = [*axes_of(grouping).values()]
    return [*combinations(axes, min(k, len(axes)))] if axes else []
