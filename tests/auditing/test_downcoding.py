"""What downcoding proves is true of the original, and as much as labels of sets prove."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.finer_values import ColumnLabels, children_of_labels, finer_values
from gyges.auditing.downcoding import Downcoding
from gyges.auditing.finding import AuditKnowledge
from gyges.release.set_labels import set_label
from tests.adversaries.test_chosen_release import EVERY_JOB, JOBS, read


def findings(release):
    return Downcoding().findings(release, AuditKnowledge(original=release.table))


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 3), st.sampled_from(EVERY_JOB), st.sampled_from(["cat", "dog", "eel"])
        ),
        min_size=4,
        max_size=30,
    ),
    k=st.integers(1, 4),
)
def test_what_is_proven_is_true_of_the_original(rows, k):
    columns = dict(zip(("age", "job", "pet"), map(list, zip(*rows, strict=True)), strict=True))
    table = read({**columns, "ill": ["u"] * len(rows)})
    release = gy.publish(table, gy.KAnonymity(min(k, len(rows))))
    found = findings(release)[0].measures["finer_values"]
    group = release.group_of_row.tolist()
    below = {job: node for node, jobs in JOBS.items() for job in jobs}
    distinct = 0
    for g in range(release.n_groups):
        members = [row for row, one in zip(rows, group, strict=True) if one == g]
        seen = [len(set(column)) for column in zip(*members, strict=True)]
        distinct += max((n for n in seen if n > 1), default=0)
        for crowd in (one for one in found.crowds if one.group == g):
            place = ("age", "job", "pet").index(crowd.column)
            values = [row[place] for row in members]
            finer = [values, [below.get(value, value) for value in values]]
            most = max(max(Counter(one).values()) for one in finer if len(set(one)) > 1)
            assert crowd.people <= most and crowd.group_size == len(members)
    assert found.n_refined <= distinct


def certain_by_worlds(members, people):
    """How many values occur in every list of people's values whose set is the label's."""
    worlds = [w for w in product(members, repeat=people) if set(w) == set(members)]
    return sum(all(value in world for world in worlds) for value in members)


@given(n_values=st.integers(2, 4), extra=st.integers(0, 2))
def test_a_set_proves_each_of_its_values_and_no_more(n_values, extra):
    members = list("abcd")[:n_values]
    people = n_values + extra
    column = ColumnLabels("pet", [set_label(members)], is_ordered=False)
    found = finer_values([column], [people], None)
    assert found.n_refined == certain_by_worlds(members, people)
    assert found.n_resolved == (people if extra == 0 else 0)


def test_labels_that_cover_two_values_prove_both_and_wider_ones_none():
    ranges = ColumnLabels("age", ["30-31", "30-32", "30", "[1.5, 2.5)"], is_ordered=True)
    assert ranges.n_certain() == [2, 0, 0, 0]
    assert [ranges.is_exact(label) for label in ranges.labels] == [False, False, True, False]
    table = read({"job": EVERY_JOB, "ill": list("uvuvuv")})
    children = children_of_labels(table.cells.domains[0].ladder)
    assert children == {"office": 3, "field": 2, "*": 3}
    tree = ColumnLabels("job", ["office", "field", "clerk", "*"], False, children)
    assert tree.n_certain() == [0, 2, 0, 0]


def test_a_large_group_that_was_not_cut_proves_that_its_people_are_alike():
    ages = [30, *[40] * 9, 50]
    release = gy.publish(read({"age": ages, "ill": list("uvwxyuvwxyz")}), gy.KAnonymity(2))
    assert release.n_groups == 1
    crowd = findings(release)[1].witness
    assert (crowd.people, crowd.group_size) == (9, 11)
    assert "at least 9 of 11 people share one value of age" in str(crowd)


def test_other_rules_and_methods_prove_no_crowd():
    table = read({"age": [30, *[40] * 9, 50], "ill": list("uvwxyuvwxyz")})
    rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    assert len(findings(gy.publish(table, rules))) == 1
    assert findings(gy.publish(table, gy.KAnonymity(2), method="lattice")) == []
