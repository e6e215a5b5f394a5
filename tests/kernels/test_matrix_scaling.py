from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.matrix_scaling import laid_back, laid_out, scale
from tests.kernels import plain


@st.composite
def positive(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    r, m = draw(st.integers(1, 20)), draw(st.integers(2, 6))
    repeats = rng.integers(1, 4, r)
    held = np.append(np.arange(m), rng.integers(0, m, repeats.sum()))[: max(m, repeats.sum())]
    repeats[0] += max(m - repeats.sum(), 0)
    return rng.dirichlet(np.ones(m), r) + 1e-3, repeats, np.bincount(held[: repeats.sum()])


@given(positive())
def test_rows_and_columns_add_up_and_the_matrix_is_that_of_plain_scaling(case):
    p, repeats, totals = case
    q, off = scale(p, repeats, totals)
    assert off == 0.0
    assert np.allclose(q.sum(axis=1), 1) and np.allclose(repeats @ q, totals, rtol=1e-8)
    assert np.allclose(q, plain.scaled(p, repeats, totals), rtol=1e-6, atol=1e-9)


def test_a_matrix_is_laid_out_by_value_and_back():
    p = np.array([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]])
    by_value, weights = laid_out(p, np.array([1, 2, 1]), np.array([2, 2]))
    assert by_value.shape == (2, 16) and weights.tolist() == [1, 2, 1] + [0] * 13
    assert np.allclose(by_value[:, :3] @ [1, 2, 1], [2, 2])
    assert np.allclose(laid_back(by_value, 3), by_value[:, :3].T)
