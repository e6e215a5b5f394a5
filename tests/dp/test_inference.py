"""Fitting one table to noisy marginals, and drawing made-up people from it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gyges as gy
from gyges.dp.inference import fit
from gyges.dp.noisy_marginals import noisy_marginals
from gyges.dp.universe import count
from gyges.errors import EngineError, RuleError


def table(n=3000):
    rng = np.random.default_rng(4)
    sexes = rng.choice(list("FM"), n)
    ills = np.where(rng.random(n) < 0.8, np.where(sexes == "F", "Flu", "Gout"), "Cold")
    towns = rng.choice(["A", "B", "C"], n)
    schema = gy.Schema(
        quasi_identifiers=["sex", "town"],
        sensitive="ill",
        hierarchies={
            "sex": gy.Hierarchy.from_tree(["F", "M"]),
            "town": gy.Hierarchy.from_tree(["A", "B", "C", "D"]),
            "ill": gy.Hierarchy.from_tree(["Cold", "Flu", "Gout"]),
        },
    )
    return gy.read({"sex": sexes.tolist(), "town": towns.tolist(), "ill": ills.tolist()}, schema)


VIEWS = [["sex", "ill"], ["town", "sex"], ["ill"], []]


@pytest.fixture(scope="module")
def fitted():
    return fit(noisy_marginals(table(), VIEWS, epsilon=2))


def test_fitted_views_agree_with_each_other_and_are_nowhere_negative(fitted):
    pairs, towns = fitted.counts(["sex", "ill"]), fitted.counts(["town", "sex"])
    assert (pairs >= 0).all() and (towns >= 0).all()
    assert pairs.sum(axis=1) == pytest.approx(towns.sum(axis=0))
    assert pairs.sum(axis=0) == pytest.approx(fitted.counts(["ill"]))
    assert float(fitted.counts([])) == fitted.total == pytest.approx(pairs.sum())


def test_the_fit_is_nearer_to_the_truth_than_its_noise_allows_to_doubt(fitted):
    exact = count(table(), ["sex", "ill"]).of(["sex", "ill"])
    deviation = fitted.noisy.marginals[0].noise.deviation
    assert np.abs(fitted.counts(["sex", "ill"]) - exact).max() < 8 * deviation
    assert fitted.total == pytest.approx(3000, abs=8 * deviation)


def test_views_that_were_not_measured_follow_from_those_that_were(fitted):
    unmeasured = fitted.counts(["town", "ill"])
    assert unmeasured.shape == (4, 3) and unmeasured.sum() == pytest.approx(fitted.total)


def test_made_up_people_look_like_the_fit(fitted):
    rows = fitted.synthetic(rng=np.random.default_rng(1))
    assert rows.column_names == ["sex", "town", "ill"] and rows.num_rows == round(fitted.total)
    drawn = np.array(
        [
            [
                sum(
                    a == s and b == i
                    for a, b in zip(
                        *(rows.column(c).to_pylist() for c in ("sex", "ill")), strict=True
                    )
                )
                for i in ("Cold", "Flu", "Gout")
            ]
            for s in "FM"
        ]
    )
    assert np.abs(drawn - fitted.counts(["sex", "ill"])).max() < 30


def test_made_up_people_are_repeatable_and_leave_other_generators_alone(fitted):
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    one = fitted.synthetic(50, rng=np.random.default_rng(9))
    assert np.random.random() == expected  # noqa: NPY002
    assert one.equals(fitted.synthetic(50, rng=np.random.default_rng(9)))
    assert one.num_rows == 50


def test_the_fitted_tables_have_the_names_of_the_noisy_ones(fitted):
    assert set(fitted.tables) == set(fitted.noisy.tables) == {"sex-ill", "town-sex", "ill", "total"}


def test_a_public_number_of_people_is_kept():
    noisy = noisy_marginals(table(), [["ill"]], epsilon=1, neighbours="change one person")
    assert fit(noisy, sweeps=50).total == 3000


def test_what_the_marginals_do_not_speak_of_is_refused():
    noisy = noisy_marginals(table(), [["ill"], []], epsilon=1)
    alone = fit(noisy, sweeps=50)
    with pytest.raises(RuleError, match="sex"):
        alone.counts(["sex"])
    counted = noisy_marginals(table(), [[]], epsilon=1)
    assert fit(counted).total == max(1, int(counted.marginals[0].counts))


def test_a_missing_engine_says_how_to_install_it(monkeypatch):
    noisy = noisy_marginals(table(), [["ill"]], epsilon=1)
    assert fit(noisy).total > 0  # needs no engine
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(EngineError, match="gyges\\[dp\\]"):
        noisy_marginals(table(), [["ill"]], epsilon=1)


def test_hardly_any_noise_is_fitted_too():
    """The deviation of Laplace noise with ε = 10,000 is 0 as a double: it was divided by."""
    noisy = noisy_marginals(table(), [["sex", "ill"], ["ill"]], epsilon=20_000)
    assert noisy.marginals[0].noise.deviation == 0
    exact = count(table(), ["sex", "ill"]).of(["sex", "ill"])
    assert fit(noisy).counts(["sex", "ill"]) == pytest.approx(exact, abs=0.5)
