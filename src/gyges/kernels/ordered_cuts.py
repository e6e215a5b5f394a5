"""Cutting groups of items level by level, each cut only if all groups stay safe together.

The rule is a skyline (joining_minima.py), every column a line. In each round all open groups try
their widest column, those that were refused their next one; what is accepted is the next level.

The arrays of one level are `groups[b]` (start, end, people), `bounds[b]` and `order[b]` (columns
from the widest down), with the level's buffer b in `at`. A question of joining_minima.py ends a
call; the next call goes on with the same cut.

Earned by 500,000 people and a skyline of 20 values: a fourteenth of the time of level_cuts.py,
packed_items.histograms, signatures.py and joint_effect.py one after the other.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.cuts import NO_CUT, TOTALS, new_work, plan_line, split_line, width
from gyges.kernels.joining_minima import NO, YES, fill_bounds, join, leave
from gyges.kernels.packed_items import COUNT, VALUE, WEIGHT, U, narrow, place_of

BUFFER, N_LEVEL, N_NEXT, RANK, GROUP, N_CLOSED, IS_RANKED = 0, 1, 2, 3, 4, 5, 6  # of `at`
N_NUMBERS = 7
START, END, PEOPLE, IS_OPEN = 0, 1, 2, 3  # of a group


@compiled(error_model="numpy")
def cut_in_order(
    words: IntArray,
    fields: IntArray,
    columns: IntArray,
    places: FloatArray,
    runs: IntArray,
    spare: IntArray,
    least_side: int,
    least_people: int,
    value_rows: IntArray,
    class_of: IntArray,
    class_rows: IntArray,
    rows: IntArray,
    log_limits: FloatArray,
    least: FloatArray,
    holders: IntArray,
    known: IntArray,
    statistics: FloatArray,
    answers: IntArray,
    question: IntArray,
    groups: IntArray,
    bounds: IntArray,
    order: IntArray,
    closed: IntArray,
    closed_bounds: IntArray,
    at: IntArray,
) -> bool:
    """Cut until nothing can be cut, or until a question must be answered; whether it is done.

    A side of a cut has at least `least_side` people, and no group of fewer than `least_people` is
    safe. Final groups are moved to `closed` and `closed_bounds`; `least` and `holders` change.
    """
    d, n_values = len(columns), len(value_rows) - 1
    work = new_work(runs.shape[3])
    tally, seen = np.zeros(2 * n_values, np.int64), np.empty(2 * n_values, np.int64)
    most = 0
    for row in range(len(rows)):
        most = max(most, rows[row, 0])
    top, before = np.zeros(most + 1, np.int64), np.zeros(most + 2, np.int64)
    best = np.full(len(class_rows), -1)
    near, loosest = np.empty((len(rows), 5)), np.empty((len(rows), 5))
    counts = np.empty(len(class_rows) + n_values, np.int64)
    fill_bounds(value_rows, class_of, class_rows, rows, least, holders, near, loosest)
    undo, undo_logs = np.empty((8 * len(rows), 5), np.int64), np.empty(8 * len(rows))
    while at[N_LEVEL] > 0:
        buffer = at[BUFFER]
        if not at[IS_RANKED]:
            smallest = 2 * max(least_side, least_people)
            _rank(words, fields, columns, places, runs, groups, bounds, order, at, smallest)
            fill_bounds(value_rows, class_of, class_rows, rows, least, holders, near, loosest)
        while at[RANK] < d:
            while at[GROUP] < at[N_LEVEL]:
                g = at[GROUP]
                j = order[g, at[RANK]]
                if groups[buffer, g, IS_OPEN] == 0 or j < 0:
                    at[GROUP] += 1
                    continue
                start, end = groups[buffer, g, START], groups[buffer, g, END]
                threshold = plan_line(
                    words,
                    fields,
                    work,
                    d + WEIGHT,
                    j,
                    start,
                    end,
                    bounds[buffer, g, j],
                    bounds[buffer, g, d + j],
                    groups[buffer, g, PEOPLE],
                    least_side,
                )
                if threshold == NO_CUT or min(work[TOTALS, 0], work[TOTALS, 1]) < least_people:
                    at[GROUP] += 1
                    continue
                left, right = _tally_sides(
                    words, fields, d, j, start, end, threshold, n_values, tally, seen
                )
                verdict, n_undo = YES, 0
                for side, n_seen in ((0, left), (1, right)):
                    if verdict == YES:
                        verdict, n_undo = join(
                            work[TOTALS, side],
                            seen,
                            tally,
                            side * n_values,
                            n_seen,
                            value_rows,
                            class_of,
                            class_rows,
                            rows,
                            log_limits,
                            least,
                            holders,
                            near,
                            loosest,
                            known,
                            statistics,
                            answers,
                            undo,
                            undo_logs,
                            n_undo,
                            top,
                            before,
                            counts,
                            best,
                            question,
                        )
                for side, n_seen in ((0, left), (1, right)):
                    for t in range(side * n_values, side * n_values + n_seen):
                        tally[side * n_values + seen[t]] = 0
                if verdict == YES:
                    middle = split_line(words, fields, spare, j, start, end, threshold)
                    _add_parts(work, groups, bounds, at, j, threshold, middle)
                else:
                    leave(rows, least, holders, near, undo, undo_logs, n_undo)
                    if verdict != NO:
                        return False
                at[GROUP] += 1
            at[RANK] += 1
            at[GROUP] = 0
        _next_level(groups, bounds, closed, closed_bounds, at)
    return True


@compiled(error_model="numpy")
def _rank(
    words: IntArray,
    fields: IntArray,
    columns: IntArray,
    places: FloatArray,
    runs: IntArray,
    groups: IntArray,
    bounds: IntArray,
    order: IntArray,
    at: IntArray,
    smallest: int,
) -> None:
    """Narrow the bounds of a level's groups and list their columns, the widest first."""
    d, buffer = len(columns), at[BUFFER]
    widths, here = np.empty(d), bounds[buffer]
    for g in range(at[N_LEVEL]):
        start, end = groups[buffer, g, START], groups[buffer, g, END]
        groups[buffer, g, IS_OPEN] = groups[buffer, g, PEOPLE] >= smallest
        for j in range(d):
            if here[g, j] < here[g, d + j]:
                narrow(words, fields, start, end, here, g, j)
            lo, hi = here[g, j], here[g, d + j]
            wide = width(columns, places, runs, j, lo, hi) if lo < hi else -1.0
            place = j
            while place > 0 and widths[place - 1] < wide:
                widths[place], order[g, place] = widths[place - 1], order[g, place - 1]
                place -= 1
            widths[place], order[g, place] = wide, j if wide >= 0.0 else -1
    at[IS_RANKED] = 1


@compiled(error_model="numpy", forceinline=True)
def _tally_sides(
    words: IntArray,
    fields: IntArray,
    d: int,
    j: int,
    start: int,
    end: int,
    threshold: int,
    n_values: int,
    tally: IntArray,
    seen: IntArray,
) -> tuple[int, int]:
    """How often each value occurs on both sides of a cut; how many occur on the left, the right."""
    base, shift, mask = place_of(fields, j)
    values, value_shift, value_mask = place_of(fields, d + VALUE)
    counts, count_shift, count_mask = place_of(fields, d + COUNT)
    for i in range(U(start), U(end)):
        is_right = ((words[base + i] >> shift) & mask) > threshold
        value = ((words[values + i] >> value_shift) & value_mask) + is_right * n_values
        tally[U(value)] += (words[counts + i] >> count_shift) & count_mask
    left, right = 0, 0
    for value in range(n_values):
        if tally[value] > 0:
            seen[left] = value
            left += 1
        if tally[n_values + value] > 0:
            seen[n_values + right] = value
            right += 1
    return left, right


@compiled(error_model="numpy", forceinline=True)
def _add_parts(
    work: IntArray,
    groups: IntArray,
    bounds: IntArray,
    at: IntArray,
    j: int,
    threshold: int,
    middle: int,
) -> None:
    """Put both sides of an accepted cut into the next level."""
    buffer, g, d = at[BUFFER], at[GROUP], bounds.shape[2] // 2
    groups[buffer, g, IS_OPEN] = 0
    for side in range(2):
        part = at[N_NEXT]
        groups[1 - buffer, part, START] = middle if side else groups[buffer, g, START]
        groups[1 - buffer, part, END] = groups[buffer, g, END] if side else middle
        groups[1 - buffer, part, PEOPLE] = work[TOTALS, side]
        for b in range(2 * d):
            bounds[1 - buffer, part, b] = bounds[buffer, g, b]
        if side:
            bounds[1 - buffer, part, j] = threshold + 1
        else:
            bounds[1 - buffer, part, d + j] = threshold
        at[N_NEXT] += 1
    groups[buffer, g, END] = groups[buffer, g, START]  # nothing is left of it


@compiled(error_model="numpy")
def _next_level(
    groups: IntArray, bounds: IntArray, closed: IntArray, closed_bounds: IntArray, at: IntArray
) -> None:
    """Close the groups that were not cut; the parts of the others are the level."""
    buffer = at[BUFFER]
    for g in range(at[N_LEVEL]):
        if groups[buffer, g, END] > groups[buffer, g, START]:
            for i in range(3):
                closed[at[N_CLOSED], i] = groups[buffer, g, i]
            for b in range(bounds.shape[2]):
                closed_bounds[at[N_CLOSED], b] = bounds[buffer, g, b]
            at[N_CLOSED] += 1
    at[BUFFER], at[N_LEVEL], at[N_NEXT] = 1 - buffer, at[N_NEXT], 0
    at[RANK], at[GROUP], at[IS_RANKED] = 0, 0, 0
