"""The rows nearest to a point, where a distance is a sum over columns.

In some columns rows show labels that cover several values: there the distance is looked up.

Rows are distinct and sorted, so those that agree on the first columns lie together. A run of them
is skipped as soon as these columns alone are farther than the nearest row so far.

Earned by the nearest of 20,000 rows in five columns to 200 points: a hundredth of NumPy's time.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled

SAME = 1e-15  # for each column: two sums of rounded differences in 0…1 are the same distance


@compiled()
def runs(codes: IntArray) -> tuple[CodeArray, CodeArray]:
    """For each row the first column that differs from the row before, and where runs end.

    `ends[r, c]` is the first row after r that differs from it in one of the columns 0…c.
    """
    n, m = codes.shape
    changes, ends = np.zeros(n + 1, np.int32), np.empty((n, m), np.int32)
    for row in range(n - 1, -1, -1):
        for column in range(m):
            is_new = row + 1 == n or changes[row + 1] <= column
            ends[row, column] = row + 1 if is_new else ends[row + 1, column]
        while row and codes[row, changes[row]] == codes[row - 1, changes[row]]:
            changes[row] += 1
    return changes, ends


@compiled(forceinline=True)
def _difference(one: float, other: float, is_line: bool) -> float:
    """|x - y| on a line, else 0 or 1; NaN equals itself only."""
    if one == other:
        return 0.0
    if not is_line:
        return 1.0
    apart = abs(one - other)
    if apart == apart:
        return apart
    return 0.0 if one != one and other != other else 1.0


@compiled(forceinline=True)
def _apart(
    points: FloatArray,
    is_line: BoolArray,
    starts: IntArray,
    widths: IntArray,
    far: FloatArray,
    target: FloatArray,
    row: int,
    column: int,
) -> float:
    """How far a row is from a target in one column; by a table of labels × values if it has one."""
    one, other = points[row, column], target[column]
    if widths[column]:
        return float(far[starts[column] + int(one) * widths[column] + int(other)])
    return _difference(one, other, is_line[column])


@compiled()
def _walk(
    points: FloatArray,
    is_line: BoolArray,
    changes: CodeArray,
    ends: CodeArray,
    far_starts: IntArray,
    widths: IntArray,
    far: FloatArray,
    target: FloatArray,
    least: float,
    near: CodeArray,
) -> tuple[float, int]:
    """The least distance, at most `least`; `near` gets the rows within it when they are reached."""
    n, m = points.shape
    sums, same = np.zeros(m + 1), SAME * m
    row, column, found = 0, 0, 0
    while row < n:
        while column < m:
            apart = _apart(points, is_line, far_starts, widths, far, target, row, column)
            sums[column + 1] = sums[column] + apart
            if sums[column + 1] > least + same:
                break
            column += 1
        if column < m:
            row = ends[row, column]
        else:
            least = min(least, float(sums[m]))
            near[found] = row
            found += 1
            row += 1
        column = changes[row]
    return least, found


@compiled()
def nearest_rows(
    points: FloatArray,
    is_line: BoolArray,
    changes: CodeArray,
    ends: CodeArray,
    far_starts: IntArray,
    widths: IntArray,
    far: FloatArray,
    targets: FloatArray,
    first: int,
    near: CodeArray,
    starts: IntArray,
) -> int:
    """Fill in the nearest rows of targets first, first + 1, … and return where it stopped.

    Those of target t are `near[starts[t]:starts[t + 1]]`. It stops where `near` may not hold those
    of the next one; it has room for all rows, so at least one target is answered.
    """
    used, guess = 0, 0  # the nearest row of one target is near to the next one
    starts[first] = 0
    for t in range(first, len(targets)):
        if used + len(points) > len(near):
            return t
        least, target = 0.0, targets[t]
        for column in range(points.shape[1]):
            least += _apart(points, is_line, far_starts, widths, far, target, guess, column)
        room = near[used:]
        rows = (points, is_line, changes, ends, far_starts, widths, far)
        least, _ = _walk(*rows, target, least, room)
        _, found = _walk(*rows, target, least, room)
        guess = room[0]
        used += found
        starts[t + 1] = used
    return len(targets)
