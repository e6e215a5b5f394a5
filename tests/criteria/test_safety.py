from __future__ import annotations

import itertools
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import RuleError
from tests import strategies
from tests.oracles import implications as oracle

MEN = ["Flu", "Flu", "Lung Cancer", "Lung Cancer", "Mumps"]
WOMEN = ["Flu", "Flu", "Breast Cancer", "Ovarian Cancer", "Heart Disease"]
LANGUAGES = ("implications", "negations")
languages = st.sampled_from(LANGUAGES)
facts = st.integers(0, 3)


def hospital():
    return gy.Groups.from_lists([MEN, WOMEN])


def worst(values, k, language, group=None):
    if language == "negations":
        return oracle.worst_of_negations(values, k, group)
    return oracle.worst_of_implications(values, k, group)


# The definition


@given(strategies.value_lists(max_groups=2, max_people=4), facts, languages)
def test_the_risk_is_the_worst_case_of_all_facts(values, k, language):
    rule = gy.Safety("1/2", k, language)
    assert rule.risk(rule.summarize(gy.Groups.from_lists(values))) == worst(values, k, language)


@given(strategies.value_lists(max_groups=2, max_people=4), facts, languages)
def test_a_threshold_exactly_met_is_unsafe_and_a_hair_more_is_safe(values, k, language):
    """[Martin2007, Def. 13] says "less than"."""
    groups, risk = gy.Groups.from_lists(values), worst(values, k, language)
    assert not gy.judge(gy.Safety(risk, k, language), groups).safe
    if risk < 1:
        above = min(risk + Fraction(1, 10**30), Fraction(1))
        assert gy.judge(gy.Safety(above, k, language), groups).safe


@pytest.mark.parametrize("confidence", [0.4, "0.4", Fraction(2, 5), Decimal("0.4")])
def test_two_fifths_is_two_fifths_however_it_is_given(confidence):
    tenths = gy.Groups.from_lists([["a"] * 4 + ["b"] * 3 + ["c"] * 3])
    assert gy.Safety(confidence, k=0) == gy.Safety("2/5", 0)
    assert not gy.judge([gy.Safety(confidence=confidence, k=0)], tenths).safe
    assert gy.judge([gy.Safety(confidence=Fraction(2, 5) + Fraction(1, 10**30), k=0)], tenths).safe


def test_the_hospital_is_safe_below_two_thirds_only():
    assert not gy.judge(gy.Safety("2/3", k=1), hospital()).safe
    assert gy.judge([gy.Safety("0.67", k=1), gy.KAnonymity(5)], hospital()).safe


@given(strategies.value_lists(max_groups=3, max_people=3, n_values=2), st.integers(0, 2), languages)
def test_each_group_is_judged_by_a_target_in_it_and_facts_about_anybody(values, k, language):
    groups = gy.Groups.from_lists(values)
    expected = [worst(values, k, language, group) for group in range(len(values))]
    rule = gy.Safety("1/2", k, language)
    assert np.allclose(rule.risks(groups), [float(risk) for risk in expected])
    for confidence in {*expected, Fraction(1, 2), Fraction(1)}:
        rule = gy.Safety(confidence, k, language)
        assert rule.holds_each(groups).tolist() == [risk < confidence for risk in expected]


@given(strategies.value_lists(max_groups=4, max_people=7, n_values=5), facts, languages)
def test_a_release_is_safe_exactly_when_every_group_is(values, k, language):
    groups = gy.Groups.from_lists(values)
    rule = gy.Safety("1/2", k, language)
    risk = rule.risk(rule.summarize(groups))
    assert np.isclose(rule.risks(groups).max(), float(risk))
    for confidence in (risk, Fraction(1, 2), Fraction(2, 3)):
        rule = gy.Safety(confidence, k, language)
        assert rule.holds(rule.summarize(groups)) == rule.holds_each(groups).all()


def test_a_group_whose_values_are_used_up_exposes_everybody():
    """With k facts about a group of k values one of them must be true, so the target is too."""
    groups = gy.Groups.from_lists([["a", "b"], list("abcdefgh")])
    assert gy.Safety("1/2", k=1).risks(groups).tolist() == [1.0, 2 / 9]
    assert gy.Safety("1/2", k=2).risks(groups).tolist() == [1.0, 1.0]
    assert not gy.Safety("1", k=2).holds_each(groups).any()


# Laws


@st.composite
def parts_of_groups(draw):
    """Groups with larger counts, and a cut into three batches (some possibly empty)."""
    counts = draw(
        st.lists(
            st.lists(st.sampled_from([1, 1, 2, 3, 5, 10, 40]), min_size=1, max_size=9),
            min_size=1,
            max_size=8,
        )
    )
    groups = gy.Groups.from_lists(
        [[f"v{i}" for i, n in enumerate(h) for _ in range(n)] for h in counts]
    )
    place = draw(st.lists(st.integers(0, 2), min_size=len(counts), max_size=len(counts)))
    return groups, [groups.take([g for g, p in enumerate(place) if p == part]) for part in range(3)]


@given(parts_of_groups(), st.integers(0, 6), languages)
def test_merging_is_a_commutative_monoid_and_summarizes_the_whole(cut, k, language):
    groups, batches = cut
    rule = gy.Safety("1/2", k, language)
    a, b, c = map(rule.summarize, batches)
    whole, nothing = rule.summarize(groups), rule.summarize(groups.take([]))
    merged = rule.merge(a, rule.merge(b, c))
    assert merged == whole == rule.merge(rule.merge(c, b), a)
    assert rule.merge(a, nothing) == a == rule.merge(nothing, a) == rule.merge(a, a)
    assert rule.risk(merged) == rule.risk(whole)
    assert rule.risk(merged) == gy.disclosure_curve(groups, k=k, language=language)[k]


@given(parts_of_groups(), st.integers(0, 6), languages)
def test_more_groups_never_make_a_release_safe(cut, k, language):
    _, batches = cut
    rule = gy.Safety("1/2", k, language)
    one, other = rule.summarize(batches[0]), rule.summarize(batches[1])
    assert rule.risk(rule.merge(one, other)) >= max(rule.risk(one), rule.risk(other))


@given(
    strategies.value_lists(min_groups=2, max_groups=4, max_people=6, n_values=4), facts, languages
)
def test_joining_two_groups_of_a_safe_release_leaves_it_safe(values, k, language):
    """[Martin2007, Theorem 14]."""
    rule = gy.Safety("1/2", k, language)
    fine = rule.summarize(gy.Groups.from_lists(values))
    coarse = rule.summarize(gy.Groups.from_lists([values[0] + values[1], *values[2:]]))
    assert rule.risk(coarse) <= rule.risk(fine)
    assert rule.holds(coarse) or not rule.holds(fine)


def test_a_summary_is_small_however_many_groups_it_stands_for():
    counts = np.random.default_rng(5).integers(1, 30, size=(20_000, 12))
    group, value = np.nonzero(counts)
    groups = gy.Groups.from_entries(
        sizes=counts.sum(axis=1),
        group_of_entry=group,
        value_codes=value.astype(np.int32),
        value_counts=counts[group, value],
        values=list("abcdefghijkl"),
    )
    rule = gy.Safety("9/10", k=5)
    summary = rule.summarize(groups)
    assert summary.rows.size < 20 * 7
    halves = [rule.summarize(groups.take(np.arange(start, 20_000, 2))) for start in (0, 1)]
    assert rule.merge(*halves) == summary


# In a search

ZIP = {"1485*": ["14850", "14853"], "1306*": ["13068", "13069"]}
LEVELS = [
    [lambda z: z, lambda z: z[:4], lambda z: "*"],
    [lambda sex: sex, lambda sex: "*"],
]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["14850", "14853", "13068", "13069"]),
            st.sampled_from("FM"),
            st.sampled_from("abcd"),
        ),
        min_size=4,
        max_size=14,
    ).filter(lambda people: len({disease for _, _, disease in people}) > 1),
    st.sampled_from(["1/2", "2/3", "9/10"]),
    st.integers(0, 2),
)
@settings(max_examples=30)
def test_a_search_finds_all_minimal_safe_generalizations(people, confidence, k):
    """Against judging every node of the lattice on its own."""
    columns = dict(zip(("zip", "sex", "disease"), zip(*people, strict=True), strict=True))
    tree = {"zip": gy.Hierarchy.from_tree(ZIP), "sex": gy.Hierarchy.from_tree(["F", "M"])}
    schema = gy.Schema(
        quasi_identifiers=["zip", "sex"],
        sensitive="disease",
        hierarchies=tree,
        kinds={"zip": "code"},
    )
    table = gy.read({name: list(values) for name, values in columns.items()}, schema)
    safe = []
    for node in itertools.product(range(3), range(2)):
        groups = {}
        for *place, disease in people:
            key = tuple(LEVELS[c][level](place[c]) for c, level in enumerate(node))
            groups.setdefault(key, []).append(disease)
        curve = oracle.curve_by_convolution([Counter(g).values() for g in groups.values()], k)
        if curve[k] < Fraction(confidence):
            safe.append(node)
    minimal = [
        {"zip": node[0], "sex": node[1]}
        for node in safe
        if not any(o != node and o[0] <= node[0] and o[1] <= node[1] for o in safe)
    ]
    found = gy.minimal_generalizations(table, [gy.Safety(confidence, k)])
    assert [dict(node) for node in found] == minimal


# Boundaries


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_groups_carry_no_risk(language):
    rule = gy.Safety("1/2", k=2, language=language)
    nobody = hospital().take([])
    assert rule.risk(rule.summarize(nobody)) == 0 and gy.judge(rule, nobody).safe
    assert rule.risks(nobody).shape == rule.holds_each(nobody).shape == (0,)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_ends_of_the_scale(language):
    certain = gy.Groups.from_lists([["a", "a"]])
    for k in (0, 3):
        assert not gy.judge(gy.Safety(1, k, language), certain).safe
        assert not gy.judge(gy.Safety(0, k, language), hospital()).safe
    assert gy.judge(gy.Safety(1, 1, language), hospital()).safe
    assert not gy.judge(gy.Safety(1, 2, language), hospital()).safe


def test_a_verdict_names_the_groups_that_break_the_rule():
    verdict = gy.judge(gy.Safety("0.6", k=1), hospital())
    assert not verdict.safe and verdict.failures[0].risk == Fraction(2, 3)
    assert verdict.failures[0].groups.tolist() == [0]
    assert str(gy.Safety("0.6", k=1)) == (
        'an attacker who knows any one fact of the form "if A has x, then B has y" is less than '
        "3/5 certain of anyone's value"
    )


def test_nonsense_is_refused():
    for arguments in (("1.2", 1), ("0.5", -1), ("0.5", 1, "rumours"), ("much", 1), (True, 1)):
        with pytest.raises(RuleError):
            gy.Safety(*arguments)
