"""Anatomy's buckets: l different values in each, everybody in one, every deal as likely."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import NothingSafeError, RuleError
from gyges.search import buckets
from tests.search.made import make_cells, number, some_cells

RNG = np.random.default_rng


def values_of(found):
    """The sensitive values of each group, one for each person."""
    pieces, cells = found.pieces, found.cells
    lists = [[] for _ in range(found.n_groups)]
    for entry, group, count in zip(pieces.entry, pieces.group, pieces.count, strict=True):
        lists[group] += [int(cells.value_codes[entry])] * int(count)
    return lists


@given(cells=some_cells(n_values=5, max_count=4), l=st.integers(1, 5), seed=st.integers(0, 3))
def test_buckets_hold_l_different_values_or_the_table_is_not_eligible(cells, l, seed):
    """Eligible means: no value is held by more than n/l people [Xiao2006]."""
    classes = np.bincount(cells.value_codes, weights=cells.value_counts)
    if classes.max() * l > cells.n_people:
        with pytest.raises(NothingSafeError, match="the most frequent has"):
            buckets.search(cells, gy.ProbabilisticDiversity(l), rng=RNG(seed))
        return
    rules = [gy.ProbabilisticDiversity(l), gy.DistinctDiversity(l), gy.EntropyDiversity(l)]
    found = buckets.search(cells, rules, rng=RNG(seed))
    for values in values_of(found):
        assert len(set(values)) == len(values) >= l
    assert found.n_groups == cells.n_people // l


@given(cells=some_cells(n_values=4), k=st.integers(1, 6), l=st.integers(1, 3))
def test_everybody_is_in_one_bucket_and_buckets_are_large_enough(cells, k, l):
    rules = [gy.KAnonymity(k), gy.ProbabilisticDiversity(l)]
    try:
        found = buckets.search(cells, rules, rng=RNG(0))
    except NothingSafeError:
        classes = np.bincount(cells.value_codes, weights=cells.value_counts)
        assert cells.n_people < k or classes.max() * l > cells.n_people
        return
    counted = np.bincount(found.pieces.entry, weights=found.pieces.count)
    assert (counted == cells.value_counts).all()
    assert gy.judge(rules, found.groups).safe
    assert sum(map(len, values_of(found))) == cells.n_people == found.groups.sizes.sum()


def even_cells(classes):
    """One cell for each person, values in classes of these sizes."""
    values = [value for value, n in enumerate(classes) for _ in range(n)]
    cells = [(i,) for i in range(len(values))]
    entries = [(cell, value, 1) for cell, value in zip(cells, values, strict=True)]
    domain = number("q", range(len(values)))
    return make_cells([domain], cells, [1] * len(values), entries, n_values=len(classes))


def test_every_deal_is_equally_likely():
    """Two values, two people each, two buckets: both pairings come up equally often."""
    cells = even_cells([2, 2])
    seen = Counter()
    for seed in range(400):
        found = buckets.search(cells, gy.DistinctDiversity(2), rng=RNG(seed))
        pieces = found.pieces
        seen[frozenset(frozenset(pieces.entry[pieces.group == g].tolist()) for g in (0, 1))] += 1
    pairings = {frozenset({frozenset({0, a}), frozenset({1, b})}) for a, b in permutations((2, 3))}
    assert set(seen) == pairings
    assert all(150 <= times <= 250 for times in seen.values())  # 5 standard deviations


def test_k_alone_makes_buckets_as_diverse_as_the_table_allows():
    found = buckets.search(even_cells([3, 3, 2]), gy.KAnonymity(4), rng=RNG(0))
    assert found.groups.sizes.min() >= 4
    assert all(len(set(values)) >= 2 for values in values_of(found))


def test_rules_beyond_diversity_are_met_by_more_values():
    cells = even_cells([4, 4, 4, 4])
    rule = gy.Safety(confidence="0.6", k=1)
    found = buckets.search(cells, rule, rng=RNG(0))
    assert gy.judge(rule, found.groups).safe
    with pytest.raises(NothingSafeError, match="at most 4"):
        buckets.search(cells, gy.Safety(confidence="0.6", k=3), rng=RNG(0))


def test_recursive_diversity_asks_for_enough_values():
    """1 < c (m - l + 1): with c = 1/2 and l = 2 buckets need m = 4 values."""
    cells = even_cells([3, 3, 3, 3])
    rule = gy.RecursiveDiversity("1/2", 2)
    found = buckets.search(cells, rule, rng=RNG(0))
    assert gy.judge(rule, found.groups).safe and found.n_groups == 3


def test_a_given_l_is_taken_as_it_is():
    cells = even_cells([2, 2, 2])
    assert buckets.search(cells, gy.KAnonymity(1), l=3, rng=RNG(0)).n_groups == 2
    with pytest.raises(NothingSafeError, match="the table allows at most l = 3"):
        buckets.search(cells, gy.KAnonymity(1), l=4, rng=RNG(0))
    with pytest.raises(NothingSafeError, match="break a rule"):
        buckets.search(cells, gy.DistinctDiversity(3), l=2, rng=RNG(0))


def test_tables_that_cannot_be_put_into_buckets_are_refused():
    sets = make_cells([number("q", [1])], [(0,)], [2], [((0,), 0, 2)], "set")
    with pytest.raises(RuleError, match="one sensitive value per person"):
        buckets.search(sets, gy.DistinctDiversity(2), rng=RNG(0))
    with pytest.raises(NothingSafeError, match="only l = 1 is possible"):
        buckets.search(even_cells([3, 1]), gy.DistinctDiversity(2), rng=RNG(0))
    with pytest.raises(RuleError, match="at least one rule"):
        buckets.search(even_cells([1, 1]), [], rng=RNG(0))
