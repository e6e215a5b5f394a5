"""Groups: what they accept, what they refuse, and their sparse inside against plain counting."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GroupsError
from tests import strategies

KINDS = st.sampled_from(["one", "set", "multiset"])


@given(KINDS.flatmap(strategies.people_and_values))
def test_the_sparse_inside_says_what_plain_counting_says(made):
    values, people, kind = made
    groups = gy.Groups.from_lists(values, people=people, values_per_person=kind)
    assert list(groups.sizes) == people
    assert list(groups.values) == sorted({v for group in values for v in group})
    for g, group in enumerate(values):
        counted = Counter(group)
        assert list(groups.counts[g]) == [counted[v] for v in groups.values]
        ranked = groups.descending[groups.starts[g] : groups.starts[g + 1]]
        assert list(ranked) == sorted(counted.values(), reverse=True)
        assert groups.most_frequent[g] == max(counted.values(), default=0)
        assert groups.n_occurrences[g] == len(group)
        assert groups.n_distinct[g] == len(counted)
        held = groups.value_counts_in(g)
        assert {groups.values[code]: n for code, n in held.items()} == counted
        assert list(held) == sorted(held)
    assert list(groups.value_totals) == list(groups.counts.sum(axis=0))


@given(KINDS.flatmap(strategies.people_and_values), st.data())
def test_taking_groups_keeps_their_order_and_counts_them_alone(made, data):
    values, people, kind = made
    groups = gy.Groups.from_lists(values, people=people, values_per_person=kind)
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1)))
    taken = groups.take(chosen)
    assert np.array_equal(taken.counts, groups.counts[chosen])
    assert list(taken.sizes) == [people[g] for g in chosen]
    assert list(taken.value_totals) == list(groups.counts[chosen].sum(axis=0))


def test_members_fix_the_people_and_nameless_people_are_numbered():
    groups = gy.Groups.from_lists([["Flu", "Gout"], ["Flu"]], members=[["Ann", "Bob"], ["Cy"]])
    assert groups.names() == [["Ann", "Bob"], ["Cy"]]
    assert gy.Groups.from_lists([["a", "b"], ["a"]]).names() == [["1.1", "1.2"], ["2.1"]]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([["a", "b"]], {"members": [["Ann"]]}),
        ([["a"]], {"members": [["Ann"], ["Bob"]]}),
        ([["a", "b"]], {"members": [["Ann", "Ann"]]}),
        ([["a"], ["b"]], {"members": [["Ann"], ["Ann"]]}),
        ([["a", "a"]], {"people": [1], "values_per_person": "set"}),
        ([["a"]], {"values_per_person": "set"}),
        ([["a"]], {"people": [2]}),
        ([["a"]], {"people": [1.5], "values_per_person": "set"}),
        ([["a"]], {"people": [1, 2], "values_per_person": "set"}),
        ([[]], {}),
        ([[]], {"people": [0], "values_per_person": "set"}),
        ([["a"]], {"people": [2], "members": [["Ann"]], "values_per_person": "set"}),
        ([["a", None]], {}),
        ([["a"]], {"values_per_person": "bag"}),
    ],
)
def test_groups_that_cannot_exist_are_refused(values, options):
    with pytest.raises(GroupsError):
        gy.Groups.from_lists(values, **options)


def test_an_array_of_a_group_cannot_be_changed():
    groups = gy.Groups.from_lists([["a", "b"]])
    for array in (groups.sizes, groups.counts, groups.value_counts):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_many_values_in_many_groups_stay_sparse():
    """915 values in 70,000 groups: the dense view would take half a gigabyte."""
    n_groups, n_values = 70_000, 915
    rng = np.random.default_rng(1)
    groups = gy.Groups.from_entries(
        sizes=np.full(n_groups, 4, dtype=np.int64),
        group_of_entry=np.repeat(np.arange(n_groups), 4),
        value_codes=rng.integers(0, n_values, 4 * n_groups).astype(np.int32),
        value_counts=np.ones(4 * n_groups, dtype=np.int64),
        values=[f"{v:03}" for v in range(n_values)],
    )
    rules = [gy.KAnonymity(4), gy.DistinctDiversity(1), gy.EntropyDiversity(1), gy.TCloseness(1)]
    assert gy.judge(rules, groups).safe
    assert "counts" not in vars(groups), "a criterion asked for the dense view"
