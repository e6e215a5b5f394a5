"""A purpose changes what a search prefers, and nothing about what is safe."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import GygesError, NothingSafeError, RuleError
from gyges.search.bound_purpose import bind_purpose
from gyges.search.lattice import search
from gyges.search.lattice_purpose import TIE
from gyges.search.methods import METHODS, Method
from gyges.utility.before_after import before_after
from gyges.utility.grouping import ShownAs
from tests.oracles import lattice as lattice_oracle
from tests.oracles import purposes as oracle
from tests.search.test_lattice import SHARES, cases

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@st.composite
def purposes(draw, quasi, needs_more=False):
    """Any purpose about these quasi-identifiers and the disease."""
    numbers = st.sampled_from([1, 2, 5, Fraction(1, 2)])
    weights = draw(st.dictionaries(st.sampled_from(quasi), numbers))
    columns = st.lists(st.sampled_from(quasi), min_size=1, max_size=2, unique=True)
    questions = draw(st.lists(columns, max_size=2))
    predict = draw(st.sampled_from([None, "disease", *quasi]))
    if not (questions or predict or (weights and not needs_more)):
        predict = "disease"
    return {"weights": weights, "questions": questions, "predict": predict}


@given(cases(max_rows=8), SHARES, st.data())
def test_the_lattice_finds_the_node_that_costs_the_purpose_least(case, suppression, data):
    table, made, quasi, rules, holds_each = case
    stated = data.draw(purposes(quasi, needs_more=True))
    allowed = math.floor(Fraction(suppression) * len(made["disease"]))
    safe = lattice_oracle.safe_nodes(made, quasi, holds_each, allowed)
    purpose = bind_purpose(gy.Purpose(**stated), table)
    try:
        found = search(table.cells, rules, suppression=suppression, purpose=purpose)
    except NothingSafeError:
        assert not safe
        return
    costs = {
        node: oracle.cost(made, quasi, node, gone, tie=Fraction(TIE), **stated)
        for node, gone in safe.items()
    }
    assert found.is_optimal
    assert found.loss == pytest.approx(float(min(costs.values())), abs=1e-9)
    node = tuple(found.levels[name] for name in quasi)
    assert float(costs[node]) == pytest.approx(found.loss, abs=1e-9)


@given(cases(max_rows=10), st.sampled_from(["partition", "lattice"]), st.data())
def test_a_purpose_never_changes_whether_a_rule_holds(case, method, data):
    """Every rule holds in the release by the slow definition, or nothing is safe either way."""
    table, made, quasi, rules, holds_each = case
    purpose = gy.Purpose(**data.draw(purposes(quasi)))
    try:
        gy.publish(table, rules, method=method)
        is_possible = True
    except NothingSafeError:
        is_possible = False
    try:
        release = gy.publish(table, rules, method=method, purpose=purpose)
    except NothingSafeError:
        assert not is_possible
        return
    assert is_possible
    members = {}
    for row, group in enumerate(release.group_of_row):
        members.setdefault(int(group), []).append(made["disease"][row])
    assert sorted(members) == list(range(len(release.groups)))
    assert all(holds_each(list(members.values()), made["disease"]))
    assert gy.judge(rules, release.groups).safe


@given(cases(max_rows=10), st.randoms(use_true_random=False), st.data())
def test_without_a_class_the_groups_do_not_depend_on_sensitive_values(case, random, data):
    table, made, quasi, _, _ = case
    stated = data.draw(purposes(quasi))
    stated["predict"] = None
    if not (stated["weights"] or stated["questions"]):
        stated["questions"] = [quasi[:1]]
    mixed = random.sample(made["disease"], len(made["disease"]))
    other = gy.read({**{name: made[name] for name in quasi}, "disease": mixed}, table.schema)
    for method in ("partition", "lattice"):
        if len(made["disease"]) < 2:
            return
        one, two = (
            gy.publish(each, gy.KAnonymity(2), method=method, purpose=gy.Purpose(**stated), seed=1)
            for each in (table, other)
        )
        assert np.array_equal(one.group_of_row, two.group_of_row)


@pytest.fixture(scope="module")
def table():
    return gy.read(hospital(1500), hospital_schema())


def changed(table, purpose, method, **stated):
    release = gy.publish(table, gy.KAnonymity(5), method=method, purpose=purpose, **stated)
    asked = gy.Purpose(questions=[["age", "disease"]], predict="disease")
    return before_after(table, release.group_of_row, shown=ShownAs(release.levels), purpose=asked)


@pytest.mark.parametrize("method", ["partition", "lattice"])
def test_a_question_that_is_stated_is_answered_better(table, method):
    purpose = gy.Purpose(questions=[["age", "disease"]])
    with_it, without = (changed(table, one, method).questions[0] for one in (purpose, None))
    assert with_it.error < without.error
    assert with_it.at_most < without.at_most


def test_a_class_that_is_stated_is_predicted_at_least_as_well_in_the_lattice(table):
    purpose = gy.Purpose(predict="disease")
    with_it, without = (changed(table, one, "lattice").prediction for one in (purpose, None))
    assert with_it.after <= without.after


@pytest.mark.parametrize("method", ["partition", "lattice"])
def test_a_column_of_more_weight_loses_less(table, method):
    lost = []
    for purpose in (gy.Purpose(weights={"age": 1000}), None, gy.Purpose(weights={"age": 0})):
        release = gy.publish(table, gy.KAnonymity(10), method=method, purpose=purpose)
        lost.append(gy.measure_utility(table, release.group_of_row)["ncp_age"])
    assert lost == sorted(lost) and lost[0] < lost[-1]


def test_weight_1_for_all_is_what_no_purpose_finds(table):
    plain = gy.publish(table, gy.KAnonymity(5), seed=1)
    even = gy.publish(table, gy.KAnonymity(5), seed=1, purpose=gy.Purpose(weights={"age": 1}))
    assert np.array_equal(plain.group_of_row, even.group_of_row)


def test_a_published_column_can_be_the_class():
    columns = hospital(200)
    columns["ward"] = ["A" if sex == "F" else "B" for sex in columns["sex"]]
    schema = gy.Schema(
        identifiers=["patient"],
        quasi_identifiers=["age", "zip", "sex"],
        sensitive="disease",
        published=["ward"],
    )
    table = gy.read(columns, schema)
    purpose = gy.Purpose(predict="ward")
    for method in ("partition", "lattice"):
        release = gy.publish(
            table, gy.KAnonymity(5), method=method, purpose=purpose, allow_singling_out=True
        )
        found = before_after(table, release.group_of_row, purpose=purpose).prediction
        assert found.before == found.after == 0 < found.everyone


def test_a_method_that_only_takes_weights_gets_them(monkeypatch, table):
    seen = []

    def weighing(cells, rules, *, weights=None):
        seen.append(weights)
        return METHODS["partition"].search(cells, rules)

    monkeypatch.setitem(METHODS, "toy", Method(weighing))
    gy.publish(table, gy.KAnonymity(2), method="toy", purpose=gy.Purpose(weights={"age": 2}))
    assert seen == [{"age": 2.0}]
    with pytest.raises(RuleError, match="the method toy cannot be optimized for this purpose"):
        gy.publish(table, gy.KAnonymity(2), method="toy", purpose=gy.Purpose(predict="disease"))


QUESTIONS = gy.Purpose(questions=[["age"]])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"purpose": {"weights": {}}}, "purpose is a dict: give a gy.Purpose"),
        ({"purpose": gy.Purpose(weights={"disease": 1})}, "'disease', which is not a quasi"),
        ({"purpose": gy.Purpose(weights=dict.fromkeys(["age", "zip", "sex"], 0))}, "every weight"),
        ({"purpose": gy.Purpose(questions=[["age", "patient"]])}, "questions names 'patient'"),
        ({"purpose": gy.Purpose(predict="patient")}, "predict names 'patient'"),
        ({"purpose": QUESTIONS, "method": "buckets"}, "the method buckets cannot be optimized"),
        ({"purpose": QUESTIONS, "method": "dp", "epsilon": 1}, "the method dp cannot be optimized"),
        ({"purpose": QUESTIONS, "order": "gain"}, "a purpose says which cuts come first"),
        ({"purpose": QUESTIONS, "method": "lattice", "utility": "gcp"}, "omit utility"),
        ({"purpose": QUESTIONS, "method": "lattice", "weights": {"age": 1}}, "stated twice"),
    ],
)
def test_a_purpose_that_does_not_fit_is_refused(table, options, said):
    with pytest.raises(GygesError, match=said):
        gy.publish(table, gy.KAnonymity(2), **options)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({}, "a purpose states nothing"),
        ({"weights": {"age": "two"}}, "weights: that of 'age' is 'two'"),
        ({"weights": {"age": -1}}, "is -1: give a number, at least 0"),
        ({"weights": ["age"]}, "weights is a list: give a dict"),
        ({"weights": {3: 1}}, "weights: a column is 3"),
        ({"questions": "age"}, "questions is 'age': give a list"),
        ({"questions": ["age"]}, "questions: one of them is 'age'"),
        ({"questions": [[]]}, "name at least one column in each"),
        ({"questions": [["age", "age"]]}, "none twice"),
        ({"questions": [[3]]}, "questions: a column is 3"),
        ({"predict": 3}, "predict is 3"),
    ],
)
def test_a_purpose_exists_only_if_it_is_valid(stated, said):
    with pytest.raises(RuleError, match=said):
        gy.Purpose(**stated)


def test_several_values_per_person_leave_no_class_and_no_question_about_them():
    columns = {"age": [1, 1, 2, 2], "person": [1, 1, 2, 3], "ill": list("abab")}
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="ill", person="person", values_per_person="set"
    )
    table = gy.read(columns, schema)
    for purpose in (gy.Purpose(questions=[["ill"]]), gy.Purpose(predict="age")):
        with pytest.raises(RuleError, match=r"one value per person|one sensitive value per person"):
            gy.publish(table, gy.KAnonymity(1), purpose=purpose)
    release = gy.publish(table, gy.KAnonymity(1), purpose=gy.Purpose(questions=[["age"]]))
    assert len(release.groups) == 2
