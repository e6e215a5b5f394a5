"""The few groups on which the worst case turns, found in one pass.

`scan` keeps a row while it may, within the margin, attain star or aim (kernels/bar.py) for some
number of atoms. A group is bounded before it is sorted, and sorted before its costs are computed:
of a million groups a few hundred go that far, and the pass costs about as much as sorting every
group's counts (benchmarks/implications.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.bar import (
    Bar,
    is_below,
    is_far_below,
    matters,
    new_bar,
    set_bar,
    set_spread,
)
from gyges.kernels.minimize import fill_costs, fill_parts, fill_row, margin

_WIDE = 128  # values of a group from which on picking the largest beats bounding them
_MANY = 4096  # groups that are worth a sample
_LARGE = 1 << 31  # sizes whose product would overflow


class Kept(NamedTuple):
    """Room for the rows that matter, and for the work on the next one."""

    rows: IntArray
    costs: FloatArray
    ids: IntArray
    best: FloatArray
    masks: IntArray
    parts: IntArray


@njit(cache=True)
def is_among(row: IntArray, rows: IntArray) -> bool:
    """Whether one of the rows is the same."""
    for x in range(len(rows)):
        c = 0
        while c < len(row) and rows[x, c] == row[c]:
            c += 1
        if c == len(row):
            return True
    return False


@njit(cache=True)
def covers(one: IntArray, other: IntArray, parts: int, aimed: bool) -> bool:
    """Whether one row certainly costs at least as much as the other, by its shares S_c/n.

    `parts` as in fill_parts, for the other row: with as many atoms on its own people the one row
    does not do worse. Fewer people make every later factor smaller still; `aimed`, where the
    target is among the atoms, the share of its value counts too.
    """
    if parts < 0 or ((parts & 1) and one[0] > other[0]) or max(one[0], other[0]) >= _LARGE:
        return False
    for c in range(1, len(one)):
        if (parts >> c) & 1:
            if aimed and not parts & 1:  # all about one person: (n - S_c)/s_1
                return bool((one[0] - one[c]) * other[1] <= (other[0] - other[c]) * one[1])
            if one[c] * other[0] < other[c] * one[0]:
                return False
    return not aimed or bool(one[1] * other[0] >= other[1] * one[0])


@njit(cache=True)
def any_covers(rows: IntArray, row: IntArray, parts: int, aimed: bool) -> bool:
    """Whether one of the rows covers this one."""
    for x in range(len(rows)):  # noqa: SIM110 (numba compiles no generator)
        if covers(rows[x], row, parts, aimed):
            return True
    return False


@njit(cache=True)
def adds(row: IntArray, costs: FloatArray, kept: Kept, n_rows: int, bar: Bar) -> bool:
    """Whether a row that matters does so beyond a tie that is certain to be one.

    Where a search has pushed every group to the same share, thousands of rows tie exactly.
    """
    close = margin(len(costs) - 1)
    has_parts = False
    for j in range(1, len(costs)):
        above, aimed = costs[j] - bar.star[j], costs[0] + costs[j] - bar.aim[j]
        if above > close or aimed > close:
            return True
        is_tied = bar.star[j] < np.inf and above >= -close
        is_aimed = bar.aim[j] < np.inf and aimed >= -close
        if j > 1 and (is_tied or is_aimed) and not has_parts:
            fill_parts(row, kept.best, kept.masks, kept.parts)
            has_parts = True
        parts = kept.parts[j] if j > 1 else 2
        if is_tied and not any_covers(kept.rows[:n_rows], row, parts, False):
            return True
        if is_aimed and not any_covers(kept.rows[:n_rows], row, parts, True):
            return True
    return False


@njit(cache=True)
def drop_idle(kept: Kept, n_rows: int, bar: Bar) -> int:
    """Set the bar by the first rows, keep those that reach it, and return how many they are.

    Where certainty is reached (an infinite cost) the row that needs the fewest atoms stays.
    """
    rows, costs, ids = kept.rows, kept.costs, kept.ids
    set_bar(costs[:n_rows], bar)
    owner, fewest = -1, rows.shape[1]
    for x in range(n_rows):
        for j in range(1, fewest):
            if costs[x, j] == np.inf:
                owner, fewest = x, j
                break
    n_kept = 0
    for x in range(n_rows):
        if x == owner or matters(costs[x], bar):
            rows[n_kept], costs[n_kept], ids[n_kept] = rows[x], costs[x], ids[x]
            n_kept += 1
    return n_kept


@njit(cache=True)
def offer(row: IntArray, costs: FloatArray, name: int, kept: Kept, n_rows: int, bar: Bar) -> int:
    """Take a row in if it matters; return how many rows there are then."""
    if not matters(costs, bar) or not adds(row, costs, kept, n_rows, bar):
        return n_rows
    kept.rows[n_rows], kept.costs[n_rows], kept.ids[n_rows] = row, costs, name
    return int(drop_idle(kept, n_rows + 1, bar))


@njit(cache=True)
def scan(
    sizes: IntArray,
    starts: IntArray,
    counts: IntArray,
    begin: int,
    rows: IntArray,
    costs: FloatArray,
    ids: IntArray,
    n_rows: int,
) -> tuple[int, int, float]:
    """Find the rows that matter among the first n_rows rows and the groups from `begin` on.

    They are left in the first places of rows, costs and ids. Returns how many they are, the
    group to go on with (there are no more groups, or no more room), and aim(K).
    """
    K = rows.shape[1] - 1
    bar, kept = new_bar(K), room(rows, costs, ids)
    n_sample = int(math.sqrt(len(sizes))) if n_rows == 0 and len(sizes) > _MANY else 0
    n_rows = drop_idle(kept, n_rows, bar)
    row, cost = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    spread = np.full((_WIDE, K + 1), -1.0)
    # A sample first: it lifts the bar, also where the worst groups stand at the end.
    for turn in range(begin - n_sample, len(sizes)):
        g = turn if turn >= begin else (turn - begin + n_sample) * (len(sizes) // n_sample)
        start, stop, n = starts[g], starts[g + 1], sizes[g]
        if n == 0:
            continue
        if stop - start < _WIDE:
            if spread[stop - start, 0] < 0.0:
                set_spread(stop - start, spread[stop - start])
            if is_far_below(counts, start, stop, n, spread[stop - start], bar):
                continue
        row[0] = n
        fill_row(counts, start, stop, row)
        if is_below(row, bar) or is_among(row, rows[:n_rows]):
            continue
        fill_costs(row, kept.best, cost)
        n_rows = offer(row, cost, g, kept, n_rows, bar)
        if n_rows == len(rows):
            return n_rows, max(turn + 1, begin), bar.aim[K]
    return n_rows, len(sizes), bar.aim[K]


@njit(cache=True)
def room(rows: IntArray, costs: FloatArray, ids: IntArray) -> Kept:
    """The rows that are kept, with room to work in."""
    K = rows.shape[1] - 1
    masks = np.zeros((K + 1, K + 1), dtype=np.int64)
    return Kept(rows, costs, ids, np.empty((K + 1, K + 1)), masks, np.zeros(K + 1, dtype=np.int64))


@njit(cache=True)
def join(
    rows: IntArray, costs: FloatArray, more_rows: IntArray, more_costs: FloatArray, K: int
) -> tuple[IntArray, FloatArray, float]:
    """The rows that matter of two lots, up to K atoms, and the cost with the target, aim(K)."""
    most = len(rows) + len(more_rows)
    all_rows, all_costs = np.empty((most, K + 1), dtype=np.int64), np.empty((most, K + 1))
    bar = new_bar(K)
    kept = room(all_rows, all_costs, np.zeros(most, dtype=np.int64))
    all_rows[: len(rows)], all_costs[: len(rows)] = rows[:, : K + 1], costs[:, : K + 1]
    n_rows = drop_idle(kept, len(rows), bar)
    for x in range(len(more_rows)):
        row, cost = more_rows[x, : K + 1], more_costs[x, : K + 1]
        if not is_among(row, all_rows[:n_rows]):
            n_rows = offer(row, cost, 0, kept, n_rows, bar)
    return all_rows[:n_rows].copy(), all_costs[:n_rows].copy(), bar.aim[K]


@njit(cache=True)
def closures(costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """star(0..K) and aim(0..K) of some rows."""
    bar = new_bar(costs.shape[1] - 1)
    set_bar(costs, bar)
    return bar.star, bar.aim


@njit(cache=True)
def cost_of_each(
    sizes: IntArray, starts: IntArray, counts: IntArray, star: FloatArray
) -> FloatArray:
    """What K atoms achieve with the target in each group: max_h log s_1/n + L(h) + star(K-h)."""
    K = len(star) - 1
    row, costs = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    best = np.empty((K + 1, K + 1))
    reached = np.full(len(sizes), -np.inf)
    for g in range(len(sizes)):
        if sizes[g] > 0:
            row[0] = sizes[g]
            fill_row(counts, starts[g], starts[g + 1], row)
            fill_costs(row, best, costs)
            for h in range(1, K + 1):
                reached[g] = max(reached[g], costs[0] + costs[h] + star[K - h])
    return reached
