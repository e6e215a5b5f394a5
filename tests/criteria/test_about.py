"""A rule about part of the values, against the definition read aloud in tests/oracles/rules.py."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.describe import from_data, to_data
from gyges.data.joint_values import joint_text, part_of
from gyges.errors import RuleError
from gyges.workflow.project_rules import make_rule
from tests.oracles import rules as oracle

INSIDE = [
    gy.DistinctDiversity(2),
    gy.EntropyDiversity("3/2"),
    gy.RecursiveDiversity("2", 2),
    gy.ProbabilisticDiversity("3/2"),
    gy.TCloseness("1/2"),
    gy.BetaLikeness("1"),
    gy.Safety("3/4", k=1),
    gy.Skyline({"*": [(0, 1, 0, "3/4")], "flu": []}),
]
SPREAD = INSIDE[:4]
ILLNESSES, INCOMES = ("flu", "gout", "hiv", "none"), (10, 20)
ONE = st.sampled_from(ILLNESSES)
BOTH = st.builds(
    lambda d, i: joint_text({"disease": d, "income": i}), ONE, st.sampled_from(INCOMES)
)


def lists_of(value):
    return st.lists(st.lists(value, min_size=1, max_size=6), min_size=1, max_size=4)


def judged_slowly(rule, lists):
    groups = [oracle.Group(list(held), Counter(held)) for held in lists]
    values = sorted({value for held in lists for value in held})
    try:
        return oracle.judge_rule(to_data(rule), oracle.Groups(groups, values, "one"))
    except oracle.UndefinedError as nothing:  # a value that nobody has: the rest is judged
        return nothing.args[0]


def check(rule, lists):
    groups = gy.Groups.from_lists(lists)
    verdict, expected = gy.judge(rule, groups), judged_slowly(rule, lists)
    assert verdict.safe == expected.holds
    assert float(verdict.risks[str(rule)]) == pytest.approx(float(expected.risk))
    bound = rule.bind(groups)
    if bound.is_local:
        alone = [bound.holds_on(groups.take([g])) for g in range(len(lists))]
        assert bound.holds_each(groups).tolist() == alone
        halves = [groups.take([g]) for g in range(len(lists))]
        merged = bound.summarize(halves[0])
        for half in halves[1:]:
            merged = bound.merge(merged, bound.summarize(half))
        assert bound.holds(merged) == verdict.safe


@given(lists_of(BOTH), st.sampled_from([*INSIDE, gy.KAnonymity(2)]), st.booleans())
def test_a_rule_of_one_column_is_judged_as_by_its_definition(lists, inside, knows):
    """Divided by what the attacker knows, each part is judged like a group of its own."""
    check(gy.About(inside, "disease", knowing=["income"] if knows else []), lists)


@given(lists_of(ONE), st.sampled_from(INSIDE))
def test_similar_values_count_as_one(lists, inside):
    check(gy.About(inside, similar={"ill": ["gout", "hiv"]}), lists)


@given(lists_of(st.sampled_from([5, 7, 10, 12])), st.sampled_from(INSIDE))
def test_a_class_may_be_named_like_a_number_that_occurs(lists, inside):
    """The class "10" and the value 10 counted as two, so a group of one value was diverse."""
    check(gy.About(inside, similar={"10": [5, 7]}), lists)
    check(gy.About(inside, similar={"10": [5, 10]}), lists)


@pytest.mark.parametrize("other", [{"harmless": ["ill"]}, {"similar": {"a": ["ill"]}}])
def test_a_class_is_not_named_like_a_value_that_counts_otherwise(other):
    similar = {"ill": ["hiv"], **other.pop("similar", {})}
    with pytest.raises(RuleError, match="choose another name"):
        gy.About(gy.DistinctDiversity(2), similar=similar, **other)


@given(lists_of(ONE), st.sampled_from(SPREAD), st.booleans())
def test_harmless_values_are_different_for_everyone(lists, inside, with_similar):
    similar = {"ill": ["gout", "hiv"]} if with_similar else None
    check(gy.About(inside, similar=similar, harmless=["none"]), lists)


@given(lists_of(ONE), lists_of(ONE), st.sampled_from(SPREAD))
def test_merging_groups_never_breaks_it(lists, others, inside):
    """As the rule says of itself where the rule inside is monotone."""
    rule = gy.About(inside, harmless=["none"], similar={"ill": ["gout", "hiv"]})
    assert rule.is_monotone_for("one")
    if gy.judge(rule, gy.Groups.from_lists([*lists, *others])).safe:
        merged = [[value for held in lists for value in held], *others]
        assert gy.judge(rule, gy.Groups.from_lists(merged)).safe


@given(lists_of(ONE), st.sampled_from([2, "3/2", 3]))
def test_what_is_promised_about_harmful_values(lists, l):
    """Nobody's harmful value has a share above 1/l; harmless ones may fill a group."""
    rule = gy.About(gy.ProbabilisticDiversity(l), harmless=["none"])
    if gy.judge(rule, gy.Groups.from_lists(lists)).safe:
        for held in lists:
            counts = Counter(value for value in held if value != "none")
            assert all(n * gy.ProbabilisticDiversity(l).l <= len(held) for n in counts.values())


@pytest.mark.parametrize("inside", INSIDE, ids=str)
def test_a_certificate_states_it(inside):
    rule = gy.About(inside, "disease", knowing=["income"], similar={"ill": ["gout", "hiv"]})
    again = from_data(to_data(rule))
    assert to_data(again) == to_data(rule) and str(again) == str(rule)


def test_a_claim_names_no_value_that_nobody_published_has():
    groups = gy.Groups.from_lists([["flu", "hiv", "none"], ["flu", "gout"]])
    rule = gy.About(
        gy.DistinctDiversity(2), similar={"ill": ["gout", "plague"]}, harmless=["none", "nothing"]
    )
    claimed = rule.bind(groups).as_claimed(groups.take([0]))
    assert to_data(claimed) == to_data(gy.About(gy.DistinctDiversity(2), harmless=["none"]))
    [first, second] = gy.judge(rule, groups).notices
    assert "nothing" in first and "plague" in second


def test_a_project_states_it_beside_the_rule():
    section = {"rule": "distinct diversity", "l": 3, "column": "disease", "harmless": ["none"]}
    expected = gy.About(gy.DistinctDiversity(3), "disease", harmless=["none"])
    assert make_rule(section) == expected
    inside = {"rule": "distinct diversity", "l": 3}
    nested = {"rule": "about", "of": inside, "column": "disease", "harmless": ["none"]}
    assert make_rule(nested) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"of": gy.KAnonymity(2)}, "give a column, knowing, similar or harmless"),
        ({"of": gy.Beliefs("0.5", "0.2"), "column": "a"}, "Beliefs cannot be about part"),
        ({"of": gy.HouseholdAnonymity(2), "column": "a"}, "HouseholdAnonymity cannot be about"),
        ({"of": gy.Safety("0.5", 1), "harmless": ["a"]}, "harmless values are for distinct"),
        ({"of": gy.KAnonymity(2), "harmless": ["a"]}, "harmless values are for distinct"),
        ({"of": gy.DistinctDiversity(2), "harmless": ["a", "a"]}, "harmless lists a value twice"),
        (
            {"of": gy.DistinctDiversity(2), "harmless": ["a"], "similar": {"b": ["a"]}},
            "in two classes, or one that is harmless",
        ),
        ({"of": gy.DistinctDiversity(2), "column": "a", "knowing": ["a"]}, "knowing names"),
        ({"of": 3, "column": "a"}, "of is 3|criteria contains 3"),
        ({"of": gy.About(gy.KAnonymity(2), knowing=["b"]), "column": "a"}, "About cannot be"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(RuleError, match=said):
        gy.About(**given)


def test_a_column_that_the_values_do_not_have_is_refused():
    groups = gy.Groups.from_lists([["flu", "gout"]])
    with pytest.raises(RuleError, match="this table has other sensitive columns"):
        gy.judge(gy.About(gy.DistinctDiversity(2), "income"), groups)
    with pytest.raises(RuleError, match="needs one value per person"):
        sets = gy.Groups.from_lists([["flu", "gout"]], people=[1], values_per_person="set")
        gy.judge(gy.About(gy.DistinctDiversity(2), similar={"a": ["flu"]}), sets)


def test_a_joint_value_names_each_column():
    text = joint_text({"disease": "Flu", "income": 20.0, "ok": True})
    assert [part_of(text, name) for name in ("disease", "income", "ok")] == ["Flu", 20, "True"]
