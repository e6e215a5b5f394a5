"""The few groups on which the worst case turns, found in one pass.

`scan` keeps a row while it may, within the margin, attain star or aim (pruning_bounds.py) for some
number of atoms. A group is bounded before it is sorted, and sorted before its costs are computed:
of a million groups a few hundred go that far, and the pass costs about as much as sorting every
group's counts (benchmarks/implications.py).

Earned by 200,000 groups: a quarter of the time in which NumPy sorts their counts, its first step.
"""

from __future__ import annotations

import math

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.atom_costs import fill_costs, fill_parts, fill_row, margin
from gyges.kernels.compiled import compiled
from gyges.kernels.pruning_bounds import (
    AIM,
    STAR,
    is_below,
    is_far_below,
    matters,
    new_bar,
    set_bar,
    set_spread,
)

_WIDE = 128  # values of a group from which on picking the largest beats bounding them
_MANY = 4096  # groups that are worth a sample
_LARGE = 1 << 31  # sizes whose product would overflow


@compiled()
def is_among(row: IntArray, rows: IntArray, n_rows: int) -> bool:
    """Whether one of the first rows is the same."""
    for x in range(n_rows):
        c = 0
        while c < len(row) and rows[x, c] == row[c]:
            c += 1
        if c == len(row):
            return True
    return False


@compiled()
def covers(one: IntArray, other: IntArray, parts: int, aimed: bool) -> bool:
    """Whether one row certainly costs at least as much as the other, by its shares S_c/n.

    `parts` as in fill_parts, for the other row: with as many atoms on its own members the one row
    does not do worse. Fewer members make every later factor smaller still; `aimed`, where the
    atom asked about is among them, the share of its value counts too.
    """
    if parts < 0 or ((parts & 1) and one[0] > other[0]) or max(one[0], other[0]) >= _LARGE:
        return False
    for c in range(1, len(one)):
        if (parts >> c) & 1:
            if aimed and not parts & 1:  # all about one member: (n - S_c)/s_1
                return bool((one[0] - one[c]) * other[1] <= (other[0] - other[c]) * one[1])
            if one[c] * other[0] < other[c] * one[0]:
                return False
    return not aimed or bool(one[1] * other[0] >= other[1] * one[0])


@compiled()
def adds(row: IntArray, costs: FloatArray, rows: IntArray, n_rows: int, bar: FloatArray) -> bool:
    """Whether a row that matters does so beyond a tie that is certain to be one.

    Where a search has pushed every group to the same share, thousands of rows tie exactly.
    """
    K = len(row) - 1
    close = margin(K)
    parts = np.full(K + 1, 2)  # one atom is about one member
    has_parts = False
    for j in range(1, K + 1):
        above, ahead = costs[j] - bar[STAR, j], costs[0] + costs[j] - bar[AIM, j]
        if above > close or ahead > close:
            return True
        is_tied = bar[STAR, j] < np.inf and above >= -close
        is_aimed = bar[AIM, j] < np.inf and ahead >= -close
        if j > 1 and (is_tied or is_aimed) and not has_parts:
            fill_parts(row, np.empty((K + 1, K + 1)), np.empty((K + 1, K + 1), np.int64), parts)
            has_parts = True
        for x in range(n_rows):
            is_tied = is_tied and not covers(rows[x], row, parts[j], False)
            is_aimed = is_aimed and not covers(rows[x], row, parts[j], True)
        if is_tied or is_aimed:
            return True
    return False


@compiled()
def put(
    row: IntArray, costs: FloatArray, x: int, all_rows: IntArray, all_costs: FloatArray
) -> None:
    """Write a row into place x."""
    for c in range(all_rows.shape[1]):
        all_rows[x, c] = row[c]
        all_costs[x, c] = costs[c]


@compiled()
def drop_idle(
    rows: IntArray, costs: FloatArray, ids: IntArray, n_rows: int, bar: FloatArray
) -> int:
    """Set the bar by the first rows, keep those that reach it, and return how many they are.

    Where certainty is reached (an infinite cost) the row that needs the fewest atoms stays.
    """
    set_bar(costs, n_rows, bar)
    owner, fewest = -1, rows.shape[1]
    for x in range(n_rows):
        for j in range(1, fewest):
            if costs[x, j] == np.inf:
                owner, fewest = x, j
                break
    n_kept = 0
    for x in range(n_rows):
        if x == owner or matters(costs[x], bar):
            put(rows[x], costs[x], n_kept, rows, costs)
            ids[n_kept] = ids[x]
            n_kept += 1
    return n_kept


@compiled()
def offer(
    row: IntArray,
    cost: FloatArray,
    rows: IntArray,
    costs: FloatArray,
    ids: IntArray,
    n_rows: int,
    bar: FloatArray,
) -> int:
    """Take a row in if it matters; return how many rows there are then."""
    if not matters(cost, bar) or not adds(row, cost, rows, n_rows, bar):
        return n_rows
    put(row, cost, n_rows, rows, costs)
    return int(drop_idle(rows, costs, ids, n_rows + 1, bar))


@compiled()
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
    bar = new_bar(K)
    n_sample = int(math.sqrt(len(sizes))) if n_rows == 0 and len(sizes) > _MANY else 0
    n_rows = drop_idle(rows, costs, ids, n_rows, bar)
    row, cost = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    best, spread = np.empty((K + 1, K + 1)), np.full((_WIDE, K + 1), -1.0)
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
        if is_below(row, bar) or is_among(row, rows, n_rows):
            continue
        fill_costs(row, best, cost)
        ids[n_rows] = g
        n_rows = offer(row, cost, rows, costs, ids, n_rows, bar)
        if bar[STAR, 1] == np.inf:
            break  # one atom makes sure: nothing is worse
        if n_rows == len(rows):
            return n_rows, max(turn + 1, begin), bar[AIM, K]
    return n_rows, len(sizes), bar[AIM, K]


@compiled()
def join(
    rows: IntArray, costs: FloatArray, more_rows: IntArray, more_costs: FloatArray, K: int
) -> tuple[IntArray, FloatArray, int, float]:
    """The rows that matter of two lots, up to K atoms: the first ones of the arrays returned.

    Also returns how many they are, and the cost with the atom asked about among them, aim(K).
    """
    most = len(rows) + len(more_rows)
    all_rows, all_costs = np.empty((most, K + 1), dtype=np.int64), np.empty((most, K + 1))
    bar, ids = new_bar(K), np.zeros(most, dtype=np.int64)
    row, cost = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    for x in range(len(rows)):
        put(rows[x], costs[x], x, all_rows, all_costs)
    n_rows = drop_idle(all_rows, all_costs, ids, len(rows), bar)
    for x in range(len(more_rows)):
        for c in range(K + 1):
            row[c], cost[c] = more_rows[x, c], more_costs[x, c]
        if not is_among(row, all_rows, n_rows):
            n_rows = offer(row, cost, all_rows, all_costs, ids, n_rows, bar)
    return all_rows, all_costs, n_rows, bar[AIM, K]


@compiled()
def closures(costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """star(0..K) and aim(0..K) of some rows."""
    bar = new_bar(costs.shape[1] - 1)
    set_bar(costs, len(costs), bar)
    return bar[STAR], bar[AIM]


@compiled()
def cost_of_each(
    sizes: IntArray, starts: IntArray, counts: IntArray, star: FloatArray
) -> FloatArray:
    """What K atoms achieve, one about each group in turn: max_h log s_1/n + L(h) + star(K-h)."""
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
