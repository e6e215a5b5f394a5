"""Distances between values: 0 to 1, symmetric, and an ultrametric under a hierarchy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.distances import domain_distances, line_distances
from tests.data.test_hierarchy import leaves_of, trees


@given(values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=6))
def test_numbers_are_apart_by_their_share_of_the_range(values):
    matrix = gy.distance_matrix(values)
    length = max(values) - min(values)
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            assert np.isclose(matrix[i, j], abs(one - other) / length if length else 0)


@given(tree=trees())
def test_under_a_hierarchy_the_lowest_common_ancestor_decides(tree):
    hierarchy, values = gy.Hierarchy.from_tree(tree), leaves_of(tree)
    rows, height = {row[0]: row for row in hierarchy.rows}, len(hierarchy.rows[0]) - 1
    matrix = gy.distance_matrix(values, hierarchy)
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            common = min(h for h in range(height + 1) if rows[one][h] == rows[other][h])
            assert np.isclose(matrix[i, j], common / height)
            assert (matrix[i, j] <= np.maximum(matrix[i], matrix[:, j]) + 1e-12).all()


def test_other_values_are_the_same_or_not():
    assert gy.distance_matrix(["a", "b", "a"]).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert line_distances(np.array([])).shape == (0, 0)


def test_a_domain_measures_numbers_by_the_range_of_the_data_even_with_a_hierarchy():
    tree = gy.Hierarchy.from_tree({"young": ["10", "20"], "old": ["60", "110"]})
    schema = gy.Schema(quasi_identifiers=["age", "sex"], hierarchies={"age": tree})
    cells = gy.read({"age": [10, 60], "sex": ["F", "M"]}, schema).cells
    assert domain_distances(cells.domains[0])[0, :3].tolist() == [0.0, 0.2, 1.0]
    assert domain_distances(cells.domains[1]).tolist() == [[0.0, 1.0], [1.0, 0.0]]
