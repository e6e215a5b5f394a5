"""Peeling against dictionaries."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.peeling import peel
from gyges.search import least_loss_problem
from tests.search.made import some_cells
from tests.search.posed import posed


def levels_of(problem):
    """For each node of the problem's lattice, in its order: the key of each cell."""
    levels = problem.levels
    nodes = levels.nodes(problem.columns.weight)
    return (
        levels,
        nodes,
        [[tuple(levels.keys[node, c]) for c in range(n_cells(levels))] for node in nodes],
    )


def n_cells(levels):
    return levels.keys.shape[1]


def peeled(keys_at_nodes, weight, k):
    """The groups that are taken off, node by node, and the numbers of the nodes."""
    rest, found, used = list(range(len(weight))), [], []
    for t, keys in enumerate(keys_at_nodes):
        classes = defaultdict(list)
        for cell in rest:
            classes[keys[cell]].append(cell)
        taken = [cells for cells in classes.values() if weight[cells].sum() >= k]
        found, used = found + taken, used + [t] * bool(taken)
        rest = [cell for cell in rest if all(cell not in cells for cells in taken)]
    return sorted(found), rest, used


@given(cells=some_cells(kinds=("tree", "number")), k=st.integers(1, 8))
def test_groups_are_taken_off_at_the_first_node_where_they_weigh_enough(cells, k):
    problem = posed(cells, "usual")
    if problem.levels is None:
        return
    weight = problem.columns.weight
    levels, nodes, keys = levels_of(problem)
    group, is_used = np.empty(len(weight), dtype=np.int64), np.empty(len(nodes), dtype=bool)
    n = peel(levels.keys, nodes, weight, k, group, is_used)
    expected, rest, used = peeled(keys, weight, k)
    found = sorted(np.flatnonzero(group == g).tolist() for g in range(n))
    assert found == expected and np.flatnonzero(group < 0).tolist() == rest
    assert np.flatnonzero(is_used).tolist() == used


@given(cells=some_cells(kinds=("tree", "number")), most=st.sampled_from([1, 4, 64]))
def test_cells_have_equal_keys_at_a_node_where_their_coarser_codes_are_equal(cells, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_loss_problem, "_MOST_ROWS", most)
        problem = posed(cells, "usual")
        if problem.levels is None:
            return
        levels, nodes, _ = levels_of(problem)
    codes, domains = cells.codes[problem.order], cells.domains
    rows = list(chain.from_iterable(levels.rows))
    assert len(nodes) == levels.n_nodes == len({tuple(node) for node in nodes.tolist()})
    for node in nodes:
        at = [level for row in node for level in rows[row]]
        coarser = [
            tuple(above(domains[j], level, codes[c, j]) for j, level in enumerate(at))
            for c in range(len(codes))
        ]
        total = levels.keys[node].sum(axis=0, dtype=np.uint64).tolist()
        for a, b in combinations(range(len(codes)), 2):
            assert (total[a] == total[b]) == (coarser[a] == coarser[b])


def above(domain, level, code):
    """The coarser code of a value: a node of its hierarchy, or numbers halved again and again."""
    return (
        int(code) >> level if domain.ladder is None else int(domain.ladder.ancestors[level][code])
    )
