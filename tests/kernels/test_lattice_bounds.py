"""Prices of classes against dictionaries; raised bounds stay feasible in the dual."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.lattice_bounds import least_prices, room_to_raise
from gyges.kernels.narrow_labels import Narrow
from tests.oracles import least_loss as oracle
from tests.search.made import some_cells
from tests.search.posed import described, in_order, posed

NO_CODES = np.zeros((0, 0), dtype=np.int64)
NOTHING = Narrow(np.zeros((0, 0)), NO_CODES, NO_CODES, np.zeros(0), np.zeros(0, dtype=bool))


@given(cells=some_cells(kinds=("tree",), max_cells=8), k=st.integers(1, 8))
def test_the_least_price_is_the_cheapest_class_that_weighs_enough(cells, k):
    problem = posed(cells, "usual")
    levels, weight = problem.levels, problem.columns.weight
    nodes, price = levels.nodes(weight), levels.priced()
    least = np.full(len(weight), 99.0)
    least_prices(levels.keys, price, nodes, weight, k, NOTHING, least)
    for cell in range(len(weight)):
        prices = [99.0]
        for node in nodes:
            inside = (levels.keys[node] == levels.keys[node, cell][:, None]).all(axis=0)
            if weight[inside].sum() >= k:
                prices.append(price[node, cell].sum())
        assert np.isclose(least[cell], min(prices))


@given(
    cells=some_cells(kinds=("tree",), max_cells=6, max_count=2),
    k=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_what_is_raised_stays_below_the_cost_of_every_possible_group(cells, k, seed):
    if cells.n_people < k:
        return
    problem, columns = posed(cells, "usual"), described(cells)
    levels, weight, rng = problem.levels, problem.columns.weight, np.random.default_rng(seed)
    rows, nodes = in_order(problem), levels.nodes(weight)
    made = levels.keys, levels.priced(), nodes, weight, k
    y = np.full(len(weight), 99.0)
    least_prices(*made, NOTHING, y)
    for _ in range(3):
        is_chosen, room = rng.random(len(y)) < 0.7, np.full(len(y), np.inf)
        room_to_raise(*made, np.argsort(-y, kind="stable"), y, is_chosen, room)
        y[is_chosen] += np.maximum(room[is_chosen], 0)
    people = np.repeat(np.arange(len(weight)), weight)
    for size in range(k, min(len(people), 2 * k) + 1):
        for group in combinations(people.tolist(), size):
            cost = oracle.cost([rows[c] for c in group], columns)
            assert y[list(group)].sum() <= size * cost + 1e-9
