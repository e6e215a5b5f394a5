"""Peeling against dictionaries."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.peeling import lower_nodes, peel
from tests.search.made import some_cells
from tests.search.posed import posed


def peeled(levels, weight, nodes, k):
    """The groups that are taken off, node by node."""
    rest, found = list(range(len(weight))), []
    for node in nodes.tolist():
        classes = defaultdict(list)
        for cell in rest:
            key = tuple(int(levels.above[j, level, cell]) for j, level in enumerate(node))
            classes[key].append(cell)
        taken = [cells for cells in classes.values() if weight[cells].sum() >= k]
        found += taken
        rest = [cell for cell in rest if all(cell not in cells for cells in taken)]
    return sorted(found), rest


@given(cells=some_cells(kinds=("tree", "number")), k=st.integers(1, 8))
def test_groups_are_taken_off_at_the_first_node_where_they_weigh_enough(cells, k):
    problem = posed(cells, "usual")
    levels, weight = problem.levels, problem.columns.weight
    if levels is None:
        return
    nodes, everything = levels.nodes(weight), np.arange(len(weight))
    group = np.empty_like(everything)
    n = peel(levels.above, levels.radix, weight, nodes, k, everything, group)
    expected, rest = peeled(levels, weight, nodes, k)
    found = sorted(np.flatnonzero(group == g).tolist() for g in range(n))
    assert found == expected and np.flatnonzero(group < 0).tolist() == rest


@given(cells=some_cells(kinds=("tree", "number")), data=st.data())
def test_the_lower_nodes_are_those_up_to_the_one_that_makes_cells_equal(cells, data):
    problem = posed(cells, "usual")
    if problem.levels is None:
        return
    chosen = data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=1, unique=True))
    above, price = problem.levels.above, problem.levels.price
    members = np.array(chosen)
    nodes = lower_nodes(above, price, problem.columns.weight, members, 0.0, 1.0)
    tops = [
        next(t for t in range(above.shape[1]) if len(set(above[j, t, members])) == 1)
        for j in range(len(above))
    ]
    assert sorted(map(tuple, nodes.tolist())) == sorted(np.ndindex(*(top + 1 for top in tops)))
    mean = (price[:, :, members] * problem.columns.weight[members]).sum(axis=2)
    scores = [sum(mean[j, level] for j, level in enumerate(node)) for node in nodes.tolist()]
    assert np.allclose(scores, sorted(scores))
