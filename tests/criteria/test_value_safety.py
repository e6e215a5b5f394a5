"""A confidence and a number of facts for each value or class, against trying all facts."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.describe import from_data, to_data
from gyges.errors import RuleError
from gyges.workflow.trial_release import worst_of_rule
from tests import strategies
from tests.adversaries.test_independent_values import groups_of, several
from tests.cli.commands import gyges, write_csv
from tests.oracles import implications as oracle


@st.composite
def tables(draw, most_groups=2, most_people=3, letters="abc"):
    """(values, people, kind) of small groups with one value or several per person."""
    if draw(st.booleans()):
        return draw(several(most_groups, most_people, 3, letters))
    groups = draw(
        st.lists(
            st.lists(st.sampled_from(letters), min_size=1, max_size=most_people),
            min_size=1,
            max_size=most_groups,
        )
    )
    return groups, [len(group) for group in groups], "one"


def counted(values, people):
    return [(n, Counter(held)) for held, n in zip(values, people, strict=True)]


def share_of(odds):
    return Fraction(0) if odds is None else 1 / (1 + odds)


def risk_of(rule, groups):
    bound = rule.bind(groups)
    return bound.risk(bound.summarize(groups))


@settings(deadline=None, max_examples=150)
@given(tables(), st.integers(0, 2), st.data())
def test_a_policy_met_exactly_is_unsafe_and_a_hair_more_is_safe(table, k, data):
    values, people, kind = table
    groups = groups_of(*table)
    letters = data.draw(st.sets(st.sampled_from("abc"), min_size=1, max_size=3))
    wanted = tuple(sorted(letters & set(groups.values)))
    expected = Fraction(0)
    if wanted:
        expected = oracle.worst_of_value(values, wanted, k, people=people, kind=kind)
    classes = {"class": sorted(letters)}
    rule = gy.ValueSafety({"class": ("1/2", k)}, classes=classes)
    assert risk_of(rule, groups) == expected
    if wanted:
        assert gy.max_disclosure(groups, k, value=wanted).probability == expected
        assert not gy.judge(gy.ValueSafety({"class": (expected, k)}, classes), groups).safe
    if expected < 1:
        above = min(expected + Fraction(1, 10**30), Fraction(1))
        assert gy.judge(gy.ValueSafety({"class": (above, k)}, classes), groups).safe


@settings(deadline=None, max_examples=150)
@given(tables(3, 3), st.integers(0, 2), st.integers(0, 2))
def test_other_values_are_judged_one_by_one(table, k, k_of_a):
    """`*` is about every value without an entry; an entry about all values is Safety."""
    groups = groups_of(*table)
    found = {
        value: gy.max_disclosure(groups, k_of_a if value == "a" else k, value=value).probability
        for value in groups.values
    }
    rule = gy.ValueSafety({"a": ("1/3", k_of_a), "*": ("1/2", k)})
    expected = max(p / (Fraction(1, 3) if v == "a" else Fraction(1, 2)) for v, p in found.items())
    risk = risk_of(rule, groups)
    assert expected in (risk * 3, risk * 2) and risk in found.values()
    everyone = gy.ValueSafety({"*": ("1/2", k)})
    assert risk_of(everyone, groups) == gy.disclosure_curve(groups, k)[k]


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.lists(st.sampled_from([1, 2, 3, 5, 9]), min_size=1, max_size=6), min_size=1, max_size=5
    ),
    st.integers(0, 4),
    st.sampled_from(["one", "set", "multiset"]),
    st.sets(st.integers(0, 5), min_size=1, max_size=3),
    st.data(),
)
def test_batches_merge_to_the_whole_and_every_group_is_judged(counts, k, kind, wanted, data):
    """At sizes beyond enumeration, against the plain formula."""
    values = [[f"v{i}" for i, n in enumerate(held) for _ in range(n)] for held in counts]
    people = [len(held) + (kind == "set") for held in values]
    groups = groups_of(values, people, kind)
    names = sorted(f"v{i}" for i in wanted)
    rule = gy.ValueSafety({"class": ("1/2", k), "*": ("2/3", max(k - 1, 0))}, {"class": names})
    of_class = share_of(oracle.least_odds_of_class(counted(values, people), names, k, kind))
    of_others = max(
        share_of(oracle.least_odds_of_class(counted(values, people), [v], max(k - 1, 0), kind))
        for v in groups.values
    )
    worst = max((of_class * 2, of_class), (of_others * Fraction(3, 2), of_others))[1]
    bound = rule.bind(groups)
    place = [data.draw(st.integers(0, 2)) for _ in range(len(groups))]
    batches = [groups.take([g for g, p in enumerate(place) if p == part]) for part in range(3)]
    a, b, c = map(bound.summarize, batches)
    whole = bound.summarize(groups)
    for merged in (whole, bound.merge(a, bound.merge(b, c)), bound.merge(bound.merge(c, a), b)):
        assert bound.risk(merged) == worst
        assert bound.holds(merged) == (of_class < Fraction(1, 2) and of_others < Fraction(2, 3))
    assert bound.holds(whole) == bound.holds_each(groups).all()
    assert np.isclose(bound.risks(groups), float(worst)).any()
    if bound.holds(a):
        added = bound.may_add(a, batches[1], np.array([0, len(batches[1])]))
        assert added.tolist() == [bound.holds(bound.merge(a, b))]


@settings(deadline=None, max_examples=60)
@given(tables(3, 3), st.integers(0, 2))
def test_each_group_is_judged_by_a_target_in_it_and_facts_about_anybody(table, k):
    values, people, kind = table
    groups = groups_of(*table)
    everything, atoms = oracle.atoms_as_sets(values, people, kind)
    expected = []
    for group in range(len(people)):
        best = Fraction(0)
        for (g, _, _), target in oracle.targets_of(atoms, ("a", "b")).items():
            facts = {(everything & ~atom) | target for atom in atoms.values()}
            for known in itertools.combinations(sorted(facts), min(k, len(facts))):
                left = everything
                for fact in known:
                    left &= fact
                if left and g == group:
                    best = max(best, Fraction((target & left).bit_count(), left.bit_count()))
        expected.append(best)
    for confidence in {*expected, Fraction(1, 2), Fraction(1)} - {0}:
        rule = gy.ValueSafety({"class": (confidence, k)}, {"class": ["a", "b"]}).bind(groups)
        assert rule.holds_each(groups).tolist() == [risk < confidence for risk in expected]
        assert np.allclose(rule.risks(groups), [float(risk) for risk in expected])


@settings(deadline=None, max_examples=150)
@given(
    strategies.value_lists(min_groups=2, max_groups=4, max_people=6, n_values=4),
    st.integers(0, 4),
    st.integers(1, 3),
)
def test_joining_two_groups_of_a_safe_release_leaves_it_safe(values, k, n_wanted):
    """Proven in docs/attackers/implications.md for any sentence about one person."""
    wanted = sorted({one for group in values for one in group})[:n_wanted]
    rule = gy.ValueSafety({"class": ("1/2", k)}, {"class": wanted})
    fine = gy.Groups.from_lists(values)
    coarse = gy.Groups.from_lists([values[0] + values[1], *values[2:]])
    assert risk_of(rule, coarse) <= risk_of(rule, fine)
    assert rule.is_monotone_for("one") and not rule.is_monotone_for("set")


def test_what_breaks_is_named_and_what_nobody_has_is_noticed():
    groups = gy.Groups.from_lists([["Flu", "Flu", "Gout", "HIV"], ["Flu", "Cold", "Gout"]])
    rule = gy.ValueSafety({"HIV": ("0.3", 1), "Ebola": ("0.01", 3), "*": (1, 0)})
    verdict = gy.judge(rule, groups)
    assert not verdict.safe and verdict.failures[0].groups.tolist() == [0]
    assert "'HIV' reaches 1/2" in str(verdict)
    assert [note[:6] for note in verdict.notices] == ["Ebola:"]
    assert gy.judge(gy.ValueSafety({"Ebola": ("0.01", 3)}), groups).safe
    claimed = rule.bind(groups).as_claimed(groups)
    assert claimed is not None and list(claimed.policies) == ["HIV", "*"]
    assert gy.ValueSafety({"Ebola": ("0.01", 3)}).bind(groups).as_claimed(groups) is None


def test_a_rule_is_data():
    rule = gy.ValueSafety(
        {"any": ("0.3", 2), 250: ("0.2", 1), "*": ("0.8", 0)}, {"any": ["b", "a"]}
    )
    again = from_data(to_data(rule))
    assert to_data(again) == to_data(rule) and str(again) == str(rule)
    assert hash(rule) == hash(gy.ValueSafety(dict(rule.policies), {"any": ["a", "b"]}))


@pytest.mark.parametrize(
    ("policies", "classes", "message"),
    [
        ({}, None, "0 entries"),
        ("HIV", None, "policies"),
        ({"HIV": "0.5"}, None, "policies: 'HIV'"),
        ({45: ("0.5", 1), "45": ("0.4", 1)}, None, "two entries for one value"),
        ({"HIV": ("0.5",)}, None, "confidence, k"),
        ({"HIV": ("1.5", 1)}, None, "confidence of 'HIV'"),
        ({"HIV": ("0.5", -1)}, None, "k of 'HIV'"),
        ({"HIV": ("0.5", 1)}, {"cancer": ["a"]}, "no entry of that name"),
        ({"c": ("0.5", 1)}, {"c": []}, "empty or lists"),
        ({"c": ("0.5", 1)}, {"c": ["a", "a"]}, "twice"),
        ({"*": ("0.5", 1)}, {"*": ["a"]}, "no entry of that name"),
    ],
)
def test_nonsense_is_refused(policies, classes, message):
    with pytest.raises(RuleError, match=message):
        gy.ValueSafety(policies, classes)


TREE = gy.Hierarchy.from_tree(
    {"any cancer": ["lung cancer", "leukemia"], "infection": ["flu", "cold"], "HIV": ["HIV"]}
)


def people(n=120):
    rng = np.random.default_rng(4)
    diseases = ["lung cancer", "leukemia", "flu", "cold", "HIV"]
    return {
        "age": rng.integers(20, 60, n).tolist(),
        "disease": rng.choice(diseases, n, p=[0.1, 0.1, 0.4, 0.3, 0.1]).tolist(),
    }


def patients():
    trees = {"age": gy.Hierarchy.intervals(5, 10, 20), "disease": TREE}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", hierarchies=trees)
    return gy.read(people(), schema)


RULE = gy.ValueSafety({"HIV": ("0.3", 1), "any cancer": ("0.5", 1), "*": ("0.9", 1)})


@pytest.mark.parametrize("method", ["partition", "lattice"])
def test_a_term_of_the_hierarchy_is_a_class_and_the_certificate_lists_it(tmp_path, method):
    release = gy.publish(patients(), [gy.KAnonymity(3), RULE], method=method)
    for wanted, confidence in (("HIV", "0.3"), (["lung cancer", "leukemia"], "0.5")):
        found = gy.max_disclosure(release.groups, k=1, value=wanted)
        assert found.probability < Fraction(confidence)
    assert len(release.groups) > 1
    release.save(tmp_path / "out")
    checked = gy.verify(tmp_path / "out")
    assert checked.holds
    certificate = (tmp_path / "out" / "certificate.json").read_text()
    assert "leukemia" in certificate.partition('"classes"')[2][:200]


def test_every_minimal_generalization_is_safe_and_nothing_finer_is():
    table = patients()
    found = gy.minimal_generalizations(table, RULE)
    classes = {"any cancer": ["lung cancer", "leukemia"]}
    same = gy.ValueSafety(dict(RULE.policies), classes)
    assert found == gy.minimal_generalizations(table, same) and found
    assert found != gy.minimal_generalizations(table, gy.KAnonymity(1))


@pytest.mark.parametrize("has_tree", [True, False])
def test_a_project_file_states_policies(tmp_path, has_tree):
    write_csv(tmp_path / "data.csv", people())
    tree = (
        '[hierarchies.disease]\ntree = { "any cancer" = ["lung cancer", "leukemia"], '
        'infection = ["flu", "cold", "HIV"] }\n'
    )
    classes = 'classes = { "any cancer" = ["lung cancer", "leukemia"] }\n'
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "data.csv"\n[columns]\nquasi_identifiers = ["age"]\n'
        f'sensitive = "disease"\n{tree * has_tree}[[require]]\nrule = "value safety"\n'
        'policies = { HIV = ["0.3", 1], "any cancer" = ["0.5", 1], "*" = ["0.9", 1] }\n'
        + classes
        * (not has_tree)
    )
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + notes
    groups = gy.load(tmp_path / "release").groups
    assert gy.max_disclosure(groups, k=1, value="HIV").probability < Fraction(3, 10)
    cancer = gy.max_disclosure(groups, k=1, value=["lung cancer", "leukemia"])
    assert cancer.probability < Fraction(1, 2) and gy.verify(tmp_path / "release").holds


def test_the_witness_of_a_trial_is_that_of_the_rule():
    groups = gy.Groups.from_lists([[12_000, 15_000, 40_000, 70_000]])
    section = {"rule": "interval safety", "width": 5_000, "confidence": "0.9", "k": 1}
    found = worst_of_rule(section, groups)
    assert found.risk == Fraction(2, 3) and "from 12000 to 15000" in found.sentence
    words = gy.Groups.from_lists([["a", "b"]])
    assert worst_of_rule(section, words).risk == Fraction(1, 2)
    sets = gy.Groups.from_lists([["a", "b", "b"]], people=[4], values_per_person="set")
    safety = {"rule": "safety", "confidence": "0.9", "k": 1}
    assert worst_of_rule(safety, sets).risk == gy.disclosure_curve(sets, 1)[1]


def test_of_several_sensitive_columns_each_has_its_own_terms():
    data = {**people(), "income": [1, 2, 3] * 40}
    schema = gy.Schema(
        quasi_identifiers=["age"],
        sensitive="disease",
        also_sensitive=["income"],
        hierarchies={"disease": TREE},
    )
    rule = gy.About(gy.ValueSafety({"any cancer": ("0.6", 1)}), "disease")
    release = gy.publish(gy.read(data, schema), [gy.KAnonymity(3), rule])
    assert any("'any cancer' ('leukemia', 'lung cancer')" in one.text for one in release.claims)
    diseases = release.about("disease").groups
    worst = gy.max_disclosure(diseases, k=1, value=["leukemia", "lung cancer"])
    assert worst.probability < Fraction(3, 5)
