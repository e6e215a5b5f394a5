from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gyges.arrays import frozen
from gyges.kernels import conditioning
from gyges.kernels.conditioned_groups import (
    NOT_COMPARED,
    NOT_KEPT,
    Compared,
    Kept,
    condition,
    member_divergences,
)
from gyges.kernels.conditioning import ChooserGroups, ConditioningMethod
from gyges.kernels.jensen_shannon import Spread
from tests.kernels import plain

WAY = ConditioningMethod(conditioning.EXACT, 1e6, conditioning.TOO_LARGE)
N_VALUES = 3


@st.composite
def crowds(draw):
    """Groups of a few members, each one chooser, and their probabilities."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = rng.integers(1, 5, draw(st.integers(1, 4)))
    n, group = int(sizes.sum()), np.repeat(np.arange(len(sizes)), sizes)
    held = rng.integers(0, N_VALUES, n)
    keys, totals = np.unique(group * N_VALUES + held, return_counts=True)
    made = ChooserGroups(
        member_starts=np.cumsum([0, *sizes]),
        rows=np.arange(n),
        repeats=np.ones(n, dtype=np.int64),
        value_starts=np.searchsorted(keys, np.arange(len(sizes) + 1) * N_VALUES),
        values=(keys % N_VALUES).astype(np.int32),
        totals=totals.astype(np.int64),
        holders=np.arange(n),
        held_starts=np.arange(n + 1),
        held=held.astype(np.int32),
        held_counts=np.ones(n, dtype=np.int64),
    )
    p = rng.dirichlet(np.ones(N_VALUES), n)
    for array in (*made, p):
        frozen(array)
    return p, made


def expected(p, made, g):
    members = slice(made.member_starts[g], made.member_starts[g + 1])
    held = slice(made.value_starts[g], made.value_starts[g + 1])
    values, own = made.values[held], p[made.rows[members]]
    dense = np.zeros(own.shape)
    dense[:, values] = plain.given_totals(
        own[:, values], made.repeats[members], made.totals[held].tolist()
    )
    return dense


def areas(made):
    return np.cumsum([0, *(np.diff(made.member_starts) * np.diff(made.value_starts))])


@given(crowds())
def test_each_group_is_conditioned_on_its_own_totals(case):
    p, made = case
    n, starts = len(made.member_starts) - 1, areas(made)
    kept = Kept(starts, np.zeros(int(starts[-1])), np.zeros(n))
    how = np.full(n, -1)
    condition(p, made, np.arange(n + 1), 0, n, WAY, kept, NOT_COMPARED, how)
    assert (how == conditioning.EXACT).all()
    for g in range(n):
        values = made.values[made.value_starts[g] : made.value_starts[g + 1]]
        found = kept.numbers[starts[g] : starts[g + 1]].reshape(-1, len(values))
        assert np.allclose(found, expected(p, made, g)[:, values], rtol=1e-10, atol=1e-13)


@given(crowds(), st.sampled_from([0.0, 0.05, 0.2, math.log(2)]))
@settings(max_examples=60)
def test_a_group_is_within_the_limit_where_no_member_changes_more(case, limit):
    p, made = case
    n = len(made.member_starts) - 1
    itself = Spread(np.arange(N_VALUES + 1), np.arange(N_VALUES), np.ones(N_VALUES))
    reach = np.ones(N_VALUES)
    smoothed, reached = p.copy(), p @ reach
    for array in (smoothed, reach, reached):
        frozen(array)
    within, how = np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int64)
    compared = Compared(smoothed, itself, reach, reached, limit, within)
    condition(p, made, np.arange(n + 1), 0, n, WAY, NOT_KEPT, compared, how)
    for g in range(n):
        own = p[made.rows[made.member_starts[g] : made.member_starts[g + 1]]]
        largest = plain.jensen_shannon(own, expected(p, made, g)).max()
        if abs(largest - limit) > 1e-9:
            assert within[g] == (largest < limit)

    starts = areas(made)
    kept = Kept(starts, np.zeros(int(starts[-1])), np.zeros(n))
    condition(p, made, np.arange(n + 1), 0, n, WAY, kept, NOT_COMPARED, how)
    nats = np.zeros(len(made.rows))
    member_divergences(smoothed, made, kept.numbers, starts, 0, n, itself, False, nats)
    for g in range(n):
        members = slice(made.member_starts[g], made.member_starts[g + 1])
        divergences = plain.jensen_shannon(p[made.rows[members]], expected(p, made, g))
        assert nats[members].tolist() == pytest.approx(divergences.tolist(), abs=1e-12)
