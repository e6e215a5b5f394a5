"""Facts that the attacker doubts: Jeffrey's rule, and the nearest distribution over all worlds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import gyges as gy
from gyges.adversaries.doubtful_knowledge import doubtful_probability, fact_of
from gyges.errors import ImpossibleKnowledgeError, SentenceError
from tests import strategies
from tests.adversaries.test_sentences import sentences
from tests.oracles import sentences as oracle
from tests.oracles import worlds

SHARES = [Fraction(i, 10) for i in range(1, 10)]


@st.composite
def questions(draw, n_facts):
    """(groups, all worlds, statement, facts with their sentences as the oracle reads them)."""
    kind = draw(st.sampled_from(["one", "set", "multiset"]))
    made = strategies.people_and_values(kind, max_groups=2, max_people=3, max_values=3)
    values, people, _ = draw(made.filter(lambda made: made[0][0]))
    groups = gy.Groups.from_lists(values, people=people, values_per_person=kind)
    listed = [
        {f"{group + 1}.{person + 1}": held for (group, person), held in world.items()}
        for world in worlds.worlds(values, people, kind)
    ]
    asked = sentences(sorted(listed[0]), groups.values)
    facts = [draw(asked) for _ in range(n_facts)]
    return groups, listed, draw(asked), facts


@given(questions(1), st.sampled_from(SHARES), st.sampled_from(SHARES))
@settings(max_examples=200)
def test_one_doubtful_fact_is_jeffreys_rule(question, one, other):
    """p · P(A | E) + (1 - p) · P(A | not E), with the end of an interval that is nearest."""
    groups, listed, statement, [fact] = question
    low, high = min(one, other), max(one, other)
    text = f"with {low} to {high}: {oracle.text(fact)}"
    prior = worlds.probability(listed, lambda world: oracle.is_true(fact, world))
    p = min(max(prior, low), high)
    if prior in (0, 1):
        with pytest.raises(ImpossibleKnowledgeError):
            doubtful_probability(groups, oracle.text(statement), [text])
        return
    expected = sum(
        share
        * worlds.probability(
            listed,
            lambda world: oracle.is_true(statement, world),
            lambda world, is_so=is_so: oracle.is_true(fact, world) == is_so,
        )
        for share, is_so in ((p, True), (1 - p, False))
    )
    found = doubtful_probability(groups, oracle.text(statement), [text])
    assert found.probability == expected and found.is_exact


@given(questions(2), st.sampled_from(SHARES), st.sampled_from(SHARES), st.booleans())
@settings(max_examples=60)
def test_several_facts_give_the_nearest_distribution(question, one, other, is_interval):
    """Against a general minimizer of the relative entropy over the worlds themselves."""
    groups, listed, statement, facts = question
    truths = np.array([[oracle.is_true(f, w) for w in listed] for f in facts], dtype=float)
    asked = np.array([oracle.is_true(statement, w) for w in listed], dtype=float)
    assume(all(0 < row.mean() < 1 for row in truths) and len(listed) <= 40)
    bounds = [(one, one), (other, 1)] if is_interval else [(one, one), (other, other)]
    texts = [
        f"with {low} to {high}: {oracle.text(fact)}"
        for (low, high), fact in zip(bounds, facts, strict=True)
    ]
    try:
        found = doubtful_probability(groups, oracle.text(statement), texts)
    except ImpossibleKnowledgeError:
        assert not _is_feasible(truths, bounds)
        return
    assert found.off_by < Fraction(1, 10**9)
    assert float(found.probability) == pytest.approx(_nearest(truths, bounds) @ asked, abs=1e-4)


def _nearest(truths, bounds):
    n = truths.shape[1]
    limits = [{"type": "eq", "fun": lambda q: q.sum() - 1}]
    for row, (low, high) in zip(truths, bounds, strict=True):
        limits.append({"type": "ineq", "fun": lambda q, r=row, b=float(low): r @ q - b})
        limits.append({"type": "ineq", "fun": lambda q, r=row, b=float(high): b - r @ q})
    done = minimize(
        lambda q: (q * np.log(np.maximum(q, 1e-12) * n)).sum(),
        np.full(n, 1 / n),
        bounds=[(0, 1)] * n,
        constraints=limits,
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assume(done.success)
    return done.x


def _is_feasible(truths, bounds):
    """Whether some distribution in which every world has a share has these probabilities."""
    from scipy.optimize import linprog

    n = truths.shape[1]
    upper = np.vstack([truths, -truths])
    limit = np.array([float(b) for _, b in bounds] + [-float(a) for a, _ in bounds])
    done = linprog(np.zeros(n), upper, limit, np.ones((1, n)), [1], bounds=[(1e-7, 1)] * n)
    return done.status == 0


def test_facts_about_separate_groups_are_exact():
    groups = gy.Groups.from_lists([["a", "b", "b"], ["a", "a", "c"]])
    found = doubtful_probability(
        groups, "1.1 = a or 2.1 = a", ["with 0.9: 1.1 = a", "with 1/4 to 1/2: 2.1 = a"]
    )
    assert found.probability == 1 - Fraction(1, 10) * Fraction(1, 2) and found.is_exact


def test_certain_facts_are_given_and_false_ones_denied():
    groups = gy.Groups.from_lists([["a", "b", "b", "c"]])
    found = doubtful_probability(groups, "1.1 = a", ["1.1 != c", "with 0: 1.1 = b"])
    assert found.probability == 1 and found.is_exact


@pytest.mark.parametrize(
    ("facts", "error", "hint"),
    [
        (["with 1.2: 1.1 = a"], SentenceError, "between 0 and 1"),
        (["with x: 1.1 = a"], SentenceError, "'x'"),
        (["with 0.9 to 0.1: 1.1 = a"], SentenceError, "exchange"),
        (["with 0.5: 1.1 = a", "with 0.6: 1.1 = a"], ImpossibleKnowledgeError, "contradict"),
        (["with 0.9: 1.1 = a", "with 0.9: 1.1 = b"], ImpossibleKnowledgeError, "contradict"),
        (["with 0.5: 1.1 = a or 1.1 != a"], ImpossibleKnowledgeError, "in every world"),
        ([f"with 0.5: 1.1 = a or 1.{i} = a" for i in range(2, 11)], SentenceError, "at most 8"),
        (["1.1 = a and 1.1 = b"], ImpossibleKnowledgeError, "no world"),
    ],
)
def test_what_nobody_can_believe_is_refused(facts, error, hint):
    groups = gy.Groups.from_lists([["a", "b", "b", "c", *"aabbccd"]])
    with pytest.raises(error, match=hint):
        doubtful_probability(groups, "1.1 = a", facts)


def test_a_fact_is_read_with_its_probability():
    assert (fact_of("with 0.7: a = b").low, fact_of("with 0.7: a = b").high) == (
        Fraction(7, 10),
    ) * 2
    assert fact_of("with = b").low == 1  # somebody called `with`


def test_facts_that_leave_some_worlds_no_share_are_believed():
    """Exactly one person has it; 1.1 with 0.1 and 1.2 with 0.9 leave nothing for 1.3."""
    groups = gy.Groups.from_lists([["a"]], people=[3], values_per_person="set")
    found = doubtful_probability(groups, "1.3 = a", ["with 0.1: 1.1 = a", "with 0.1: 1.2 != a"])
    assert found.probability == 0 and found.off_by < Fraction(1, 10**12)
