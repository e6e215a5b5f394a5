"""What an audit does not claim where a missing value may be any value."""

from __future__ import annotations

import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.downcoding import Downcoding
from gyges.auditing.finding import AuditKnowledge
from tests.search.test_matching_anything import NAMES, PLACES, ROWS, published, read

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@pytest.mark.parametrize("method", ["partition", "lattice"])
@given(rows=st.lists(ROWS, min_size=3, max_size=14), k=st.integers(1, 4))
def test_labels_with_gaps_prove_only_values_that_occur(method, rows, k):
    """A stand-in made `*` the label of {f, missing}: that m occurs there was called certain."""
    found = published(rows, method, k)
    if found is None:
        return
    table, release = found
    below = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
    for original in (None, table):
        [*said] = Downcoding().findings(release, AuditKnowledge(original=original))
        if not said:
            return
        proven = said[0].measures["finer_values"]
        distinct = 0
        for g in range(release.n_groups):
            members = [r[:3] for r, one in zip(rows, release.group_of_row, strict=True) if one == g]
            seen = [{*column} - {None} for column in zip(*members, strict=True)]
            distinct += max(map(len, seen))
            for crowd in (one for one in proven.crowds if one.group == g):
                values = [row[NAMES.index(crowd.column)] for row in members]
                finer = [values, [below.get(one, one) for one in values]]
                most = [max(c.values()) for c in map(collections.Counter, finer) if len(c) > 1]
                assert crowd.people <= max(most)
        assert proven.n_refined <= distinct


def test_what_labels_prove_supposes_that_nothing_is_missing_behind_a_star(tmp_path):
    """The files do not show whether `*` hides a missing value."""
    others = [(20, "f", "a", "Flu")] * 3 + [(25, "m", "a", "Flu")] * 6
    for gap, missing, n in ((None, "any", 0), ("m", "error", 2)):
        rows = [*others, (47, "f", "d", "Flu"), (47, gap, "d", "HIV"), (47, gap, "c", "HIV")]
        release = gy.publish(read(rows, missing), [gy.KAnonymity(3)])
        assert sorted(release.labels["sex"]) == ["*", "f", "m"]
        [said, *_] = Downcoding().findings(release, AuditKnowledge())
        assert (said.number, "supposes" in said.sentence) == (n, False)
        release.save(tmp_path / missing)
        [said, *_] = Downcoding().findings(gy.load(tmp_path / missing), AuditKnowledge())
        assert "supposes that no value" in said.sentence


def test_priors_that_depend_on_missing_values_are_not_computed():
    """Ages were compared as texts, and every attacker was said to learn nothing."""
    rows = [(20 + i % 30, "fm"[i % 2], None if i % 7 == 0 else "a", ("Flu", "HIV")[i % 2])
            for i in range(40)]  # fmt: skip
    table = read(rows)
    release = gy.publish(table, [gy.KAnonymity(3)])
    other = gy.publish(table, [gy.KAnonymity(4)], method="lattice")
    said = gy.audit(release, original=table, others=[other]).findings
    priors = [one for one in said if one.attacker.startswith("prior beliefs")]
    assert len(priors) == 2
    assert not any(one.is_checked or one.number is not None for one in priors)


def test_people_who_may_fit_a_row_are_no_bound_for_naming_the_right_one():
    """Two people are 25 and 26, three of the population lack their age: 1/5 was called a bound."""
    table = read([(25, "f", "a", "Flu"), (26, "f", "a", "HIV")])
    release = gy.publish(table, [gy.KAnonymity(2)])
    ages = [25, 26, None, None, None]
    columns = {"age": ages, "sex": ["f"] * 5, "place": ["a"] * 5}
    schema = gy.Schema(quasi_identifiers=NAMES, hierarchies={"place": PLACES})
    for missing, is_bound in (("any", False), ("value", True), ("drop", True)):
        population = gy.read(columns, schema, missing=missing)
        said = gy.audit(release, population=population).findings
        [naming, fitting] = [one for one in said if one.attacker == "journalist"]
        assert naming.is_checked is is_bound and ("k-map" in fitting.sentence) is is_bound
        assert all(one.is_checked is is_bound for one in said if one.attacker == "presence")


def test_rows_that_may_lack_a_value_have_no_bound_either():
    """Whether a person lacks the value is not known: nothing says how likely they are in it."""
    rows = [(25, "f", "a", "Flu"), (None, "f", "a", "HIV"), (60, "f", "a", "Flu"),
            (61, "f", "a", "HIV")]  # fmt: skip
    release = gy.publish(read(rows), [gy.KAnonymity(2)])
    assert release.shows_missing
    population = read([(25 + i, "f", "a", "Flu") for i in range(40)], "error")
    said = gy.audit(release, population=population).findings
    assert not any(one.is_checked for one in said if one.attacker == "presence")
    assert not next(one for one in said if one.attacker == "journalist").is_checked
