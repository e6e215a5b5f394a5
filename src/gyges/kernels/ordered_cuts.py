"""Steps of cutting many groups of items in a fixed order, where accepted cuts change minima.

Every column is a line. `groups` are the open groups of a level: start, end, weight, and whether it
may be cut; `bounds` their least and greatest codes; `order` their columns from the widest down.
Many cuts are proposed at once, judged_parts.py compares their sides with the limits, and `accept`
takes them one after the other (joining_minima.py).

Earned by 500,000 items with 20 values, cut into groups of 80 and of 16: a fifth and an eighth of
the time of level_cuts.py, signatures.py and joint_effect.py, level after level.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.cuts import NO_CUT, TOTALS, new_work, plan_line, split_line, width
from gyges.kernels.joining_minima import NO, OPEN, YES, join, leave
from gyges.kernels.packed_items import COUNT, VALUE, WEIGHT, U, narrow, place_of

START, END, TOTAL, IS_OPEN = 0, 1, 2, 3  # of a group


@compiled(error_model="numpy")
def rank(
    words: IntArray,
    fields: IntArray,
    columns: IntArray,
    places: FloatArray,
    runs: IntArray,
    groups: IntArray,
    bounds: IntArray,
    order: IntArray,
    smallest: int,
) -> None:
    """Narrow the bounds of open groups and list their columns, the widest first, then -1.

    Groups that weigh less than `smallest` cannot be cut.
    """
    d = len(columns)
    widths = np.empty(d)
    for g in range(len(groups)):
        groups[g, IS_OPEN] &= groups[g, TOTAL] >= smallest
        for j in range(d if groups[g, IS_OPEN] else 0):
            if bounds[g, j] < bounds[g, d + j]:
                narrow(words, fields, groups[g, START], groups[g, END], bounds, g, j)
            lo, hi = bounds[g, j], bounds[g, d + j]
            wide = width(columns, places, runs, j, lo, hi) if lo < hi else -1.0
            place = j
            while place > 0 and widths[place - 1] < wide:
                widths[place], order[g, place] = widths[place - 1], order[g, place - 1]
                place -= 1
            widths[place], order[g, place] = wide, j if wide >= 0.0 else -1


@compiled(error_model="numpy")
def propose(
    words: IntArray,
    fields: IntArray,
    groups: IntArray,
    bounds: IntArray,
    order: IntArray,
    turn: int,
    g: int,
    least_side: int,
    least_size: int,
    cuts: IntArray,
) -> tuple[int, int]:
    """List the next cuts (group, column, greatest code on the left) from group g on.

    Each open group is cut in its column number `turn`; a side that weighs less than `least_size`
    is refused. Returns how many cuts there are, and which group comes next.
    """
    d, n_cuts = order.shape[1], 0
    work = new_work(1)
    while g < len(groups) and n_cuts < len(cuts):
        j = order[g, turn]
        if groups[g, IS_OPEN] and j >= 0:
            threshold = plan_line(
                words,
                fields,
                work,
                d + WEIGHT,
                j,
                groups[g, START],
                groups[g, END],
                bounds[g, j],
                bounds[g, d + j],
                groups[g, TOTAL],
                least_side,
            )
            if threshold != NO_CUT and min(work[TOTALS, 0], work[TOTALS, 1]) >= least_size:
                cuts[n_cuts, 0], cuts[n_cuts, 1], cuts[n_cuts, 2] = g, j, threshold
                n_cuts += 1
        g += 1
    return n_cuts, g


@compiled(error_model="numpy")
def tally_sides(
    words: IntArray,
    fields: IntArray,
    d: int,
    n_cuts: int,
    cuts: IntArray,
    groups: IntArray,
    n_values: int,
    sizes: IntArray,
    starts: IntArray,
    codes: CodeArray,
    counts: IntArray,
) -> None:
    """Which values occur on both sides of each cut, and how often: parts 2c and 2c + 1."""
    tally, filled = np.zeros(2 * n_values, np.int64), 0
    values, value_shift, value_mask = place_of(fields, d + VALUE)
    weights, count_shift, count_mask = place_of(fields, d + COUNT)
    for c in range(n_cuts):
        g, j, threshold = cuts[c, 0], cuts[c, 1], cuts[c, 2]
        base, shift, mask = U(fields[j, 0]), fields[j, 1], fields[j, 2]
        for i in range(U(groups[g, START]), U(groups[g, END])):
            is_right = ((words[base + i] >> shift) & mask) > threshold
            value = ((words[values + i] >> value_shift) & value_mask) + is_right * n_values
            tally[U(value)] += (words[weights + i] >> count_shift) & count_mask
        for part in range(2 * c, 2 * c + 2):
            starts[part], sizes[part] = filled, 0
            offset = n_values if part > 2 * c else 0
            for value in range(n_values):
                count = tally[U(offset + value)]
                if count > 0:
                    codes[filled], counts[filled] = value, count
                    sizes[part] += count
                    filled += 1
                    tally[U(offset + value)] = 0
    starts[2 * n_cuts] = filled


@compiled(error_model="numpy")
def accept(
    words: IntArray,
    fields: IntArray,
    spare: IntArray,
    n_cuts: int,
    cuts: IntArray,
    sizes: IntArray,
    standing: IntArray,
    is_divisible: IntArray,
    found: IntArray,
    first: IntArray,
    rows: IntArray,
    log_limits: FloatArray,
    least: FloatArray,
    holders: IntArray,
    near: FloatArray,
    answers: IntArray,
    question: IntArray,
    groups: IntArray,
    bounds: IntArray,
    parts: IntArray,
    part_bounds: IntArray,
    n_parts: int,
) -> tuple[int, int]:
    """Take the cuts in order, each if all signatures stay above the limits, and move items apart.

    The sides are written to `parts` and `part_bounds` from `n_parts` on. Returns how many cuts are
    decided (the next one needs the answer to `question`), and the new number of parts.
    """
    room = 8 * max(first[n_cuts], 1)
    undo, undo_logs = np.empty((room, 5), np.int64), np.empty(room)
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
            _divide(words, fields, spare, cuts, c, groups, bounds, parts, part_bounds, n_parts)
            for side in range(2):
                parts[n_parts + side, TOTAL] = sizes[2 * c + side]
                parts[n_parts + side, IS_OPEN] = is_divisible[2 * c + side]
            n_parts += 2
        elif n_undo:
            leave(rows, least, holders, near, undo, undo_logs, n_undo)
        if verdict == OPEN:
            return c, n_parts
    return n_cuts, n_parts


@compiled(error_model="numpy")
def _divide(
    words: IntArray,
    fields: IntArray,
    spare: IntArray,
    cuts: IntArray,
    c: int,
    groups: IntArray,
    bounds: IntArray,
    parts: IntArray,
    part_bounds: IntArray,
    n_parts: int,
) -> None:
    """Move the items of a cut apart and note where both sides are; nothing is left of the group."""
    g, j, threshold, d = cuts[c, 0], cuts[c, 1], cuts[c, 2], bounds.shape[1] // 2
    start, end = groups[g, START], groups[g, END]
    middle = split_line(words, fields, spare, j, start, end, threshold)
    parts[n_parts, START], parts[n_parts, END] = start, middle
    parts[n_parts + 1, START], parts[n_parts + 1, END] = middle, end
    for b in range(2 * d):
        part_bounds[n_parts, b] = part_bounds[n_parts + 1, b] = bounds[g, b]
    part_bounds[n_parts, d + j], part_bounds[n_parts + 1, j] = threshold, threshold + 1
    groups[g, IS_OPEN], groups[g, END] = 0, start
