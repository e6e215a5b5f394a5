"""Noisy marginals: counts over public values, within the budget, paid before noise is drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import opendp.mod
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.dp import choosing
from gyges.dp.accounting import largest_rho, rho_of_epsilon
from gyges.dp.mechanisms import Guarantee, Price
from gyges.dp.noisy_marginals import noisy_marginals
from gyges.dp.public_labels import Universe
from gyges.dp.universe import Histogram, count
from gyges.errors import BudgetError, RuleError
from gyges.workflow.budget_account import Account
from gyges.workflow.ledger import Ledger

SEXES = gy.Hierarchy.from_tree(["F", "M"])
ILLS = gy.Hierarchy.from_tree({"lung": ["Asthma", "Flu"], "other": ["Gout", "Rare"]})
AGES = range(0, 100)

# A table of one person is a table, and reading it says so.
pytestmark = pytest.mark.filterwarnings("ignore:everyone has the same value")


def patients(
    ages=(23, 27, 41, 45, 60), sexes="FMFMM", ills=("Flu", "Flu", "Gout", "Flu", "Asthma")
):
    schema = gy.Schema(
        quasi_identifiers=["age", "sex"],
        sensitive="ill",
        hierarchies={"age": gy.Hierarchy.intervals(10, 50), "sex": SEXES, "ill": ILLS},
    )
    return gy.read({"age": list(ages), "sex": list(sexes), "ill": list(ills)}, schema)


def exactly(table, views, **options):
    """With this epsilon the noise is 0 but for a chance far below 1e-20."""
    return noisy_marginals(table, views, epsilon=1000, domains={"age": AGES}, **options)


@settings(max_examples=30)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(AGES), st.sampled_from("FM"), st.sampled_from(ILLS.leaves)),
        min_size=1,
        max_size=12,
    ),
    view=st.sampled_from([["sex"], ["ill", "sex"], ["age"], ["age", "ill"], []]),
)
def test_a_view_counts_every_combination_that_could_occur(rows, view):
    """The count without noise, against counting rows one by one."""
    table = patients(*zip(*rows, strict=True))
    histogram = count(table, domains={"age": AGES}, levels={"age": 1})
    found = histogram.of(view)

    shown = {
        "age": [f"{10 * (a // 10)}-{10 * (a // 10) + 9}" for a, _, _ in rows],
        "sex": [s for _, s, _ in rows],
        "ill": [i for _, _, i in rows],
    }
    labels = [histogram.universe.labels[histogram.universe.columns.index(c)] for c in view]
    for place in np.ndindex(*found.shape):
        wanted = [label[at] for label, at in zip(labels, place, strict=True)]
        alike = sum(
            all(shown[c][r] == w for c, w in zip(view, wanted, strict=True))
            for r in range(len(rows))
        )
        assert found[place] == alike
    assert found.sum() == len(rows)


def test_values_that_nobody_has_are_listed_too():
    noisy = exactly(patients(), [["ill"]])
    assert noisy["ill",].frame().to_pylist() == [
        {"ill": "Asthma", "count": 1},
        {"ill": "Flu", "count": 3},
        {"ill": "Gout", "count": 1},
        {"ill": "Rare", "count": 0},
    ]


def test_the_published_tables_do_not_depend_on_which_values_occur():
    """Same columns, same labels, same order, whoever is in the table."""
    others = patients([99], "F", ["Rare"])
    for view in (["sex", "ill"], ["age", "sex"]):
        shapes = [
            noisy_marginals(t, [view], epsilon=1, domains={"age": AGES}).marginals[0]
            for t in (patients(), others)
        ]
        assert shapes[0].labels == shapes[1].labels and shapes[0].counts.size > 3


def test_a_column_without_public_values_is_refused():
    with pytest.raises(RuleError, match="no public list of values"):
        noisy_marginals(patients(), [["age"]], epsilon=1)
    with pytest.raises(RuleError, match="1 values that are not among"):
        noisy_marginals(patients(), [["age"]], epsilon=1, domains={"age": range(60)})
    with pytest.raises(RuleError, match="empty or repeat"):
        noisy_marginals(patients(), [["age"]], epsilon=1, domains={"age": [*AGES, 5]})


def test_a_column_is_coarsened_by_its_hierarchy():
    noisy = exactly(patients(), [["age"]], levels={"age": 2})
    assert noisy.marginals[0].labels == (("0-49", "50-99"),)
    assert noisy.marginals[0].counts.tolist() == [4, 1]
    with pytest.raises(RuleError, match="levels 0 to 3"):
        exactly(patients(), [["age"]], levels={"age": 7})


def test_counts_and_histograms():
    people, sexes = noisy_marginals(patients(), [[], ["sex"]], epsilon=1000).marginals
    assert people.counts == 5
    assert sexes.counts.tolist() == [2, 3]


def test_the_budget_is_split_over_the_views():
    """Three views at ε = 1: scale 3; with two cells changed at once, 6."""
    views = [["sex"], ["ill"], ["sex", "ill"]]
    for neighbours, scale in (("add or remove one person", 3), ("change one person", 6)):
        noisy = noisy_marginals(patients(), views, epsilon=1, neighbours=neighbours)
        assert all(m.noise.scale == pytest.approx(scale) for m in noisy.marginals)
        assert noisy.n_people == (5 if neighbours == "change one person" else None)
        assert noisy.guarantee.epsilon == 1 and noisy.guarantee.delta == 0


def test_a_delta_brings_gaussian_noise_and_a_rho():
    noisy = noisy_marginals(patients(), [["sex"], ["ill"]], epsilon=1, delta="1e-6")
    rho = noisy.guarantee.rho
    assert rho is not None and 0 < rho < Fraction(1, 2)
    for marginal in noisy.marginals:
        assert marginal.noise.kind == "discrete Gaussian"
        assert marginal.noise.scale**2 == pytest.approx(2 / (2 * float(rho)))


def test_the_certificate_states_epsilon_delta_and_neighbours():
    noisy = noisy_marginals(patients(), [["sex"], []], epsilon="1/3", delta="1e-6")
    stated = noisy.statement()
    assert stated["epsilon"] == "1/3" and stated["delta"] == "1/1000000"
    assert stated["neighbours"] == "add or remove one person"
    assert str(stated["engine"]).startswith("OpenDP ")
    assert [view["columns"] for view in stated["views"]] == [["sex"], []]
    assert "add or remove one person" in str(noisy) and set(noisy.tables) == {"sex", "total"}


def dependent(n=4000):
    """sex says ill, age says nothing."""
    rng = np.random.default_rng(2)
    sexes = rng.choice(list("FM"), n)
    ills = np.where(sexes == "F", "Flu", "Gout")
    return patients(rng.integers(0, 100, n).tolist(), sexes.tolist(), ills.tolist())


def test_the_greedy_choice_is_a_tree_that_finds_what_depends():
    noisy = noisy_marginals(
        dependent(), "greedy", epsilon=5, domains={"age": AGES}, levels={"age": 2}
    )
    views = [m.columns for m in noisy.marginals]
    assert views[:3] == [("age",), ("sex",), ("ill",)]
    assert ("sex", "ill") in views and len(views) == 5


def test_the_greedy_steps_together_cost_no_more_than_the_budget():
    """A third each: the scales say what each step cost."""
    for delta, measure in ((0, "epsilon"), ("1e-6", "rho")):
        noisy = noisy_marginals(
            patients(), "greedy", epsilon=1, delta=delta, domains={"age": AGES}, levels={"age": 2}
        )
        total = noisy.guarantee.epsilon if measure == "epsilon" else noisy.guarantee.rho
        for part in (noisy.marginals[:3], noisy.marginals[3:]):
            scale = Fraction(part[0].noise.scale)
            cost = len(part) / scale if measure == "epsilon" else len(part) / (2 * scale**2)
            assert cost <= total / 3 <= cost * Fraction(1_000_001, 1_000_000)


def test_one_column_is_its_own_tree():
    schema = gy.Schema(quasi_identifiers=["sex"], hierarchies={"sex": SEXES})
    table = gy.read({"sex": list("FMM")}, schema)
    noisy = noisy_marginals(table, "greedy", epsilon=1000)
    assert [m.columns for m in noisy.marginals] == [("sex",)]


@given(
    cells=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=8),
    extra=st.tuples(st.integers(0, 1), st.integers(0, 2)),
    alone=st.tuples(
        st.lists(st.integers(-5, 9), min_size=2, max_size=2),
        st.lists(st.integers(-5, 9), min_size=3, max_size=3),
    ),
)
def test_one_more_person_moves_a_score_by_at_most_one(cells, extra, alone):
    """The sensitivity that the noisy choice relies on."""
    universe = Universe(("a", "b"), (("0", "1"), ("0", "1", "2")))
    public = {"a": np.array(alone[0]), "b": np.array(alone[1])}

    def score(people):
        codes = np.array(people, dtype=np.int32)
        histogram = Histogram(universe, codes, np.ones(len(people), dtype=np.int64))
        return choosing._score(histogram, public, ("a", "b"), 1.5)

    assert abs(score([*cells, extra]) - score(cells)) <= 1
    assert abs(score([*cells[1:], extra]) - score(cells)) <= 2


def test_columns_with_too_many_pairs_stay_alone():
    universe = Universe(("a", "b"), (tuple(map(str, range(2000))), tuple(map(str, range(2000)))))
    histogram = Histogram(universe, np.zeros((1, 2), np.int32), np.ones(1, np.int64))
    pairs = choosing.choose_pairs(
        histogram, {}, Price("epsilon", Fraction(1)), most_changed=1, error=1.0
    )
    assert pairs == []
    with pytest.raises(RuleError, match="4,000,000 cells"):
        universe.check(["a", "b"])


@pytest.fixture
def draws(monkeypatch):
    """How often OpenDP was asked for noise; the real mechanism runs."""
    asked = []
    real = opendp.mod.Measurement.__call__

    def counted(self, argument):
        asked.append(argument)
        return real(self, argument)

    monkeypatch.setattr(opendp.mod.Measurement, "__call__", counted)
    return asked


@pytest.mark.parametrize("accounting", ["sums", "concentrated"])
def test_a_release_beyond_the_budget_is_refused_before_any_noise_is_drawn(
    tmp_path, draws, accounting
):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    account = Account.open(ledger, "patients", epsilon=1, delta="1e-6", accounting=accounting)
    noisy_marginals(patients(), [["sex"]], epsilon="0.1", payer=account)
    assert len(draws) == 1 and len(ledger.spends()) == 1

    with pytest.raises(BudgetError, match="nothing was spent"):
        noisy_marginals(patients(), [["sex"]], epsilon="0.95", payer=account)
    with pytest.raises(BudgetError, match="do not add up"):
        noisy_marginals(
            patients(), [["sex"]], epsilon="0.1", neighbours="change one person", payer=account
        )
    with pytest.raises(RuleError):
        noisy_marginals(patients(), [["height"]], epsilon="0.1", payer=account)
    assert len(draws) == 1 and len(ledger.spends()) == 1


def test_a_concentrated_budget_pays_for_more_small_releases():
    """ε = 1, δ = 1e-6: ten releases of 0.1 by sums, more by ρ, which grows with the square."""
    rho = largest_rho(Fraction(1), Fraction(1, 10**6))
    assert rho // rho_of_epsilon(Fraction(1, 50)) > 100 > 50


def test_an_account_keeps_its_ledger(tmp_path):
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    account = Account.open(ledger, "b", epsilon=1, delta="1e-6", accounting="concentrated")
    again = Account.open(ledger, "b", epsilon=1, delta="1e-6", accounting="concentrated")
    before = again.left["rho"]
    account.pay(Guarantee(Fraction(1, 10), Fraction(0), "add or remove one person"), "spring")
    assert before - again.left["rho"] == pytest.approx(0.005)
    assert ledger.spends("b")[0].note == "spring"
    with pytest.raises(BudgetError, match="no rho"):
        account.pay(Guarantee(Fraction(1, 10), Fraction(1, 10**9), "add or remove one person"))
    with pytest.raises(BudgetError, match="choose"):
        Account.open(ledger, "c", epsilon=1, accounting="loose")
    with pytest.raises(RuleError, match="above 0"):
        Account.open(ledger, "c", epsilon=1, accounting="concentrated")


@pytest.mark.parametrize(
    ("views", "why"),
    [
        ("best", "or 'aim' or 'mst'"),
        (["sex"], "list of columns"),
        ([["sex", "ill"], ["ill", "sex"]], "same columns"),
        ([], "lists of columns"),
        ([["sex", "sex"]], "twice"),
        ([["height"]], "no column 'height'"),
    ],
)
def test_views_that_make_no_sense_are_refused(views, why):
    with pytest.raises(RuleError, match=why):
        noisy_marginals(patients(), views, epsilon=1)


def test_several_values_per_person_are_not_counted_but_their_people_are():
    schema = gy.Schema(
        identifiers=["name"],
        quasi_identifiers=["sex"],
        sensitive="ill",
        hierarchies={"sex": SEXES, "ill": ILLS},
        values_per_person="set",
    )
    rows = {"name": ["A", "A", "B"], "sex": ["F", "F", "M"], "ill": ["Flu", "Gout", "Flu"]}
    table = gy.read(rows, schema)
    assert noisy_marginals(table, [["sex"]], epsilon=1000)[["sex"]].counts.tolist() == [1, 1]
    with pytest.raises(RuleError, match="several values per person"):
        noisy_marginals(table, [["ill"]], epsilon=1000)
