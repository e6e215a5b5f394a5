from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.group_exchanges import dissolved, divided, exchanged, spread
from gyges.kernels.point_groups import reference_groups
from tests.oracles import microaggregation as oracle


@st.composite
def grouped(draw, most=60):
    """Points of whole numbers in groups of k or more."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 4))
    points = rng.integers(-9, 10, (draw(st.integers(k, most)), draw(st.integers(1, 3)))).astype(
        float
    )
    return points, reference_groups(points, k), k


def groups_of(group):
    return [np.flatnonzero(group == g).tolist() for g in np.unique(group)]


def exact(points, group):
    return float(oracle.spread([tuple(map(int, p)) for p in points], groups_of(group)))


@given(grouped())
def test_the_spread_is_that_of_the_slow_twin(case):
    points, group, _ = case
    assert spread(points, group) == pytest.approx(exact(points, group))


@given(grouped())
def test_no_step_loosens_groups_or_makes_them_too_small(case):
    points, group, k = case
    before = exact(points, group)
    for step in (dissolved, lambda p, g: divided(p, g, k), lambda p, g: exchanged(p, g, k, 30)):
        group = step(points, group)
        after = exact(points, group)
        assert after <= before + 1e-9
        assert np.bincount(group)[np.unique(group)].min() >= k
        before = after
    sizes = np.bincount(group)
    assert sizes.min() >= k and sizes.max() <= 2 * k - 1


@given(grouped(most=16))
def test_when_exchanges_end_no_move_and_no_swap_is_left(case):
    """With at most six groups every other group is a near one."""
    points, group, k = case
    group = exchanged(points, divided(points, dissolved(points, group), k), k, 1000)
    least, sizes = exact(points, group), np.bincount(group)
    if len(sizes) > 6:
        return
    for i in range(len(points)):
        for g in range(len(sizes)):
            if sizes[group[i]] > k and sizes[g] < 2 * k - 1:
                moved = group.copy()
                moved[i] = g
                assert exact(points, moved) >= least - 1e-8
    for i, j in combinations(range(len(points)), 2):
        swapped = group.copy()
        swapped[i], swapped[j] = group[j], group[i]
        assert exact(points, swapped) >= least - 1e-8


def test_a_group_that_bridges_two_clusters_is_dissolved():
    points = np.array([[0.0], [1.0], [0.5], [100.0], [101.0], [100.5], [0.2], [100.2]])
    group = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    assert groups_of(dissolved(points, group)) == [[0, 1, 2, 6], [3, 4, 5, 7]]
