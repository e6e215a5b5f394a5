from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.log_ratios import (
    MULTISET,
    ONE,
    RELATIVES,
    RELATIVES_KNOWN,
    SET,
    TARGET,
    TARGET_KNOWN,
    TOGETHER,
    joined,
    least_ratio,
    least_ratios,
    least_statistics,
    log_excluded,
    log_relatives,
    log_statistics,
    log_target,
    standings,
    worst_standing,
)

kinds = st.sampled_from([ONE, SET, MULTISET])
NONE = [math.inf, math.inf, math.inf, 0.0, 0.0]


@st.composite
def signatures(draw):
    n = draw(st.integers(1, 12))
    s = draw(st.integers(1, n))
    return np.array([0, n, s, draw(st.integers(0, n - s))])


def log(fraction):
    return math.log(fraction) if fraction > 0 else -math.inf


def target(kind, n, s, top, k):
    if kind == MULTISET:
        if n - k <= 1:
            return Fraction(0)
        power = Fraction(n - k - 1, n - k) ** s
        return power / (1 - power) * Fraction(n - 1, n) ** top
    rest = n - s - k - (top if kind == ONE else 0)
    factor = Fraction(n - top, n) if kind == SET else 1
    return Fraction(max(rest, 0), s) * factor


def relatives(kind, n, s, m, k):
    if kind == MULTISET:
        return Fraction(max(n - k - m, 0), n - k) ** s if m and n > k else Fraction(not m)
    product = Fraction(1)
    for i in range(m):
        product *= Fraction(max(n - s - k - i, 0), n - k - i) if n > k + i else 0
    return product


@given(kinds, signatures(), st.integers(0, 5), st.integers(0, 5))
def test_logarithms_are_those_of_the_formulas(kind, signature, k, m):
    _, n, s, top = signature.tolist()
    excluded = log_excluded(kind, signature)
    assert log_target(kind, signature, k, excluded) == pytest.approx(
        log(target(kind, n, s, top, k))
    )
    assert log_relatives(kind, n, s, m, k) == pytest.approx(log(relatives(kind, n, s, m, k)))


@given(kinds, st.lists(signatures(), min_size=1, max_size=6), st.integers(0, 3), st.integers(0, 3))
def test_the_least_of_each_statistic_is_found_and_joined(kind, found, k, m):
    found = np.array(found)
    rows = np.array([k]), np.array([m])

    def least_of(some):
        least, holders = np.array([NONE]), np.zeros((1, 5, 3), dtype=np.int64)
        least_statistics(kind, some, np.array([0, 1]), *rows, least, holders)
        return least, holders

    statistics = np.array([np.empty(5) for _ in found])
    for i, signature in enumerate(found):
        log_statistics(kind, signature, k, m, statistics[i])
    last = 5 if m else RELATIVES
    least, _ = least_of(found)
    assert least[0, :last].tolist() == pytest.approx(statistics.min(axis=0)[:last].tolist())
    both, _, _ = joined(kind, *rows, *least_of(found[:1]), *least_of(found[1:]))
    assert both.tolist() == [pytest.approx(least[0].tolist())]
    ratio = least_ratio(least[0])
    apart = min(
        least[0, TARGET] + least[0, RELATIVES_KNOWN], least[0, TARGET_KNOWN] + least[0, RELATIVES]
    )
    assert ratio == min(least[0, TOGETHER], apart)
    limits = np.array([ratio - 1.0 if ratio > -math.inf else 0.0])
    expected = 1 if ratio > -math.inf else -1
    assert standings(least, rows[1], limits).tolist() == [expected]
    assert worst_standing(least, rows[1], limits) == expected
    worst, chances, standing = least_ratios(
        kind, found, np.array([0, 1]), *rows, least, np.array([0.5]), limits
    )
    assert max(chances) == pytest.approx(1 / (1 + math.exp(min(ratio, 700))))
    assert (worst == 2 * chances).all() and min(standing) == expected
