"""A walk keeps sizes, knows what it has lost, and is fixed by its seed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.annealing import walk
from gyges.kernels.cell_groups import Moved
from gyges.search.least_loss_start import Near, all_lost, linked
from tests.kernels.test_cell_groups import agree
from tests.search.made import some_cells
from tests.search.posed import described, posed, random_groups


def walked(problem, group, least, seed, is_judged):
    groups = linked(problem.columns, group, len(group) + 4)
    moved = Moved(np.empty((4000, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    best, near = group.copy(), Near.of(problem.columns).cells
    told = walk(problem.columns, groups, moved, near, least, 300, 0.2, seed, 0.1, is_judged, best)
    return groups, moved, best, told


@given(cells=some_cells(max_cells=12), seed=st.integers(0, 999), is_judged=st.booleans())
def test_a_walk_ends_where_it_says(cells, seed, is_judged):
    if len(cells) < 2:
        return
    problem = posed(cells)
    group = random_groups(problem, np.random.default_rng(seed))
    start = linked(problem.columns, group, len(group) + 4)
    least = int(start.total[start.total > 0].min())
    groups, moved, best, (tried, change) = walked(problem, group, least, seed, is_judged)
    agree(problem, groups, described(cells))
    assert 0 < tried <= 300 and groups.total[groups.total > 0].min() >= least
    if is_judged:
        assert np.isclose(all_lost(groups), all_lost(start) + change)
        assert groups.locked.any() == (moved.length[1] > 0)
    else:
        assert change <= 0 and not groups.locked.any()
        ended = linked(problem.columns, best, len(group) + 4)
        assert np.isclose(all_lost(ended), all_lost(start) + change)
        assert ended.total[ended.total > 0].min() >= least
    again = walked(problem, group, least, seed, is_judged)
    assert (again[0].group == groups.group).all() and again[3] == (tried, change)
