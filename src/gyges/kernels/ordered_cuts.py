"""Cutting groups of items level by level, each cut only if all groups stay safe together.

The rule is a skyline (joining_minima.py), every column a line. In each round all open groups try
their widest column, those that were refused their next one; what is accepted is the next level.

The arrays of one level are `groups[b]` (start, end, people), `bounds[b]` and `order` (columns
from the widest down), with the level's buffer b in `at`. A question of joining_minima.py ends a
call; the next call goes on with the same cut. Cuts are proposed a few at a time: passing arrays to
a function for each of them would take longer than all else.

Earned by 500,000 people and a skyline of 20 values: a ninth of the time of level_cuts.py,
packed_items.histograms, signatures.py and joint_effect.py one after the other.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.cuts import NO_CUT, TOTALS, new_work, plan_line, split_line, width
from gyges.kernels.joining_minima import (
    NO,
    OPEN,
    YES,
    L,
    describe,
    fill_bounds,
    join,
    judge_alone,
    leave,
    list_divisible,
    list_near,
)
from gyges.kernels.packed_items import COUNT, VALUE, WEIGHT, U, narrow, place_of

BUFFER, N_LEVEL, N_NEXT, RANK, GROUP, N_CLOSED, IS_RANKED = 0, 1, 2, 3, 4, 5, 6  # of `at`
N_NUMBERS = 7
START, END, PEOPLE, IS_OPEN = 0, 1, 2, 3  # of a group
_AT_ONCE = 128  # cuts


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
    d, n_values, n_parts, most = len(columns), len(class_of), 2 * _AT_ONCE, 0
    for row in range(len(rows)):
        most = max(most, rows[row, L])
    cuts, sizes = np.empty((_AT_ONCE, 3), np.int64), np.empty(n_parts, np.int64)
    starts, standing = np.zeros(n_parts + 1, np.int64), np.empty(n_parts, np.int64)
    codes, counts = np.empty(n_parts * n_values, np.int32), np.empty(n_parts * n_values, np.int64)
    worst, n_worst = np.empty(n_parts * n_values, np.int64), np.empty(n_parts, np.int64)
    top, before = np.zeros((n_parts, most + 1), np.int64), np.zeros((n_parts, most + 2), np.int64)
    best, tally = np.full(len(class_rows), -1), np.zeros(2 * n_values, np.int64)
    far = np.full((len(rows), 16, 2), 2**61)
    near, loosest = np.empty((len(rows), 5)), np.empty((len(rows), 5))
    most_rows = 0
    for v in range(n_values):
        most_rows = max(most_rows, value_rows[v + 1] - value_rows[v])
    found = np.empty((n_parts * n_values * most_rows, 4), np.int64)
    first, is_divisible = np.empty(_AT_ONCE + 1, np.int64), np.empty(n_parts, np.int64)
    undo, undo_logs = np.empty((8 * len(rows), 5), np.int64), np.empty(8 * len(rows))
    work = new_work(runs.shape[3])
    fill_bounds(value_rows, class_of, class_rows, rows, least, holders, near, loosest)
    while at[N_LEVEL] > 0:
        if not at[IS_RANKED]:
            smallest = 2 * max(least_side, least_people)
            _rank(words, fields, columns, places, runs, groups, bounds, order, at, smallest)
            fill_bounds(value_rows, class_of, class_rows, rows, least, holders, near, loosest)
        while at[RANK] < d:
            while at[GROUP] < at[N_LEVEL]:
                n_cuts, past = _propose(
                    words, fields, work, groups, bounds, order, at, least_side, least_people, cuts
                )
                _tally_sides(
                    words, fields, d, n_cuts, cuts, groups[at[BUFFER]], tally, starts, codes, counts
                )
                _sum_sides(n_cuts, starts, counts, sizes)
                n_parts = 2 * n_cuts
                describe(
                    n_parts, starts, codes, counts, class_of, best, top, before, worst, n_worst
                )
                judge_alone(
                    n_parts,
                    sizes,
                    starts,
                    codes,
                    counts,
                    top,
                    before,
                    worst,
                    n_worst,
                    value_rows,
                    class_of,
                    class_rows,
                    rows,
                    log_limits,
                    loosest,
                    known,
                    statistics,
                    standing,
                )
                list_near(
                    n_cuts,
                    sizes,
                    starts,
                    codes,
                    counts,
                    top,
                    before,
                    value_rows,
                    rows,
                    log_limits,
                    near,
                    far,
                    known,
                    statistics,
                    standing,
                    found,
                    first,
                )
                list_divisible(
                    n_parts, sizes, top, before, value_rows, class_rows, rows, is_divisible
                )
                for c in range(n_cuts):
                    is_refused = min(standing[2 * c], standing[2 * c + 1]) == NO
                    verdict, n_undo = NO if is_refused else YES, 0
                    for i in range(first[c], first[c + 1]):
                        if verdict == YES:
                            verdict, n_undo = join(
                                found[i, 0],
                                found[i, 1],
                                found[i, 2],
                                found[i, 3],
                                rows,
                                log_limits,
                                least,
                                holders,
                                near,
                                answers,
                                undo,
                                undo_logs,
                                n_undo,
                                question,
                            )
                    if verdict == YES:
                        _divide(words, fields, spare, sizes, is_divisible, groups, bounds, at, cuts, c)
                    elif n_undo:
                        leave(rows, least, holders, near, undo, undo_logs, n_undo)
                    if verdict == OPEN:
                        at[GROUP] = cuts[c, 0]
                        return False
                at[GROUP] = past
            at[RANK] += 1
            at[GROUP] = 0
        _next_level(groups, bounds, closed, closed_bounds, at)
    return True


@compiled(error_model="numpy")
def _propose(
    words: IntArray,
    fields: IntArray,
    work: IntArray,
    groups: IntArray,
    bounds: IntArray,
    order: IntArray,
    at: IntArray,
    least_side: int,
    least_people: int,
    cuts: IntArray,
) -> tuple[int, int]:
    """List the next cuts (group, column, greatest code on the left) in the columns of this round.

    Returns how many there are, and which group comes next.
    """
    d, n_cuts, g = order.shape[1], 0, at[GROUP]
    level, limits = groups[at[BUFFER]], bounds[at[BUFFER]]
    while g < at[N_LEVEL] and n_cuts < len(cuts):
        j = order[g, at[RANK]]
        if level[g, IS_OPEN] and j >= 0:
            threshold = plan_line(
                words,
                fields,
                work,
                d + WEIGHT,
                j,
                level[g, START],
                level[g, END],
                limits[g, j],
                limits[g, d + j],
                level[g, PEOPLE],
                least_side,
            )
            if threshold != NO_CUT and min(work[TOTALS, 0], work[TOTALS, 1]) >= least_people:
                cuts[n_cuts, 0], cuts[n_cuts, 1], cuts[n_cuts, 2] = g, j, threshold
                n_cuts += 1
        g += 1
    return n_cuts, g


@compiled(error_model="numpy")
def _tally_sides(
    words: IntArray,
    fields: IntArray,
    d: int,
    n_cuts: int,
    cuts: IntArray,
    level: IntArray,
    tally: IntArray,
    starts: IntArray,
    codes: CodeArray,
    counts: IntArray,
) -> None:
    """Which values occur on both sides of each cut, and how often: parts 2c and 2c + 1.

    `tally` has room for both sides and holds zeros, before and after.
    """
    n_values, filled = len(tally) // 2, 0
    values, value_shift, value_mask = place_of(fields, d + VALUE)
    weights, count_shift, count_mask = place_of(fields, d + COUNT)
    for c in range(n_cuts):
        g, j, threshold = cuts[c, 0], cuts[c, 1], cuts[c, 2]
        base, shift, mask = U(fields[j, 0]), fields[j, 1], fields[j, 2]
        for i in range(U(level[g, START]), U(level[g, END])):
            is_right = ((words[base + i] >> shift) & mask) > threshold
            value = ((words[values + i] >> value_shift) & value_mask) + is_right * n_values
            tally[U(value)] += (words[weights + i] >> count_shift) & count_mask
        for side in range(2):
            starts[2 * c + side] = filled
            for value in range(n_values):
                count = tally[U(side * n_values + value)]
                if count > 0:
                    codes[filled], counts[filled] = value, count
                    filled += 1
                    tally[U(side * n_values + value)] = 0
    starts[2 * n_cuts] = filled


@compiled(error_model="numpy")
def _sum_sides(n_cuts: int, starts: IntArray, counts: IntArray, sizes: IntArray) -> None:
    """How many people each part has: as many as values."""
    for p in range(2 * n_cuts):
        sizes[p] = 0
        for e in range(starts[p], starts[p + 1]):
            sizes[p] += counts[e]


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
    """Narrow the bounds of a level's groups and list their columns, the widest first.

    Groups of fewer people than `smallest` cannot be cut.
    """
    d, buffer = len(columns), at[BUFFER]
    widths, here = np.empty(d), bounds[buffer]
    for g in range(at[N_LEVEL]):
        start, end = groups[buffer, g, START], groups[buffer, g, END]
        groups[buffer, g, IS_OPEN] &= groups[buffer, g, PEOPLE] >= smallest
        for j in range(d if groups[buffer, g, IS_OPEN] else 0):
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


@compiled(error_model="numpy")
def _divide(
    words: IntArray,
    fields: IntArray,
    spare: IntArray,
    sizes: IntArray,
    is_divisible: IntArray,
    groups: IntArray,
    bounds: IntArray,
    at: IntArray,
    cuts: IntArray,
    c: int,
) -> None:
    """Move the items of an accepted cut apart; both sides are groups of the next level."""
    buffer, d = at[BUFFER], bounds.shape[2] // 2
    g, j, threshold = cuts[c, 0], cuts[c, 1], cuts[c, 2]
    start, end = groups[buffer, g, START], groups[buffer, g, END]
    middle = split_line(words, fields, spare, j, start, end, threshold)
    for side in range(2):
        part = at[N_NEXT]
        groups[1 - buffer, part, START] = middle if side else start
        groups[1 - buffer, part, END] = end if side else middle
        groups[1 - buffer, part, PEOPLE] = sizes[2 * c + side]
        groups[1 - buffer, part, IS_OPEN] = is_divisible[2 * c + side]
        for b in range(2 * d):
            bounds[1 - buffer, part, b] = bounds[buffer, g, b]
        at[N_NEXT] += 1
    bounds[1 - buffer, at[N_NEXT] - 2, d + j] = threshold
    bounds[1 - buffer, at[N_NEXT] - 1, j] = threshold + 1
    groups[buffer, g, IS_OPEN] = 0
    groups[buffer, g, END] = start  # nothing is left of it


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
