from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.covariance import inverse_covariance, product, times


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(3, 30))
def test_the_inverse_is_that_of_the_summed_covariances(seed, m, r):
    rng = np.random.default_rng(seed)
    q, weights = np.ascontiguousarray(rng.dirichlet(np.ones(m), r).T), rng.integers(1, 4, r) * 1.0
    sums = q @ weights
    covariance = sum(w * (np.diag(one) - np.outer(one, one)) for w, one in zip(weights, q.T))  # noqa: B905
    some = np.arange(m - 1)
    found = inverse_covariance(q, weights, sums, some, np.empty(r))
    assert np.allclose(found, np.linalg.inv(covariance[:-1, :-1]), rtol=1e-5, atol=1e-8)
    filled = covariance + sums.sum() / m**2  # of all values: filled up, see the docstring
    found = inverse_covariance(q, weights, sums, np.arange(m), np.empty(r))
    assert np.allclose(found, np.linalg.inv(filled), rtol=1e-5, atol=1e-8)


def test_rows_are_multiplied():
    rows, out = np.array([[1.0, 2.0], [3.0, 4.0]]), np.empty(2)
    times(rows, 1, np.array([5.0, 6.0]), out)
    assert out.tolist() == [15.0, 24.0]
    assert product(rows, 1, np.array([5.0, 6.0])) == pytest.approx(39.0)
