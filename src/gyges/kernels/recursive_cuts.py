"""Cutting a group of items again and again until no cut is left, where only sizes count.

Earned by cutting 20,000 items down to groups of five: a hundredth of NumPy's time. Publishing Adult
with k = 5 takes 11 ms; by level_cuts.py, level after level, 16 ms.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.compiled import FEW, compiled
from gyges.kernels.cuts import STARTS, TALLY, TOTALS, cut, new_work, width
from gyges.kernels.packed_items import NO_TREE, TREE, narrow


@compiled(few=FEW, nogil=True, error_model="numpy")
def cut_down(
    words: IntArray,
    fields: IntArray,
    columns: IntArray,
    places: FloatArray,
    runs: IntArray,
    spare: IntArray,
    start: int,
    end: int,
    total: int,
    bounds: IntArray,
    least: int,
    block: int,
    is_first: BoolArray,
) -> None:
    """Cut the items `start:end` and all that comes of them, until every group is closed.

    Each group is cut in its widest column that can be cut. The smallest group goes first: what
    waits on the stack is never deep, and small groups stay in the processor's cache. A group of
    at most `block` items is left as it is. `is_first[i]` becomes true where a group begins.
    """
    d = len(columns)
    work = new_work(runs.shape[3])
    room = min(end - start, 64 * work.shape[1]) + work.shape[1]
    stack = np.empty((room, 3), dtype=np.int64)
    waiting = np.empty((room, 2 * d), dtype=np.int64)
    widths = np.empty(d)
    stack[0, 0], stack[0, 1], stack[0, 2] = start, end, total
    for t in range(2 * d):
        waiting[0, t] = bounds[t]
    top = int(np.int64(0))  # for a literal 0 numba would compile everything once more
    while top >= 0:
        start, end, total = stack[top, 0], stack[top, 1], stack[top, 2]
        n_parts, j = 0, int(np.int64(-1))
        if total >= 2 * least and end - start > block:
            n_parts, j = _cut_widest(
                words,
                fields,
                columns,
                places,
                runs,
                work,
                spare,
                stack,
                waiting,
                top,
                least,
                widths,
            )
        if n_parts:
            threshold = int(work[TALLY, 0]) if columns[j, TREE] == NO_TREE else -1
            _push(work, n_parts, stack, waiting, top, j, threshold)
        else:
            is_first[start] = True
        top += n_parts - 1


@compiled(error_model="numpy", forceinline=True)
def _cut_widest(
    words: IntArray,
    fields: IntArray,
    columns: IntArray,
    places: FloatArray,
    runs: IntArray,
    work: IntArray,
    spare: IntArray,
    stack: IntArray,
    waiting: IntArray,
    top: int,
    least: int,
    widths: FloatArray,
) -> tuple[int, int]:
    """Cut the group on top in its widest column that can be cut, the first of equally wide ones.

    Returns the number of parts and the column; 0 parts where no column can be cut.
    """
    d = len(columns)
    start, end, total = stack[top, 0], stack[top, 1], stack[top, 2]
    for j in range(d):
        if waiting[top, j] < waiting[top, d + j]:
            narrow(words, fields, start, end, waiting, top, j)
        lo, hi = waiting[top, j], waiting[top, d + j]
        widths[j] = width(columns, places, runs, j, lo, hi) if lo < hi else -1.0
    while True:
        best = int(np.int64(0))
        for j in range(1, d):
            if widths[j] > widths[best]:
                best = j
        if d == 0 or widths[best] < 0.0:
            return 0, best
        lo, hi = waiting[top, best], waiting[top, d + best]
        n_parts: int = cut(
            words, fields, columns, runs, work, spare, best, start, end, lo, hi, total, least, least
        )
        if n_parts:
            return n_parts, best
        widths[best] = -1.0


@compiled(error_model="numpy", forceinline=True)
def _push(
    work: IntArray,
    n_parts: int,
    stack: IntArray,
    waiting: IntArray,
    top: int,
    j: int,
    threshold: int,
) -> None:
    """Put the parts in the place of the group that was cut, the largest at the bottom.

    A threshold of a line (else -1) bounds column j on both sides: `narrow` then reads less.
    """
    largest = 0
    for p in range(1, n_parts):
        if (
            work[STARTS, p + 1] - work[STARTS, p]
            > work[STARTS, largest + 1] - work[STARTS, largest]
        ):
            largest = p
    for t in range(n_parts):
        p = (largest + t) % n_parts
        stack[top + t, 0], stack[top + t, 1] = work[STARTS, p], work[STARTS, p + 1]
        stack[top + t, 2] = work[TOTALS, p]
        for b in range(waiting.shape[1]):
            waiting[top + t, b] = waiting[top, b]
    if threshold >= 0:
        waiting[top + largest, waiting.shape[1] // 2 + j] = threshold  # the left part
        waiting[top + 1 - largest, j] = threshold + 1
