"""The least and the greatest number of each group, column by column.

Earned by 60,000 groups of eight columns that become 3,000: an eighth of the time of sorting them
and reducing each column in NumPy.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.kernels.compiled import compiled


@compiled()
def join_extents(
    place: IntArray, n_new: int, low: CodeArray, high: CodeArray
) -> tuple[CodeArray, CodeArray]:
    """The extents of coarser groups, from those of finer ones: both are groups × columns.

    `place` is the coarser group of each finer one; every coarser group has one.
    """
    n_columns = low.shape[1]
    new_low = np.full((n_new, n_columns), np.iinfo(np.int32).max, np.int32)
    new_high = np.full((n_new, n_columns), np.iinfo(np.int32).min, np.int32)
    for g in range(len(place)):
        joined = place[g]
        for column in range(n_columns):
            new_low[joined, column] = min(new_low[joined, column], low[g, column])
            new_high[joined, column] = max(new_high[joined, column], high[g, column])
    return new_low, new_high
