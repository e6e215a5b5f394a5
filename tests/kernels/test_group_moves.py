"""Every move changes the loss by what it returns, keeps the least size, or changes nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.cell_groups import Moved
from gyges.kernels.cell_labels import FAR
from gyges.kernels.group_moves import dissolve, exchange, found, relocate
from gyges.search.least_loss_start import Near, all_lost, linked
from tests.kernels.test_cell_groups import agree
from tests.search.made import some_cells
from tests.search.posed import described, posed, random_groups


def tried(kind, problem, groups, moved, cell, least, limit):
    """Try one move of a kind; None where it does not apply."""
    columns, near = problem.columns, Near.of(problem.columns).cells
    g, h = groups.group[cell], groups.group[near[cell, 0]]
    rest = groups.total[g] - columns.weight[cell]
    if kind == "relocate" and g != h and (rest >= least or rest == 0):
        return relocate(columns, groups, moved, cell, h, limit)
    if kind == "exchange" and g != h:
        d = columns.codes.shape[1]
        room = np.empty(d, np.int64), np.empty(d, np.int64), groups.bits[0].copy()
        return exchange(columns, groups, moved, cell, h, least, limit, *room)
    if kind == "found" and (groups.head < 0).any():
        new = int(np.flatnonzero(groups.head < 0)[0])
        pool, seen = np.empty(64, np.int64), np.full(len(groups.head), -1)
        return found(columns, groups, moved, near, cell, new, least, limit, pool, seen, 0)
    if kind == "dissolve" and g != h:
        return dissolve(columns, groups, moved, near, g, limit)
    return None


@given(
    cells=some_cells(max_cells=12),
    kind=st.sampled_from(["relocate", "exchange", "found", "dissolve"]),
    seed=st.integers(0, 9999),
    limit=st.sampled_from([-0.1, 0.0, 0.5, 100.0]),
)
def test_a_move_does_what_it_says_or_nothing(cells, kind, seed, limit):
    if len(cells) < 2:
        return
    problem, rng = posed(cells), np.random.default_rng(seed)
    group = random_groups(problem, rng)
    groups = linked(problem.columns, group, len(group) + 1)
    least = int(groups.total[groups.total > 0].min())
    moved = Moved(np.empty((200, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    before, n_groups = all_lost(groups), len(set(group))
    change = tried(kind, problem, groups, moved, int(rng.integers(len(group))), least, limit)
    agree(problem, groups, described(cells))
    if change is None or change == FAR:
        assert (groups.group == group).all() and moved.length[0] == 0
        return
    assert change <= limit and np.isclose(all_lost(groups), before + change)
    assert groups.total[groups.total > 0].min() >= least
    now = len(set(groups.group.tolist()))
    assert {
        "relocate": now in (n_groups, n_groups - 1),
        "exchange": now == n_groups,
        "found": now in (n_groups, n_groups + 1),
        "dissolve": now == n_groups - 1,
    }[kind]
