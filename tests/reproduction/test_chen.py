"""[Chen2009]: what must hold of its figures and tables, on small runs; and the parts they need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from reproduction import chen_merging
from reproduction.c45 import grow, predict
from reproduction.chen_merging import Part
from reproduction.chen_program import by_five_minima, by_program
from tests.oracles.dimensions import breaches_by_program
from tests.reproduction.reruns import said


def test_the_example_of_tom_holds():
    outcome = said("chen-1")
    assert outcome.n_held == 3 and "2/3" in outcome.findings.statements[-1].measured


def test_both_ways_to_check_safety_give_the_same_answer():
    """The times are measured elsewhere: here they would depend on who else is at work."""
    statements = said("chen-6").findings.statements
    assert statements[0].says.startswith("Both algorithms") and statements[0].held


@given(
    counts=st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=3),
    l=st.integers(0, 3),
    k=st.integers(0, 2),
    m=st.integers(0, 2),
)
@settings(max_examples=60)
def test_program_and_minima_agree_with_gyges_and_with_the_slow_program(counts, l, k, m):
    held = [group for group in counts if sum(group)]
    if not any(group[0] for group in held):
        return
    values = [[v for v, n in enumerate(group) for _ in range(n)] for group in held]
    exact = gy.breach(gy.Groups.from_lists(values), value=0, l=l, k=k, m=m).probability
    slow = breaches_by_program(values, [len(group) for group in values], "one", 0, l, k, m)
    table = np.array(held, dtype=np.int64)
    assert exact == slow[k, m]
    for check in (by_program, by_five_minima):
        assert 1 / (1 + check(table, 0, l, k, m)) == pytest.approx(float(exact), rel=1e-12)


def test_a_diverse_release_of_adult_is_unsafe_where_the_paper_says_so(real_data):
    """Equivalence to (c, l)-diversity, five people, the witness, and the point (2, 1, 3)."""
    outcome = said("chen-table-2")
    assert outcome.n_held == 3 and not outcome.failed
    (found,) = [one for one in outcome.findings.statements if one.says.endswith("five individuals")]
    assert found.measured.endswith("with probability 1. Counted over all worlds: 1.")
    (points,) = [one for one in outcome.findings.statements if one.where == "Table 2"]
    assert points.measured.startswith("6 of the paper's 7 points")


def test_what_knowledge_costs_on_adult_and_per_value(real_data):
    assert not said("chen-8").failed
    assert not said("chen-table-3").failed


@pytest.mark.slow
def test_what_a_tree_learns_from_nursery(real_data):
    outcome = said("chen-9")
    held = [one.says for one in outcome.findings.statements if one.held]
    assert any("has_nurs" in text for text in held)
    assert any("does not affect accuracy much" in text for text in held)


def test_merging_groups_can_make_things_worse_with_several_values_only():
    outcome = said("chen-theorem-3")
    assert outcome.n_held == 3
    (wrong,) = outcome.failed
    assert "only 100 counterexamples" in wrong.says


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["one", "set", "multiset"]))
@settings(max_examples=60)
def test_ratios_of_the_simulation_agree_with_exact_breaches(seed, kind):
    one, other, known = chen_merging._drawn(kind, (1, 4), 5, np.random.default_rng(seed))
    ratios = chen_merging._least_ratio(kind, [one, other], known)
    for trial, ratio in enumerate(ratios):
        l, k, m = (int(amount) for amount in known[:, trial])
        groups = chen_merging._groups(kind, [one, other], trial)
        found = gy.breach(groups, value=0, l=l, k=k, m=m).probability
        assert 1 / (1 + ratio) == pytest.approx(float(found), rel=1e-9)


def test_the_smallest_counterexample_is_one():
    """Two people with one value between them, and one person with another value twice."""
    one = Part(np.array([2]), np.array([[1, 0, 0, 0, 0]]))
    other = Part(np.array([1]), np.array([[0, 2, 0, 0, 0]]))
    growth = chen_merging._growth("multiset", one, other, np.array([[1], [0], [0]]), 0)
    assert str(growth) == "1/34"


@pytest.mark.slow
def test_a_table_larger_than_memory_is_published_within_it():
    """Nobody's memory is so small: the fast run is larger than a part's share of the limit."""
    outcome = said("chen-7")
    (size,) = [one for one in outcome.findings.statements if one.says == "larger than main memory"]
    assert size.held is None and "in 8 parts" in size.measured


def test_a_tree_learns_a_rule_and_leaves_noise_alone():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 3, (600, 4))
    y = np.where(x[:, 0] == 1, x[:, 2], 0)
    tree = grow(x, y)
    assert tree.column in (0, 2) and (predict(tree, x) == y).all()
    noise = grow(rng.integers(0, 3, (600, 4)), rng.integers(0, 2, 600) * (rng.random(600) < 0.3))
    assert noise.column == -1 and not noise.branches


def test_a_tree_gives_an_unseen_value_the_class_of_its_node():
    tree = grow(np.array([[0], [0], [0], [1], [1]]), np.array([0, 0, 0, 1, 1]))
    assert predict(tree, np.array([[0], [1], [2]])).tolist() == [0, 1, 0]
