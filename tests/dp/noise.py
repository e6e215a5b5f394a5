"""Is noise what it is said to be? Exact probabilities, and one chi-squared test for all.

OpenDP draws from the operating system, so nothing can be seeded: a test that uses this fails by
chance once in a million runs.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

P_THRESHOLD = 1e-6


def discrete_laplace(x, scale):
    """P(x) = (1 - q)/(1 + q) · q^|x| with q = exp(-1/scale)."""
    q = np.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(x)


def discrete_gaussian(x, scale):
    """P(x) ∝ exp(-x²/(2 scale²)), added up far beyond where anything is left."""
    reach = np.arange(-int(40 * scale) - 40, int(40 * scale) + 41)
    return np.exp(-(x**2) / (2 * scale**2)) / np.exp(-(reach**2) / (2 * scale**2)).sum()


def p_value(drawn, probability):
    """How likely a deviation this large is, if `drawn` has these probabilities.

    Outcomes that are expected fewer than five times are pooled at both ends.
    """
    drawn = np.asarray(drawn)
    n, width = len(drawn), int(np.abs(drawn).max()) + 1
    x = np.arange(-width, width + 1)
    p = probability(x)
    kept = x[n * p >= 5]
    low, high = kept.min(), kept.max()
    inside = (drawn >= low) & (drawn <= high)
    observed = np.bincount(drawn[inside] - low, minlength=len(kept)).astype(float)
    expected = n * probability(kept)
    observed = np.append(observed, n - observed.sum())
    expected = np.append(expected, n - expected.sum())
    if expected[-1] < 1e-9:
        observed, expected = observed[:-1], expected[:-1]
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(chi2.sf(statistic, len(observed) - 1))
