"""What is certain of a group: against enumeration, also where the exact way is closed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.belief_knowledge import knowledge_of
from gyges.adversaries.certain_gains import BOUNDED, ESTIMATED, EXACT, certain_gains
from gyges.adversaries.member_groups import members_of_groups
from gyges.kernels.conditional_bounds import conditional_bounds
from gyges.kernels.permanent import given_totals
from gyges.release.groups_of_cells import groups_of_cells
from tests.oracles import beliefs as oracle

VALUES = ["a", "b", "c"]


@st.composite
def people(draw, most=7):
    """A few people on a line with their values."""
    n = draw(st.integers(2, most))
    ages = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    held = draw(st.lists(st.sampled_from(VALUES), min_size=n, max_size=n))
    return ages, held


def in_one_group(ages, held):
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    table = gy.read({"age": ages, "disease": held}, schema)
    return table, groups_of_cells(table.cells, np.zeros(len(table.cells), dtype=np.int64))


def largest_gain(ages, held, bandwidth):
    """Priors as double loops, posteriors by enumeration, nothing of gyges."""
    span = max(ages) - min(ages) or 1
    domain = sorted(set(held))
    rows = [(age,) for age in ages]
    prior = oracle.priors(rows, held, domain, [lambda x, y: abs(x - y) / span], [bandwidth])
    after = oracle.posterior(prior, [domain.index(value) for value in held])
    return max(oracle.jensen_shannon(p, q) for p, q in zip(prior, after, strict=True))


@pytest.mark.filterwarnings("ignore:everyone has the same value")
@given(
    made=people(),
    bandwidth=st.sampled_from([0.3, 0.7, 1.5]),
    exact_states=st.sampled_from([0, 4, 12, 1 << 20]),
    t=st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.3]),
)
@settings(max_examples=300)
def test_nothing_is_called_certain_that_enumeration_refutes(made, bandwidth, exact_states, t):
    ages, held = made
    table, groups = in_one_group(ages, held)
    knowledge = knowledge_of(table.cells, str(bandwidth))
    expected = largest_gain(ages, held, bandwidth)
    crowd = members_of_groups(groups)
    for enough in (None, t):
        found = certain_gains(crowd, knowledge, t, enough=enough, exact_states=exact_states)
        how, gain = int(found.how[0]), float(found.largest[0])
        if how == EXACT:
            assert abs(gain - expected) < 1e-10
        if how == BOUNDED:
            assert expected <= gain <= max(t, enough or 0.0)
        if exact_states >= 1 << 20:
            assert how != ESTIMATED


@st.composite
def choices(draw, most=7):
    """Probabilities of people with several values each, some impossible, and what was taken."""
    m, n = draw(st.integers(2, 4)), draw(st.integers(2, most))
    numbers = st.sampled_from([0, 0, 1, 2, 5, 30])
    rows = draw(st.lists(st.lists(numbers, min_size=m, max_size=m), min_size=n, max_size=n))
    taken = draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    for row, value in zip(rows, taken, strict=True):
        row[value] += draw(st.integers(1, 5))
    present = sorted(set(taken))
    q = np.array(rows, dtype=float)[:, present]
    return q / q.sum(axis=1, keepdims=True), [present.index(value) for value in taken]


@given(made=choices())
@settings(max_examples=300)
def test_bounds_agree_with_all_arrangements(made):
    q, taken = made
    expected = np.array(oracle.posterior(q.tolist(), taken), dtype=float)
    people, totals = np.ones(len(q), dtype=np.int64), np.bincount(taken)
    low, high = conditional_bounds(q, people, totals)
    assert (low <= expected + 1e-14).all() and (expected <= high + 1e-14).all()  # nor no number


@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.3, 0.6]))
@settings(max_examples=60)
def test_people_who_are_alike_and_larger_groups_lie_within_their_bounds(seed, share):
    rng = np.random.default_rng(seed)
    r, m = int(rng.integers(2, 12)), int(rng.integers(2, 5))
    people = rng.integers(1, 4, r)
    q = rng.dirichlet(np.ones(m), r) * (rng.random((r, m)) >= share)
    held = rng.integers(0, m, people.sum())
    q[np.repeat(np.arange(r), people), held] += 0.2
    present = np.unique(held)
    q = np.ascontiguousarray(q[:, present] / q[:, present].sum(axis=1, keepdims=True))
    totals = np.bincount(held)[present]
    exact, _ = given_totals(q, people, totals)
    low, high = conditional_bounds(q, people, totals)
    assert (low <= exact + 1e-13).all() and (exact <= high + 1e-13).all()


def test_a_large_group_of_people_of_a_few_kinds_is_bounded_closely():
    """600 people, 14 values: 10^23 states, and the bound is within a thousandth of an estimate."""
    rng = np.random.default_rng(5)
    kinds = rng.dirichlet(np.full(14, 5.0), 40)
    people, totals = np.full(40, 15), np.full(14, 43)
    totals[:2] -= 1
    low, high = conditional_bounds(kinds, people, totals)
    assert (high - low).max() < 0.03
    scaled = gy.posterior_beliefs(
        np.repeat(kinds, 15, axis=0),
        np.zeros(600, dtype=int),
        np.repeat(np.arange(14), totals),
        "refined",
    )[::15]
    assert (low <= scaled + 1e-4).all() and (scaled <= high + 1e-4).all()
