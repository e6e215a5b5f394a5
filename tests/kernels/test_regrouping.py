"""Pools that are peeled anew: the loss changes by what is returned, and sizes are kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.cell_groups import Moved
from gyges.kernels.regrouping import regroup
from gyges.search.least_loss_start import all_lost, linked
from tests.kernels.test_cell_groups import agree
from tests.search.made import some_cells
from tests.search.posed import described, posed, random_groups


@given(
    cells=some_cells(kinds=("tree", "number"), max_cells=14),
    seed=st.integers(0, 9999),
    heat=st.sampled_from([1e-9, 0.5]),
    is_judged=st.booleans(),
)
def test_the_loss_changes_by_what_is_returned(cells, seed, heat, is_judged):
    problem = posed(cells, "usual")
    levels = problem.levels
    if levels is None or len(cells) < 2:
        return
    group = random_groups(problem, np.random.default_rng(seed))
    groups = linked(problem.columns, group, len(group) + 4)
    least = int(groups.total[groups.total > 0].min())
    before = all_lost(groups)
    moved = Moved(np.empty((400, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    change = regroup(
        problem.columns, groups, moved, levels.above, levels.price, levels.radix, least, 20, heat,
        seed, is_judged,
    )  # fmt: skip
    agree(problem, groups, described(cells))
    assert np.isclose(all_lost(groups), before + change)
    assert groups.total[groups.total > 0].min() >= least
    if heat < 1e-6:
        assert change <= 1e-6
    assert groups.locked.any() == (is_judged and moved.length[1] > 0)
