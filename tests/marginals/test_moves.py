"""Steps between decomposable sets: they stay decomposable, gain what they say, and reach all."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from gyges.marginals.counts import count_table
from gyges.marginals.graph import is_graphical, is_triangulated, junction_tree
from gyges.marginals.induced import attributes_of, is_within, maximal
from gyges.marginals.moves import additions, divergence, extended, removals
from gyges.marginals.store import CountStore
from tests.marginals import tables


def store_of(case):
    attributes = attributes_of(case.table)
    return CountStore(attributes, [count_table(case.table, attributes)])


def views_of(case):
    found = maximal(case.marginals.resolutions)
    return tuple(view for view in found if any(view))


@tables.FEW
@given(tables.decomposable_cases(shapes=("flat2", "uneven", "deep"), max_views=4))
def test_every_step_leads_to_a_decomposable_set_and_gains_what_it_says(case):
    store, views = store_of(case), views_of(case)
    here = divergence(views, store)
    steps = [(extended(views, step.view), -step.gain) for step in additions(views, store)]
    steps += [(step.views, step.loss) for step in removals(views, store)]
    for there, loss in steps:
        assert junction_tree(there) is not None
        assert is_triangulated(there) and is_graphical(there)
        assert there == tuple(maximal(there))
        assert divergence(there, store) - here == pytest.approx(loss, abs=1e-9)


@tables.FEW
@given(tables.decomposable_cases(shapes=("flat2", "uneven", "deep"), max_views=4))
def test_adding_never_loses_and_removing_never_gains(case):
    store, views = store_of(case), views_of(case)
    for step in additions(views, store):
        assert step.gain >= -1e-9
        more = extended(views, step.view)
        assert all(any(is_within(old, new) for new in more) for old in views)
    for step in removals(views, store):
        assert step.loss >= -1e-9
        assert all(any(is_within(new, old) for old in views) for new in step.views)


@tables.FEW
@given(tables.decomposable_cases(shapes=("flat2", "uneven"), max_views=4))
def test_each_addition_can_be_taken_back(case):
    store, views = store_of(case), views_of(case)
    for step in additions(views, store):
        more = extended(views, step.view)
        assert views in {back.views for back in removals(more, store)}


def test_all_decomposable_sets_are_reached_from_nothing():
    """Three columns, one with two steps: every antichain of views that decomposes is found."""
    case = tables.Case(
        rows=[("a0", "b0", "s0"), ("a1", "b1", "s1"), ("a2", "b0", "s1")],
        paths=[
            {f"a{i}": (f"a{i}", "aB" if i == 2 else "aA", "*") for i in range(3)},
            {f"b{i}": (f"b{i}", "*") for i in range(2)},
            {f"s{i}": (f"s{i}", "*") for i in range(2)},
        ],
        views=[{0: 0}],
    )
    store = store_of(case)
    every = [v for v in itertools.product(range(3), range(2), range(2)) if any(v)]
    expected = {
        chosen
        for size in range(len(every) + 1)
        for chosen in itertools.combinations(sorted(every), size)
        if tuple(maximal(chosen)) == chosen and junction_tree(chosen) is not None
    }
    reached, front = {()}, [()]
    while front:
        steps = {extended(v, step.view) for v in front for step in additions(v, store)}
        front = steps - reached
        reached |= set(front)
    assert reached == expected
