"""Rules that look at all groups together: the greedy loop, safety and minimality judged afresh."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.base import bind_all
from gyges.errors import NothingSafeError
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search import mondrian
from gyges.search.acceptance import Acceptance, Proposals
from tests import strategies
from tests.oracles import partition as oracle
from tests.search.made import as_lists, plain, some_cells


@dataclass(frozen=True)
class SmallestTwo:
    """The two smallest groups have at least `c` people together: global and monotone."""

    c: int
    is_monotone: ClassVar[bool] = True
    is_local: ClassVar[bool] = False

    def summarize(self, groups):
        return tuple(sorted(groups.sizes.tolist())[:2])

    def merge(self, one, other):
        return tuple(sorted((*one, *other))[:2])

    def risk(self, summary):
        return sum(summary)

    def holds(self, summary):
        return len(summary) < 2 or sum(summary) >= self.c

    def risks(self, groups):
        return groups.sizes.astype(float)

    def holds_each(self, groups):
        return np.full(len(groups), self.holds(self.summarize(groups)))

    def __str__(self):
        return f"the two smallest groups have {self.c} people together"


@dataclass(frozen=True)
class WronglyLocal(SmallestTwo):
    """It says that each group can be judged alone, which is not so."""

    is_local: ClassVar[bool] = True

    def holds_each(self, groups):
        return np.ones(len(groups), dtype=bool)


@dataclass(frozen=True)
class FewEven:
    """At most `n` groups have an even number of people: global and not monotone."""

    n: int
    is_monotone: ClassVar[bool] = False
    is_local: ClassVar[bool] = False

    def summarize(self, groups):
        return int((groups.sizes % 2 == 0).sum())

    def merge(self, one, other):
        return one + other

    def risk(self, summary):
        return summary

    def holds(self, summary):
        return summary <= self.n

    def risks(self, groups):
        return (groups.sizes % 2 == 0).astype(float)

    def holds_each(self, groups):
        return (groups.sizes % 2 == 1) | self.holds(self.summarize(groups))

    def __str__(self):
        return f"at most {self.n} groups have an even number of people"


def release_of(groups, people, held):
    """Groups of cells as `Groups`, for judging afresh."""
    lists = [
        [value for cell in group for value, n in held[cell].items() for _ in range(n)]
        for group in groups
    ]
    sizes = [sum(people[cell] for cell in group) for group in groups]
    return gy.Groups.from_lists([[str(v) for v in values] for values in lists], people=sizes)


def assert_safe_and_minimal(cells, rules, found):
    """Judged afresh: safe as it is, and with any one cut no longer safe."""
    people, held, columns = plain(cells)
    groups = as_lists(found)
    assert gy.judge(rules, found.groups).safe
    for g, group in enumerate(groups):
        for column in range(len(columns)):
            parts = oracle.cut(group, column, people, columns, lambda part: True)
            if parts is not None:
                finer = [*groups[:g], *parts, *groups[g + 1 :]]
                assert not gy.judge(rules, release_of(finer, people, held)).safe


LINES = ("number", "category")  # children of a tree may be held together, which is another cut


@pytest.mark.parametrize(
    "rule",
    [
        SmallestTwo(5),
        SmallestTwo(9),
        FewEven(0),
        FewEven(1),
        gy.Safety(confidence="0.9", k=0),
        gy.Safety(confidence="0.8", k=1),
        gy.Safety(confidence="0.7", k=1, language="negations"),
        gy.Skyline({"*": [(0, 0, 0, "0.8")]}),
        gy.Skyline({"*": [(1, 0, 0, "0.9"), (0, 1, 1, "0.95")]}),
    ],
    ids=str,
)
@given(cells=some_cells(kinds=LINES, max_cells=12, max_count=5, n_values=3))
def test_partitions_under_global_rules_are_safe_and_minimal(rule, cells):
    try:
        found = mondrian.search(cells, rule)
    except NothingSafeError:
        whole = groups_of_cells(cells, np.zeros(len(cells), dtype=np.int64), 1)
        assert not gy.judge(rule, whole).safe
        return
    assert_safe_and_minimal(cells, [rule], found)


@given(cells=some_cells(max_cells=12, max_count=5))
def test_trees_under_global_rules_are_safe(cells):
    rules = [gy.Safety(confidence="0.8", k=1), gy.KAnonymity(2)]
    try:
        found = mondrian.search(cells, rules)
    except NothingSafeError:
        return
    assert gy.judge(rules, found.groups).safe


@pytest.mark.parametrize("values_per_person", ["set", "multiset"])
@given(data=st.data())
def test_a_skyline_over_several_values_per_person_is_judged_afresh(values_per_person, data):
    cells = data.draw(some_cells(values_per_person=values_per_person, max_count=3))
    rule = gy.Skyline({"*": [(1, 1, 0, "0.9")]})
    try:
        found = mondrian.search(cells, rule)
    except NothingSafeError as error:
        assert "not monotone" in str(error)
        return
    assert gy.judge(rule, found.groups).safe


@given(
    values=strategies.value_lists(max_groups=8, max_people=4, min_groups=1),
    splits=st.lists(st.integers(1, 3), min_size=8, max_size=8),
    c=st.integers(2, 6),
)
def test_halving_gives_what_the_plain_loop_gives(values, splits, c):
    """Accept one proposal after the other if all that was accepted holds with it."""
    parts = gy.Groups.from_lists(values)
    first = np.minimum(np.append(0, np.cumsum(splits)), len(parts))
    first = np.unique(first)
    assume(len(first) > 1)
    rule = SmallestTwo(c)
    acceptance = Acceptance(bind_all(rule, parts))
    acceptance.start(gy.Groups.from_lists([["a"] * 9]))
    accepted, expected = rule.summarize(gy.Groups.from_lists([["a"] * 9])), []
    for a, b in pairwise(first):
        joined = rule.merge(accepted, rule.summarize(parts.take(range(a, b))))
        expected.append(rule.holds(joined))
        accepted = joined if expected[-1] else accepted
    taken = acceptance.one_after_another(Proposals(parts, first))
    assert taken.tolist() == expected and acceptance.summaries == [accepted]


@pytest.mark.parametrize(
    "rule",
    [
        gy.Safety(confidence="0.8", k=1),
        gy.Safety(confidence="3/4", k=2),
        gy.Safety(confidence="2/3", k=1, language="negations"),
        gy.Safety(confidence=1, k=1),
        gy.Skyline({"*": [(0, 1, 0, "0.9")]}),
        gy.Skyline({"a": [(1, 0, 0, "2/3")], "*": [(0, 0, 1, "3/4")]}),
    ],
    ids=str,
)
@given(
    old=strategies.value_lists(max_groups=3, max_people=6),
    new=strategies.value_lists(max_groups=6, max_people=6),
    lengths=st.lists(st.integers(1, 3), min_size=6, max_size=6),
)
def test_many_batches_are_judged_at_once_as_they_are_one_by_one(rule, old, new, lengths):
    """`may_add` is `holds` of the merged summary, where what was accepted before holds."""
    both = gy.Groups.from_lists([list("abcdef"), *old, *new])
    rule = rule.bind(both)
    accepted, after = rule.summarize(both.take([0])), both.take(range(1 + len(old), len(both)))
    for g in range(1, 1 + len(old)):
        joined = rule.merge(accepted, rule.summarize(both.take([g])))
        accepted = joined if rule.holds(joined) else accepted
    first = np.unique(np.append(0, np.minimum(np.cumsum(lengths), len(after))))
    may_add = rule.may_add(accepted, after, first)
    for p, (a, b) in enumerate(pairwise(first)):
        holds = rule.holds(rule.merge(accepted, rule.summarize(after.take(range(a, b)))))
        assert may_add[p] == holds


def test_what_a_search_was_wrong_to_accept_is_not_published():
    """The release is judged afresh; that no rule holds is said with advice, not by a crash."""
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    table = gy.read({"age": [1, 2, 3, 4], "disease": list("abab")}, schema)
    with pytest.raises(NothingSafeError, match="the partition search found no safe release"):
        gy.publish(table, WronglyLocal(5))
