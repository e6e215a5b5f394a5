"""What is said to pass does pass, and nothing nearer does."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.nearest_passing_rule import nearest
from gyges.errors import NothingSafeError
from tests import strategies

RULES = [
    gy.KAnonymity(9),
    gy.DistinctDiversity(4),
    gy.EntropyDiversity("2.5"),
    gy.ProbabilisticDiversity("2.5"),
    gy.RecursiveDiversity("1", 2),
    gy.RecursiveDiversity("1/2", 3, strict=False),
    gy.TCloseness("1/10"),
    gy.Safety("1/2", 1),
    gy.Safety("3/4", 2, "negations"),
    gy.Skyline({"a": [(0, 1, 0, "1/2"), (1, 0, 1, "3/4")], "*": [(0, 0, 0, "1/3")]}),
]
STEP = Fraction(1, 100)


def nearer(rule, passing):
    """The passing rule, moved back towards the one that was asked for by one step."""
    name = type(rule).__name__
    if name in ("KAnonymity",):
        return gy.KAnonymity(passing.k + 1)
    if name == "DistinctDiversity":
        return gy.DistinctDiversity(passing.l + 1)
    if name == "EntropyDiversity":
        return gy.EntropyDiversity(passing.l + 2 * STEP)
    if name == "ProbabilisticDiversity":
        return gy.ProbabilisticDiversity(passing.l + Fraction(1, 10**9))
    if name == "RecursiveDiversity":
        if passing.l != rule.l:
            return gy.RecursiveDiversity(rule.c, passing.l + 1, rule.strict)
        back = STEP if rule.strict else Fraction(1, 10**9)
        return gy.RecursiveDiversity(passing.c - back, rule.l, rule.strict)
    if name == "TCloseness":
        return gy.TCloseness(passing.t - Fraction(1, 10**9))
    if passing.k != rule.k:
        return gy.Safety(rule.confidence, passing.k + 1, rule.language)
    return gy.Safety(passing.confidence - STEP, rule.k, rule.language)


@given(strategies.groups_of_one(max_people=6, n_values=4), st.sampled_from(RULES))
def test_what_is_said_to_pass_passes_and_nothing_nearer_does(groups, rule):
    found = nearest([rule], groups)
    assert bool(found) == (not gy.judge(rule, groups).safe)
    for one in found:
        assert bool(one.passing) == bool(one.words)
        for passing in one.passing:
            assert gy.judge(passing, groups).safe
            if not isinstance(rule, gy.Skyline):
                assert not gy.judge(nearer(rule, passing), groups).safe


@given(strategies.groups_of("set"))
def test_skylines_of_sets_are_raised_until_they_hold(groups):
    rule = gy.Skyline({"a": [(0, 0, 0, "1/10")], "*": [(1, 1, 0, "1/5")]})
    for one in nearest([rule], groups):
        for passing in one.passing:
            assert gy.judge(passing, groups).safe


def test_where_a_value_is_certain_no_confidence_passes():
    [found] = nearest([gy.Safety("0.9", 0)], gy.Groups.from_lists([["a", "a"]]))
    assert not found.passing and "no rule of its kind" in str(found)


COLUMNS = {"age": list(range(20)), "disease": list("aaaaabbbbbccccddddee")}


def table():
    return gy.read(COLUMNS, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))


@pytest.mark.parametrize("method", ["partition", "lattice"])
@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (gy.KAnonymity(50), "k = 20"),
        (gy.DistinctDiversity(6), "l = 5"),
        (gy.Safety("0.2", 1), "confidence = 0.34"),
        (gy.ProbabilisticDiversity(5), "l = 4"),
    ],
)
def test_publish_says_what_would_pass_and_that_does(rule, words, method):
    with pytest.raises(NothingSafeError) as raised:
        gy.publish(table(), [gy.KAnonymity(2), rule], method=method)
    assert words in str(raised.value)
    [found] = raised.value.nearest
    assert found.rule is rule
    for passing in found.passing:
        assert gy.publish(table(), [gy.KAnonymity(2), passing], method=method).claims


def test_where_one_group_would_pass_another_method_is_named():
    columns = {"age": [1, 1, 2, 2], "disease": list("aaab")}
    made = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))
    with pytest.raises(NothingSafeError, match="method='partition'"):
        gy.publish(made, [gy.DistinctDiversity(2)], method="buckets")
