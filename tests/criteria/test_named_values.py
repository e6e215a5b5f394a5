"""Rules that name values: of any kind, by class, by similar values; and rules of the same words."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

import gyges as gy
from gyges.errors import NothingSafeError, RuleError

DAYS = [datetime.date(2024, 1, day) for day in range(1, 5)]
KINDS = {
    "dates": DAYS,
    "moments": [datetime.datetime(2024, 1, day, 5) for day in range(1, 5)],
    "whole floats": [1.0, 2.5, 9.0, 10.0],
    "integers": [9, 10, 100, 20],
    "booleans": [False, True],
    "texts": ["flu", "a, b", "007", "'x'"],
}
NAMING = {
    "policy": lambda one, two: gy.ValueSafety({one: (1, 0), two: ("0.99", 0), "*": (1, 0)}),
    "class": lambda one, two: gy.ValueSafety({"c": ("1", 0), "*": (1, 0)}, {"c": [one]}),
    "skyline": lambda one, two: gy.Skyline({one: [(0, 0, 0, 1)], two: [(0, 0, 0, "0.99")]}),
    "similar": lambda one, two: gy.About(gy.DistinctDiversity(1), similar={"c": [one, two]}),
    "harmless": lambda one, two: gy.About(gy.DistinctDiversity(1), harmless=[one]),
}
CANCER = gy.Hierarchy.from_tree({"any cancer": ["lung", "skin"], "other": ["flu", "gout", "mumps"]})


def table(values, hierarchy=None, n=64):
    ladders = {"disease": hierarchy} if hierarchy else {}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", hierarchies=ladders)
    held = [values[(i // 3 + i) % len(values)] for i in range(n)]
    return gy.read(pa.table({"age": [20 + i % 8 for i in range(n)], "disease": held}), schema)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMING)
def test_an_honest_claim_about_values_of_any_kind_is_verified(name, kind, tmp_path):
    one, two = KINDS[kind][:2]
    release = gy.publish(table(KINDS[kind]), [gy.KAnonymity(8), NAMING[name](one, two)])
    assert len(release.claims) == 2
    release.save(tmp_path / "out", pages=gy.report_pages(release))
    found = gy.verify(tmp_path / "out")
    assert found.holds, str(found)


def strict(name):
    """Nobody may be given the value with a probability of 1/5 or more."""
    return [
        gy.ValueSafety({name: ("0.2", 0), "*": (1, 0)}),
        gy.Skyline({name: [(0, 0, 0, "0.2")], "*": [(0, 0, 0, 1)]}),
    ]


@pytest.mark.parametrize("rule", strict("any cancer"), ids=["policies", "skyline"])
@pytest.mark.parametrize(
    "similar",
    ["level 1", ["any cancer"], {"any cancer": ["lung", "skin"]}, {"any cancer": ["lung"]}],
)
@pytest.mark.parametrize("there", [["lung", "skin", "flu", "gout"], ["lung", "flu", "gout"]])
def test_an_entry_for_similar_values_counts_however_many_of_them_occur(rule, similar, there):
    """At least a quarter of the people has cancer: no release is below 1/5."""
    with pytest.raises(NothingSafeError, match="any cancer"):
        gy.publish(table(there, CANCER), [gy.KAnonymity(2), gy.About(rule, similar=similar)])


@pytest.mark.parametrize("rule", strict("lung"), ids=["policies", "skyline"])
def test_an_entry_for_a_value_that_counts_as_another_is_refused(rule):
    with pytest.raises(RuleError, match="similar counts 'lung' as 'c'"):
        gy.About(rule, similar={"c": ["lung", "skin"]})
    rules = [gy.KAnonymity(2), gy.About(rule, similar="level 1")]
    with pytest.raises(RuleError, match="similar counts 'lung' as 'any cancer'"):
        gy.publish(table(["lung", "skin", "flu", "gout"], CANCER), rules)


def test_a_policy_for_a_term_whose_values_count_as_another_is_refused():
    rule = gy.About(strict("any cancer")[0], similar={"c": ["lung", "skin"]})
    with pytest.raises(RuleError, match="as 'c'"):
        gy.publish(table(["lung", "skin", "flu", "gout"], CANCER), [gy.KAnonymity(2), rule])


CODES = gy.Hierarchy((("C50", "C50", "*"), ("C50.1", "C50", "*"), ("J10", "J10", "*")))


@pytest.mark.parametrize("there", [["C50", "C50.1", "J10"], ["C50.1", "J10", "J10"]])
def test_a_name_of_a_value_and_of_a_term_means_the_term_whoever_is_in_the_table(there):
    rule = gy.ValueSafety({"C50": ("9/10", 0), "J10": (1, 0), "*": (1, 0)})
    release = gy.publish(table(there, CODES), [gy.KAnonymity(64), rule])
    under = [code for code in there if code != "J10"]
    assert release.claims[1].rule["classes"] == {"C50": under}
    shares = [gy.max_disclosure(release.groups, 0, value=one).probability for one in (under, "J10")]
    [_, found] = gy.judge(
        [gy.KAnonymity(1), rule.with_classes({"C50": under})], release.groups
    ).risks
    assert release.claims[1].risk == str(max(shares, key=lambda share: share))
    assert found == release.claims[1].text


def test_a_rule_inside_says_which_of_its_values_nobody_has():
    groups = gy.Groups.from_lists([["flu", "gout", "lung", "skin"]])
    rule = gy.About(gy.ValueSafety({"c": (1, 0), "flue": (1, 0)}), similar={"c": ["lung", "skin"]})
    assert [notice[:5] for notice in gy.judge(rule, groups).notices] == ["flue:"]


LETTERS = "abcdefgh"
ALIKE = {
    "classes": [
        gy.ValueSafety({"c": ("0.99", 0)}, {"c": list(held)}) for held in ("abcde", "abcdfgh")
    ],
    "policies": [
        gy.ValueSafety({**dict.fromkeys(LETTERS[:6], (1, 0)), last: ("0.9", k)})
        for last, k in (("g", 0), ("h", 2))
    ],
    "skylines": [
        gy.Skyline({**{one: [(0, 0, 0, 1)] for one in LETTERS[:6]}, last: [(0, k, 0, "0.9")]})
        for last, k in (("g", 0), ("h", 1))
    ],
}


@pytest.mark.parametrize("name", ALIKE)
def test_rules_of_the_same_words_have_each_their_own_risk(name, tmp_path):
    """Long lists are shortened in words, so that two rules may read the same."""
    table_of_letters = table([*LETTERS, "a", "a", "b"], n=110)
    release = gy.publish(table_of_letters, [gy.KAnonymity(20), *ALIKE[name]])
    alone = [gy.judge(rule, release.groups).risks for rule in ALIKE[name]]
    stated = [claim.risk for claim in release.claims[1:]]
    assert stated == [str(risk) for risks in alone for risk in risks.values()]
    assert gy.verify(release.save(tmp_path / "out")).holds


def test_a_verdict_has_one_risk_for_each_rule():
    one, other = ALIKE["classes"]
    groups = gy.Groups.from_lists([list(LETTERS)])
    assert str(one) == str(other)
    assert [str(risk) for risk in gy.judge([one, other], groups).risks.values()] == ["5/8", "7/8"]
