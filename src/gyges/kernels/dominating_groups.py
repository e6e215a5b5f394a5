"""The few groups that decide the worst case, found in one pass.

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
from gyges.kernels.compiled import FEW, compiled
from gyges.kernels.pruning_bounds import (
    AIM,
    STAR,
    WIDE,
    is_below,
    is_far_below,
    matters,
    new_limits,
    new_spreads,
    set_limits,
    set_spread,
)

_WORTH_A_SAMPLE = 4096  # groups
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
def adds(row: IntArray, costs: FloatArray, rows: IntArray, n_rows: int, limits: FloatArray) -> bool:
    """Whether a row that matters is more than an exact tie with another.

    Where a search brings every group to the same share, thousands of rows tie exactly.
    """
    K = len(row) - 1
    close = margin(K)
    parts = np.full(K + 1, 2)  # one atom is about one member
    has_parts = False
    for j in range(1, K + 1):
        above, ahead = costs[j] - limits[STAR, j], costs[0] + costs[j] - limits[AIM, j]
        if above > close or ahead > close:
            return True
        is_tied = limits[STAR, j] < np.inf and above >= -close
        is_aimed = limits[AIM, j] < np.inf and ahead >= -close
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
    rows: IntArray, costs: FloatArray, ids: IntArray, n_rows: int, limits: FloatArray
) -> int:
    """Set the limits by the first rows, keep those that reach them, and return how many.

    Where certainty is reached (an infinite cost) the row that needs the fewest atoms stays.
    """
    set_limits(costs, n_rows, limits)
    owner, fewest = -1, rows.shape[1]
    for x in range(n_rows):
        for j in range(1, fewest):
            if costs[x, j] == np.inf:
                owner, fewest = x, j
                break
    n_kept = 0
    for x in range(n_rows):
        if x == owner or matters(costs[x], limits):
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
    limits: FloatArray,
) -> int:
    """Add a row if it matters; return the new number of rows."""
    if not matters(cost, limits) or not adds(row, cost, rows, n_rows, limits):
        return n_rows
    put(row, cost, n_rows, rows, costs)
    return int(drop_idle(rows, costs, ids, n_rows + 1, limits))


@compiled(few=FEW)
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
    limits = new_limits(K)
    n_sample = int(math.sqrt(len(sizes))) if n_rows == 0 and len(sizes) > _WORTH_A_SAMPLE else 0
    n_rows = drop_idle(rows, costs, ids, n_rows, limits)
    row, cost = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    best, spreads = np.empty((K + 1, K + 1)), new_spreads(K)
    # A sample first: it raises the limits even if the worst groups are at the end.
    for turn in range(begin - n_sample, len(sizes)):
        g = turn if turn >= begin else (turn - begin + n_sample) * (len(sizes) // n_sample)
        start, stop, n = starts[g], starts[g + 1], sizes[g]
        if n == 0:
            continue
        if stop - start < WIDE:  # as in least_odds.py: one function for both takes twice the time
            if spreads[stop - start, 0] < 0.0:
                set_spread(stop - start, spreads[stop - start])
            if is_far_below(counts, start, stop, n, spreads[stop - start], limits):
                continue
        row[0] = n
        fill_row(counts, start, stop, row)
        if is_below(row, limits) or is_among(row, rows, n_rows):
            continue
        fill_costs(row, best, cost)
        ids[n_rows] = g
        n_rows = offer(row, cost, rows, costs, ids, n_rows, limits)
        if limits[STAR, 1] == np.inf:
            break  # one atom gives certainty: nothing is worse
        if n_rows == len(rows):
            return n_rows, max(turn + 1, begin), limits[AIM, K]
    return n_rows, len(sizes), limits[AIM, K]


@compiled(few=FEW)
def join(
    rows: IntArray, costs: FloatArray, more_rows: IntArray, more_costs: FloatArray, K: int
) -> tuple[IntArray, FloatArray, int, float]:
    """The rows that matter of two batches, up to K atoms: the first ones of the arrays returned.

    Also returns how many they are, and the cost with the target's atom among them, aim(K).
    """
    most = len(rows) + len(more_rows)
    all_rows, all_costs = np.zeros((most, K + 1), dtype=np.int64), np.zeros((most, K + 1))
    limits, ids = new_limits(K), np.zeros(most, dtype=np.int64)
    row, cost = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    for x in range(len(rows)):
        put(rows[x], costs[x], x, all_rows, all_costs)
    n_rows = drop_idle(all_rows, all_costs, ids, len(rows), limits)
    for x in range(len(more_rows)):
        for c in range(K + 1):
            row[c], cost[c] = more_rows[x, c], more_costs[x, c]
        if not is_among(row, all_rows, n_rows):
            n_rows = offer(row, cost, all_rows, all_costs, ids, n_rows, limits)
    return all_rows, all_costs, n_rows, limits[AIM, K]


@compiled(few=FEW)
def closures(costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """star(0..K) and aim(0..K) of some rows."""
    limits = new_limits(costs.shape[1] - 1)
    set_limits(costs, len(costs), limits)
    return limits[STAR], limits[AIM]


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
