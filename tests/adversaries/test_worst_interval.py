"""The worst interval of a width, against trying every interval and all facts."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GroupsError, RuleError
from tests.adversaries.test_independent_values import groups_of
from tests.oracles import implications as oracle

numbers = st.sampled_from([0, 1, 2, 4, 7, 7.5, "unknown"])


@st.composite
def tables(draw, most_people=4):
    kind = draw(st.sampled_from(["one", "one", "set", "multiset"]))
    groups = draw(
        st.lists(st.lists(numbers, min_size=1, max_size=most_people), min_size=1, max_size=2)
    )
    if kind == "one":
        return groups, [len(group) for group in groups], kind
    groups = [group[:3] for group in groups]
    people = [draw(st.integers(1, 3)) for _ in groups]
    if kind == "set":
        groups = [list(dict.fromkeys(group)) for group in groups]
    return groups, people, kind


def as_text(values):
    """Values of one type, so that the oracle can sort them."""
    return [[str(value) for value in group] for group in values]


def worst(table, k, width):
    """Over every interval between two numbers of the table that are close enough."""
    values, people, kind = table
    domain = sorted({v for group in values for v in group if v != "unknown"})
    best = Fraction(0)
    for low, high in itertools.combinations_with_replacement(domain, 2):
        if Fraction(high) - Fraction(low) <= width:
            wanted = tuple(str(v) for v in domain if low <= v <= high)
            found = oracle.worst_of_value_with_one_consequent(
                as_text(values), wanted, k, people, kind
            )
            best = max(best, found)
    return best


@settings(deadline=None, max_examples=150)
@given(tables(), st.integers(0, 2), st.sampled_from([Fraction(0), Fraction(1, 2), 2, 3, 10]))
def test_no_interval_and_no_facts_do_better(table, k, width):
    values = table[0]
    groups = groups_of(*table)
    if all(v == "unknown" for group in values for v in group):
        with pytest.raises(GroupsError, match="nobody has a number"):
            gy.max_disclosure(groups, k, width=width)
        return
    found, expected = gy.max_disclosure(groups, k, width=width), worst(table, k, width)
    assert found.probability == expected and len(found.witness.facts) <= k
    assert gy.probability(groups, found.witness.target, given=found.witness.given) == expected
    interval = found.witness.interval
    assert interval.high - interval.low <= width
    assert not gy.judge(gy.IntervalSafety(width, expected, k), groups).safe
    if expected < 1:
        above = min(expected + Fraction(1, 10**30), Fraction(1))
        assert gy.judge(gy.IntervalSafety(width, above, k), groups).safe


incomes = st.lists(st.integers(0, 60), min_size=1, max_size=9)


@settings(deadline=None, max_examples=100)
@given(st.lists(incomes, min_size=2, max_size=4), st.integers(0, 3), st.integers(0, 20))
def test_joining_two_groups_leaves_a_safe_release_safe_and_width_0_is_safety(values, k, width):
    fine = gy.Groups.from_lists(values)
    coarse = gy.Groups.from_lists([values[0] + values[1], *values[2:]])
    risks = [gy.max_disclosure(groups, k, width=width).probability for groups in (fine, coarse)]
    assert risks[0] >= risks[1]
    assert gy.max_disclosure(fine, k, width=0).probability == gy.disclosure_curve(fine, k)[k]
    rule = gy.IntervalSafety(width, "1/2", k).bind(fine)
    assert rule.risk(rule.summarize(fine)) == risks[0]
    halves = [rule.summarize(fine.take(part)) for part in ([0], list(range(1, len(fine))))]
    assert rule.risk(rule.merge(*halves)) == risks[0]
    assert rule.holds_each(fine).all() == (risks[0] < Fraction(1, 2))


def test_a_witness_reads_as_english_and_misuse_is_refused():
    groups = gy.Groups.from_lists([[12_000, 15_000, 40_000, 70_000], [20_000, 50_000, 90_000]])
    assert str(gy.max_disclosure(groups, k=1, width=5_000)) == (
        "Worst case of 1 implication: If the attacker knows that a person in group 1 does not have "
        "40000, they are 2/3 certain that this person has a value from 12000 to 15000."
    )
    for misuse in ({"value": 12_000}, {"language": "negations"}):
        with pytest.raises(RuleError, match="omit the others"):
            gy.max_disclosure(groups, k=1, width=5, **misuse)
    with pytest.raises(RuleError, match="width is negative"):
        gy.IntervalSafety(-1, "0.5", 1)
    mixed = gy.Groups.from_lists([[1, "unknown"], [2, 3]])
    notices = gy.judge(gy.IntervalSafety(1, 1, 0), mixed).notices
    assert notices == (
        "1 of 4 sensitive values are no numbers: the rule about intervals does not protect them",
    )
    words = gy.Groups.from_lists([["a", "b"]])
    rule = gy.IntervalSafety(1, "0.1", 3)
    assert gy.judge(rule, words).safe and rule.bind(words).as_claimed(words) is None


def test_a_release_of_incomes_is_published_and_verified(tmp_path):
    rng = np.random.default_rng(5)
    data = {
        "age": rng.integers(20, 60, 300).tolist(),
        "income": (rng.integers(10, 90, 300) * 1_000).tolist(),
    }
    table = gy.read(data, gy.Schema(quasi_identifiers=["age"], sensitive="income"))
    release = gy.publish(table, [gy.KAnonymity(3), gy.IntervalSafety(10_000, "0.6", k=1)])
    assert gy.max_disclosure(release.groups, k=1, width=10_000).probability < Fraction(3, 5)
    release.save(tmp_path / "out")
    assert gy.verify(tmp_path / "out").holds and len(release.groups) > 2
