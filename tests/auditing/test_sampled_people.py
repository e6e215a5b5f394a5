"""Survey weights and households against plain loops, and figures that sdcMicro documents."""

from __future__ import annotations

import gzip
import math
from collections import defaultdict
from fractions import Fraction
from math import prod

import numpy as np
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.individual_risk import individual_risk
from gyges.auditing.sampled_people import household_risk, survey_risk
from gyges.errors import GygesError

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def test_the_individual_risks_are_those_that_sdcmicro_documents():
    """Its example of eight people: frequencies 2, 2, 2, 1, 1, 1, 1, 2 with these weights."""
    classes = np.array([0, 1, 1, 2, 3, 4, 5, 0])
    weights = np.array([18, 45.5, 39, 17, 541, 8, 5, 92])
    sample, population = np.bincount(classes), np.bincount(classes, weights=weights)
    assert population[classes].tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    documented = [0.01714426, 0.02204233, 0.02204233, 0.17707583,
                  0.01165448, 0.29706308, 0.40235948, 0.01714426]  # fmt: skip
    assert individual_risk(sample, population)[classes] == pytest.approx(documented, abs=5e-9)


@given(f=st.integers(1, 40), share=st.floats(0.01, 1.0))
def test_the_individual_risk_is_the_mean_of_one_over_the_population(f, share):
    """F given f is negative binomial: the sum over all F, term by term."""
    term, total, F = share**f, 0.0, f
    while term > 1e-14 * (total + 1e-300) or 2 * f / share > F:
        total += term / F
        term *= F / (F + 1 - f) * (1 - share)
        F += 1
    [risk] = individual_risk(np.array([f]), np.array([f / share]))
    assert risk == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("share", [0.4, 0.01, 1e-4, 1e-8])
def test_the_individual_risk_of_many_rows_is_that_of_one_row_fewer_carried_on(share):
    """It was not a number from about a hundred rows on: r(f) = π/(1-π) (1/(f-1) - r(f-1))."""
    odds = share / (1 - share)
    expected = [odds * math.log(1 / share)]
    for f in range(2, 3001):
        expected.append(odds * (1 / (f - 1) - expected[-1]))
    rows = np.arange(1, 3001)
    assert individual_risk(rows, rows / share) == pytest.approx(expected, rel=1e-6)


@given(
    rows=st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 4)), min_size=1, max_size=12).filter(
        lambda rows: any(c >= 0 for c, _ in rows)
    )
)
def test_the_risk_of_a_household_is_that_of_its_members(rows):
    alike, members = defaultdict(list), defaultdict(list)
    for row, (c, home) in enumerate(rows):
        if c >= 0:
            alike[c].append(row)
            members[home].append(c)
    risks = {h: 1 - prod(1 - 1 / len(alike[c]) for c in cs) for h, cs in members.items()}
    found = household_risk(*(np.array(column) for column in zip(*rows, strict=True)))
    assert found.n_households == len(members)
    assert found.least == min(len({rows[row][1] for row in held}) for held in alike.values())
    assert found.largest == pytest.approx(max(risks.values()))
    assert found.expected == pytest.approx(sum(risks.values()))
    assert found.n_people_affected == pytest.approx(sum(risks[h] * len(members[h]) for h in risks))


def test_suppressed_rows_have_no_survey_risk():
    found = survey_risk(np.array([0, 0, -1]), np.array([2.0, 4.0, 900.0]))
    assert (found.n_people, found.population) == (2, 6.0)


def test_an_audit_speaks_of_weights_and_households_and_nothing_of_them_is_published(tmp_path):
    columns = {
        "age": [30, 30, 31, 40, 40, 41], "ill": list("ababab"),
        "hh": [1, 1, 1, 2, 2, 3], "w": [10.5, 2, 3, 8, 1.25, 4],
    }  # fmt: skip
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill", household="hh", weight="w")
    for form in ("generalized", "bucketized"):
        release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(3)], form=form)
        release.save(tmp_path / form)
        assert gy.verify(tmp_path / form).holds
        published = "".join(path.read_text() for path in (tmp_path / form).iterdir())
        assert "10.5" not in published and '"hh"' not in published
        found = gy.audit(release)
        assert found.measures["survey"].population == 28.75
        home = found.measures["households"]
        assert home.n_households == 3 and home.least == 1
        relatives = found.measures["relatives"]
        assert relatives.probability == 1 and relatives.n_relatives == 1
        assert relatives.share == Fraction(2, 3)
        assert found.measures["survey"].share == found.measures["survey"].expected / 6
    loaded = gy.audit(tmp_path / "generalized").measures
    assert "survey" not in loaded and "households" not in loaded


@pytest.mark.parametrize("bad", [0, -1, None, "much"])
def test_weights_are_positive_numbers(bad):
    columns = {"age": [1, 2], "ill": ["a", "b"], "w": [1, bad] if bad != "much" else ["1", bad]}
    with pytest.raises(GygesError, match="'w' holds survey weights"):
        gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="ill", weight="w"))


def test_a_weight_has_no_other_role():
    with pytest.raises(GygesError, match="two roles"):
        gy.Schema(quasi_identifiers=["w"], weight="w")


def test_the_households_of_the_sdcmicro_table(real_data):
    """330, 674 and 1,288 people are in classes of fewer than 2, 3 and 5 rows."""
    with gzip.open(real_data / "sdcmicro_households.csv.gz") as file:
        rows = pyarrow.csv.read_csv(file)
    keys = ["urbrur", "water", "sex", "age"]
    schema = gy.Schema(
        quasi_identifiers=keys, household="ori_hid", weight="sampling_weight", dropped=[]
    )
    table = gy.read(rows, schema, missing="value")
    sizes = table.cells.people[table.cell_of_row]
    assert [int((sizes < k).sum()) for k in (2, 3, 5)] == [330, 674, 1288]
    homes = np.unique(table.fetch(["ori_hid"]).column(0).to_numpy(), return_inverse=True)[1]
    found = household_risk(table.cell_of_row, homes)
    assert found.n_households == len(np.unique(homes)) and 330 < found.n_people_affected < 4580


def test_people_without_a_household_are_refused():
    """They counted as one household of all of them."""
    columns = {"age": [1, 2], "ill": ["a", "b"], "hh": [1, None]}
    with pytest.raises(GygesError, match="a household of its own"):
        gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="ill", household="hh"))
