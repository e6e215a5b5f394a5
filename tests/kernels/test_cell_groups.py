"""Groups of cells as linked lists, against lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.cell_groups import Moved, joint_cost, more_lost, put, settle, undo
from gyges.kernels.cell_labels import NONE
from gyges.search.least_loss_start import all_lost, linked
from tests.oracles import least_loss as oracle
from tests.search.made import some_cells
from tests.search.posed import described, in_order, posed, random_groups


def agree(problem, groups, columns):
    """Whether everything that is kept of groups is what the definition says."""
    rows = in_order(problem)
    for g in range(len(groups.head)):
        members = np.flatnonzero(groups.group == g).tolist()
        listed, cell = [], groups.head[g]
        while cell != NONE:
            listed.append(int(cell))
            cell = groups.after[cell]
        assert sorted(listed) == members
        assert groups.total[g] == problem.columns.weight[members].sum()
        expected = oracle.cost([rows[c] for c in members], columns) if members else 0.0
        assert np.isclose(groups.cost[g], expected)
        for c in members:
            rest = [rows[x] for x in members if x != c]
            assert np.isclose(groups.without[c], oracle.cost(rest, columns) if rest else 0.0)


@given(cells=some_cells(), seed=st.integers(0, 999), data=st.data())
def test_costs_stay_right_while_cells_move_and_when_moves_are_undone(cells, seed, data):
    problem, columns = posed(cells), described(cells)
    group = random_groups(problem, np.random.default_rng(seed))
    groups = linked(problem.columns, group, len(group) + 2)
    agree(problem, groups, columns)
    moved = Moved(np.empty((20, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    for _ in range(data.draw(st.integers(1, 6))):
        cell, g = data.draw(st.integers(0, len(group) - 1)), data.draw(st.integers(0, 3))
        g = min(g, len(groups.head) - 1)
        if g == groups.group[cell]:
            continue
        before = groups.cost[g] * groups.total[g]
        more = more_lost(problem.columns, groups, g, cell)
        put(problem.columns, groups, moved, cell, g)
        assert np.isclose(groups.cost[g] * groups.total[g], before + more)
        settle(groups, moved, int(moved.length[0]) - 1, True)
        agree(problem, groups, columns)
    assert groups.locked.sum() >= (moved.length[1] > 0)
    undo(problem.columns, groups, moved, 0, int(moved.length[0]))
    assert (groups.group == group).all()
    agree(problem, groups, columns)


@given(cells=some_cells(), seed=st.integers(0, 999))
def test_the_loss_of_all_groups_and_of_two_together(cells, seed):
    problem, columns, rows = posed(cells), described(cells), None
    rows = in_order(problem)
    group = random_groups(problem, np.random.default_rng(seed))
    groups = linked(problem.columns, group, len(group))
    weight = problem.columns.weight
    people = [
        [rows[c] for c in np.flatnonzero(group == g) for _ in range(weight[c])]
        for g in range(group.max() + 1)
    ]
    assert np.isclose(all_lost(groups) / problem.n_units, oracle.loss(people, columns))
    if group.max():
        both = oracle.cost(people[0] + people[1], columns)
        assert np.isclose(joint_cost(problem.columns, groups, 0, 1), both)
