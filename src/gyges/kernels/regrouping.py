"""Pool a few neighbouring groups of cells and peel them anew, where that costs little enough.

Earned together with annealing.py: between its walks this makes moves of many cells at once.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.cell_groups import (
    CellGroups,
    Moved,
    joint_cost,
    link,
    lost,
    more_lost,
    refresh,
    settle,
    shift,
    unlink,
)
from gyges.kernels.cell_labels import FAR, NONE, Columns
from gyges.kernels.compiled import compiled
from gyges.kernels.peeling import lower_nodes, peel

_MOST_POOLED = 11  # groups
_MOST_NODES = 1 << 14  # a pool whose cells differ in more ways is not peeled
_JITTER = 1e-6


@compiled(error_model="numpy")
def _nearest_groups(columns: Columns, groups: CellGroups, g: int, n: int) -> IntArray:
    """A group and up to n - 1 others that share a label with it most cheaply."""
    price = np.full(len(groups.head), FAR)
    for h in range(len(groups.head)):
        if groups.head[h] >= 0 and not groups.locked[h]:
            price[h] = joint_cost(columns, groups, g, h) + _JITTER * np.random.random()
    price[g] = NONE
    order = np.argsort(price)[:n]
    return order[price[order] < FAR]


@compiled(error_model="numpy")
def _members(groups: CellGroups, pooled: IntArray) -> IntArray:
    """The cells of these groups."""
    size = 0
    for h in pooled:
        cell = groups.head[h]
        while cell >= 0:
            size, cell = size + 1, groups.after[cell]
    cells, at = np.empty(size, np.int64), 0
    for h in pooled:
        cell = groups.head[h]
        while cell >= 0:
            cells[at], at, cell = cell, at + 1, groups.after[cell]
    return cells


@compiled(error_model="numpy")
def _ways(above: IntArray, cells: IntArray) -> int:
    """How many nodes there are up to the lowest that makes these cells equal."""
    n = 1
    for j in range(len(above)):
        top = 0
        while (above[j, top][cells] != above[j, top, cells[0]]).any():
            top += 1
        n *= top + 1
    return n


@compiled(error_model="numpy")
def regroup(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    above: IntArray,
    price: FloatArray,
    radix: IntArray,
    least: int,
    n_tries: int,
    heat: float,
    seed: int,
    is_judged: bool,
) -> float:
    """Peel random pools anew; returns the change of what is lost.

    What is left of a pool joins the group of the pool that it costs least.
    """
    np.random.seed(seed)
    change, n_used = 0.0, (groups.head >= 0).sum()
    for _ in range(n_tries):
        g, first = groups.group[np.random.randint(len(groups.group))], moved.length[0]
        if groups.locked[g]:
            continue
        pooled = _nearest_groups(columns, groups, g, 2 + np.random.randint(_MOST_POOLED - 1))
        cells = _members(groups, pooled)
        if len(cells) < 2 or first + 2 * len(cells) > len(moved.rows):
            continue
        if _ways(above, cells) > _MOST_NODES:
            continue
        noise, power = 0.4 * np.random.random(), 1.0 + np.random.randint(3) / 2
        nodes = lower_nodes(above, price, columns.weight, cells, noise, power)
        group = np.empty(len(cells), np.int64)
        n_new = peel(above, radix, columns.weight, nodes, least, cells, group)
        limit = -heat * np.log(np.random.random() + 1e-300)
        change += _adopt(columns, groups, moved, cells, group, n_new, pooled, limit, is_judged)
        if is_judged and 2 * groups.locked.sum() > n_used:
            break
    return change


@compiled(error_model="numpy")
def _empty_groups(groups: CellGroups, n: int) -> IntArray:
    """The numbers of n empty groups, or of fewer if there are not so many."""
    names, found = np.empty(n, np.int64), 0
    for h in range(len(groups.head)):
        if found < n and groups.head[h] < 0 and not groups.locked[h]:
            names[found], found = h, found + 1
    return names[:found]


@compiled(error_model="numpy")
def _place_all(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    cells: IntArray,
    group: IntArray,
    names: IntArray,
) -> None:
    """Put each cell into its new group, and the rest where it costs least."""
    for i in range(len(cells)):
        if group[i] >= 0:
            shift(groups, moved, cells[i], names[group[i]])
    for h in names:
        refresh(columns, groups, h)
    for i in range(len(cells)):
        if group[i] < 0:
            best, chosen = FAR, NONE
            for h in names:
                x = more_lost(columns, groups, h, cells[i])
                if x < best:
                    best, chosen = x, h
            shift(groups, moved, cells[i], chosen)
            refresh(columns, groups, chosen)


@compiled(error_model="numpy")
def _adopt(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    cells: IntArray,
    group: IntArray,
    n_new: int,
    pooled: IntArray,
    limit: float,
    is_judged: bool,
) -> float:
    """Put cells into new groups instead of the pooled ones if that costs at most `limit`."""
    names = _empty_groups(groups, n_new)
    if len(names) < n_new or n_new == 0:
        return 0.0
    before, after, first = 0.0, 0.0, moved.length[0]
    for h in pooled:
        before += lost(groups, h)
    _place_all(columns, groups, moved, cells, group, names)
    for h in pooled:
        refresh(columns, groups, h)
    for h in names:
        after += lost(groups, h)
    if after - before <= limit and after != before:
        settle(groups, moved, first, is_judged)
        return after - before
    for row in range(moved.length[0] - 1, first - 1, -1):
        unlink(groups, moved.rows[row, 0])
        link(groups, moved.rows[row, 0], moved.rows[row, 1])
    for h in pooled:
        refresh(columns, groups, h)
    for h in names:
        refresh(columns, groups, h)
    moved.length[0] = first
    return 0.0
