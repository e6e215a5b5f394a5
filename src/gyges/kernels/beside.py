"""What becomes of the worst case when one group joins others, for each of many groups.

A search asks this of thousands of candidates at once; joining them one by one takes a summary each.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.breach import least_ratio, log_five, stands
from gyges.kernels.compiled import compiled
from gyges.kernels.minimize import fill_costs, fill_row


@compiled()
def standings_beside(
    kind: int,
    found: IntArray,
    row_starts: IntArray,
    row_k: IntArray,
    row_m: IntArray,
    least: FloatArray,
    log_limits: FloatArray,
) -> IntArray:
    """How groups with the five minima `least` stand when each signature joins them alone.

    1 above the limits, -1 not, 0 too close to say, as in breach.standings; of the rows of the
    signature's block the worst counts. The lesser of each two statistics is that of both together.
    """
    standing = np.ones(len(found), np.int64)
    five = np.empty(5)
    for i in range(len(found)):
        for row in range(row_starts[found[i, 0]], row_starts[found[i, 0] + 1]):
            log_five(kind, found[i], row_k[row], row_m[row], five)
            for which in range(5):
                five[which] = min(five[which], least[row, which])
            reached = stands(least_ratio(five), row_m[row], log_limits[row])
            standing[i] = min(standing[i], reached)
    return standing


@compiled()
def costs_beside(
    sizes: IntArray, starts: IntArray, counts: IntArray, star: FloatArray, aim: FloatArray
) -> FloatArray:
    """What K atoms achieve when each group joins others with the closures `star` and `aim`.

    max_h of log s_1/n + L(h) + star(K-h), the target being in the group, and of
    aim(h) + L(K-h), the target being elsewhere. See kernels/decisive.py.
    """
    K = len(star) - 1
    row, costs = np.empty(K + 1, dtype=np.int64), np.empty(K + 1)
    best = np.empty((K + 1, K + 1))
    reached = np.full(len(sizes), -np.inf)
    for g in range(len(sizes)):
        row[0] = sizes[g]
        fill_row(counts, starts[g], starts[g + 1], row)
        fill_costs(row, best, costs)
        for h in range(1, K + 1):
            reached[g] = max(reached[g], costs[0] + costs[h] + star[K - h])
            others = costs[K - h] if h < K else 0.0
            reached[g] = max(reached[g], aim[h] + others)
    return reached
