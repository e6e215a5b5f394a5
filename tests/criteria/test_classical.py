"""The classical criteria against their definitions read aloud, on the threshold and around it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.describe import from_data, to_data
from gyges.errors import RuleError
from tests import strategies
from tests.oracles import criteria as oracle

THRESHOLDS = st.fractions(min_value=0, max_value=3, max_denominator=12)
GROUPS = strategies.value_lists(max_groups=4, max_people=9, n_values=5)
TREE = {"x": ["a", "b"], "y": ["c", "d", "e"]}
NESTED = ((0, 1), (2, 3, 4))


def rules(k, l, threshold):
    """One criterion of each kind, with the oracle that decides it."""
    c = threshold + Fraction(1, 12)
    return [
        (gy.KAnonymity(k), lambda g: oracle.k_anonymous(g, k)),
        (gy.DistinctDiversity(l), lambda g: oracle.distinct_diverse(g, l)),
        (gy.EntropyDiversity(1 + threshold), lambda g: oracle.entropy_diverse(g, 1 + threshold)),
        (gy.RecursiveDiversity(c, l), lambda g: oracle.recursive_diverse(g, c, l, True)),
        (
            gy.RecursiveDiversity(c, l, strict=False),
            lambda g: oracle.recursive_diverse(g, c, l, False),
        ),
        (
            gy.ProbabilisticDiversity(1 + threshold),
            lambda g: oracle.probabilistic_diverse(g, 1 + threshold),
        ),
        (
            gy.TCloseness(threshold / 3),
            lambda g: distance(g, oracle.equal_distance) <= threshold / 3,
        ),
        (
            gy.TCloseness(threshold / 3, ground="ordered"),
            lambda g: distance(g, oracle.ordered_distance) <= threshold / 3,
        ),
    ]


def distance(groups, between):
    """The largest distance of a group from the whole table."""
    everybody = [value for group in groups for value in group]
    values = sorted(set(everybody))
    whole = oracle.shares(everybody, values)
    return max(between(oracle.shares(group, values), whole) for group in groups)


@given(GROUPS, st.integers(1, 6), st.integers(1, 5), THRESHOLDS)
def test_each_criterion_agrees_with_its_definition(values, k, l, threshold):
    groups = gy.Groups.from_lists(values)
    for rule, definition in rules(k, l, threshold):
        verdict = gy.judge(rule, groups)
        assert verdict.safe == definition(values), rule
        assert bool(verdict.failures) != verdict.safe


@given(GROUPS, st.integers(1, 6), st.integers(1, 5), THRESHOLDS)
def test_the_groups_named_in_a_failure_are_those_that_fail_alone(values, k, l, threshold):
    groups = gy.Groups.from_lists(values)
    for rule, definition in rules(k, l, threshold)[:6]:
        alone = [g for g, group in enumerate(values) if not definition([group])]
        failures = gy.judge(rule, groups).failures
        assert sorted(g for failure in failures for g in failure.groups) == alone, rule


@given(GROUPS, st.data(), st.integers(1, 6), st.integers(1, 5), THRESHOLDS)
def test_merge_is_commutative_associative_and_equals_summarizing_at_once(
    values, data, k, l, threshold
):
    groups = gy.Groups.from_lists(values)
    where = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    )
    parts = [groups.take(np.flatnonzero(where == part)) for part in range(3)]
    for asked, _ in rules(k, l, threshold):
        rule = asked.bind(groups)
        a, b, c = (rule.summarize(part) for part in parts)
        assert rule.merge(a, b) == rule.merge(b, a)
        assert rule.merge(rule.merge(a, b), c) == rule.merge(a, rule.merge(b, c))
        assert rule.merge(rule.merge(a, b), c) == rule.summarize(groups), rule


@given(
    strategies.value_lists(4, 9, 5, min_groups=2), st.integers(1, 6), st.integers(1, 5), THRESHOLDS
)
def test_merging_two_groups_never_breaks_a_monotone_criterion(values, k, l, threshold):
    before = gy.Groups.from_lists(values)
    after = gy.Groups.from_lists([values[0] + values[1], *values[2:]])
    for rule, _ in rules(k, l, threshold):
        assert rule.is_monotone
        assert gy.judge(rule, after).safe or not gy.judge(rule, before).safe, rule


@given(strategies.value_lists(3, 8, 5))
def test_hierarchical_closeness_moves_mass_within_the_smallest_subtree(values):
    present = sorted({value for group in values for value in group})
    values = [*values, list("abcde")] if len(present) < 5 else values
    groups = gy.Groups.from_lists(values)
    rule = gy.TCloseness(0, ground=gy.Hierarchy.from_tree(TREE)).bind(groups)
    expected = distance(values, lambda p, q: oracle.tree_distance(p, q, NESTED))
    assert rule.risk(rule.summarize(groups)) == expected


@given(strategies.value_lists(3, 6, 5))
def test_closeness_under_a_matrix_agrees_with_the_closed_forms(values):
    groups = gy.Groups.from_lists(values)
    n = len(groups.values)
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / max(n - 1, 1)
    for matrix, named in [(1 - np.eye(n), "equal"), (line, "ordered")]:
        one, other = (gy.TCloseness("0.5", ground=g).bind(groups) for g in (matrix, named))
        assert np.allclose(one.risks(groups), other.risks(groups))


@pytest.mark.parametrize("l", [2, 3, 5, 6, 7, 10, 11, 13, 29])
@pytest.mark.parametrize("times", [1, 3, 10])
def test_equally_frequent_values_meet_entropy_and_probability_exactly(l, times):
    """In doubles the entropy of 3, 6, 7, 10 equal shares falls short of log l."""
    even = gy.Groups.from_lists([[f"v{i}" for i in range(l)] * times])
    just_more = Fraction(l) + Fraction(1, 10**15)
    for rule in (gy.EntropyDiversity, gy.ProbabilisticDiversity):
        assert gy.judge(rule(l), even).safe
        assert not gy.judge(rule(just_more), even).safe


def test_entropy_on_the_threshold_is_settled_for_large_groups():
    counts = [40_009, 40_009, 40_009]
    groups = gy.Groups.from_lists([["a"] * counts[0] + ["b"] * counts[1] + ["c"] * counts[2]])
    assert gy.judge(gy.EntropyDiversity(3), groups).safe
    uneven = gy.Groups.from_lists([["a"] * 40_010 + ["b"] * 40_009 + ["c"] * 40_008])
    assert not gy.judge(gy.EntropyDiversity(3), uneven).safe


def test_recursive_diversity_takes_the_most_frequent_value_as_the_first():
    """A peer sorts the counts the wrong way: then 1 < c (…) would always hold."""
    groups = gy.Groups.from_lists([["a"] * 8 + ["b", "c"]])
    assert not gy.judge(gy.RecursiveDiversity("3", 2), groups).safe
    assert gy.judge(gy.RecursiveDiversity("4.1", 2), groups).safe
    assert not gy.judge(gy.RecursiveDiversity("4", 2), groups).safe
    assert gy.judge(gy.RecursiveDiversity("4", 2, strict=False), groups).safe


@pytest.mark.parametrize("threshold", [0.4, "0.4", Fraction(2, 5), "2/5"])
def test_a_float_threshold_is_read_by_its_decimal_text(threshold):
    groups = gy.Groups.from_lists([["a", "a", "a", "b", "b"], ["a", "b", "b", "c", "c"]])
    rule = gy.TCloseness(threshold)
    assert rule.t == Fraction(2, 5)
    assert gy.judge(gy.ProbabilisticDiversity(2.5), gy.Groups.from_lists([list("aabbc")])).safe
    assert list(gy.judge(rule, groups).risks.values()) == [Fraction(1, 5)]


@pytest.mark.parametrize("values", [[], [["a"]], [["a", "a", "a"]]])
def test_no_groups_one_person_and_all_alike_have_an_answer(values):
    groups = gy.Groups.from_lists(values)
    for rule, definition in rules(2, 2, Fraction(1, 2)):
        if values:
            assert gy.judge(rule, groups).safe == definition(values)
        else:
            assert gy.judge(rule, groups).safe


def test_a_group_without_values_is_not_called_diverse():
    groups = gy.Groups.from_lists([["a", "b"], []], people=[2, 2], values_per_person="set")
    for rule in (gy.DistinctDiversity(2), gy.EntropyDiversity(2), gy.RecursiveDiversity(2, 2)):
        [failure] = gy.judge(rule, groups).failures
        assert list(failure.groups) == [1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: gy.KAnonymity(0),
        lambda: gy.KAnonymity("five"),
        lambda: gy.DistinctDiversity(1.5),
        lambda: gy.EntropyDiversity("0.5"),
        lambda: gy.EntropyDiversity(float("nan")),
        lambda: gy.RecursiveDiversity(-1, 2),
        lambda: gy.ProbabilisticDiversity(0),
        lambda: gy.TCloseness("much"),
        lambda: gy.TCloseness("0.1", ground="far"),
        lambda: gy.judge(gy.TCloseness("0.1", ground="hierarchy"), gy.Groups.from_lists([["a"]])),
        lambda: gy.judge(gy.TCloseness("0.1", ground=np.eye(3)), gy.Groups.from_lists([["a"]])),
    ],
)
def test_a_senseless_parameter_is_refused_in_one_sentence(make):
    with pytest.raises(RuleError) as problem:
        make()
    assert "\n" not in str(problem.value)


@given(GROUPS, st.integers(1, 6), st.integers(1, 5), THRESHOLDS)
def test_a_criterion_survives_the_way_through_a_certificate(values, k, l, threshold):
    import json

    groups = gy.Groups.from_lists(values)
    for rule, _ in rules(k, l, threshold):
        again = from_data(json.loads(json.dumps(to_data(rule))))
        assert str(again) == str(rule)
        assert gy.judge(again, groups).safe == gy.judge(rule, groups).safe


def test_a_verdict_reads_as_english():
    groups = gy.Groups.from_lists([["a", "a", "b"], ["a", "b"]])
    assert str(gy.judge(gy.KAnonymity(2), groups)) == (
        "safe\n  holds: every group has at least 2 people (worst case: 2)"
    )
    assert str(gy.judge(gy.ProbabilisticDiversity(2), groups)) == (
        "not safe\n  fails: in every group each value has a share of at most 1/2 "
        "(worst case: 2/3, 0.667, in group 1)"
    )
