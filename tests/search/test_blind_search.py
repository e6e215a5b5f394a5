"""Where no rule reads sensitive values, the groups say nothing about them: all worlds."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy

SCHEMA = gy.Schema(identifiers=["id"], quasi_identifiers=["age"], sensitive="dis")
WAYS = [
    {"relaxed": True},
    {"method": "microaggregation"},
    {"method": "microaggregation", "algorithm": "mdav"},
    {"method": "microaggregation", "algorithm": "v-mdav"},
    {"method": "microaggregation", "algorithm": "two-points"},
    {"method": "microaggregation", "algorithm": "optimal"},
]


def published(ages, values, way, seed):
    people = {"id": [f"p{i}" for i in range(len(ages))], "age": ages, "dis": list(values)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = gy.read(people, SCHEMA)
        return gy.publish(table, gy.KAnonymity(2), seed=seed, **way)


def shown(release):
    """What a reader sees: for each group its label and its values."""
    groups = release.groups
    parts = []
    for g, label in enumerate(release.labels["age"]):
        held = Counter(
            {v: int(n) for v, n in zip(groups.values, groups.counts[g], strict=True) if n}
        )
        parts.append((label, tuple(sorted(held.items()))))
    return tuple(sorted(parts))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_all_worlds_that_a_release_allows_are_equally_likely(way):
    """People of one age were dealt out by their values: the oldest one's became certain."""
    ages, n_seeds = [20, 20, 20, 21], 40
    worlds_of = defaultdict(Counter)
    for values in permutations("abcd"):
        for seed in range(n_seeds):
            worlds_of[shown(published(ages, values, way, seed))][values[-1]] += 1
    for release, last in worlds_of.items():
        _, held = max(release)  # the group of the oldest: its label sorts last
        assert set(last) == {value for value, _ in held}, (release, last)
        assert max(last.values()) < 2 * min(last.values()), (release, last)  # up to the draw


@settings(max_examples=60)
@given(
    ages=st.lists(st.integers(20, 24), min_size=4, max_size=12),
    way=st.sampled_from(WAYS),
    data=st.data(),
)
def test_the_groups_are_the_same_whatever_the_values(ages, way, data):
    values = [data.draw(st.sampled_from("ab")) for _ in ages]
    other = data.draw(st.permutations(values))
    sizes = []
    for held in (values, other):
        release = published(ages, held, way, seed=1)
        found = zip(release.labels["age"], release.groups.sizes.tolist(), strict=True)
        sizes.append(Counter(found))
    assert sizes[0] == sizes[1]


@settings(max_examples=60)
@given(
    ages=st.lists(st.integers(20, 22), min_size=4, max_size=12),
    way=st.sampled_from(WAYS),
    data=st.data(),
)
def test_everyone_is_dealt_out_once(ages, way, data):
    values = [data.draw(st.sampled_from("abc")) for _ in ages]
    release = published(ages, values, way, seed=data.draw(st.integers(0, 99)))
    groups = release.groups
    totals = dict(zip(groups.values, groups.counts.sum(axis=0).tolist(), strict=True))
    assert {v: n for v, n in totals.items() if n} == Counter(values)
    of_row = release.group_of_row
    for g in range(len(groups)):
        rows = np.flatnonzero(of_row == g)
        held = Counter(values[row] for row in rows)
        counts = dict(zip(groups.values, groups.counts[g].tolist(), strict=True))
        assert held == {v: n for v, n in counts.items() if n}
