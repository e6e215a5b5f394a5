"""Algorithm 1 and its ways of pruning, against joining everything, on tables without holes.

Trees with branches and vectors that differ everywhere: here it shows whether pruning keeps what a
later join needs. The tables are dealt out by a generator and never read from rows.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.cells import Domain
from gyges.data.values import Kind
from gyges.marginals import diversity, k_combinatorial, least_diverse
from gyges.marginals.counts import ViewCounts
from gyges.marginals.induced import make_attribute, make_sensitive
from gyges.marginals.judging import measure_of
from gyges.marginals.pruning import extreme_rays, minimal_for_each_value
from gyges.marginals.sensitive_tree import sensitive_tree
from gyges.marginals.store import CountStore
from tests.marginals.tables import FEW

BUSHES = [
    ["abs", "acs", "bds"],  # children need different columns of their parent
    ["abs", "bcs", "cds", "des"],  # a chain: some nodes are two joins away from the root
    ["as", "bs", "cs", "ds"],  # a star
    ["abcs", "bcds", "es"],
]


def bushes():
    """Views named by their columns, as resolutions."""
    return st.sampled_from(BUSHES).map(
        lambda names: [tuple(int(column in name) for column in "abcdes") for name in names]
    )


def dealt(seed, *, n_values, mean, least):
    """A full table of five columns, a to e, and the sensitive one."""
    rng = np.random.default_rng(seed)
    columns = [
        make_attribute(Domain(name, Kind.CATEGORY, ("x", "y", "z")[:n], np.ones(n, bool)))
        for name, n in zip("abcde", (3, 2, 3, 2, 3), strict=True)
    ]
    attributes = (*columns, make_sensitive("s", [f"s{i}" for i in range(n_values)]))
    shape = [len(attribute.values) for attribute in attributes]
    people = least + np.floor(rng.exponential(mean, size=shape)).astype(np.int64)
    codes = np.argwhere(people > 0).astype(np.int32)
    return CountStore(attributes, [ViewCounts((1,) * 6, codes, people[people > 0])])


def tables(least=1, mean=3.0):
    seeds = st.integers(0, 10**6)
    return seeds.map(lambda seed: dealt(seed, n_values=3, mean=mean, least=least))


@FEW
@given(tables(), bushes())
def test_pruning_to_extreme_rays_keeps_the_worst_combination(store, bush):
    tree = sensitive_tree(store, bush)
    rules = [gy.RecursiveDiversity("2", l) for l in (1, 2, 3)]
    rules += [gy.EntropyDiversity(2), gy.ProbabilisticDiversity(2)]
    for measure in map(measure_of, rules):
        joined = diversity.worst_combination(tree, measure, "bounds")
        pruned = diversity.worst_combination(tree, measure, "hull")
        assert measure.risk(pruned.vector) == pytest.approx(measure.risk(joined.vector))


@FEW
@given(tables(), bushes())
def test_pruning_to_the_largest_quotients_keeps_the_worst_combination(store, bush):
    tree = sensitive_tree(store, bush)
    measure = measure_of(gy.RecursiveDiversity("2", 3))
    joined = diversity.worst_combination(tree, measure, "bounds")
    pruned = diversity.worst_combination(tree, measure, "quotients")
    assert measure.risk(pruned.vector) == measure.risk(joined.vector)


@given(tables(), bushes(), st.booleans())
def test_bounds_on_what_is_to_come_keep_the_worst_combination(store, bush, any_failure):
    """Asked exactly at the worst quotient and just above it, where any loose bound shows."""
    tree = sensitive_tree(store, bush)
    measure = measure_of(gy.RecursiveDiversity("2", 2))
    largest = measure.risk(least_diverse.find_least_diverse(tree, measure).vector)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_diverse, "SMALL_JOIN", 0)
        patch.setattr(least_diverse, "PIECE", 64)
        for c, fails in ((largest, True), (largest * Fraction(10**6 + 1, 10**6), False)):
            asked = measure_of(gy.RecursiveDiversity(c, 2))
            found = least_diverse.find_least_diverse(tree, asked, any_failure=any_failure)
            assert found.fails == fails
            assert any_failure or measure.risk(found.vector) == largest


@given(tables(least=0, mean=1.0), bushes(), st.sampled_from([0, 1, 2, 5]))
def test_pruning_bounds_keeps_a_combination_without_room(store, bush, above):
    """Asked exactly at the least room and just above it."""
    tree = sensitive_tree(store, bush)
    _, least = k_combinatorial._tightest(tree)
    k = least + above
    groups, room = k_combinatorial._find_from_leaves(tree, k)
    assert (groups is not None) == (least < k)
    search = k_combinatorial._TightSearch(tree, k)
    search.run()
    assert (search.found is not None) == (least < k)
    if groups is not None:
        for found, stated in ((groups, room), (search.found, search.least)):
            parts = [node.counts[g] for node, g in zip(tree.nodes, found, strict=True)]
            assert np.minimum.reduce(parts).sum() == stated


def test_what_lies_between_others_is_dropped_and_corners_stay():
    block = np.zeros(5, dtype=np.int64)
    vectors = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [1.0, 1.0, 1.0], [3.0, 0, 0]])
    kept = extreme_rays(block, vectors)
    assert len(kept) == 3 and 3 not in kept
    assert list(extreme_rays(np.arange(5), vectors)) == [0, 1, 2, 3, 4]


def test_a_smaller_vector_must_keep_every_value_of_the_one_it_replaces():
    """(1,0) is below (1,2), but only (1,2) can lead to a breach through the second value."""
    block = np.zeros(3, dtype=np.int64)
    vectors = np.array([[1.0, 0.0], [1.0, 2.0], [2.0, 3.0]])
    assert list(minimal_for_each_value(block, vectors)) == [0, 1]
