from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.point_groups import join_left, reference_groups, squared, variable_groups
from tests.oracles import microaggregation as oracle


@st.composite
def whole_points(draw, least=4, most=40):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.integers(-9, 10, (draw(st.integers(least, most)), draw(st.integers(1, 3)))).astype(
        float
    )


def assert_same_groups(points, found, groups, left):
    """The groups are those expected; whoever was left is with a nearest mean."""
    for number, group in enumerate(groups):
        assert {int(found[i]) for i in group} == {number}
    means = [points[group].mean(axis=0) for group in groups]
    for i in left:
        apart = [((points[i] - mean) ** 2).sum() for mean in means]
        assert apart[found[i]] <= min(apart) + 1e-9


@given(whole_points(), st.integers(1, 4))
def test_groups_from_two_references_are_those_of_the_slow_twin(points, k):
    groups, left = oracle.two_references([tuple(map(int, p)) for p in points], k)
    assert_same_groups(points, reference_groups(points, k), groups, left)


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
@given(points=whole_points(), k=st.integers(1, 4))
def test_variable_groups_are_those_of_the_slow_twin(gamma, points, k):
    groups, left = oracle.v_mdav([tuple(map(int, p)) for p in points], k, gamma)
    assert_same_groups(points, variable_groups(points, k, gamma), groups, left)


def test_points_without_a_group_join_the_nearest_mean():
    points = np.array([[0.0], [2.0], [10.0], [12.0], [4.0], [9.0]])
    group = np.array([0, 0, 1, 1, -1, -1])
    assert join_left(points, group, 2).tolist() == [0, 0, 1, 1, 0, 1]
    assert squared(points[0], points[2]) == 100
