"""Pointwise maximal leakage against its definition, group by group and value by value."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.leakage import maximal_leakage

LISTS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=4)


@given(LISTS)
def test_the_largest_factor_is_posterior_over_prior(lists):
    everyone = [value for values in lists for value in values]
    factors = [
        Fraction(values.count(v), len(values)) / Fraction(everyone.count(v), len(everyone))
        for values in lists
        for v in set(values)
    ]
    groups = gy.Groups.from_lists(lists)
    found = maximal_leakage(groups)
    assert found.factor == max(factors) == found.posterior / found.prior
    values = lists[found.group]
    assert found.posterior == Fraction(values.count(found.value), len(values))
    assert found.nats == math.log(found.factor)


@given(LISTS)
def test_it_is_what_basic_beta_likeness_bounds(lists):
    """The largest gain of β-likeness is the factor less 1: one number, two readings."""
    groups = gy.Groups.from_lists(lists)
    rule = gy.BetaLikeness(1000)
    assert gy.judge(rule, groups).risks[str(rule)] == maximal_leakage(groups).factor - 1


def test_an_audit_states_it_with_the_worst_case():
    found = gy.audit(gy.Groups.from_lists([["a", "a", "b"], ["b", "b", "b"]]))
    [one] = [finding for finding in found.findings if finding.attacker == "gains probability"]
    assert one.number == 2 and "2 times as probable" in one.sentence and "0.693" in one.sentence
    assert str(one.witness) == (
        "For someone in group 1, the probability of a rises from 1/3 to 2/3."
    )


def test_where_all_groups_are_alike_nothing_becomes_more_probable():
    found = gy.audit(gy.Groups.from_lists([["a", "b"], ["b", "a"]]))
    [one] = [finding for finding in found.findings if finding.attacker == "gains probability"]
    assert one.number == 1 and one.witness is None and "no group makes" in one.sentence


def test_of_sets_it_compares_shares_of_people_and_of_multisets_nothing():
    sets = gy.Groups.from_lists([["a", "b"], ["b"]], people=[2, 3], values_per_person="set")
    found = maximal_leakage(sets)
    assert (found.value, found.prior, found.posterior) == ("a", Fraction(1, 5), Fraction(1, 2))
    bags = gy.Groups.from_lists([["a", "a"]], people=[1], values_per_person="multiset")
    assert maximal_leakage(bags) is None
    assert (
        maximal_leakage(gy.Groups.from_lists([[], []], people=[1, 2], values_per_person="set"))
        is None
    )
