"""The mechanisms: prices are kept, and the noise is the noise that is stated."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gyges.dp.mechanisms import Change, Guarantee, Price, add_noise, choose_best
from gyges.errors import RuleError
from tests.dp.noise import P_THRESHOLD, discrete_gaussian, discrete_laplace, p_value

ZEROS = np.zeros(1, dtype=np.int64)
prices = st.fractions(Fraction(1, 1000), 20)


@settings(max_examples=30)
@given(epsilon=prices, views=st.integers(1, 9), most=st.sampled_from([1, 2]))
def test_the_laplace_scale_is_the_least_that_the_price_allows(epsilon, views, most):
    """scale = sensitivity/ε, at most a hair larger, never smaller."""
    _, noise = add_noise(ZEROS, Price("epsilon", epsilon), change=Change(most), views=views)
    least = views * most / epsilon
    assert noise.kind == "discrete Laplace"
    assert 1 <= Fraction(noise.scale) / least <= 1 + Fraction(1, 10**12)


@settings(max_examples=30)
@given(rho=prices, views=st.integers(1, 9), most=st.sampled_from([1, 2]))
def test_the_gaussian_scale_is_the_least_that_the_price_allows(rho, views, most):
    """scale² = Δ²/(2ρ), with Δ² the squared change in L2."""
    _, noise = add_noise(ZEROS, Price("rho", rho), change=Change(most), views=views)
    least = views * most / (2 * rho)
    assert noise.kind == "discrete Gaussian"
    assert 1 <= Fraction(noise.scale) ** 2 / least <= 1 + Fraction(1, 10**12)


def test_counts_keep_their_places():
    """With a generous price the noise is 0 but for a chance below 1e-60."""
    counts = np.array([[3, 0], [10**12, 7]])
    noisy, _ = add_noise(counts, Price("epsilon", Fraction(150)), change=Change(1))
    assert noisy.tolist() == [3, 0, 10**12, 7]
    assert choose_best([4, 900, 30], Price("epsilon", Fraction(1)), most_changed=1) == 1


def test_the_stated_deviation_is_that_of_the_distribution():
    x = np.arange(-4000, 4001)
    for scale in (0.3, 2.0, 40.0):
        _, noise = add_noise(
            ZEROS, Price("epsilon", Fraction(1) / Fraction(scale)), change=Change(1)
        )
        variance = (discrete_laplace(x, noise.scale) * x**2).sum()
        assert noise.deviation == pytest.approx(math.sqrt(variance))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distribution", "price"),
    [
        (discrete_laplace, Price("epsilon", Fraction("2"))),
        (discrete_laplace, Price("epsilon", Fraction("0.3"))),
        (discrete_gaussian, Price("rho", Fraction("0.5"))),
        (discrete_gaussian, Price("rho", Fraction("0.02"))),
    ],
    ids=["Laplace, 2", "Laplace, 0.3", "Gauss, 0.5", "Gauss, 0.02"],
)
def test_noise_has_its_distribution(distribution, price):
    noisy, noise = add_noise(np.zeros(40_000, dtype=np.int64), price, change=Change(1))
    assert p_value(noisy, lambda x: distribution(x, noise.scale)) > P_THRESHOLD
    assert p_value(noisy, lambda x: distribution(x, noise.scale * 1.15)) < P_THRESHOLD


@pytest.mark.slow
def test_the_noisy_best_favours_high_scores_no_more_than_its_price():
    """Scores 0 and 1 differ by one person, so the odds stay within e^ε; both are drawn."""
    price = Price("epsilon", Fraction(1))
    firsts = [choose_best([1, 0], price, most_changed=1) for _ in range(1500)].count(0)
    share = firsts / 1500
    slack = 5 * math.sqrt(0.25 / 1500)
    assert 0.5 - slack < share < math.e / (1 + math.e) + slack


def test_a_guarantee_says_what_it_is_about():
    promise = Guarantee(Fraction(1, 2), Fraction(0), "change one person")
    assert "epsilon = 0.5" in str(promise) and "change one person" in str(promise)
    assert promise.change == Change(2, 1)
    assert Guarantee(Fraction(1), Fraction(0), "add or remove one person").change == Change(1, 1)


@pytest.mark.parametrize("wrong", [(0, 0), (-1, 0), (1, 1), (1, -1)])
def test_promises_that_make_no_sense_are_refused(wrong):
    with pytest.raises(RuleError):
        Guarantee(*map(Fraction, wrong), "change one person")
    with pytest.raises(RuleError, match="choose"):
        Guarantee(Fraction(1), Fraction(0), "neighbours")


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=1000))
def test_a_promise_never_looks_smaller_than_it_is(epsilon):
    """With ε = 1.00004 it said "epsilon = 1"."""
    said = str(Guarantee(epsilon, 0, "change one person"))
    shown = Fraction(re.search(r"epsilon = (\S+)", said)[1])
    assert epsilon <= shown <= epsilon * (1 + Fraction(1, 10**5))
