from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.least_odds import is_less, least_odds
from tests.kernels import made, plain

large = st.integers(0, 2**62)


@given(large, st.integers(1, 2**62), large, st.integers(1, 2**62))
def test_fractions_are_compared_without_overflow(a, b, c, d):
    assert is_less(a, b, c, d) == (Fraction(a, b) < Fraction(c, d))


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 4))
def test_the_least_odds_are_those_of_the_first_worst_group(seed, n_groups, most):
    rng = np.random.default_rng(seed)
    sizes, starts, _, counts = made.ragged_counts(rng, n_groups)
    left, top, group = least_odds(sizes, starts, counts, most)
    for c in range(1, most + 1):
        odds = []
        for g, n in enumerate(sizes.tolist()):
            descending = sorted(counts[starts[g] : starts[g + 1]].tolist(), reverse=True)
            ruled_out = sum(descending[:c]) if c < len(descending) else n
            odds.append(Fraction(n - ruled_out, descending[0]))
        assert Fraction(int(left[c]), int(top[c])) == min(odds)
        assert odds[group[c]] == min(odds) and group[c] == odds.index(min(odds))
    assert plain.least_odds(sizes, starts, counts, most) == pytest.approx(
        (left[1:] / top[1:]).tolist()
    )
