"""The groups of k or more numbers on a line that are tightest of all, by dynamic programming.

Earned by 5,000 numbers: 1/400 of NumPy's time, number by number.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled


@compiled(error_model="numpy")
def optimal_groups(line: FloatArray, k: int) -> IntArray:
    """The group of each number of a sorted line; every group has k to 2k - 1 of them.

    The best groups are runs of neighbours. cost[j] = min over i of cost[i] + spread(i, j), where
    the last run i:j has k to 2k - 1 numbers; the shortest path of [Hansen2003].
    """
    n = len(line)
    sums, squares = np.zeros(n + 1), np.zeros(n + 1)
    middle = line[n // 2]
    for j in range(n):
        sums[j + 1] = sums[j] + (line[j] - middle)
        squares[j + 1] = squares[j] + (line[j] - middle) ** 2
    cost, start = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0.0
    for j in range(k, n + 1):
        first = max(j - 2 * k + 1, 0)
        for i in range(first, j - k + 1):
            total = sums[j] - sums[i]
            here = cost[i] + squares[j] - squares[i] - total * total / (j - i)
            if here < cost[j]:
                cost[j], start[j] = here, i
    group, end, number = np.empty(n, dtype=np.int64), n, 0
    while end > 0:
        group[start[end] : end] = number
        end, number = start[end], number + 1
    return group
