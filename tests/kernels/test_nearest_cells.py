"""The nearest cells against a sort of all distances."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.search import least_loss_bound, least_loss_start
from tests.oracles import least_loss as oracle
from tests.search.made import make_cells, number, some_cells
from tests.search.posed import described, in_order, posed


@given(cells=some_cells(max_cells=30))
def test_the_nearest_cells_are_as_near_as_those_of_a_sort(cells):
    if len(cells) < 2:
        return
    problem = posed(cells)
    near = least_loss_start.Near.of(problem.columns, 5)
    assert near.is_exact
    rows, columns = in_order(problem), described(cells)
    for cell, found in enumerate(near.cells.tolist()):
        assert len(set(found)) == len(found) == min(5, len(rows) - 1) and cell not in found
        apart = [oracle.cost([rows[cell], row], columns) for row in rows]
        expected = sorted(apart[:cell] + apart[cell + 1 :])[: len(found)]
        assert np.allclose(sorted(apart[other] for other in found), expected)
        assert np.allclose(near.apart[cell], [apart[other] for other in found])


@given(cells=some_cells(max_cells=30))
def test_among_very_many_cells_neighbours_are_other_cells_of_the_same_part(cells):
    if len(cells) < 8:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_loss_start, "_MOST_COMPARED", 8)
        near = least_loss_start.Near.of(posed(cells).columns, 2)
    assert near.is_exact == (len(cells) <= 8)
    for cell, found in enumerate(near.cells.tolist()):
        assert len(set(found)) == 2 and cell not in found
        assert all(0 <= other < len(cells) and abs(other - cell) < 9 for other in found)


@given(cells=some_cells(max_cells=9, max_count=3), k=st.integers(1, 7), most=st.integers(1, 9))
def test_no_label_that_covers_a_cell_and_k_people_costs_less_than_its_radius(cells, k, most):
    if len(cells) < 2 or cells.n_people < k:
        return
    problem = posed(cells, rules=[gy.KAnonymity(k)])
    rows, columns, weight = in_order(problem), described(cells), problem.columns.weight
    radius = least_loss_bound.radii(problem, least_loss_start.Near.of(problem.columns, most))
    for size in range(1, len(rows) + 1):
        for group in combinations(range(len(rows)), size):
            if weight[list(group)].sum() >= k:
                cost = oracle.cost([rows[c] for c in group], columns)
                assert all(radius[c] <= cost + 1e-9 for c in group)


def test_the_radius_is_larger_where_many_rows_must_fit_into_one_label():
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    cells = make_cells([number("a", range(9)), number("b", range(9))], rows, [1] * 4, [])
    for k, expected in ((2, 1 / 8), (3, 2 / 8), (4, 2 / 8)):
        problem = posed(cells, rules=[gy.KAnonymity(k)])
        found = least_loss_bound.radii(problem, least_loss_start.Near.of(problem.columns, 3))
        assert np.allclose(found, expected)
