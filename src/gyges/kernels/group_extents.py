"""The least and the greatest number of each group, column by column.

Earned by 60,806 rows of eight columns in 3,000 groups: an eighth of the time of sorting rows by
group and reducing each column in NumPy.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.kernels.compiled import compiled


@compiled()
def group_extents(
    place: IntArray, n_groups: int, numbers: CodeArray
) -> tuple[CodeArray, CodeArray]:
    """Both columns × groups, of `numbers` (rows × columns); every group has a row."""
    n_rows, n_columns = numbers.shape
    low = np.full((n_columns, n_groups), np.iinfo(np.int32).max, np.int32)
    high = np.full((n_columns, n_groups), np.iinfo(np.int32).min, np.int32)
    for row in range(n_rows):
        group = place[row]
        for column in range(n_columns):
            number = numbers[row, column]
            low[column, group] = min(low[column, group], number)
            high[column, group] = max(high[column, group], number)
    return low, high
