from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.share_products import best_products


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_the_largest_normalized_product_of_each_combination(seed, n_groupings):
    rng, n_values = np.random.default_rng(seed), 4
    held = [np.sort(rng.choice(n_values, rng.integers(1, 5), replace=False)) for _ in range(12)]
    starts = np.cumsum([0, *map(len, held)])
    codes = np.concatenate(held).astype(np.int32)
    lifts, log_prior = rng.normal(size=len(codes)), rng.normal(size=n_values)
    combinations = rng.integers(-1, 4, (12, n_groupings))
    combinations += np.where(combinations >= 0, 4 * np.arange(n_groupings), 0)  # each its own
    largest, best, n_left = best_products(combinations, starts, codes, lifts, log_prior)
    for c, named in enumerate(combinations.tolist()):
        segments = [s for s in named if s >= 0]
        products = {}
        for v in range(n_values):
            if segments and all(v in held[s] for s in segments):
                logs = [lifts[starts[s] + held[s].tolist().index(v)] for s in segments]
                products[v] = math.exp(log_prior[v] + sum(logs))
        assert n_left[c] == len(products)
        if products:
            assert largest[c] == pytest.approx(max(products.values()) / sum(products.values()))
            assert products[int(best[c])] == max(products.values())
        else:
            assert math.isnan(largest[c]) and best[c] == -1
