from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.frontier import logs_excluded, staircase, standing_at, undominated
from gyges.kernels.log_ratios import MULTISET, ONE
from tests.kernels import plain


@st.composite
def signatures(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = rng.integers(3, 12, draw(st.integers(1, 6)))
    s = rng.integers(1, n // 2 + 1)
    found = np.stack([np.zeros_like(n), n, s, rng.integers(0, n - s + 1)], axis=1)
    return found[np.lexsort((-found[:, 3], -found[:, 2], found[:, 1]))]


@given(signatures())
def test_signatures_are_left_to_which_none_is_worse(found):
    assert undominated(found).tolist() == plain.undominated(found).tolist()


@given(signatures(), st.sampled_from([ONE, MULTISET]), st.sampled_from([0.5, 0.9]))
def test_the_corners_are_the_largest_places_above_the_limit(found, kind, confidence):
    limit = math.log((1 - confidence) / confidence) - 1e-7  # no place is exactly at it
    none = np.zeros((0, 3), dtype=np.int64)
    corners, _, unclear = staircase(kind, found, limit, none, -1, 0)
    assert unclear.tolist() == [-1, -1]
    reach = range(14)
    excluded = logs_excluded(kind, found)
    above = {
        (k, m) for k in reach for m in reach if standing_at(kind, found, excluded, k, m, limit) > 0
    }
    expected = sorted(
        (k, m) for k, m in above if (k + 1, m) not in above and (k, m + 1) not in above
    )
    assert sorted(map(tuple, corners.tolist())) == expected
