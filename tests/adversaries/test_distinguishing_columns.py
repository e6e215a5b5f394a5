"""Distinction and separation against their definition, pair by pair."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.distinguishing_columns import column_set, column_sets
from tests.adversaries.test_minimal_uniques import distinct, tables
from tests.adversaries.test_population_uniqueness import ADULT

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@given(tables(), st.integers(1, 4))
def test_every_set_is_measured_as_by_comparing_all_pairs(rows, most):
    found = list(column_sets(distinct(rows), most))
    wanted = [c for size in range(1, most + 1) for c in combinations(range(len(rows[0])), size)]
    assert [one.columns for one in found] == [tuple(f"c{i}" for i in set_) for set_ in wanted]
    for one, columns in zip(found, wanted, strict=True):
        seen = [tuple(row[c] for c in columns) for row in rows]
        pairs = [a != b for a, b in combinations(seen, 2)]
        assert one.distinction == Fraction(len(set(seen)), len(seen))
        assert one.separation == (Fraction(sum(pairs), len(pairs)) if pairs else 0)
        assert one.n_unique == sum(seen.count(row) == 1 for row in seen)


@given(tables())
def test_without_columns_everybody_is_alike(rows):
    nothing = column_set(distinct(rows), ())
    assert nothing.separation == 0 and nothing.distinction == Fraction(1, len(rows))
    assert nothing.n_unique == (len(rows) == 1)


def test_an_audit_says_which_column_to_hide_first():
    people = {"age": [20, 21, 22, 22], "sex": list("FFMF"), "dis": list("xyxy")}
    table = gy.read(people, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="dis"))
    found = gy.audit(gy.publish(table, gy.KAnonymity(1)))
    sets, hidden = (one for one in found.findings if one.attacker == "tells people apart")
    assert sets.number == 1 and "age and sex tell most people apart: 100%" in sets.sentence
    assert ("age", "83.3%", "75%", "2") in sets.details.rows
    assert hidden.number == 1
    assert "Hiding age altogether would help most: 1 of 4 rows (25%)" in hidden.sentence
    measured = sets.measures["distinguishing"]
    assert measured.n_unique == 4 and measured.n_unique_without == {"age": 1, "sex": 2}


@pytest.mark.parametrize(("n_columns", "n_sets"), [(10, 1023), (12, 793), (50, 50)])
def test_of_many_columns_the_sets_of_few_are_measured(n_columns, n_sets):
    rows = {f"c{i}": ["a", "b", "a"] for i in range(n_columns)}
    found = gy.audit(pd.DataFrame(rows)).measures["distinguishing"]
    assert len(found.sets) == n_sets and found.n_unique == 1


def test_the_figures_of_adult(real_data):
    """Nine columns of 30,162 people: 511 sets, of which all nine leave 15,512 people unique."""
    rows = pd.read_csv(real_data / "adult.csv.gz", dtype=str)
    rows = rows[(rows["split"] == "train") & ~(rows == "?").any(axis=1)]
    found = gy.audit(rows[ADULT])
    [measured] = [f.measures for f in found.findings if "distinguishing" in f.measures]
    sets = measured["distinguishing"].sets
    assert len(sets) == 511 and sets[-1].n_unique == 15_512
    assert float(sets[-1].distinction) == 0.6465751607983555
    assert 15_512 / 30_162 == 0.5142895033485844
