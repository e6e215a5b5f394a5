"""Several rows per person, by a bound: ε is of people. Proven on enumerated neighbours."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import gyges as gy
from gyges.data.rows_of_people import drawn_rows
from gyges.dp.error_curve import error_curve
from gyges.dp.mechanisms import Guarantee, noise_for
from gyges.dp.noisy_marginals import noisy_marginals
from gyges.dp.plans import price_of
from gyges.errors import GygesError
from gyges.workflow.ledger import Ledger
from tests.dp.noise import P_THRESHOLD, discrete_gaussian, discrete_laplace

ADD, CHANGE = "add or remove one person", "change one person"
CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]  # of two columns
VIEWS = [[(0,), (1,)], [(0, 1)], [(0, 1), (0,)]]  # the columns of each view
DOMAINS = {"age": range(4), "ill": ["a", "b"]}


def visits(most, people=(1, 1, 1, 1, 2, 3, 3)):
    rows = {"who": list(people), "age": [len(people) % 4] * len(people)}
    schema = gy.Schema(person="who", quasi_identifiers=["age"], sensitive="ill")
    with pytest.warns(UserWarning, match="are counted"):
        return gy.read_rows({**rows, "ill": ["a", "b"] * 3 + ["a"]}, schema, most=most)


@given(
    people=st.lists(st.sampled_from(["Ann", "Bob", "Eve", "Zoe"]), max_size=30),
    most=st.integers(1, 9),
)
def test_each_person_has_as_many_rows_as_they_may(people, most):
    kept, n_people = drawn_rows(pa.chunked_array([pa.array(people, pa.string())]), most)
    counts = {who: people.count(who) for who in set(people)}
    chosen = [who for who, is_kept in zip(people, kept, strict=True) if is_kept]
    assert n_people == len(counts)
    assert {who: chosen.count(who) for who in counts} == {
        who: min(n, most) for who, n in counts.items()
    }


@pytest.mark.parametrize("others", [[], ["Bob"] * 5])
def test_the_rows_that_are_drawn_do_not_depend_on_other_people(others):
    """Each of three rows is drawn in a third of the cases, whoever else is in the table."""
    column = pa.chunked_array([["Ann", "Ann", *others, "Ann"]])
    drawn = [drawn_rows(column, 1)[0] for _ in range(3000)]
    places = [0, 1, len(column) - 1]
    for place in places:
        times = sum(bool(one[place]) for one in drawn)
        assert binomtest(times, 3000, 1 / 3).pvalue > P_THRESHOLD


def vectors(views, most):
    """The counts of the views for every way in which a person has 0 to `most` rows."""
    found = []
    for n in range(most + 1):
        for rows in itertools.combinations_with_replacement(CELLS, n):
            counts = []
            for view in views:
                shown = [tuple(row[place] for place in view) for row in rows]
                counts += [shown.count(c) for c in itertools.product((0, 1), repeat=len(view))]
            found.append(np.array(counts))
    return found


def differences(views, most, neighbours):
    """How one person changes the counts: enumerated. The others cancel."""
    persons = vectors(views, most)
    if neighbours == ADD:
        return [sign * one for one in persons for sign in (1, -1)]
    return [one - other for one in persons for other in persons]


@pytest.mark.parametrize("neighbours", [ADD, CHANGE])
@pytest.mark.parametrize("views", VIEWS)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_what_one_person_changes_is_what_the_guarantee_assumes(most, views, neighbours):
    """No pair of neighbours is further apart, and some are as far."""
    change = Guarantee(Fraction(1), Fraction(0), neighbours, rows=most).change
    moved = differences(views, most, neighbours)
    assert max(np.abs(d).sum() for d in moved) == change.in_l1(len(views))
    assert max((d**2).sum() for d in moved) == change.in_l2_squared(len(views))


@pytest.mark.parametrize("neighbours", [ADD, CHANGE])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_laplace_noise_hides_all_rows_of_a_person(most, neighbours):
    """By the exact law: no output is more than e^ε times as likely for a neighbour."""
    guarantee = Guarantee(Fraction("0.7"), Fraction(0), neighbours, rows=most)
    views = [(0,), (1,)]
    noise = noise_for(price_of(guarantee), change=guarantee.change, views=len(views))
    outputs = np.arange(-60, 61)
    worst = 0.0
    for moved in differences(views, most, neighbours):
        each = [
            np.log(discrete_laplace(outputs, noise.scale))
            - np.log(discrete_laplace(outputs - d, noise.scale))
            for d in moved
        ]
        worst = max(worst, sum(float(ratio.max()) for ratio in each))  # cells are independent
    assert 0.7 * (1 - 1e-9) < worst <= 0.7 * (1 + 1e-12)


@pytest.mark.parametrize("neighbours", [ADD, CHANGE])
@pytest.mark.parametrize("most", [1, 3])
def test_gaussian_noise_hides_all_rows_of_a_person(most, neighbours):
    """By the exact law: Rényi's divergence of order α is at most αρ, for every neighbour."""
    guarantee = Guarantee(Fraction(1), Fraction("1e-6"), neighbours, rows=most)
    price, views = price_of(guarantee), [(0, 1)]
    noise = noise_for(price, change=guarantee.change, views=len(views))
    x = np.arange(-int(30 * noise.scale), int(30 * noise.scale) + 1)
    p = discrete_gaussian(x, noise.scale)
    wide = 2 * noise.scale**2
    for alpha in (1.5, 2, 8):
        divergence = {}
        for shift in range(most + 1):
            ratio = ((x - shift) ** 2 - x**2) / wide  # the logarithm of p(x)/p(x - shift)
            inside = p > 0
            total = np.exp(np.log(p[inside]) + (alpha - 1) * ratio[inside]).sum()
            divergence[shift] = math.log(total) / (alpha - 1)
        worst = max(
            sum(divergence[abs(int(d))] for d in moved)
            for moved in differences(views, most, neighbours)
        )
        assert worst <= alpha * float(price.amount) * (1 + 1e-6)
        assert worst >= alpha * float(price.amount) * 0.99


@pytest.mark.parametrize("plan", [[["age", "ill"]], "mst", "aim"])
@pytest.mark.parametrize(("delta", "neighbours"), [(0, ADD), ("1e-9", CHANGE)])
def test_a_release_counts_rows_and_verifies(plan, delta, neighbours, tmp_path):
    release = gy.publish(
        visits(2), method="dp", epsilon=2, delta=delta, views=plan, neighbours=neighbours,
        domains=DOMAINS,
    )  # fmt: skip
    assert release.noisy.guarantee.rows == 2 and release.noisy.n_people is None
    assert "with up to 2 rows" in str(release) and "synthetic row" in release.title
    assert not release.rows_are_people
    curve = error_curve(
        visits(2), delta=delta, views=plan, neighbours=neighbours, domains=DOMAINS,
        rows_per_person=2,
    )  # fmt: skip
    assert release.noisy.marginals[0].noise.deviation <= curve.at(2).deviation
    release.save(tmp_path / "out")
    found = gy.verify(tmp_path / "out")
    assert not found.refuted and gy.load(tmp_path / "out").guarantee.rows == 2
    assert "Up to 2 rows of each person were counted" in str(gy.audit(gy.load(tmp_path / "out")))


@pytest.mark.parametrize("stated", [1, 3])
def test_a_certificate_that_states_another_bound_is_refuted(stated, tmp_path):
    """With fewer rows the noise would cost less than stated, with more rows more."""
    gy.publish(visits(2), method="dp", epsilon=2, views=[["age"], ["ill"]], domains=DOMAINS).save(
        tmp_path / "out"
    )
    file = tmp_path / "out" / "certificate.json"
    text = json.loads(file.read_text())
    assert text["guarantee"]["rows"] == 2
    text["guarantee"]["rows"] = stated
    file.write_text(json.dumps(text))
    refuted = gy.verify(file.parent).refuted
    assert any("the noise of step 1 costs" in str(check) for check in refuted)


def test_the_counts_are_those_of_rows():
    """With next to no noise: four, one and two rows, at most two of each."""
    noisy = noisy_marginals(visits(2), [[], ["age"]], epsilon=1000, domains=DOMAINS)
    assert int(noisy[()].counts) == 5 and noisy[["age"]].counts.tolist() == [0, 0, 0, 5]


SETS = {"sensitive": "ill", "values_per_person": "set"}


@pytest.mark.parametrize(
    ("schema", "most", "said"),
    [
        ({}, 2, "needs `person`"),
        ({"person": "who"}, 0, "at least 1"),
        ({"person": "who"}, "2", "a whole number"),
        ({"person": "who", "rows_per_person": "all"}, 2, "choose one"),
        ({"person": "who", "keep_row": "last", "keep_row_by": "age"}, 2, "choose one"),
        ({"person": "who", **SETS}, 2, "omit values_per_person"),
    ],
)
def test_what_contradicts_a_bound_is_refused(schema, most, said):
    rows = {"who": [1, 1], "age": [1, 2], "ill": ["a", "b"]}
    with pytest.raises(GygesError, match=said):
        gy.read_rows(rows, gy.Schema(quasi_identifiers=["age"], **schema), most=most)


def test_one_person_in_two_spellings_is_refused():
    """They would have twice as many rows as the guarantee assumes."""
    schema = gy.Schema(person="who", quasi_identifiers=["age"])
    with pytest.raises(GygesError, match="leading zeros"):
        gy.read_rows({"who": ["007", "7"], "age": [1, 2]}, schema, most=1)


@pytest.mark.parametrize("method", ["partition", "buckets", "marginals"])
def test_rules_about_people_do_not_take_rows(method):
    with pytest.raises(GygesError, match="which only noise protects"):
        gy.publish(visits(2), [gy.KAnonymity(2)], method=method)


PROJECT = """
[data]
source = "visits.csv"
[columns]
person = "who"
quasi_identifiers = ["age"]
[publish]
method = "dp"
[ledger]
about = "patients"
[dp]
epsilon = 1
rows_per_person = 2
views = [["age"]]
[dp.domains]
age = { from = 0, to = 3 }
[dp.budget]
epsilon = 3
"""


def test_a_project_states_the_bound_and_pays_for_people(tmp_path):
    """ε is what is paid, whatever the bound: it makes the noise larger, not the price."""
    (tmp_path / "gyges.toml").write_text(PROJECT)
    (tmp_path / "visits.csv").write_text("who,age\n" + "1,2\n" * 5 + "2,3\n")
    with pytest.warns(UserWarning, match="3 rows of 2 people are counted"):
        release = gy.Project(tmp_path / "gyges.toml").publish(trial=True, out=tmp_path / "out")
    assert release.noisy.guarantee.rows == 2
    assert release.noisy.marginals[0].noise.scale == pytest.approx(2)
    assert Ledger.at(tmp_path / "ledger.sqlite").budget("patients").left["epsilon"] == 2
    assert json.loads((tmp_path / "out" / "certificate.json").read_text())["guarantee"]["rows"] == 2
