"""Which one group covers a row of codes, when every group covers a set of codes in each column.

Groups sorted by their labels form a trie: groups that agree in the first columns are a run. A row
walks down only the runs whose label covers its code, so most groups are never looked at.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gyges.arrays import BoolArray, CodeArray, IntArray

NONE = -1
MANY = -2


def run_ends(labels: CodeArray) -> IntArray:
    """For sorted rows of labels: where the run of rows ends that agree in columns 0..j."""
    n, n_columns = labels.shape
    ends = np.empty((n, n_columns), dtype=np.int64)
    new = np.zeros(max(n - 1, 0), dtype=bool)
    for j in range(n_columns):
        new |= labels[1:, j] != labels[:-1, j]
        stops = np.append(np.flatnonzero(new) + 1, n)
        ends[:, j] = np.repeat(stops, np.diff(stops, prepend=0))
    return ends


@njit(cache=True)
def find_groups(
    rows: CodeArray,
    labels: CodeArray,
    ends: IntArray,
    covers: BoolArray,
    first: IntArray,
    width: IntArray,
    top_starts: IntArray,
    top_runs: IntArray,
) -> IntArray:
    """The place of the one sorted group that covers each row; NONE, or MANY for several.

    Label l of column j covers code c where `covers[first[j] + l * width[j] + c]`. The runs of
    column 0 that cover code c begin at `top_runs[top_starts[c]:top_starts[c + 1]]`.
    """
    n_columns = labels.shape[1]
    found = np.full(len(rows), NONE, dtype=np.int64)
    here = np.zeros(n_columns + 1, dtype=np.int64)  # where the walk stands in each column
    stop = np.zeros(n_columns + 1, dtype=np.int64)  # where its run ends
    for r in range(len(rows)):
        for top in range(top_starts[rows[r, 0]], top_starts[rows[r, 0] + 1]):
            here[1], stop[1] = top_runs[top], ends[top_runs[top], 0]
            j = 1
            while j > 0 and found[r] != MANY:
                if j == n_columns:  # all columns cover: one group, or several with equal labels
                    is_one = found[r] == NONE and stop[j] - here[j] == 1
                    found[r] = here[j] if is_one else MANY
                    j -= 1
                elif here[j] == stop[j]:
                    j -= 1
                else:
                    begin = here[j]
                    here[j] = ends[begin, j]
                    if covers[first[j] + labels[begin, j] * width[j] + rows[r, j]]:
                        here[j + 1], stop[j + 1] = begin, here[j]
                        j += 1
    return found
