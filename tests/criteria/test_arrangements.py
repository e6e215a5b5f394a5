"""The programs that check beliefs on large groups agree with all arrangements, on small ones."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracles import arrangements, beliefs

CHANCES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])


@settings(max_examples=150)
@given(st.data())
def test_they_agree_with_all_arrangements(data):
    people = data.draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
    values = data.draw(st.lists(st.integers(0, 2), min_size=sum(people), max_size=sum(people)))
    held, n = np.unique(values, return_counts=True)
    p = np.array([[data.draw(CHANCES) for _ in held] for _ in people])
    who = np.repeat(np.arange(len(people)), people)
    listed = np.repeat(np.arange(len(n)), n).tolist()
    expected = beliefs.posterior(p[who].tolist(), listed)
    assume(expected is not None)
    expected = np.array(expected)[np.unique(who, return_index=True)[1]]
    N = np.array(people)
    assert np.allclose(arrangements.by_kinds(p, N, n), expected, atol=1e-12)
    assert np.allclose(arrangements.by_people(p, N, n, most=1_000), expected, atol=1e-12)


def test_samples_come_as_near_to_them_as_their_spread_says():
    rng = np.random.default_rng(3)
    p, N, n = rng.random((6, 4)), np.array([3, 1, 2, 4, 1, 2]), np.array([5, 3, 3, 2])
    sampled = arrangements.by_sampling(p, N, n, 400, 200, rng)
    off = sampled.mean(axis=0) - arrangements.by_people(p, N, n, most=10_000)
    error = sampled.std(axis=0) / np.sqrt(400)
    assert error.max() < 0.01 and np.abs(off / error).max() < 4
