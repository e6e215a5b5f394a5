"""The independent sums that views state of a table, in whole numbers.

Views overlap, so their counts depend on each other. Gauss-Jordan elimination, with the largest
cells as pivots, leaves independent sums whose cells are never larger than their pivot: equations
in them stay well conditioned however small some cells are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.arrays import FloatArray, IntArray

_ZERO = 1e-9  # an entry of the elimination below this is rounding; the check at the end is exact
_DENOMINATORS = range(1, 61)
_EXACT = 2**52  # whole numbers below this are exact as doubles


@dataclass(frozen=True, slots=True, eq=False)
class RowSpace:
    """Independent sums: `sums` = `taken` @ A for the incidence matrix A of views and cells.

    All entries are whole numbers. `sums` has `factor` times the identity at the pivots, and the
    rows of A are exactly the combinations A[:, pivots] @ sums / factor.
    """

    sums: FloatArray  # sums × cells
    taken: FloatArray  # sums × counts of the views
    factor: int


def row_space(matrix: FloatArray, counts: IntArray, weights: FloatArray) -> RowSpace | None:
    """The independent sums of an incidence matrix; None where the check in whole numbers fails.

    Args:
        counts: of all views; they must follow from the independent ones.
        weights: cells with large ones become pivots.
    """
    pivots, taken = _eliminated(matrix, np.argsort(-weights, kind="stable"))
    for factor in _DENOMINATORS:
        whole = np.rint(taken * factor)
        if np.abs(whole - taken * factor).max(initial=0) < _ZERO * factor:
            break
    else:
        return None
    sums = whole @ matrix
    if max(np.abs(whole).sum(axis=1).max(), np.abs(sums).sum(axis=1).max()) * len(matrix) > _EXACT:
        return None
    spanning = matrix[:, pivots]
    if not np.array_equal(spanning @ sums, factor * matrix):
        return None
    back = spanning.astype(object).astype(int).astype(object)
    stated = counts.astype(object)
    if any(back @ (whole.astype(int).astype(object) @ stated) != factor * stated):
        return None
    return RowSpace(sums, whole, factor)


def _eliminated(matrix: FloatArray, order: IntArray) -> tuple[list[int], FloatArray]:
    """Gauss-Jordan elimination, pivots in the given order: their columns, and the row operations.

    The row operations times the matrix are the identity at the pivots.
    """
    n_rows, n = matrix.shape
    work = np.concatenate([matrix, np.eye(n_rows)], axis=1)
    pivots: list[int] = []
    for column in order:
        rank = len(pivots)
        if rank == n_rows:
            break
        row = rank + int(np.argmax(np.abs(work[rank:, column])))
        if abs(work[row, column]) < _ZERO:
            continue
        work[[rank, row]] = work[[row, rank]]
        work[rank] /= work[rank, column]
        others = np.flatnonzero(np.abs(work[:, column]) > 0)
        others = others[others != rank]
        work[others] -= work[others, column][:, None] * work[rank]
        pivots.append(int(column))
    return pivots, work[: len(pivots), n:]
