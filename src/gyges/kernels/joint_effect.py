"""The worst case once a batch of groups joins others, for each of many batches.

A search asks about thousands of candidates at once; merging them one by one takes a summary each.
Batch p is the groups `first[p]:first[p+1]`.

Earned by 2,000 batches of three groups: a tenth of the time of merging them one by one with
dominating_groups.py.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.atom_costs import fill_costs, fill_row
from gyges.kernels.compiled import FEW, compiled
from gyges.kernels.log_ratios import least_ratio, log_statistics, stands


@compiled(few=FEW)
def standings_together(
    kind: int,
    found: IntArray,
    pairs: IntArray,
    pair_starts: IntArray,
    first: IntArray,
    row_starts: IntArray,
    row_k: IntArray,
    row_m: IntArray,
    least: FloatArray,
    log_limits: FloatArray,
) -> IntArray:
    """How groups with the five minima `least` compare with the limits when each batch joins them.

    1 above the limits, -1 not, 0 too close to say, as in `standings`; the worst row counts.
    `found` are signatures, `pairs[pair_starts[g]:pair_starts[g+1]]` those of group g. The lesser
    of each two statistics is that of both together.
    """
    statistics, at = _statistics(kind, found, row_starts, row_k, row_m)
    standing = np.ones(len(first) - 1, np.int64)
    merged = least.copy()
    for p in range(len(first) - 1):
        begins, past = pair_starts[first[p]], pair_starts[first[p + 1]]
        for pair in range(begins, past):
            i = pairs[pair]
            begin = row_starts[found[i, 0]]
            for row in range(begin, row_starts[found[i, 0] + 1]):
                for which in range(5):
                    one = statistics[at[i] + row - begin, which]
                    merged[row, which] = min(merged[row, which], one)
        for pair in range(begins, past):
            block = found[pairs[pair], 0]
            for row in range(row_starts[block], row_starts[block + 1]):
                reached = stands(least_ratio(merged[row]), row_m[row], log_limits[row])
                standing[p] = min(standing[p], reached)
        for pair in range(begins, past):
            block = found[pairs[pair], 0]
            for row in range(row_starts[block], row_starts[block + 1]):
                for which in range(5):
                    merged[row, which] = least[row, which]
    return standing


@compiled()
def _statistics(
    kind: int, found: IntArray, row_starts: IntArray, row_k: IntArray, row_m: IntArray
) -> tuple[FloatArray, IntArray]:
    """The five statistics of every signature for each row of its block, and where they begin."""
    at = np.zeros(len(found) + 1, np.int64)
    for i in range(len(found)):
        at[i + 1] = at[i] + row_starts[found[i, 0] + 1] - row_starts[found[i, 0]]
    statistics = np.empty((at[-1], 5))
    for i in range(len(found)):
        begin = row_starts[found[i, 0]]
        for row in range(begin, row_starts[found[i, 0] + 1]):
            log_statistics(kind, found[i], row_k[row], row_m[row], statistics[at[i] + row - begin])
    return statistics, at


@compiled(few=FEW)
def costs_together(
    sizes: IntArray,
    starts: IntArray,
    counts: IntArray,
    first: IntArray,
    star: FloatArray,
    aim: FloatArray,
) -> FloatArray:
    """What K atoms achieve when each batch joins groups with the closures `star` and `aim`.

    The closures of all together, as kernels/dominating_groups.py defines them:
    star'(j) = max(star(j), max_g L_g(j), max_a star'(a) + star'(j-a)), and
    aim'(K) = max_h max(aim(h), max_g log s_1/n + L_g(h)) + star'(K-h).
    """
    K = len(star) - 1
    row, costs = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    best = np.empty((K + 1, K + 1))
    spread, aimed = np.empty(K + 1), np.empty(K + 1)
    reached = np.full(len(first) - 1, -np.inf)
    for p in range(len(first) - 1):
        for h in range(K + 1):
            spread[h], aimed[h] = star[h], aim[h]
        for g in range(first[p], first[p + 1]):
            row[0] = sizes[g]
            fill_row(counts, starts[g], starts[g + 1], row)
            fill_costs(row, best, costs)
            for h in range(1, K + 1):
                spread[h] = max(spread[h], costs[h])
                aimed[h] = max(aimed[h], costs[0] + costs[h])
        for j in range(2, K + 1):
            for a in range(1, j // 2 + 1):
                spread[j] = max(spread[j], spread[a] + spread[j - a])
        for h in range(1, K + 1):
            elsewhere = spread[K - h] if h < K else 0.0
            reached[p] = max(reached[p], aimed[h] + elsewhere)
    return reached


@compiled(few=FEW)
def rows_of(sizes: IntArray, starts: IntArray, counts: IntArray, K: int) -> IntArray:
    """The row (n, S_1, …, S_K) of each group: its size and the sums of its largest counts."""
    rows = np.empty((len(sizes), K + 1), dtype=np.int64)
    for g in range(len(sizes)):
        rows[g, 0] = sizes[g]
        fill_row(counts, starts[g], starts[g + 1], rows[g])
    return rows
