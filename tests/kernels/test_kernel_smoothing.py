from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.kernel_smoothing import MATRIX, epanechnikov, sum_under_kernel, uniform

N_CODES = 3


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 15))
def test_sums_are_those_of_the_double_loop(seed, d, n):
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, N_CODES, (n, d)), axis=0).astype(np.int32)
    weights = rng.random((d, N_CODES, N_CODES)) * (rng.random((d, N_CODES, N_CODES)) > 0.3)
    counts = rng.random((len(codes), 2))
    expected = np.zeros_like(counts)
    for q, row in enumerate(codes):
        for x, other in enumerate(codes):
            k = np.prod([weights[j, row[j], other[j]] for j in range(d)])
            expected[q] += k * counts[x]
    found, n_visited, n_done = summed(codes, weights, counts)
    assert np.allclose(found, expected) and n_done == len(codes)
    assert n_visited == summed(codes, weights, counts[:, :1])[1]
    assert summed(codes, weights, counts, most=0)[1] <= n_visited


def test_it_stops_soon_after_so_many_visits():
    codes = np.array([(i, j) for i in range(N_CODES) for j in range(N_CODES)], dtype=np.int32)
    weights, counts = np.ones((2, N_CODES, N_CODES)), np.ones((len(codes), 1))
    found, n_visited, _ = summed(codes, weights, counts)
    assert (found == len(codes)).all()
    some, n_fewer, n_done = summed(codes, weights, counts, most=n_visited // 2)
    assert n_fewer < n_visited and 0 < n_done < len(codes)
    assert (some[:n_done] == found[:n_done]).all()


def summed(codes, weights, counts, most=10**9):
    """`sum_under_kernel` of columns whose weights are given as matrices."""
    d = codes.shape[1]
    firsts, endings, level, starts_of_endings = [], [], codes, [0]
    for _ in range(d):
        shorter, where = np.unique(level[:, 1:], axis=0, return_inverse=True)
        firsts.append(level[:, 0].astype(np.int64))
        starts_of_endings.append(starts_of_endings[-1] + len(level))
        endings.append(starts_of_endings[-1] + where.ravel())
        level = shorter
    table = np.zeros((starts_of_endings[-1] + 1, counts.shape[1]))
    table[: len(counts)] = counts
    first_change = np.zeros(len(codes), dtype=np.int64)
    first_change[1:] = (codes[1:] != codes[:-1]).argmax(axis=1)
    starts, nothing = np.arange(d + 1), np.zeros(0, dtype=np.int64)
    out = np.empty_like(counts)
    n_visited, _, n_done = sum_under_kernel(
        codes, first_change, np.full(d, MATRIX), np.full(d, N_CODES), np.ones(d), np.ones(d), False,
        weights.ravel(), starts * N_CODES**2, nothing, starts * 0,
        np.concatenate([*firsts, [0]]), np.concatenate([*endings, [0]]),
        np.array(starts_of_endings), table, out, most,
    )  # fmt: skip
    return out, n_visited, n_done


def test_kernels_end_at_their_bandwidth():
    assert epanechnikov(0.0, 2.0) == 1.0 and epanechnikov(1.0, 2.0) == 0.75
    assert epanechnikov(2.0, 2.0) == 0.0 and epanechnikov(0.3, 0.1 + 0.2) == 0.0
    assert uniform(2.0, 2.0) == 1.0 and uniform(2.1, 2.0) == 0.0
    assert uniform(0.1 + 0.2, 0.3) == 1.0
