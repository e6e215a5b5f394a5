"""What membership tests find: never more than the promise, and most of it where it is tight.

`make audit-noise` runs the same with many more runs.
"""

from __future__ import annotations

import itertools
import math
import os
from fractions import Fraction

import numpy as np
import pytest

import gyges as gy
from gyges.dp.accounting import epsilon_of_rho
from gyges.dp.mechanisms import Price, choose_best
from tests.dp.membership import PRICES, best_bound, choices, counts_with_noise, releases
from tests.dp.noise import P_THRESHOLD

RUNS = int(os.environ.get("GYGES_NOISE_RUNS", "1000"))
DELTA = 1e-3

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("most_changed", [1, 2])
def test_laplace_noise_leaks_at_most_its_epsilon_and_most_of_it(most_changed):
    seen = best_bound(*counts_with_noise(PRICES["Laplace"], most_changed, 10 * RUNS))
    assert 0.35 < seen <= 1.0


@pytest.mark.parametrize("most_changed", [1, 2])
def test_gaussian_noise_leaks_at_most_what_rho_means(most_changed):
    promised = float(epsilon_of_rho(Fraction(1, 8), Fraction(DELTA)))
    seen = best_bound(*counts_with_noise(PRICES["Gauss"], most_changed, 10 * RUNS), delta=DELTA)
    assert 0.25 * promised < seen <= promised


def test_a_choice_leaks_at_most_its_epsilon():
    seen = best_bound(*choices(PRICES["Laplace"], RUNS))
    assert 0 < seen <= 1.0


def test_a_test_that_finds_too_little_noise_says_so():
    """The auditor is not blind: noise for ε = 2 is refuted as noise for ε = 1."""
    seen = best_bound(*counts_with_noise(Price("epsilon", Fraction(2)), 1, 10 * RUNS))
    assert seen > 1.0


def tables():
    """One person more or less in a cell that is empty otherwise."""
    columns = {"sex": ["F"] * 12, "ill": ["Flu"] * 6 + ["Cold"] * 6}
    schema = gy.Schema(quasi_identifiers=["sex"], sensitive="ill")
    more = {"sex": [*columns["sex"], "M"], "ill": [*columns["ill"], "Gout"]}
    return gy.read(more, schema), gy.read(columns, schema)


@pytest.mark.parametrize("views", [[["sex", "ill"]], "mst", "aim"])
@pytest.mark.parametrize("delta", [0, "1e-3"])
def test_whole_releases_leak_at_most_their_epsilon(views, delta):
    """The statistic adds up what every view shows of the person's cell, weighted by its noise."""
    domains = {"sex": ["F", "M"], "ill": ["Cold", "Flu", "Gout"]}

    def publish(table):
        return gy.publish(table, method="dp", epsilon=3, delta=delta, views=views, domains=domains)

    def statistic(release):
        return sum(
            m.counts[
                tuple(
                    m.labels[i].index({"sex": "M", "ill": "Gout"}[c])
                    for i, c in enumerate(m.columns)
                )
            ]
            / m.noise.deviation**2
            for m in release.noisy.marginals
        )

    seen = best_bound(*releases(publish, tables(), statistic, RUNS // 50), delta=float(delta))
    assert seen <= 3.0


def permute_and_flip(scores, epsilon):
    """In random order each is accepted with probability exp(ε (score - best)/2): the first wins."""
    accepted = [math.exp(epsilon * (score - max(scores)) / 2) for score in scores]
    law, orders = [0.0] * len(scores), list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for place in order:
            law[place] += left * accepted[place] / len(orders)
            left *= 1 - accepted[place]
    return np.array(law)


def exponential_mechanism(scores, epsilon):
    """P(i) ∝ exp(ε score/2)."""
    law = np.exp(epsilon * np.array(scores) / 2)
    return law / law.sum()


@pytest.mark.parametrize(
    ("price", "law"),
    [
        (Price("epsilon", Fraction(1)), permute_and_flip([3, 1, 0], 1.0)),
        (Price("rho", Fraction(1, 8)), exponential_mechanism([3, 1, 0], 1.0)),
    ],
    ids=["epsilon", "rho"],
)
def test_a_choice_has_its_exact_law(price, law):
    """With ρ it is the exponential mechanism of ε = √(8ρ), with ε permute-and-flip."""
    draws = [choose_best([3, 1, 0], price, most_changed=1) for _ in range(RUNS)]
    expected = RUNS * law
    statistic = ((np.bincount(draws, minlength=3) - expected) ** 2 / expected).sum()
    assert math.exp(-statistic / 2) > P_THRESHOLD  # chi-squared with 2 degrees of freedom
