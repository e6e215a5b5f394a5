from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.atom_costs import margin
from gyges.kernels.joint_effect import costs_together, rows_of, standings_together
from gyges.kernels.log_ratios import ONE, least_statistics, log_statistics, worst_standing
from tests.kernels import made, plain


@given(st.integers(0, 2**32 - 1), st.integers(2, 10), st.integers(1, 4))
def test_costs_are_those_of_all_groups_once_a_lot_has_joined(seed, n_groups, most):
    rng = np.random.default_rng(seed)
    sizes, starts, _, counts = made.ragged_counts(rng, n_groups)
    most = min(most, int(np.diff(starts).min()))
    groups = [(n, counts[starts[g] : starts[g + 1]].tolist()) for g, n in enumerate(sizes.tolist())]
    star, aim = plain.closures(groups[:1], most)
    first = np.unique(np.append(rng.integers(1, n_groups, 2), [1, n_groups]))
    found = costs_together(sizes, starts, counts, first, np.array(star), np.array(aim))
    for p, reached in enumerate(found):
        together = [groups[0], *groups[first[p] : first[p + 1]]]
        assert reached == pytest.approx(plain.closures(together, most)[1][most], abs=margin(most))
    rows = rows_of(sizes, starts, counts, most)
    for row, (n, held) in zip(rows.tolist(), groups, strict=True):
        descending = sorted(held, reverse=True)
        assert row == [n] + [sum(descending[:c]) for c in range(1, most + 1)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 3))
def test_lots_stand_as_all_minima_together_do(seed, k, m):
    rng = np.random.default_rng(seed)
    n = rng.integers(4, 12, 7)
    s = rng.integers(1, 4, 7)
    found = np.stack([np.zeros_like(n), n, s, rng.integers(0, n - s + 1)], axis=1)
    rows, row_starts, limits = (np.array([k]), np.array([m])), np.array([0, 1]), np.array([-1.0])

    def least_of(some):
        least = np.array([[math.inf, math.inf, math.inf, 0.0, 0.0]])
        holders = np.zeros((1, 5, 3), dtype=np.int64)
        least_statistics(ONE, some, row_starts, *rows, least, holders)
        if not m:  # without relatives these two are not looked at
            statistics = np.empty(5)
            log_statistics(ONE, some[0], k, m, statistics)
        return least

    first = np.array([1, 3, 7])
    every = np.arange(7)
    standing = standings_together(
        ONE, found, every, np.arange(8), first, row_starts, *rows, least_of(found[:1]), limits
    )
    for p, stands in enumerate(standing.tolist()):
        together = np.concatenate([found[:1], found[first[p] : first[p + 1]]])
        assert stands == worst_standing(least_of(together), rows[1], limits)
