"""The steps one by one; that they add up to the search is shown in tests/search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.joining_minima import NO, QUESTION
from gyges.kernels.judged_parts import FAR
from gyges.kernels.level_cuts import widths_each
from gyges.kernels.ordered_cuts import IS_OPEN, accept, propose, rank, tally_sides
from gyges.kernels.packed_items import CELL
from tests.kernels import made
from tests.kernels.test_level_cuts import level_of, levels


@given(levels(), st.integers(1, 4))
def test_groups_are_ranked_proposed_counted_and_divided(case, least):
    codes, _, starts, rng = case
    n, d = codes.shape
    weights, values = np.ones(n, dtype=np.int64), rng.integers(0, 4, n)
    words, fields, columns, places, runs = made.items(codes, weights, values, weights)
    starts, ends, totals, bounds = level_of(codes, weights, starts)
    groups = np.stack([starts, ends, totals, rng.integers(0, 2, len(starts))], axis=1)
    was_open, wide = groups[:, IS_OPEN].copy(), np.tile([0] * d + [9] * d, (len(starts), 1))
    order = np.full((len(groups), d), -7)
    rank(words, fields, columns, places, runs, groups, wide, order, 2 * least)
    is_open = (was_open == 1) & (totals >= 2 * least)
    assert groups[:, IS_OPEN].tolist() == is_open.astype(int).tolist()
    widths = widths_each(columns, places, runs, bounds)
    expected = np.argsort(-widths, axis=1, kind="stable")
    expected[np.take_along_axis(widths, expected, axis=1) < 0] = -1
    assert order[is_open].tolist() == expected[is_open].tolist()
    assert wide[is_open].tolist() == bounds[is_open].tolist()

    cuts = np.empty((len(groups), 3), dtype=np.int64)
    n_cuts, past = propose(words, fields, groups, wide, order, 0, 0, 1, least, cuts)
    assert past == len(groups)
    sides = []
    for g, j, threshold in cuts[:n_cuts].tolist():
        assert is_open[g] and j == order[g, 0]
        own = np.arange(starts[g], ends[g])
        left, right = (own[(codes[own, j] > threshold) == side] for side in (False, True))
        assert min(len(left), len(right)) >= least
        sides += [left, right]

    sizes, first = np.empty(2 * n_cuts, dtype=np.int64), np.zeros(2 * n_cuts + 1, dtype=np.int64)
    listed, counts = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    tally_sides(words, fields, d, n_cuts, cuts, groups, 4, sizes, first, listed, counts)
    assert sizes.tolist() == [len(side) for side in sides]
    for p, side in enumerate(sides):
        found = dict(
            zip(listed[first[p] : first[p + 1]], counts[first[p] : first[p + 1]], strict=True)
        )
        assert found == dict(zip(*np.unique(values[side], return_counts=True), strict=True))

    standing = np.repeat(np.where(rng.random(n_cuts) < 0.5, FAR, NO), 2)
    nothing, none = np.zeros((0, 6), dtype=np.int64), np.zeros((0, 5))
    parts = np.empty((2 * n_cuts, 4), dtype=np.int64)
    part_bounds = np.empty((2 * n_cuts, 2 * d), dtype=np.int64)
    decided, n_parts = accept(
        words, fields, np.empty(n, dtype=np.int64), n_cuts, cuts, sizes, standing,
        np.ones(2 * n_cuts, dtype=np.int64), np.zeros((0, 4), dtype=np.int64),
        np.zeros(n_cuts + 1, dtype=np.int64), nothing, np.zeros(0), none,
        np.zeros((0, 5, 3), dtype=np.int64), none, np.zeros((2, QUESTION + 1), dtype=np.int64),
        np.zeros(QUESTION, dtype=np.int64), groups, wide, parts, part_bounds, 0,
    )  # fmt: skip
    taken = [side for side, stands in zip(sides, standing, strict=True) if stands == FAR]
    assert (decided, n_parts) == (n_cuts, len(taken))
    cell = made.read(words, fields, d + CELL, n)
    for (start, end, total, opened), side in zip(parts[:n_parts].tolist(), taken, strict=True):
        assert cell[start:end].tolist() == side.tolist()
        assert (total, opened) == (len(side), 1)
