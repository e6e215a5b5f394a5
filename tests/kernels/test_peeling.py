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


def runs_of(cells, line, weight, reach, k):
    """The runs that are taken off a class; `cells` ascend on the line."""
    runs, waiting = [], []

    def leave(until):
        while waiting and line[waiting[0]] < until:
            cell = waiting.pop(0)
            if runs and line[cell] - line[runs[-1][0]] <= reach:
                runs[-1].append(cell)

    for cell in cells:
        leave(line[cell] - reach)
        waiting.append(cell)
        if weight[waiting].sum() >= k:
            runs.append(waiting[:])
            waiting.clear()
    leave(np.inf)
    return runs


def taken_of(cells, line, weight, reach, k):
    """The groups that are taken off a class, whole or in runs."""
    if len(line):
        return runs_of(sorted(cells, key=lambda cell: line[cell]), line, weight, reach, k)
    return [cells] if weight[cells].sum() >= k else []


def peeled(keys_at_nodes, reach, line, weight, k):
    """The groups that are taken off, node by node, and the numbers of the nodes."""
    rest, found, used = list(range(len(weight))), [], []
    for t, keys in enumerate(keys_at_nodes):
        classes = defaultdict(list)
        for cell in rest:
            classes[keys[cell]].append(cell)
        taken = [
            group for one in classes.values() for group in taken_of(one, line, weight, reach[t], k)
        ]
        found, used = found + taken, used + [t] * bool(taken)
        rest = [cell for cell in rest if all(cell not in cells for cells in taken)]
    return sorted(map(sorted, found)), rest, used


@given(cells=some_cells(kinds=("tree", "number")), k=st.integers(1, 8))
def test_groups_are_taken_off_at_the_first_node_where_they_weigh_enough(cells, k):
    problem = posed(cells, "usual")
    if problem.levels is None:
        return
    weight = problem.columns.weight
    levels, nodes, keys = levels_of(problem)
    group, is_used = np.empty(len(weight), dtype=np.int64), np.empty(len(nodes), dtype=bool)
    n = peel(levels.keys, nodes, levels.reach, levels.line, weight, k, group, is_used)
    expected, rest, used = peeled(keys, levels.reach[nodes].sum(axis=1), levels.line, weight, k)
    found = sorted(np.flatnonzero(group == g).tolist() for g in range(n))
    assert found == expected and np.flatnonzero(group < 0).tolist() == rest
    assert np.flatnonzero(is_used).tolist() == used


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(1, 3)), min_size=1),
    reach=st.integers(0, 6),
    k=st.integers(1, 6),
)
def test_runs_reach_no_further_than_they_may_and_none_is_left(rows, reach, k):
    """One node: each class is divided into runs, and no cells left over would be another one."""
    of_class, line, weight = np.array(rows).T
    node, far = np.zeros((1, 1), dtype=np.int64), np.array([reach])
    keys, is_used = of_class[np.newaxis].astype(np.uint64) << np.uint64(60), np.empty(1, bool)
    group = np.empty(len(rows), dtype=np.int64)
    for g in range(peel(keys, node, far, line, weight, k, group, is_used)):
        inside = group == g
        assert weight[inside].sum() >= k and len(set(of_class[inside])) == 1
        assert np.ptp(line[inside]) <= reach
    for cell in np.flatnonzero(group < 0):
        is_near = (group < 0) & (line >= line[cell]) & (line <= line[cell] + reach)
        assert weight[is_near & (of_class == of_class[cell])].sum() < k


@given(cells=some_cells(kinds=("tree", "number")), most=st.sampled_from([1, 4, 64]))
def test_cells_have_equal_keys_at_a_node_where_their_coarser_codes_are_equal(cells, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_loss_problem, "_MOST_ROWS", most)
        problem = posed(cells, "usual")
        if problem.levels is None:
            return
        levels, nodes, _ = levels_of(problem)
    codes, domains = cells.codes[problem.order], cells.domains
    sizes = [len(domain) if domain.is_ordered else 1 for domain in domains]
    line = int(np.argmax(sizes)) if max(sizes) > 1 else None
    assert levels.line.tolist() == ([] if line is None else codes[:, line].tolist())
    rows = list(chain.from_iterable(levels.rows))
    assert len(nodes) == levels.n_nodes == len({tuple(node) for node in nodes.tolist()})
    for node in nodes:
        at = [level for row in node for level in rows[row]]
        coarser = [
            tuple(above(domains[j], at[j], codes[c, j]) for j in range(len(at)) if j != line)
            for c in range(len(codes))
        ]
        total = levels.keys[node].sum(axis=0, dtype=np.uint64).tolist()
        for a, b in combinations(range(len(codes)), 2):
            assert (total[a] == total[b]) == (coarser[a] == coarser[b])
    if line is not None:
        reached = set(levels.reach[nodes].sum(axis=1).tolist())
        assert {0, sizes[line] - 1} <= reached <= set(range(sizes[line]))


def above(domain, level, code):
    """The coarser code of a value: a node of its hierarchy, or numbers halved again and again."""
    return (
        int(code) >> level if domain.ladder is None else int(domain.ladder.ancestors[level][code])
    )
