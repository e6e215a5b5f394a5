"""Estimates of population uniqueness against known figures and the models read aloud."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.population_uniqueness import (
    pitman_asymptotic,
    pitman_expected,
    pitman_log_likelihood,
    snb_expected,
)

ADULT = [
    *("sex", "age", "race", "marital-status", "education", "native-country"),
    *("workclass", "occupation", "salary"),
]
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=12)


def groups_of(sizes):
    return gy.Groups.from_lists([["a"] * size for size in sizes])


@pytest.fixture(scope="module")
def adult(real_data):
    rows = pd.read_csv(real_data / "adult.csv.gz", dtype=str)
    rows = rows[(rows["split"] == "train") & ~(rows == "?").any(axis=1)]
    return groups_of(rows.groupby(ADULT).size().tolist())


def test_the_known_figures_of_adult(adult):
    """What ARX's tests expect of the nine columns of the 30,162 complete training rows."""
    n = int(adult.sizes.sum())
    assert len(adult) / n == 0.6465751607983555  # the average prosecutor risk
    assert gy.population_uniqueness(adult, 1) == 0.5142895033485844
    figures = {
        ("pitman", "0.1"): 0.2768,
        ("pitman exact", "0.1"): 0.2760,
        ("zayatz", "0.1"): 0.3207,
        ("zayatz", "0.2"): 0.3577,
        ("pitman", "0.01"): 0.1446,
    }
    for (model, share), known in figures.items():
        found = gy.population_uniqueness(adult, share, model=model)
        assert found == pytest.approx(known, abs=5e-5), (model, share)
    assert gy.population_uniqueness(adult, "0.1") == gy.population_uniqueness(
        adult, "0.1", model="pitman"
    )
    both = [gy.population_uniqueness(adult, "0.2", model=model) for model in ("zayatz", "snb")]
    assert gy.population_uniqueness(adult, "0.2") == min(both)


def one_of(size, n, population):
    """P(exactly one of a group of `size` is among n drawn from the population), exactly."""
    ways = size * math.comb(population - size, n - 1) if population - size >= n - 1 else 0
    return Fraction(ways, math.comb(population, n))


@given(SIZES, st.integers(1, 5))
def test_zayatz_is_bayes_rule_with_the_sample_as_prior(sizes, times):
    n, n_unique = sum(sizes), sizes.count(1)
    population = n * times
    evidence = sum(one_of(size, n, population) for size in sizes)
    expected = Fraction(0)
    if n_unique:
        expected = Fraction(n_unique, n) * n_unique * one_of(1, n, population) / evidence
    found = gy.population_uniqueness(groups_of(sizes), Fraction(1, times), model="zayatz")
    assert found == pytest.approx(float(expected), rel=1e-9)


@given(SIZES, st.floats(0.01, 1e6), st.floats(0.001, 0.999))
def test_pitmans_likelihood_is_the_product_it_says(sizes, theta, alpha):
    expected = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    expected -= sum(math.log(theta + i) for i in range(1, sum(sizes)))
    expected += sum(math.log(i - alpha) for size in sizes for i in range(1, size))
    found = pitman_log_likelihood(
        np.array(sizes), np.ones(len(sizes), dtype=np.int64), theta, alpha
    )
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-6)


@given(st.floats(0.01, 1e5), st.floats(0.001, 0.999), st.integers(1, 3000))
def test_pitmans_expectation_is_the_chance_that_nobody_joins_the_first_person(theta, alpha, n):
    """Of i+1 people, the next one joins a person who is alone with (1-α)/(θ+i+1) [Pitman1995]."""
    alone = math.prod(1 - (1 - alpha) / (theta + i) for i in range(1, n))
    assert pitman_expected(theta, alpha, n) == pytest.approx(alone, rel=1e-9)
    large = pitman_asymptotic(theta, alpha, 1e5 * (theta + 1))
    assert large == pytest.approx(pitman_expected(theta, alpha, 1e5 * (theta + 1)), rel=1e-4)


@pytest.mark.parametrize(
    ("sizes", "share"),
    [([1] * 98 + [2], "0.1"), ([1] * 9_990 + [2] * 5, "0.1"), ([1] * 50 + [2] * 25, "0.5")],
)
def test_the_asymptotic_formula_is_not_used_where_it_is_none(sizes, share):
    """It gave 4.9 and 99.9, told as 100%, and 67% where half of the sample is unique."""
    groups = groups_of(sizes)
    found = gy.population_uniqueness(groups, share, model="pitman")
    assert found == gy.population_uniqueness(groups, share, model="pitman exact")
    assert 0 < found < sizes.count(1) / sum(sizes)


@given(st.floats(0.05, 3), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_slide_negative_binomial_population_is_summed_up_size_by_size(alpha, beta, share):
    """P(size = 1 + x) = C(α+x-1, x) β^α (1-β)^x, and each person is drawn with the share."""
    weight, mean, none, one = beta**alpha, 0.0, 0.0, 0.0
    for x in range(4000):
        size = 1 + x
        mean += size * weight
        none += weight * (1 - share) ** size
        one += weight * size * share * (1 - share) ** (size - 1)
        weight *= (alpha + x) / (x + 1) * (1 - beta)
    n_groups, n_unique, everything = snb_expected(share, 1000.0, alpha, beta)
    assert everything == pytest.approx(1000 / mean)
    assert n_groups == pytest.approx(everything * (1 - none))
    assert n_unique == pytest.approx(everything * one)


def test_a_population_of_the_model_is_found_again():
    """Sizes drawn from the model, a tenth of the people drawn: the estimate is near the truth."""
    rng = np.random.default_rng(3)
    population = 1 + rng.negative_binomial(0.4, 0.2, 60_000)
    drawn = rng.binomial(population, 0.3)
    truth = (population == 1).sum() / population.sum()
    sample = groups_of(drawn[drawn > 0].tolist())
    found = gy.population_uniqueness(sample, "0.3", model="snb")
    assert found == pytest.approx(truth, rel=0.05)


@given(
    SIZES,
    st.sampled_from(["dankar", "pitman", "pitman exact", "zayatz", "snb"]),
    st.integers(1, 50),
)
def test_an_estimate_is_a_share_or_refused(sizes, model, times):
    try:
        found = gy.population_uniqueness(groups_of(sizes), Fraction(1, times), model=model)
    except gy.GygesError as problem:
        assert "choose another" in str(problem)
        assert model in ("pitman", "pitman exact", "snb")
    else:
        assert 0 <= found <= 1
        if times == 1:
            assert found == sizes.count(1) / sum(sizes)


@pytest.mark.parametrize("share", [0, -1, "1.1", "x", None, math.nan, "1e-300", "1e-15"])
def test_a_fraction_that_means_nothing_is_refused(share):
    with pytest.raises(gy.GygesError, match="sampling_fraction"):
        gy.population_uniqueness(groups_of([1, 2]), share)


def test_other_wrong_arguments_are_refused():
    with pytest.raises(gy.GygesError, match="model"):
        gy.population_uniqueness(groups_of([1, 2]), 1, model="bayes")
    with pytest.raises(gy.GygesError):
        gy.population_uniqueness([1, 2], 1)


def test_a_sample_without_uniques_has_none_in_the_population():
    """Of nobody out of nobody a share was asked, where almost everybody is in the sample."""
    share = "0.999999999999999999999999999999"
    assert gy.population_uniqueness(groups_of([3, 2]), share, model="zayatz") == 0
