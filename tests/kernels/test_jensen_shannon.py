from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from gyges.kernels.jensen_shannon import ABOVE_ROUNDING, Spread, most, row_divergences, spread_rows
from tests.kernels import plain


def exact_divergence(p, q):
    """The definition with 80 digits: near 0, sums of floats' logarithms are mostly rounding."""
    with localcontext(prec=80):
        pairs = [(Decimal(one), Decimal(other)) for one, other in zip(p, q, strict=True)]
        terms = [x * (2 * x / (one + other)).ln() for one, other in pairs for x in (one, other)]
        return sum(terms) / 2


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@example(198709, 2)  # two rows differ by 2e-14, less than a rounded divergence can tell
def test_divergences_are_those_of_scipy_and_below_their_bound(seed, m):
    rng = np.random.default_rng(seed)
    p, q = (rng.dirichlet(np.ones(m), 5) * (rng.random((5, m)) > 0.3) + 1e-12 for _ in range(2))
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    found = row_divergences(p, q, False)
    assert found.tolist() == pytest.approx(plain.jensen_shannon(p, q).tolist(), abs=1e-12)
    for one, other, divergence in zip(p, q, found, strict=True):
        assert divergence == pytest.approx(float(jensenshannon(one, other)) ** 2, abs=1e-9)
        exact, bound = exact_divergence(one, other), Decimal(most(one, other) * ABOVE_ROUNDING)
        assert exact <= bound <= Decimal("1.4") * exact
    assert row_divergences(3 * p, 5 * q, True).tolist() == pytest.approx(found.tolist(), abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_smoothing_multiplies_rows_by_a_sparse_matrix(seed, m):
    rng = np.random.default_rng(seed)
    weights = rng.random((m, m)) * (rng.random((m, m)) > 0.5)
    value, to = np.nonzero(weights)
    starts = np.searchsorted(value, np.arange(m + 1))
    p = rng.dirichlet(np.ones(m), 4)
    found = spread_rows(p, Spread(starts, to, weights[value, to]))
    assert np.allclose(found, p @ weights)
