from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.atom_costs import best_ways, fill_costs, fill_parts, fill_row, margin, reach
from tests.kernels import plain

histograms = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def row_of(counts, most):
    row = np.empty(most + 1, dtype=np.int64)
    row[0] = sum(counts)
    fill_row(np.array(counts), 0, len(counts), row)
    return row


@given(histograms, st.integers(1, 6))
def test_a_row_holds_the_size_and_the_sums_of_the_largest_counts(counts, most):
    descending = sorted(counts, reverse=True)
    expected = [sum(counts)] + [sum(descending[:c]) for c in range(1, most + 1)]
    assert row_of(counts, most).tolist() == expected


@given(histograms, st.integers(1, 5))
def test_costs_are_those_of_the_best_of_all_ways_to_place_atoms(counts, most):
    row, costs = row_of(counts, most), np.empty(most + 1)
    fill_costs(row, np.empty((most + 1, most + 1)), costs)
    expected = plain.atom_costs(sum(counts), counts, most)
    assert costs[0] == pytest.approx(math.log(max(counts) / sum(counts)))
    assert costs[1:].tolist() == pytest.approx(expected[1:], abs=margin(most))


@given(histograms, st.integers(1, 5))
def test_the_best_way_costs_what_it_should_and_is_among_the_parts(counts, most):
    row, n = row_of(counts, most), sum(counts)
    ways, is_close = best_ways(row)
    parts = np.empty(most + 1, dtype=np.int64)
    shape = (most + 1, most + 1)
    fill_parts(row, np.empty(shape), np.empty(shape, dtype=np.int64), parts)
    expected = plain.atom_costs(n, counts, most)
    for j in range(1, most + 1):
        placed = [int(c) for c in ways[j] if c]
        cost = 0.0
        for i, c in enumerate(placed):
            left = n - i - row[c]
            cost += math.log((n - i) / left) if left > 0 else math.inf
        assert cost == pytest.approx(expected[j], abs=margin(most))
        if not is_close[j] and expected[j] < math.inf and sum(placed) == j:
            assert all((parts[j] >> c) & 1 for c in placed)


def test_as_many_atoms_count_as_rule_out_every_value_of_a_group():
    starts = np.array([0, 4, 6])
    assert reach(np.array([9, 5]), starts, 7) == 2
    assert reach(np.array([9, 0]), starts, 7) == 4
    assert reach(np.array([9, 5]), starts, 0) == 1
