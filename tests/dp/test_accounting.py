"""Composition: plain sums, and OpenDP's tighter accounting."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.dp.accounting import (
    compose_tightly,
    epsilon_of_rho,
    largest_rho,
    lower,
    rho_of_epsilon,
    upper,
)
from gyges.errors import RuleError

amounts = st.fractions(0, 3, max_denominator=1000)


@given(parts=st.lists(st.tuples(amounts, amounts), max_size=5))
def test_guarantees_add_up_exactly(parts):
    assert gy.compose(parts) == (sum(e for e, _ in parts), sum(d for _, d in parts))


def test_lemma_12_in_every_kind_of_number():
    assert gy.compose([("0.5", "1e-6"), (0.25, 0)]) == (Fraction(3, 4), Fraction(1, 10**6))
    assert gy.compose([(0.1, 0)] * 10) == (1, 0)
    assert gy.compose([]) == (0, 0)
    assert gy.compose([(1, "0.9"), (1, "0.9")])[1] == Fraction(9, 5)  # kept, not capped


@pytest.mark.parametrize("wrong", [(-1, 0), (1, "-1e-9"), ("much", 0), (math.inf, 0)])
def test_losses_that_make_no_sense_are_refused(wrong):
    with pytest.raises(RuleError):
        gy.compose([wrong])


def test_many_small_releases_cost_less_than_their_sum():
    """Fifty times 0.1: the sum is 5; concentrated, ρ = 1/4 and ε < 3.6 at δ = 1e-6."""
    tight = compose_tightly([("0.1", 0)] * 50, "1e-6")
    assert tight < Fraction(36, 10)
    # never better than the simple conversion allows by more than its known slack
    assert float(tight) <= 0.25 + 2 * math.sqrt(0.25 * math.log(1e6))


@settings(max_examples=25)
@given(parts=st.lists(st.tuples(amounts, st.sampled_from([0, "1e-9"])), max_size=6))
def test_the_tighter_accounting_never_loses_to_the_sums(parts):
    assert compose_tightly(parts, "1e-6") <= gy.compose(parts)[0]


def test_the_total_delta_must_cover_the_parts():
    assert compose_tightly([(1, "1e-6")], "1e-6") == 1
    with pytest.raises(RuleError, match="add up"):
        compose_tightly([(1, "1e-6"), (1, "1e-6")], "1e-6")


def test_opendp_converts_pure_losses_as_bun_and_steinke_do():
    """ρ = ε²/2, rounded up by no more than a hair."""
    for epsilon in (Fraction(1, 3), Fraction(1), Fraction(5, 2)):
        exact = epsilon**2 / 2
        assert 0 <= rho_of_epsilon(epsilon) - exact <= exact / 10**12


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.1", "1e-9"), ("8", "1e-3")])
def test_the_largest_rho_means_no_more_and_hardly_less(epsilon, delta):
    e, d = Fraction(epsilon), Fraction(delta)
    rho = largest_rho(e, d)
    assert epsilon_of_rho(rho, d) <= e < epsilon_of_rho(rho * Fraction(1001, 1000), d)


def test_concentrated_accounting_needs_a_delta():
    with pytest.raises(RuleError, match="above 0"):
        largest_rho(Fraction(1), Fraction(0))
    with pytest.raises(RuleError, match="larger delta"):
        epsilon_of_rho(Fraction(1), Fraction(0))


@given(number=st.fractions(0, 100))
def test_rounding_goes_the_safe_way(number):
    assert Fraction(lower(number)) <= number <= Fraction(upper(number))
