"""The skyline criterion: its definition, its laws, and the older rules that it contains."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.describe import from_data, to_data
from gyges.errors import RuleError
from tests.oracles import dimensions as oracle
from tests.strategies import people_and_values, value_lists

KINDS = ["one", "set", "multiset"]
kinds = pytest.mark.parametrize("kind", KINDS)
confidences = st.sampled_from(["1/4", "1/3", "2/5", "1/2", "2/3", "3/4", "9/10", "1"])
points = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), confidences)
policies = st.dictionaries(
    st.sampled_from(["a", "b", "z", "*"]), st.lists(points, min_size=1, max_size=3), min_size=1
)


def made(values, people=None, kind="one"):
    people = people or [len(group) for group in values]
    return gy.Groups.from_lists(
        [list(group) for group in values], people=people, values_per_person=kind
    )


def same(one, other):
    """Two summaries in all they hold."""
    return np.array_equal(one.least, other.least) and np.array_equal(one.holders, other.holders)


# --- the definition


@kinds
@given(data=st.data(), policy=policies)
def test_a_release_is_safe_when_every_breach_is_below_its_confidence(kind, data, policy):
    values, people, _ = data.draw(people_and_values(kind, max_people=5, max_values=6))
    groups = made(values, people, kind)
    breaches = {
        (value, point): oracle.breach_by_minima(values, people, kind, value, *point[:3])
        for value in groups.values
        for point in policy.get(value, policy.get("*", []))
    }
    is_safe = all(p < Fraction(point[3]) for (_, point), p in breaches.items())
    verdict = gy.skyline_check(groups, policy)
    assert verdict.safe == is_safe == (not verdict.failures)
    worst = (
        max((p / Fraction(point[3]), p) for (_, point), p in breaches.items())
        if breaches
        else (0, 0)
    )
    assert next(iter(verdict.risks.values())) == worst[1]


@kinds
@given(data=st.data(), point=points)
def test_each_group_is_judged_by_its_own_people_beside_all_the_others(kind, data, point):
    values, people, _ = data.draw(people_and_values(kind, max_groups=2))
    groups = made(values, people, kind)
    rule = gy.Skyline({"a": [point]}).bind(groups)
    l, k, m, c = point
    expected = [
        oracle.breaches(values, people, kind, "a", l, k, m, group=g)[l, k, m]
        for g in range(len(values))
    ]
    assert np.allclose(rule.risks(groups), [float(p) for p in expected])
    assert rule.holds_each(groups).tolist() == [p < Fraction(c) for p in expected]


@kinds
@given(data=st.data())
def test_a_confidence_that_is_met_exactly_is_not_safe(kind, data):
    values, people, _ = data.draw(people_and_values(kind, max_people=9, max_values=12))
    amounts = tuple(data.draw(st.integers(0, 4)) for _ in range(3))
    groups = made(values, people, kind)
    c = gy.breach(groups, "a", *amounts).probability
    if c > 0:
        at, above = gy.Skyline({"a": [(*amounts, c)]}), min(c + Fraction(1, 10**40), Fraction(1))
        assert not gy.judge(at, groups).safe
        assert not at.bind(groups).holds_each(groups).all()
        assert gy.judge(gy.Skyline({"a": [(*amounts, above)]}), groups).safe == (c < above)


def test_a_default_stands_for_every_value_of_the_table_without_its_own_entry():
    groups = made(["aab", "abc"])
    assert not gy.skyline_check(groups, {"*": [(0, 0, 0, "1/2")]}).safe
    assert gy.skyline_check(groups, {"*": [(0, 0, 0, "1/2")], "a": [(0, 0, 0, 1)]}).safe
    assert gy.skyline_check(groups, {"*": [(0, 0, 0, "1/2")], "a": []}).safe  # a is let go
    assert gy.skyline_check(groups, {"zz": [(0, 0, 0, "0.0001")]}).safe  # nobody has it


def test_a_verdict_says_which_value_at_which_knowledge_in_which_group():
    groups = made(["bccc", "aabc", "bbcc"])
    verdict = gy.skyline_check(groups, {"a": [(1, 0, 0, "0.6"), (0, 1, 0, "0.7")]})
    (failure,) = verdict.failures
    assert failure.groups.tolist() == [1]
    assert failure.risk == Fraction(2, 3)
    assert "'a' at (1, 0, 0) has 2/3 (0.667), not below 3/5" in str(verdict)


# --- the laws of a criterion


@kinds
@given(data=st.data(), policy=policies)
def test_summaries_of_parts_merge_to_the_summary_of_all_in_any_order(kind, data, policy):
    values, people, _ = data.draw(people_and_values(kind, max_groups=6, max_people=6, max_values=8))
    groups = made(values, people, kind)
    rule = gy.Skyline(policy).bind(groups)
    order = data.draw(st.permutations(range(len(groups))))
    cut = data.draw(st.integers(0, len(groups)))
    again = data.draw(st.integers(cut, len(groups)))
    one, two, three = (
        rule.summarize(groups.take(order[part]))
        for part in (slice(0, cut), slice(cut, again), slice(again, None))
    )
    whole = rule.summarize(groups)
    assert same(rule.merge(rule.merge(one, two), three), whole)
    assert same(rule.merge(three, rule.merge(two, one)), whole)
    assert same(rule.merge(whole, whole), whole)
    assert same(rule.merge(whole, rule.summarize(groups.take([]))), whole)


@given(values=value_lists(max_groups=4, max_people=6, n_values=4), policy=policies, data=st.data())
def test_merging_groups_never_breaks_it_where_everybody_has_one_value(values, policy, data):
    """Theorem 3, and why a search may keep the minima of the groups that it has split."""
    parts = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    coarse = [
        [v for g, part in zip(values, parts, strict=True) if part == p for v in g]
        for p in sorted(set(parts))
    ]
    every = sorted({v for group in values for v in group})
    fine, merged = (_over(every, x) for x in (values, coarse))
    for value in every:
        for l, k, m, _ in policy.get(value, policy.get("*", [])):
            before = gy.breach(fine, value, l, k, m).probability
            assert gy.breach(merged, value, l, k, m).probability <= before
    rule = gy.Skyline(policy).bind(fine)
    split = rule.summarize(fine)
    kept = rule.merge(split, rule.summarize(merged))
    assert rule.risk(kept) == rule.risk(split)
    assert rule.holds(kept) == rule.holds(split)


def _over(every, values):
    """Groups that know of the same values, wherever these occur."""
    return made([*values, every]).take(range(len(values)))


@pytest.mark.parametrize(
    ("kind", "split", "people", "merged", "l"),
    [
        ("multiset", ["s", "aa"], [2, 1], ["saa"], 1),
        ("set", ["s", "ab"], [2, 1], ["sab"], 2),
    ],
)
def test_merging_groups_may_break_it_where_people_have_several_values(
    kind, split, people, merged, l
):
    """So a search that only splits may miss a safe release, and its result need not be minimal."""
    rule = gy.Skyline({"s": [(l, 0, 0, Fraction(9, 17))]})
    assert gy.judge(rule, made(split, people, kind)).safe
    assert not gy.judge(rule, made(merged, [3], kind)).safe
    assert not rule.is_monotone_for(kind)
    assert rule.is_monotone_for("one")


@kinds
@given(data=st.data(), policy=policies)
def test_keeping_the_minima_of_split_groups_errs_on_the_safe_side(kind, data, policy):
    values, people, _ = data.draw(people_and_values(kind, max_groups=4))
    groups = made(values, people, kind)
    rule = gy.Skyline(policy).bind(groups)
    all_of_it = rule.summarize(groups)
    part = rule.summarize(groups.take(range(len(groups) - 1)))
    if rule.holds(all_of_it):
        assert rule.holds(part)


# --- rules that it contains


@given(sizes=st.lists(st.integers(1, 7), min_size=1, max_size=4), k=st.integers(2, 7))
def test_k_anonymity_is_the_skyline_of_identities(sizes, k):
    """Proposition 3: everybody has a value of their own, and nobody must be certain."""
    names = iter(range(100))
    groups = gy.Groups.from_lists([[next(names) for _ in range(n)] for n in sizes])
    rule = gy.Skyline({"*": [(0, k - 2, 0, 1)]}).bind(groups)
    assert gy.judge(rule, groups).safe == gy.judge(gy.KAnonymity(k), groups).safe
    assert rule.holds_each(groups).tolist() == gy.KAnonymity(k).holds_each(groups).tolist()


@given(
    values=value_lists(max_groups=3, max_people=9, n_values=5),
    c=st.sampled_from(["1/2", "1", "3/2", "2", "3"]),
    l=st.integers(2, 5),
)
def test_recursive_diversity_is_a_skyline_of_one_point(values, c, l):
    """Proposition 4: knowledge (l-2, 0, 0) and the confidence c/(c+1)."""
    groups = gy.Groups.from_lists(values)
    rule = gy.Skyline({"*": [(l - 2, 0, 0, Fraction(c) / (Fraction(c) + 1))]})
    assert gy.judge(rule, groups).safe == gy.judge(gy.RecursiveDiversity(c, l), groups).safe


# --- what is given


def test_points_that_another_implies_are_dropped_with_a_notice():
    rule = gy.Skyline(
        {
            "a": [(1, 5, 2, "0.5"), (0, 3, 0, "0.9"), (1, 5, 2, "0.5"), (2, 0, 0, "0.9")],
            "*": [(0, 0, 0, "0.9")],
        }
    )
    assert rule.points["a"] == ((1, 5, 2, Fraction(1, 2)), (2, 0, 0, Fraction(9, 10)))
    assert rule.notices == (
        "a: (0, 3, 0) below 9/10 is dropped, (1, 5, 2) below 1/2 implies it",
        "a: (1, 5, 2) below 1/2 is dropped, (1, 5, 2) below 1/2 implies it",
    )
    assert gy.Skyline({"a": [(1, 0, 0, "0.5"), (0, 1, 0, "0.5")]}).notices == ()


@given(policy=policies, values=value_lists(max_people=6, n_values=3))
def test_dropped_points_change_no_verdict(policy, values):
    groups = gy.Groups.from_lists(values)
    one_by_one = all(
        gy.skyline_check(groups, {**{other: [] for other in groups.values}, value: [point]}).safe
        for value in groups.values
        for point in policy.get(value, policy.get("*", []))
    )
    assert gy.skyline_check(groups, policy).safe == one_by_one


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({}, "at least one value"),
        ([("a", (0, 0, 0, 1))], "at least one value"),
        ({"a": (0, 0, 0, 1)}, r"give a list of \(l, k, m, c\)"),
        ({"a": "0, 0, 0, 1"}, r"give a list of \(l, k, m, c\)"),
        ({"a": [(0, 0, 1)]}, "one entry has 3 parts"),
        ({"a": [(-1, 0, 0, 1)]}, "l of 'a' is -1"),
        ({"a": [(0, 1.5, 0, 1)]}, "k of 'a' is 1.5"),
        ({"a": [(0, 0, "x", 1)]}, "m of 'a' is 'x'"),
        ({"a": [(0, 0, 0, 0)]}, "the confidence of 'a' is 0"),
        ({"a": [(0, 0, 0, "1.1")]}, "the confidence of 'a' is '1.1'"),
        ({"a": [(0, 0, 0, "high")]}, "the confidence of 'a' is 'high'"),
    ],
)
def test_a_malformed_skyline_gets_one_clear_sentence(policy, message):
    with pytest.raises(RuleError, match=message):
        gy.Skyline(policy)


def test_the_result_of_skyline_find_is_a_skyline_to_check():
    groups = made(["saab"], [9], "set")
    found = gy.skyline_find(groups, "s", "0.7")
    assert any(math.inf in point for point in found)
    assert gy.skyline_check(groups, {"s": [(*point, "0.7") for point in found]}).safe


def test_a_certificate_can_state_it_and_values_are_found_by_their_text():
    rule = gy.Skyline({250: [(1, 5, 2, "0.5")], "*": [(0, 3, 0, "0.9")]})
    stated = to_data(rule)
    assert stated == {
        "name": "Skyline",
        "points": {"250": [[1, 5, 2, "1/2"]], "*": [[0, 3, 0, "9/10"]]},
    }
    restored = from_data(stated)
    groups = gy.Groups.from_lists([[250, 401, 401, 401], [401, 77, 77, 250]])
    risks = [list(gy.judge(one, groups).risks.values()) for one in (rule, restored)]
    assert risks[0] == risks[1]
    assert hash(rule) == hash(gy.Skyline({"*": [(0, 3, 0, "0.9")], 250: [(1, 5, 2, "0.5")]}))


def test_two_entries_that_read_the_same_both_count():
    groups = gy.Groups.from_lists([[250, 401, 401]])
    for policy in (
        {250: [(0, 0, 0, 1)], "250": [(0, 0, 0, "0.3")]},
        {"250": [(0, 0, 0, "0.3")], 250: [(0, 0, 0, 1)]},
    ):
        assert not gy.skyline_check(groups, policy).safe


def test_summaries_of_different_releases_do_not_merge():
    rule = gy.Skyline({"*": [(0, 0, 0, "0.9")]})
    one, other = made(["aab"]), made(["bcd"])
    with pytest.raises(RuleError, match="different releases"):
        rule.bind(one).merge(*(rule.bind(each).summarize(each) for each in (one, other)))
    with pytest.raises(RuleError, match="other sensitive values"):
        rule.bind(one).summarize(other)
    bound, several = rule.bind(one), made(["aab"], [3], "multiset")
    with pytest.raises(RuleError, match="values per person"):
        bound.merge(bound.summarize(one), bound.summarize(several))


def test_rule_and_summary_travel_to_another_process():
    groups = made(["aabc", "abbc"])
    rule = gy.Skyline({"*": [(1, 1, 1, "0.9")]}).bind(groups)
    there = pickle.loads(pickle.dumps(rule))
    parts = [pickle.loads(pickle.dumps(there.summarize(groups.take([g])))) for g in range(2)]
    assert rule.risk(rule.merge(*parts)) == rule.risk(rule.summarize(groups))


def test_hundreds_of_values_stay_sparse(monkeypatch):
    """A dense array of groups by values would take gigabytes on real diagnoses."""
    random = np.random.default_rng(5)
    n_groups, n_values = 3000, 900
    groups = gy.Groups.from_entries(
        sizes=np.full(n_groups, 8),
        group_of_entry=np.repeat(np.arange(n_groups), 4),
        value_codes=random.integers(0, n_values, 4 * n_groups).astype(np.int32),
        value_counts=random.integers(1, 3, 4 * n_groups),
        values=list(range(n_values)),
        values_per_person="multiset",
    )
    monkeypatch.setattr(type(groups), "counts", property(lambda _: pytest.fail("dense")))
    points = {"*": [(1, 1, 1, "0.6"), (0, 2, 0, "0.9")], 3: [(0, 0, 0, "0.01")]}
    rule = gy.Skyline(points).bind(groups)
    summary = rule.summarize(groups)
    assert len(summary.watch) == 2 * 899 + 1
    assert not rule.holds(summary)
    half = [rule.summarize(groups.take(np.arange(n_groups)[part::2])) for part in range(2)]
    assert same(rule.merge(*half), summary)


def test_no_groups_are_safe():
    groups = made(["ab"]).take([])
    verdict = gy.skyline_check(groups, {"*": [(9, 9, 9, "0.01")]})
    assert verdict.safe
    assert list(verdict.risks.values()) == [0]


def test_a_verdict_says_which_values_nobody_has_and_which_points_were_dropped():
    groups = gy.Groups.from_lists([["Flu", "Gout", "AIDS"], ["Flu", "Gout", "Gout"]])
    policy = {"Aids": [(0, 0, 0, "0.5")], "AIDS": [(0, 0, 0, "0.9"), (0, 1, 0, "0.9")]}
    verdict = gy.skyline_check(groups, policy)
    assert verdict.safe and len(verdict.notices) == 2
    assert "(0, 0, 0) below 9/10 is dropped" in verdict.notices[0]
    assert verdict.notices[1].startswith("Aids: no one in the release has this value")
    assert verdict.notices[1] in str(verdict)
    assert gy.skyline_check(groups, {"Flu": [(0, 0, 0, "0.9")], "*": []}).notices == ()
