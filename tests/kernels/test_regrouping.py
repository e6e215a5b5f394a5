"""Pools that are peeled anew: the loss changes by what is returned, and sizes are kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.cell_groups import Moved
from gyges.kernels.regrouping import noisy_order, regroup
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
    before, nodes = all_lost(groups), levels.nodes(problem.columns.weight)
    moved = Moved(np.empty((400, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    change = regroup(
        problem.columns, groups, moved, *problem.by_cell, nodes, levels.reach, levels.line, least,
        20, heat, seed, is_judged,
    )  # fmt: skip
    agree(problem, groups, described(cells))
    assert np.isclose(all_lost(groups), before + change)
    assert groups.total[groups.total > 0].min() >= least
    if heat < 1e-6:
        assert change <= 1e-6
    assert groups.locked.any() == (is_judged and moved.length[1] > 0)


@given(
    cells=some_cells(kinds=("tree", "number"), max_cells=14),
    low=st.floats(0, 2),
    data=st.data(),
)
def test_nodes_are_ordered_by_their_mean_price_for_a_pool(cells, low, data):
    problem = posed(cells, "usual")
    if problem.levels is None:
        return
    chosen = data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=1, unique=True))
    pool, weight, price = np.array(chosen), problem.columns.weight, problem.by_cell[1]
    nodes = problem.levels.nodes(weight)
    mean = np.average(price[pool], axis=0, weights=weight[pool])[nodes].sum(axis=1)
    order = noisy_order(price, nodes, weight, pool, 0.0, low, low + 1)
    assert np.allclose(mean[order], np.sort(mean[order]))
    is_inside = (mean >= low) & (mean <= low + 1)
    is_edge = np.isclose(mean, low) | np.isclose(mean, low + 1)
    assert set(np.flatnonzero(is_inside & ~is_edge)) <= set(order.tolist())
    assert set(order.tolist()) <= set(np.flatnonzero(is_inside | is_edge))
