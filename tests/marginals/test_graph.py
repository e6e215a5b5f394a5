"""Interaction graphs and junction trees."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

import gyges as gy
from gyges.marginals.graph import ROOT, junction_tree
from gyges.marginals.induced import is_within, meet
from tests.marginals import tables


def sets(*names):
    """Views over the letters A to F, one step each."""
    return [tuple(int(letter in name) for letter in "ABCDEF") for name in names]


@pytest.mark.parametrize(
    ("names", "decomposes"),
    [
        (["ABC", "BCD", "DE"], True),  # Figure 2 of the paper
        (["ABC", "BD", "CD", "DE"], False),  # the same graph, but BCD is not published
        (["AC", "CB", "BD", "DA"], False),  # Figure 3: a cycle of four without a shortcut
        (["AB", "ABC"], True),  # a view inside another changes nothing
        (["A", "B"], True),
        ([], True),
    ],
)
def test_the_examples_of_section_5_decompose_as_the_paper_says(names, decomposes):
    assert (junction_tree(sets(*names)) is not None) == decomposes


@given(tables.cases(max_views=4, max_columns=3))
def test_decomposable_agrees_with_peeling_off_vertices_one_by_one(case):
    m = case.marginals
    assert m.decomposable == tables.is_decomposable(case)
    assert m.decomposable == (m.triangulated and m.graphical)
    assert all(type(claim) is bool for claim in (m.decomposable, m.triangulated, m.graphical))


@given(tables.decomposable_cases(max_views=4))
def test_a_junction_tree_is_a_perfect_sequence_of_the_largest_views(case):
    tree = case.marginals.junction_tree
    for place, (clique, parent, separator) in enumerate(
        zip(tree.cliques, tree.parents, tree.separators, strict=True)
    ):
        before = tree.cliques[:place]
        if place == 0:
            assert parent == ROOT
            continue
        shared = [meet(clique, earlier) for earlier in before]
        union = tuple(map(max, zip(*shared, strict=True)))
        assert separator == union  # all that it shares with the views before it
        assert is_within(separator, tree.cliques[parent])
    assert not any(is_within(one, other) for one, other in itertools.permutations(tree.cliques, 2))


def test_the_graph_names_columns_and_steps_of_their_hierarchies():
    table = tables.Case(
        rows=[("a0", "b0", "s0"), ("a1", "b2", "s1")],
        paths=[
            {"a0": ("a0", "*"), "a1": ("a1", "*")},
            {"b0": ("b0", "bA", "*"), "b1": ("b1", "bA", "*"), "b2": ("b2", "bB", "*")},
            {"s0": ("s0", "*"), "s1": ("s1", "*")},
        ],
        views=[{0: 0, 1: 1}, {1: 0, 2: 0}],
    )
    graph = table.marginals.graph
    assert sorted(graph.nodes) == [("q0", 1), ("q1", 1), ("q1", 2), ("s", 1)]
    assert graph.has_edge(("q1", 1), ("q1", 2))
    assert not graph.has_edge(("q0", 1), ("s", 1))


def test_levels_that_split_nothing_are_the_same_step():
    h = gy.Hierarchy((("x", "X", "X*", "*"), ("y", "Y", "Y*", "*")))
    columns = {"c": ["x", "y"], "d": ["1", "2"], "s": ["u", "v"]}
    schema = gy.Schema(quasi_identifiers=["c", "d"], sensitive="s", hierarchies={"c": h})
    m = gy.Marginals.of(gy.read(columns, schema), [{"c": 0, "d": 0}, {"c": 2, "s": 0}])
    assert m.resolutions == ((1, 1, 0), (1, 0, 1))
    assert m.decomposable
