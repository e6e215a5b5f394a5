"""Cutting a group of items again and again until no cut is left, where only sizes count."""

from __future__ import annotations

import numpy as np
from numba import njit

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.cuts import STARTS, TOTALS, cut, new_work, width
from gyges.kernels.items import narrow


@njit(cache=True, nogil=True, error_model="numpy")
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
    stack[0, 0], stack[0, 1], stack[0, 2] = start, end, total
    for t in range(2 * d):
        waiting[0, t] = bounds[t]
    top = np.int64(0)
    while top >= 0:
        start, end, total = stack[top, 0], stack[top, 1], stack[top, 2]
        n_parts = 0
        if total >= 2 * least and end - start > block:
            narrow(words, fields, start, end, waiting, top)
            n_parts = _cut_widest(
                words, fields, columns, places, runs, work, spare, stack, waiting, top, least
            )
        if n_parts:
            _push(work, n_parts, stack, waiting, top)
        else:
            is_first[start] = True
        top += n_parts - 1


@njit(cache=True, error_model="numpy", forceinline=True)
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
) -> int:
    """Cut the group on top in its widest column that can be cut, the first of equally wide ones."""
    d = len(columns)
    limit = np.inf  # columns down to this width, and up to this number, were tried
    tried = np.int64(d)
    while True:
        best, widest = np.int64(-1), -1.0
        for j in range(d):
            lo, hi = waiting[top, j], waiting[top, d + j]
            if lo == hi:
                continue
            covered = width(columns, places, runs, j, lo, hi)
            is_left = covered < limit or (covered == limit and j > tried)
            if is_left and covered > widest:
                best, widest = np.int64(j), covered
        if best < 0:
            return 0
        start, end, total = stack[top, 0], stack[top, 1], stack[top, 2]
        lo, hi = waiting[top, best], waiting[top, d + best]
        n_parts: int = cut(
            words, fields, columns, runs, work, spare, best, start, end, lo, hi, total, least, least
        )
        if n_parts:
            return n_parts
        limit, tried = widest, best


@njit(cache=True, error_model="numpy", forceinline=True)
def _push(work: IntArray, n_parts: int, stack: IntArray, waiting: IntArray, top: int) -> None:
    """Put the parts in the place of the group that was cut, the largest at the bottom."""
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
        for j in range(waiting.shape[1]):
            waiting[top + t, j] = waiting[top, j]
