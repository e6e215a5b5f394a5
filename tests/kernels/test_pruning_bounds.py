from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.atom_costs import fill_costs, fill_row, margin
from gyges.kernels.pruning_bounds import (
    AIM,
    STAR,
    is_below,
    is_far_below,
    matters,
    new_limits,
    set_limits,
    set_spread,
)
from tests.kernels import plain

groups = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=5), min_size=1, max_size=6)


def rows_and_costs(histograms, most):
    rows = np.empty((len(histograms), most + 1), dtype=np.int64)
    costs = np.empty((len(histograms), most + 1))
    for x, counts in enumerate(histograms):
        rows[x, 0] = sum(counts)
        fill_row(np.array(counts), 0, len(counts), rows[x])
        fill_costs(rows[x], np.empty((most + 1, most + 1)), costs[x])
    return rows, costs


@given(groups, st.integers(1, 5))
def test_the_limits_are_the_closure_of_the_costs(histograms, most):
    limits = new_limits(most)
    set_limits(rows_and_costs(histograms, most)[1], len(histograms), limits)
    star, aim = plain.closures([(sum(counts), counts) for counts in histograms], most)
    assert limits[STAR].tolist() == pytest.approx(star, abs=margin(most))
    assert limits[AIM, 1:].tolist() == pytest.approx(aim[1:], abs=margin(most))


@given(groups, st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(1, 5))
def test_what_is_dropped_unseen_does_not_matter(histograms, counts, most):
    limits = new_limits(most)
    set_limits(rows_and_costs(histograms, most)[1], len(histograms), limits)
    (row,), (costs,) = rows_and_costs([counts], most)
    star, aim = plain.closures([(sum(c), c) for c in histograms], most)
    more_star, more_aim = plain.closures([(sum(c), c) for c in [*histograms, counts]], most)
    close = 4 * margin(most)
    changes = any(b > a + close for a, b in zip(star + aim[1:], more_star + more_aim[1:]))  # noqa: B905
    spread = np.empty(most + 1)
    set_spread(len(counts), spread)
    assert spread[1] == pytest.approx(math.sqrt(max(len(counts) - 1, 0) / len(counts)))
    if changes:
        assert matters(costs, limits)
        assert not is_below(row, limits)
        assert not is_far_below(np.array(counts), 0, len(counts), sum(counts), spread, limits)
    if is_far_below(np.array(counts), 0, len(counts), sum(counts), spread, limits):
        assert is_below(row, limits)
