"""Moves between groups of cells: move one cell, exchange two, found a group, dissolve one.

Each is made if it costs at most `limit` and leaves every group a weight of at least `least`, else
everything stays as it was. It returns the change of Σ cost × weight over all groups, or FAR.

Earned together with annealing.py, which chooses among them.
"""

from __future__ import annotations

from gyges.arrays import IntArray
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.cell_groups import CellGroups, Moved, lost, more_lost, put, undo
from gyges.kernels.cell_labels import (
    FAR,
    NONE,
    Columns,
    clear,
    cover,
    label_cost,
    widened_cost,
)
from gyges.kernels.compiled import compiled


@compiled(error_model="numpy")
def relocate(
    columns: Columns, groups: CellGroups, moved: Moved, cell: int, g: int, limit: float
) -> float:
    """Move a cell to another group; its own has enough weight without it, or no other cell."""
    old = groups.group[cell]
    rest = groups.total[old] - columns.weight[cell]
    change = more_lost(columns, groups, g, cell) + groups.without[cell] * rest - lost(groups, old)
    if change > limit:
        return FAR
    put(columns, groups, moved, cell, g)
    return change


@compiled(error_model="numpy")
def _cover_all_but(
    columns: Columns,
    groups: CellGroups,
    g: int,
    cell: int,
    low: IntArray,
    high: IntArray,
    bits: WordArray,
) -> None:
    """The label of a group without one of its cells."""
    clear(low, high, bits)
    member = groups.head[g]
    while member >= 0:
        if member != cell:
            cover(columns, low, high, bits, member)
        member = groups.after[member]


@compiled(error_model="numpy")
def _best_exchange(
    columns: Columns,
    groups: CellGroups,
    cell: int,
    g: int,
    least: int,
    low: IntArray,
    high: IntArray,
    bits: WordArray,
) -> tuple[int, float]:
    """(cell of g, what is lost then) of the best exchange: exact here, optimistic in g."""
    old, p = groups.group[cell], columns.weight[cell]
    joined = widened_cost(
        columns, groups.cost[g], groups.low[g], groups.high[g], groups.bits[g], cell
    )
    wider = joined - groups.cost[g]
    best, chosen, other = FAR, NONE, groups.head[g]
    while other >= 0:
        q = columns.weight[other]
        one, two = groups.total[old] - p + q, groups.total[g] - q + p
        if one >= least and two >= least:
            here = widened_cost(columns, groups.without[cell], low, high, bits, other) * one
            there = (groups.without[other] + wider) * two
            if here + there < best:
                best, chosen = here + there, other
        other = groups.after[other]
    return chosen, best


@compiled(error_model="numpy")
def exchange(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    cell: int,
    g: int,
    least: int,
    limit: float,
    low: IntArray,
    high: IntArray,
    bits: WordArray,
) -> float:
    """Exchange a cell for one of group g; `low`, `high` and `bits` are room for a label."""
    old, p = groups.group[cell], columns.weight[cell]
    base = lost(groups, old) + lost(groups, g)
    if groups.without[cell] * groups.total[old] - base > limit:
        return FAR  # cannot pay
    _cover_all_but(columns, groups, old, cell, low, high, bits)
    other, bound = _best_exchange(columns, groups, cell, g, least, low, high, bits)
    if other < 0 or bound - base > limit:
        return FAR
    q = columns.weight[other]
    cover(columns, low, high, bits, other)
    change = label_cost(columns, low, high, bits) * (groups.total[old] - p + q) - base
    _cover_all_but(columns, groups, g, other, low, high, bits)
    cover(columns, low, high, bits, cell)
    change += label_cost(columns, low, high, bits) * (groups.total[g] - q + p)
    if change > limit:
        return FAR
    put(columns, groups, moved, cell, g)
    put(columns, groups, moved, other, old)
    return change


@compiled(error_model="numpy")
def _gather(
    groups: CellGroups,
    near: IntArray,
    cell: int,
    least: int,
    pool: IntArray,
    seen: IntArray,
    mark: int,
) -> int:
    """Pool the cells that might join a new group around a cell: of groups that can spare some."""
    n = 0
    for i in range(-1, near.shape[1]):
        g = groups.group[cell if i < 0 else near[cell, i]]
        if seen[g] == mark or groups.locked[g] or groups.total[g] <= least:
            continue
        seen[g] = mark
        member = groups.head[g]
        while member >= 0 and n < len(pool):
            if member != cell:
                pool[n] = member
                n += 1
            member = groups.after[member]
    return n


@compiled(error_model="numpy")
def _cheapest(
    columns: Columns, groups: CellGroups, pool: IntArray, n: int, new: int, least: int
) -> tuple[int, float]:
    """(place in the pool, change per weight) of the cell that joins a new group most cheaply."""
    best, chosen = FAR, NONE
    for i in range(n):
        if pool[i] < 0:
            continue
        old, p = groups.group[pool[i]], columns.weight[pool[i]]
        rest = groups.total[old] - p
        if rest < least:
            continue
        x = more_lost(columns, groups, new, pool[i]) - lost(groups, old)
        x = (x + groups.without[pool[i]] * rest) / p
        if x < best:
            best, chosen = x, i
    return chosen, best


@compiled(error_model="numpy")
def found(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    near: IntArray,
    cell: int,
    new: int,
    least: int,
    limit: float,
    pool: IntArray,
    seen: IntArray,
    mark: int,
) -> float:
    """Found the group `new` around a cell with what groups nearby can spare."""
    first, rest = moved.length[0], groups.total[groups.group[cell]] - columns.weight[cell]
    if (rest < least and rest > 0) or groups.locked[groups.group[cell]]:
        return FAR
    n, change = _gather(groups, near, cell, least, pool, seen, mark), 0.0
    while True:
        old = groups.group[cell]
        change -= lost(groups, old) + lost(groups, new)
        put(columns, groups, moved, cell, new)
        change += lost(groups, old) + lost(groups, new)
        chosen, price = _cheapest(columns, groups, pool, n, new, least)
        if chosen < 0 or (groups.total[new] >= least and price >= 0):
            break
        cell = pool[chosen]
        pool[chosen] = NONE
    if groups.total[new] >= least and change <= limit:
        return change
    undo(columns, groups, moved, first, moved.length[0])
    moved.length[0] = first
    return FAR


@compiled(error_model="numpy")
def dissolve(
    columns: Columns, groups: CellGroups, moved: Moved, near: IntArray, g: int, limit: float
) -> float:
    """Give each cell of a group to the best group nearby."""
    first, change = moved.length[0], -lost(groups, g)
    while groups.head[g] >= 0 and change <= limit:
        cell, best, chosen = groups.head[g], FAR, NONE
        for other in near[cell]:
            h = groups.group[other]
            if h != g and not groups.locked[h]:
                x = more_lost(columns, groups, h, cell)
                if x < best:
                    best, chosen = x, h
        if chosen < 0:
            break
        # what the group loses is taken off at once, so that only what is joined is added
        change += best
        put(columns, groups, moved, cell, chosen)
    if groups.head[g] < 0 and change <= limit:
        return change
    undo(columns, groups, moved, first, moved.length[0])
    moved.length[0] = first
    return FAR
