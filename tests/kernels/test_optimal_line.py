from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.optimal_line import optimal_groups
from tests.oracles import microaggregation as oracle


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=9), st.integers(1, 4))
def test_no_partition_at_all_is_tighter(numbers, k):
    if len(numbers) < k:
        return
    line = sorted(numbers)
    group = optimal_groups(np.array(line, dtype=float), k)
    groups = [np.flatnonzero(group == g).tolist() for g in np.unique(group)]
    assert all(k <= len(g) <= 2 * k - 1 for g in groups)
    points = [(number,) for number in line]
    assert oracle.spread(points, groups) == oracle.least_spread(points, k)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_groups_are_runs_of_neighbours(seed, k):
    line = np.sort(np.random.default_rng(seed).normal(1e6, 1, 300))
    group = optimal_groups(line, k)
    assert (np.diff(group) <= 0).all() and np.bincount(group).min() >= k
    assert np.bincount(group).max() <= 2 * k - 1


def test_the_gap_decides():
    assert optimal_groups(np.array([1.0, 2, 3, 50, 51, 52, 53]), 3).tolist() == [
        1,
        1,
        1,
        0,
        0,
        0,
        0,
    ]
    assert pytest.approx(0) == optimal_groups(np.array([5.0, 5.0]), 2).sum()
