from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.level_cuts import (
    cut_each,
    gains_each,
    halve_each,
    narrow_each,
    rearrange,
    split_halves,
    widths_each,
)
from gyges.kernels.packed_items import CELL, WEIGHT
from tests.kernels import made


def level_of(codes, weights, starts):
    ends = np.append(starts[1:], len(codes))
    parts = list(zip(starts.tolist(), ends.tolist(), strict=True))
    totals = np.array([weights[a:b].sum() for a, b in parts])
    bounds = np.array([[*codes[a:b].min(axis=0), *codes[a:b].max(axis=0)] for a, b in parts])
    return starts, ends, totals, bounds


@st.composite
def levels(draw):
    codes, weights = draw(made.tables(max_items=30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    starts = np.unique(np.append(0, rng.integers(0, len(codes), 3)))
    return codes, weights, starts, rng


@given(levels())
def test_bounds_and_widths_of_every_group(case):
    codes, weights, starts, _ = case
    words, fields, columns, places, runs = made.items(codes, weights)
    starts, ends, _, bounds = level_of(codes, weights, starts)
    d = codes.shape[1]
    wide = np.tile([0] * d + [9] * d, (len(starts), 1))
    narrow_each(words, fields, starts, ends, wide)
    assert wide.tolist() == bounds.tolist()
    spans = bounds[:, d:] - bounds[:, :d]
    expected = np.where(spans > 0, spans / max(int(codes.max()), 1), -1.0)
    assert np.allclose(widths_each(columns, places, runs, bounds), expected)


@given(levels(), st.integers(1, 3))
def test_every_chosen_group_is_cut_and_no_item_leaves_its_group(case, least):
    codes, weights, starts, rng = case
    words, fields, columns, _, runs = made.items(codes, weights)
    starts, ends, totals, bounds = level_of(codes, weights, starts)
    n, d = codes.shape
    cut_in = rng.integers(0, d, len(starts))
    spans = bounds[:, d:] - bounds[:, :d]
    chosen = np.flatnonzero(spans[np.arange(len(starts)), cut_in] > 0)
    spare = np.empty(n, dtype=np.int64)
    n_parts, part_starts, part_ends, part_totals = cut_each(
        words, fields, columns, runs, spare, starts, ends, totals, bounds,
        chosen, cut_in[chosen], least, least,
    )  # fmt: skip
    cells = made.read(words, fields, d + CELL, n)
    part = 0
    for group, made_parts in zip(chosen, n_parts, strict=True):
        if made_parts == 0:
            continue
        inside = slice(starts[group], ends[group])
        assert sorted(cells[inside]) == list(range(n))[inside]
        left, right = (cells[part_starts[p] : part_ends[p]] for p in (part, part + 1))
        column = codes[:, cut_in[group]]
        assert column[left].max() < column[right].min()
        assert part_totals[part : part + 2].tolist() == [weights[left].sum(), weights[right].sum()]
        assert part_totals[part : part + 2].min() >= least
        part += 2
    assert part == len(part_totals)


@given(levels())
def test_gains_are_those_of_the_entropies(case):
    codes, weights, starts, rng = case
    values = rng.integers(0, 3, len(codes))
    words, fields, columns, _, runs = made.items(codes, weights, values)
    starts, ends, totals, bounds = level_of(codes, weights, starts)
    n, d = codes.shape
    gains = gains_each(
        words, fields, columns, runs, np.empty(n, dtype=np.int64), starts, ends, totals, bounds,
        1, 1, np.zeros((0, 0)), 3,
    )  # fmt: skip

    def entropy(members):
        held = np.bincount(values[members], weights=weights[members])
        held = held[held > 0]
        return float(-(held * np.log(held / held.sum())).sum())

    for g in range(len(starts)):
        members = np.arange(starts[g], ends[g])
        for j in range(d):
            own = codes[members, j]
            if own.min() == own.max() or totals[g] < 2:
                assert gains[g, j] == -1.0
                continue
            half = min(v for v in own.tolist() if 2 * weights[members][own <= v].sum() >= totals[g])
            threshold = half if (own > half).any() else half - 1
            parts = members[own <= threshold], members[own > threshold]
            expected = entropy(members) - sum(map(entropy, parts))
            assert gains[g, j] == pytest.approx(max(expected, 0), abs=1e-9)
            assert math.isfinite(gains[g, j])


@given(levels())
def test_parts_are_rearranged(case):
    codes, weights, starts, rng = case
    words, fields, *_ = made.items(codes, weights)
    n, d = codes.shape
    ends = np.append(starts[1:], n)
    order = rng.permutation(len(starts))
    lengths = (ends - starts)[order]
    rearrange(
        words, np.empty(n, dtype=np.int64), starts[order], ends[order], np.cumsum(lengths) - lengths
    )
    expected = [i for g in order for i in range(starts[g], ends[g])]
    assert made.read(words, fields, d + CELL, n).tolist() == expected


@given(levels())
def test_halves_differ_by_at_most_one(case):
    codes, weights, starts, rng = case
    words, fields, *_ = made.items(codes, weights)
    starts, ends, totals, bounds = level_of(codes, weights, starts)
    n, d = codes.shape
    cut_in = rng.integers(0, d, len(starts))
    last, n_left = halve_each(words, fields, d, starts, ends, totals, bounds, cut_in)
    for g in range(len(starts)):
        own = codes[starts[g] : ends[g], cut_in[g]]
        held = weights[starts[g] : ends[g]]
        at = own[last[g] - starts[g]]
        ahead = (own == at) & (np.arange(starts[g], ends[g]) < last[g])
        left = held[own < at].sum() + held[ahead].sum() + n_left[g]
        assert left == (totals[g] + 1) // 2
        assert 1 <= n_left[g] <= weights[last[g]]
    middles = split_halves(words, fields, np.empty(n, dtype=np.int64), starts, ends, cut_in, last)
    cells, weight = (made.read(words, fields, d + f, n) for f in (CELL, WEIGHT))
    for g in range(len(starts)):
        left = cells[starts[g] : middles[g]]
        assert last[g] in left
        over = weights[last[g]] - n_left[g]
        assert weight[starts[g] : middles[g]].sum() - over == (totals[g] + 1) // 2
