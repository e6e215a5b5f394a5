"""Groups of cells as linked lists, each with its label, and what it would cost without each cell.

Earned together with annealing.py, whose time is spent here.
"""

from __future__ import annotations

from typing import NamedTuple

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.bit_sets import WordArray, ones
from gyges.kernels.cell_labels import (
    NONE,
    NOTHING,
    SET,
    Columns,
    clear,
    cover,
    span,
    widened_cost,
)
from gyges.kernels.compiled import compiled


class CellGroups(NamedTuple):
    """The group of each cell, and the label of each group; an empty group has head NONE."""

    group: IntArray  # of each cell
    head: IntArray  # the first cell of each group
    after: IntArray  # the next cell of the same group
    before: IntArray
    total: IntArray  # weight of each group
    cost: FloatArray  # of each group's label
    without: FloatArray  # for each cell, the cost of its group's label without it
    low: IntArray  # groups × columns
    high: IntArray
    bits: WordArray  # groups × words
    tally: IntArray  # room to count codes in
    locked: BoolArray  # groups that wait for a verdict


class Moved(NamedTuple):
    """What was moved, to be undone: (cell, group before, number of the move)."""

    rows: IntArray
    length: IntArray  # [rows written, moves made]


@compiled(error_model="numpy", forceinline=True)
def unlink(groups: CellGroups, cell: int) -> None:
    """Take a cell out of its group's list."""
    if groups.before[cell] >= 0:
        groups.after[groups.before[cell]] = groups.after[cell]
    else:
        groups.head[groups.group[cell]] = groups.after[cell]
    if groups.after[cell] >= 0:
        groups.before[groups.after[cell]] = groups.before[cell]


@compiled(error_model="numpy", forceinline=True)
def link(groups: CellGroups, cell: int, g: int) -> None:
    """Put a cell into a group's list."""
    first = groups.head[g]
    groups.after[cell], groups.before[cell], groups.head[g] = first, NONE, cell
    groups.group[cell] = g
    if first >= 0:
        groups.before[first] = cell


@compiled(error_model="numpy")
def refresh(columns: Columns, groups: CellGroups, g: int) -> None:
    """Compute a group's weight, label and cost, and its cost without each of its cells."""
    clear(groups.low[g], groups.high[g], groups.bits[g])
    groups.total[g], groups.cost[g] = 0, 0.0
    cell = groups.head[g]
    while cell >= 0:
        groups.total[g] += columns.weight[cell]
        groups.without[cell] = 0.0
        cover(columns, groups.low[g], groups.high[g], groups.bits[g], cell)
        cell = groups.after[cell]
    if groups.head[g] >= 0:
        for j in range(len(columns.kind)):
            if columns.kind[j] == SET:
                groups.cost[g] += _refresh_set(columns, groups, g, j)
            else:
                groups.cost[g] += _refresh_span(columns, groups, g, j)


@compiled(error_model="numpy", forceinline=True)
def _refresh_set(columns: Columns, groups: CellGroups, g: int, j: int) -> float:
    """Add what the set of column j costs without each cell; returns what it costs with all."""
    distinct, cell = 0, groups.head[g]
    while cell >= 0:
        code = columns.codes[cell, j]
        distinct += groups.tally[code] == 0
        groups.tally[code] += 1
        cell = groups.after[cell]
    full, less = (distinct - 1) * columns.step[j], max(distinct - 2, 0) * columns.step[j]
    cell = groups.head[g]
    while cell >= 0:
        groups.without[cell] += less if groups.tally[columns.codes[cell, j]] == 1 else full
        cell = groups.after[cell]
    cell = groups.head[g]
    while cell >= 0:
        groups.tally[columns.codes[cell, j]] = 0
        cell = groups.after[cell]
    return full


@compiled(error_model="numpy", forceinline=True)
def _refresh_span(columns: Columns, groups: CellGroups, g: int, j: int) -> float:
    """The same of a range or node: only its outermost cells hold it open."""
    low, second_low, high, second_high = NOTHING, NOTHING, NONE, NONE
    cell = groups.head[g]
    while cell >= 0:
        code = columns.codes[cell, j]
        second_low = low if code < low else min(second_low, code)
        low = min(low, code)
        second_high = high if code > high else max(second_high, code)
        high = max(high, code)
        cell = groups.after[cell]
    full = span(columns, j, low, high)
    cell = groups.head[g]
    while cell >= 0:
        code, less = columns.codes[cell, j], full
        if code in (low, high):
            left = second_low if code == low else low
            less = span(columns, j, left, second_high if code == high else high)
        groups.without[cell] += less
        cell = groups.after[cell]
    return full


@compiled(error_model="numpy")
def fill(columns: Columns, groups: CellGroups) -> None:
    """Link all cells into the groups that `groups.group` names, and refresh every group."""
    groups.head[:] = NONE
    for cell in range(len(groups.group)):
        link(groups, cell, groups.group[cell])
    for g in range(len(groups.head)):
        refresh(columns, groups, g)


@compiled(error_model="numpy", forceinline=True)
def lost(groups: CellGroups, g: int) -> float:
    """What a group's cells lose together: cost × weight."""
    return groups.cost[g] * groups.total[g]


@compiled(error_model="numpy", forceinline=True)
def joint_cost(columns: Columns, groups: CellGroups, a: int, b: int) -> float:
    """The cost of one label for two groups."""
    x = 0.0
    for j in range(len(columns.kind)):
        if columns.kind[j] == SET:
            n = 0
            for w in range(columns.word[j], columns.word[j + 1]):
                n += ones(groups.bits[a, w] | groups.bits[b, w])
            x += (n - 1) * columns.step[j]
        else:
            low = min(groups.low[a, j], groups.low[b, j])
            x += span(columns, j, low, max(groups.high[a, j], groups.high[b, j]))
    return x


@compiled(error_model="numpy", forceinline=True)
def more_lost(columns: Columns, groups: CellGroups, g: int, cell: int) -> float:
    """How much more is lost when a cell joins a group, without what it lost before."""
    if groups.head[g] < 0:
        return 0.0
    cost = widened_cost(
        columns, groups.cost[g], groups.low[g], groups.high[g], groups.bits[g], cell
    )
    return cost * (groups.total[g] + columns.weight[cell]) - lost(groups, g)


@compiled(error_model="numpy", forceinline=True)
def shift(groups: CellGroups, moved: Moved, cell: int, g: int) -> None:
    """Move a cell and note where it was; its groups' labels must be refreshed."""
    row = moved.length[0]
    moved.rows[row, 0], moved.rows[row, 1] = cell, groups.group[cell]
    moved.rows[row, 2] = moved.length[1]
    moved.length[0] += 1
    unlink(groups, cell)
    link(groups, cell, g)


@compiled(error_model="numpy")
def put(columns: Columns, groups: CellGroups, moved: Moved, cell: int, g: int) -> None:
    """Move a cell to another group, note where it was, and refresh both groups."""
    old = groups.group[cell]
    shift(groups, moved, cell, g)
    refresh(columns, groups, old)
    refresh(columns, groups, g)


@compiled(error_model="numpy")
def undo(columns: Columns, groups: CellGroups, moved: Moved, first: int, last: int) -> None:
    """Put the cells of rows first:last back, the last one first."""
    for row in range(last - 1, first - 1, -1):
        cell, old = moved.rows[row, 0], moved.rows[row, 1]
        new = groups.group[cell]
        unlink(groups, cell)
        link(groups, cell, old)
        refresh(columns, groups, new)
        refresh(columns, groups, old)


@compiled(error_model="numpy")
def settle(groups: CellGroups, moved: Moved, first: int, is_judged: bool) -> None:
    """A move is made: lock its groups until it is judged, or forget how to undo it."""
    if not is_judged:
        moved.length[0] = first
        return
    for row in range(first, moved.length[0]):
        groups.locked[moved.rows[row, 1]] = True
        groups.locked[groups.group[moved.rows[row, 0]]] = True
    moved.length[1] += 1
