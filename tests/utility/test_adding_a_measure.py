"""Adding a utility measure takes its own file (here, the function below) and a line in MEASURES."""

from __future__ import annotations

import numpy as np
import pytest

import gyges as gy
from gyges.auditing.rendering import audit_text
from gyges.errors import RuleError
from gyges.search.lattice import search
from gyges.utility import known_measures
from gyges.utility.known_measures import MEASURES, UtilityMeasure, in_words


def largest_group(grouping):
    """The toy: how many people the largest group has."""
    return int(grouping.sizes.max(initial=0))


REGISTRATION = UtilityMeasure(
    "largest_group", largest_group, "people in the largest group", is_monotone=True
)


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(known_measures, "MEASURES", (*MEASURES, REGISTRATION))


def table():
    columns = {"age": [20, 21, 30, 31, 40], "sex": list("ffmmm"), "disease": list("abcab")}
    return gy.read(columns, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="disease"))


def test_a_registered_measure_is_measured_and_explained(registered):
    measured = gy.measure_utility(table(), np.array([0, 0, 1, 1, -1]))
    assert measured["largest_group"] == 2
    text = audit_text("", [], {"largest_group": measured["largest_group"]}, [])
    assert "largest_group: 2 (people in the largest group)" in text


def test_a_registered_monotone_measure_can_be_minimized(registered):
    found = search(table().cells, gy.KAnonymity(2), utility="largest_group")
    assert found.loss == 3 and found.is_optimal
    assert found.levels == {"age": 1, "sex": 0}


def test_a_measure_that_is_not_registered_can_be_given_itself():
    found = search(table().cells, gy.KAnonymity(2), utility=REGISTRATION)
    assert found.loss == 3
    with pytest.raises(RuleError, match="utility is 'largest_group': choose one of"):
        search(table().cells, gy.KAnonymity(2), utility="largest_group")


def test_every_measure_has_a_name_and_a_meaning_of_its_own():
    names = {one.name for one in MEASURES}
    assert len(names) == len({one.meaning for one in MEASURES}) == len(MEASURES)
    measured = gy.measure_utility(table(), np.zeros(5, dtype=int))
    assert names <= set(measured)
    assert all(in_words(name) == in_words("ncp_age") for name in set(measured) - names)


def test_measures_of_values_need_one_value_per_person():
    schema = gy.Schema(quasi_identifiers=["age"])
    bare = gy.read({"age": [20, 21]}, schema)
    assert "kl_divergence" not in gy.measure_utility(bare, np.zeros(2, dtype=int))


def test_only_the_measures_that_are_named_are_computed(monkeypatch):
    def never(grouping):
        raise AssertionError("a measure that nobody asked for")

    group = np.array([0, 0, 1, 1, -1])
    every = gy.measure_utility(table(), group)
    fails = UtilityMeasure("fails", never, "raises")
    monkeypatch.setattr(known_measures, "MEASURES", (*MEASURES, fails))
    named = gy.measure_utility(table(), group, measures=["ncp_age", "loss"])
    assert list(named.items()) == [("ncp_age", every["ncp_age"]), ("loss", every["loss"])]
    assert gy.measure_utility(table(), group, measures=[]) == {}
    for name in every:
        assert gy.measure_utility(table(), group, measures=[name]) == {name: every[name]}


def test_a_measure_that_does_not_apply_is_refused_by_name():
    with pytest.raises(RuleError, match="measures contains 'ncp_zip', which does not apply"):
        gy.measure_utility(table(), np.zeros(5, dtype=int), measures=["ncp_zip"])
    with pytest.raises(RuleError, match="measures contains 3"):
        gy.measure_utility(table(), np.zeros(5, dtype=int), measures=[3])
