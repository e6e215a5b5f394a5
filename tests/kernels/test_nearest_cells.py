"""The nearest cells against a sort of all distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from gyges.search import least_loss_start
from tests.oracles import least_loss as oracle
from tests.search.made import some_cells
from tests.search.posed import described, in_order, posed


@given(cells=some_cells(max_cells=30))
def test_the_nearest_cells_are_as_near_as_those_of_a_sort(cells):
    if len(cells) < 2:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_loss_start, "_NEAR", 5)
        problem = posed(cells)
        near = least_loss_start.neighbours(problem.columns)
    rows, columns = in_order(problem), described(cells)
    for cell, found in enumerate(near.tolist()):
        assert len(set(found)) == len(found) == min(5, len(rows) - 1) and cell not in found
        apart = [oracle.cost([rows[cell], row], columns) for row in rows]
        expected = sorted(apart[:cell] + apart[cell + 1 :])[: len(found)]
        assert np.allclose(sorted(apart[other] for other in found), expected)


@given(cells=some_cells(max_cells=30))
def test_among_very_many_cells_neighbours_are_other_cells_of_the_same_stretch(cells):
    if len(cells) < 8:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_loss_start, "_STRETCH", 4)
        patch.setattr(least_loss_start, "_NEAR", 2)
        near = least_loss_start.neighbours(posed(cells).columns)
    for cell, found in enumerate(near.tolist()):
        assert len(set(found)) == 2 and cell not in found
        assert all(0 <= other < len(cells) and abs(other - cell) < 9 for other in found)
