"""Groups that join their cheapest neighbours, against plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.joining_groups import best_partners, join_pairs
from gyges.search.least_loss_start import Near, linked
from tests.search.made import some_cells
from tests.search.posed import posed, random_groups


@given(cells=some_cells(), seed=st.integers(0, 999))
def test_an_open_group_joins_the_group_that_it_costs_least(cells, seed):
    if len(cells) < 2:
        return
    problem, rng = posed(cells), np.random.default_rng(seed)
    group = random_groups(problem, rng)
    groups = linked(problem.columns, group, len(group))
    near = Near.of(problem.columns).cells  # here of each cell all others
    n = len(groups.head)
    is_open = rng.random(n) < 0.6
    partner, price = np.empty(n, dtype=np.int64), np.empty(n)
    best_partners(problem.columns, groups, near, is_open, np.inf, partner, price)
    lost = groups.cost * groups.total
    for a in range(n):
        if not is_open[a] or groups.head[a] < 0 or group.max() == 0:
            assert partner[a] == -1
            continue
        prices = {}
        for b in range(group.max() + 1):
            if b != a:
                joined = linked(problem.columns, np.where(group == a, b, group), n)
                prices[b] = (joined.cost * joined.total)[b] - lost[a] - lost[b]
        assert np.isclose(prices[int(partner[a])], min(prices.values()))
        assert np.isclose(price[a], min(prices.values()))
    touched = join_pairs(problem.columns, groups, np.argsort(price), partner, 1)
    assert touched.sum() == 2 * bool((partner >= 0).any())
    assert len(set(groups.group.tolist())) == group.max() + 1 - touched.sum() // 2
