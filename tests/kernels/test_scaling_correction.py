from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.matrix_scaling import scale
from gyges.kernels.permanent import given_totals
from gyges.kernels.scaling_correction import refine


@given(st.integers(0, 2**32 - 1), st.integers(8, 14))
def test_the_correction_brings_a_scaled_matrix_nearer_to_the_truth(seed, r):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(3, 2.0), r)
    repeats, totals = np.ones(r, dtype=np.int64), np.array([2, 3, r - 5])
    exact, _ = given_totals(p, repeats, totals)
    refined, off = refine(p, repeats, totals)
    scaled, _ = scale(p, repeats, totals)
    assert np.allclose(refined.sum(axis=1), 1, atol=1e-6)
    assert np.abs(refined - exact).max() <= np.abs(scaled - exact).max() + 1e-3
    assert np.abs(refined - exact).max() <= max(off, 1e-3)
