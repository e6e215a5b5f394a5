"""What differential privacy means: the paper's bounds against beliefs that are computed."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gyges as gy
from gyges.dp.semantics import conditional_closeness, meaning_of_noise
from gyges.errors import RuleError
from tests.oracles import semantics

weights = st.integers(1, 30)
rare_weights = st.one_of(st.just(0), st.integers(1, 3), st.integers(1, 1000))


def shares(numbers):
    return [n / sum(numbers) for n in numbers]


@st.composite
def mechanisms(draw, people=2, outputs=3, weight=weights):
    """A mechanism over all databases of 0s and 1s, and a belief about the database."""
    databases = list(itertools.product((0, 1), repeat=people))
    table = {
        d: shares(draw(st.lists(weight, min_size=outputs, max_size=outputs).filter(any)))
        for d in databases
    }
    return table, shares(draw(st.lists(weights, min_size=len(table), max_size=len(table))))


@given(made=mechanisms())
def test_beliefs_never_change_by_more_than_the_tight_value(made):
    """Also a proof read aloud of Proposition 15, whose bound is the larger one."""
    mechanism, prior = made
    epsilon = semantics.least_epsilon(mechanism)
    meant = gy.semantic_privacy(epsilon=epsilon, delta=0, people=2)

    for output in range(3):
        change = semantics.largest_change(mechanism, prior, output)
        assert change <= meant.tight + 1e-12 <= meant.bound + 2e-12


@given(made=mechanisms(people=1))
def test_one_person_alone_has_a_tight_value_of_their_own(made):
    mechanism, prior = made
    epsilon = semantics.least_epsilon(mechanism)
    tight = gy.semantic_privacy(epsilon=epsilon, delta=0, people=1).tight

    for output in range(3):
        assert semantics.largest_change(mechanism, prior, output) <= tight + 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.log(3), 4.0])
def test_the_tight_value_is_attained_by_a_noisy_exclusive_or(epsilon):
    """Errata G10: prior 1/2, 1/2 on (1,0) and (1,1); at e^ε = 3 it is 1/2, the bound is 2."""
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    mechanism = {
        d: [keep, 1 - keep] if d[0] ^ d[1] else [1 - keep, keep]
        for d in itertools.product((0, 1), repeat=2)
    }
    prior = [0.5 if d[0] == 1 else 0.0 for d in mechanism]

    change = semantics.largest_change(mechanism, prior, 0)
    assert change == pytest.approx(gy.semantic_privacy(epsilon, 0, 2).tight)


@given(made=mechanisms(weight=rare_weights), epsilon=st.floats(0.01, 2))
def test_theorem_16_holds_with_its_constant(made, epsilon):
    """Except with probability δ' over database and output, beliefs change by at most ε'."""
    mechanism, prior = made
    pairs = [(mechanism[a], mechanism[b]) for a, b in semantics.neighbours(mechanism)]
    delta = semantics.least_delta(pairs, epsilon)
    assume(0 < delta < 1)
    meant = gy.semantic_privacy(epsilon=epsilon, delta=delta, people=2)

    failing = 0.0
    for output in range(3):
        mass = sum(b * p[output] for b, p in zip(prior, mechanism.values(), strict=True))
        if mass > 0 and semantics.largest_change(mechanism, prior, output) > meant.epsilon + 1e-9:
            failing += mass
    assert failing <= meant.delta + 1e-9


@st.composite
def joints(draw):
    """Two joint distributions over 2 × 3 outcomes, near each other more often than not."""
    numbers = draw(st.lists(rare_weights, min_size=6, max_size=6).filter(any))
    factors = draw(st.lists(st.sampled_from([0.25, 0.5, 1, 1, 2, 4]), min_size=6, max_size=6))
    first = shares(numbers)
    assume(sum(n * f for n, f in zip(numbers, factors, strict=True)) > 0)
    second = shares([n * f for n, f in zip(numbers, factors, strict=True)])
    return first, second


@given(made=joints(), epsilon=st.floats(0.05, 2))
def test_lemma_19_holds_with_the_safe_constant(made, epsilon):
    one, other = made
    delta = semantics.least_delta([(one, other), (other, one)], epsilon)
    assume(0 < delta < 1)
    lemma = conditional_closeness(epsilon, delta)
    masses = semantics.bad_outputs(
        [one[:3], one[3:]], [other[:3], other[3:]], lemma.epsilon, lemma.delta
    )
    assert max(masses) <= lemma.delta_safe + 1e-9


def test_lemma_19_as_printed_is_too_small():
    """Errata G11: e^ε = 4, δ = 0.01, and an output of mass 0.166 above the printed 0.1036."""
    epsilon = math.log(4)
    q = [[0.951, 0.039], [0.0, 0.01]]
    p = [[0.834, 0.166], [0.0, 0.0]]
    flat = [[*q[0], *q[1]], [*p[0], *p[1]]]
    delta = semantics.least_delta([tuple(flat), tuple(reversed(flat))], epsilon)
    assert delta <= 0.01 + 1e-12

    lemma = conditional_closeness(epsilon, 0.01)
    masses = semantics.bad_outputs(p, q, lemma.epsilon, lemma.delta)
    assert masses[0] == pytest.approx(0.166)
    assert lemma.delta_printed < masses[0] <= lemma.delta_safe
    assert lemma.delta_printed == pytest.approx(0.1036, abs=1e-4)


def test_the_formulas_are_those_of_the_paper():
    meant = gy.semantic_privacy(epsilon="0.1", delta="1e-6", people=100)
    assert meant.epsilon == pytest.approx(math.exp(0.3) - 1 + 2e-3)
    assert meant.delta == pytest.approx(100 * (1e-3 + 2e-6 / (0.1 * math.exp(0.1))))
    assert meant.tight is None and meant.bound is None
    strict = gy.semantic_privacy(epsilon=0.1, delta=0, people=100)
    assert (strict.epsilon, strict.delta) == (pytest.approx(math.exp(0.3) - 1), 0)
    assert strict.bound == pytest.approx(math.exp(0.1) - 1)
    assert gy.semantic_privacy(0, 0, 5).epsilon == gy.semantic_privacy(0, 0, 5).tight == 0


def test_without_epsilon_a_delta_says_nothing():
    """Errata G12."""
    assert gy.semantic_privacy(epsilon=0, delta="1e-9", people=10).delta == math.inf
    assert conditional_closeness(0, "1e-9").delta_safe == math.inf
    assert conditional_closeness(0, 0).delta_safe == 0


def test_enormous_epsilons_are_infinite_not_an_overflow():
    assert gy.semantic_privacy(epsilon=1000, delta=0, people=3).epsilon == math.inf
    assert gy.semantic_privacy(epsilon="1e299", delta="0.1", people=3).epsilon == math.inf


def average_changes(mechanism, prior, default=0):
    """For each person, (probability, change of belief) of every output, by enumeration."""
    databases = list(mechanism)
    for i in range(len(databases[0])):
        without = [(*d[:i], default, *d[i + 1 :]) for d in databases]
        found = []
        for output in range(len(mechanism[databases[0]])):
            mass = sum(b * mechanism[d][output] for b, d in zip(prior, databases, strict=True))
            real = semantics.posterior(prior, [mechanism[d][output] for d in databases])
            hidden = semantics.posterior(prior, [mechanism[d][output] for d in without])
            if mass > 0:
                found.append((mass, semantics.difference(real, hidden)))
        yield found


@given(made=mechanisms(outputs=4, weight=rare_weights), epsilon=st.floats(0.001, 2))
def test_beliefs_change_on_average_and_rarely_as_stated(made, epsilon):
    """(a) of the module, for each person: by enumeration of databases and outputs."""
    mechanism, prior = made
    pairs = [(mechanism[a], mechanism[b]) for a, b in semantics.neighbours(mechanism)]
    delta = semantics.least_delta(pairs, epsilon)
    assume(0 < delta < 1)
    meant = gy.semantic_privacy(epsilon=epsilon, delta=delta, people=2)

    for found in average_changes(mechanism, prior):
        limit = math.tanh(epsilon / 2)
        beyond = sum(mass * max(change - limit, 0) for mass, change in found)
        assert beyond <= delta * (2 + math.exp(epsilon)) + 1e-9
        assert sum(mass * change for mass, change in found) <= meant.average + 1e-9
        assert sum(mass for mass, change in found if change > meant.usual + 1e-9) <= 0.01 + 1e-9


@given(made=mechanisms(outputs=4))
def test_beliefs_change_on_average_by_no_more_than_rho_allows(made):
    """(b) and (c): ρ is the least with D_α <= αρ on a fine grid of α, and a little more."""
    mechanism, prior = made
    pairs = [(mechanism[a], mechanism[b]) for a, b in semantics.neighbours(mechanism)]
    orders = [1 + 1.15**step for step in range(-60, 60)]
    rho = 1.2 * max(
        semantics.divergence(*pair, order) / order for pair in pairs for order in orders
    )
    delta = 1e-9
    epsilon = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    meant = gy.semantic_privacy(epsilon=epsilon, delta=delta, people=2, rho=rho)
    assert meant.average <= math.sqrt(rho / 2) + 1e-12

    for found in average_changes(mechanism, prior):
        assert sum(mass * change for mass, change in found) <= meant.average + 1e-9
        assert sum(mass for mass, change in found if change > meant.usual + 1e-9) <= 0.01 + 1e-9


def test_delta_moves_a_belief_that_epsilon_alone_would_not():
    """A release that reveals a person with probability δ: the average reaches half of (a)'s δ."""
    delta = 0.25
    mechanism = {(0,): [1.0, 0.0], (1,): [1 - delta, delta]}
    [found] = average_changes(mechanism, [0.5, 0.5])
    moved = sum(mass * change for mass, change in found)
    assert delta / 4 < moved <= gy.semantic_privacy(0, delta, people=2).average


def test_the_statement_is_not_vacuous_for_any_number_of_people():
    """Theorem 16 gives a delta far above 1 here."""
    meant = gy.semantic_privacy(1, "1e-6", people=10**6, rho="0.0155")
    assert meant.delta > 1
    assert meant.average < 0.09 and meant.usual < 0.42 < math.tanh(0.5) < 0.463


def test_the_meaning_is_said_in_words():
    assert "within 0.04996 of" in str(gy.semantic_privacy(0.1, 0, 100))
    said = str(gy.semantic_privacy(1, "1e-6", 10**6, rho="0.0155"))
    assert "by at most 0.08804 on average, and by more than 0.4" in said
    assert "with a probability of at most 1 %" in said
    assert "no delta it would never change by more than 0.4622" in said
    assert "at most 1 %" not in str(gy.semantic_privacy(3, "1e-3", 10**6))
    assert "promises nothing" in str(gy.semantic_privacy(3, "0.5", 10**6))


@pytest.mark.parametrize("wrong", [(-1, 0, 5), (1, -1, 5), ("x", 0, 5), (1, 0, 0), (1, 0, 2.5)])
def test_bad_input_is_refused(wrong):
    with pytest.raises(RuleError):
        gy.semantic_privacy(*wrong)


def test_the_meaning_is_about_tables_of_any_size():
    assert "within 0.4622" in meaning_of_noise(1, 0)
    assert "within 0.4622" in meaning_of_noise(1, 0, "0.5")
    assert "any one row had not" in meaning_of_noise(1, "1e-6", "0.01", rows_are_people=True)


def test_a_bound_for_a_removed_person_holds_for_each_noisy_count_and_belief():
    """The person is in one of two cells, by any belief; the noise is drawn for ε = 1."""
    share = math.exp(-1.0)

    def chance(noise):
        return (1 - share) / (1 + share) * share ** abs(noise)

    worst = 0.0
    for prior in (n / 50 for n in range(1, 50)):
        for one, other in itertools.product(range(-4, 5), repeat=2):
            first = prior * chance(one - 1) * chance(other)
            second = (1 - prior) * chance(one) * chance(other - 1)
            worst = max(worst, abs(first / (first + second) - prior))
    assert math.tanh(1 / 4) < worst <= math.tanh(1 / 2)


def test_noise_changes_what_other_releases_reveal_by_no_more_than_it_promises():
    """Who has y, of A and B (young) and C (old), is known to be one of three: a grouped release
    shows {x, x, y}. All posteriors of this attacker who also sees noisy counts of age and value,
    against what they would be if one person's row had not been counted: by enumeration.
    """
    epsilon = 1.0
    promised = gy.semantic_privacy(epsilon="1", delta=0, people=3).tight
    young, worlds = [True, True, False], list(range(3))
    outputs = np.array(list(itertools.product(range(-6, 9), repeat=2)))

    def likelihood(has_y, left_out):
        """Of every pair of noisy counts of the young, with x and with y."""
        there = [i for i in range(3) if i != left_out and young[i]]
        counts = np.array([sum(i != has_y for i in there), sum(i == has_y for i in there)])
        return np.exp(-epsilon * np.abs(outputs - counts).sum(axis=1))

    def beliefs(left_out=None):
        each = np.array([likelihood(has_y, left_out) for has_y in worlds])
        return each / each.sum(axis=0)

    change = max(
        float(np.abs(beliefs() - beliefs(person)).sum(axis=0).max() / 2) for person in range(3)
    )
    assert 0.2 < change <= promised
