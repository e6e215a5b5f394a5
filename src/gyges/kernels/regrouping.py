"""Pool a few neighbouring groups of cells and peel them anew, where that costs little enough.

Earned together with annealing.py: between its walks this makes moves of many cells at once.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.cell_groups import (
    CellGroups,
    Moved,
    joint_cost,
    lost,
    refresh,
    settle,
    shift,
)
from gyges.kernels.cell_labels import FAR, NONE, Columns, cover, label_cost, widened_cost
from gyges.kernels.compiled import compiled
from gyges.kernels.peeling import peel

_MOST_POOLED = 9  # groups
_NOISE = 0.3  # of the logarithm of a node's price
_LOW, _HIGH = 0.7, 1.2  # nodes that are tried: from the cheapest group's cost to the dearest's
_JITTER = 1e-6


@compiled(error_model="numpy")
def _nearest_groups(columns: Columns, groups: CellGroups, g: int, n: int) -> IntArray:
    """A group and up to n - 1 others that share a label with it most cheaply."""
    nearest, price, found = np.empty(n, np.int64), np.full(n, FAR), 1
    nearest[0], price[0] = g, NONE
    for h in range(len(groups.head)):
        if h == g or groups.head[h] < 0 or groups.locked[h]:
            continue
        x = joint_cost(columns, groups, g, h) + _JITTER * np.random.random()
        if x >= price[n - 1]:
            continue
        at = min(found, n - 1)
        while price[at - 1] > x:
            nearest[at], price[at] = nearest[at - 1], price[at - 1]
            at -= 1
        nearest[at], price[at] = h, x
        found = min(found + 1, n)
    return nearest[:found]


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
def noisy_order(
    price: FloatArray,
    nodes: IntArray,
    weight: IntArray,
    cells: IntArray,
    noise: float,
    low: float,
    high: float,
) -> IntArray:
    """Nodes of a mean price in low:high for these cells, in a noisy order from cheap to dear."""
    mean, score, n = np.zeros(price.shape[1]), np.empty(len(nodes)), 0
    chosen, total = np.empty(len(nodes), np.int64), 0
    for cell in cells:
        total += weight[cell]
        for row in range(len(mean)):
            mean[row] += weight[cell] * price[cell, row]
    for t in range(len(nodes)):
        x = 0.0
        for row in nodes[t]:
            x += mean[row]
        if low * total <= x <= high * total:
            score[n], chosen[n] = x * np.exp(noise * np.random.normal()), t
            n += 1
    return chosen[np.argsort(score[:n], kind="mergesort")]


@compiled(error_model="numpy")
def _keys_of(keys: WordArray, cells: IntArray) -> WordArray:
    """The keys of these cells: rows × cells."""
    chosen = np.empty((keys.shape[1], len(cells)), np.uint64)
    for i in range(len(cells)):
        for row in range(keys.shape[1]):
            chosen[row, i] = keys[cells[i], row]
    return chosen


@compiled(error_model="numpy")
def regroup(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    keys: WordArray,
    price: FloatArray,
    nodes: IntArray,
    reach: IntArray,
    line: IntArray,
    least: int,
    n_tries: int,
    heat: float,
    seed: int,
    is_judged: bool,
) -> float:
    """Peel random pools anew at these nodes; returns the change of what is lost.

    `keys` and `price` are cells × rows, `reach` and `line` as `peel` wants them. Only nodes about
    as dear as the groups of a pool are tried. What is left of a pool joins the group of the pool
    that it costs least.
    """
    np.random.seed(seed)
    change, n_used, is_used = 0.0, (groups.head >= 0).sum(), np.empty(len(nodes), np.bool_)
    for _ in range(n_tries):
        g, first = groups.group[np.random.randint(len(groups.group))], moved.length[0]
        if groups.locked[g]:
            continue
        pooled = _nearest_groups(columns, groups, g, 2 + np.random.randint(_MOST_POOLED - 1))
        cells = _members(groups, pooled)
        if len(cells) < 2 or first + 2 * len(cells) > len(moved.rows):
            continue
        low, high = FAR, 0.0
        for h in pooled:
            low, high = min(low, groups.cost[h]), max(high, groups.cost[h])
        noise = _NOISE * np.random.random()
        order = noisy_order(price, nodes, columns.weight, cells, noise, _LOW * low, _HIGH * high)
        group = np.empty(len(cells), np.int64)
        heavy = columns.weight[cells]
        far = line[cells] if len(line) else line
        n_new = peel(_keys_of(keys, cells), nodes[order], reach, far, heavy, least, group, is_used)
        limit = -heat * np.log(np.random.random() + 1e-300)
        change += _adopt(columns, groups, moved, cells, group, n_new, pooled, limit, is_judged)
        if is_judged and 2 * groups.locked.sum() > n_used:
            break
    return change


@compiled(error_model="numpy")
def _empty_groups(groups: CellGroups, n: int) -> IntArray:
    """The numbers of n empty groups, or of all, if there are fewer."""
    names, found = np.empty(n, np.int64), 0
    for h in range(len(groups.head)):
        if found < n and groups.head[h] < 0 and not groups.locked[h]:
            names[found], found = h, found + 1
    return names[:found]


@compiled(error_model="numpy")
def _label(columns: Columns, groups: CellGroups, cell: int, g: int) -> None:
    """Widen the label of a new group, and count a cell in, without linking it."""
    cover(columns, groups.low[g], groups.high[g], groups.bits[g], cell)
    groups.total[g] += columns.weight[cell]


@compiled(error_model="numpy")
def _label_all(
    columns: Columns, groups: CellGroups, cells: IntArray, group: IntArray, names: IntArray
) -> float:
    """Label the new groups, and find the cheapest for each cell that is left; what is lost then."""
    for i in range(len(cells)):
        if group[i] >= 0:
            _label(columns, groups, cells[i], names[group[i]])
    for h in names:
        groups.cost[h] = label_cost(columns, groups.low[h], groups.high[h], groups.bits[h])
    for i in range(len(cells)):
        if group[i] < 0:
            best, wider, weight = FAR, 0.0, columns.weight[cells[i]]
            for at in range(len(names)):
                h = names[at]
                low, high, bits = groups.low[h], groups.high[h], groups.bits[h]
                cost = widened_cost(columns, groups.cost[h], low, high, bits, cells[i])
                x = cost * (groups.total[h] + weight) - lost(groups, h)
                if x < best:
                    best, wider, group[i] = x, cost, at
            _label(columns, groups, cells[i], names[group[i]])
            groups.cost[names[group[i]]] = wider
    after = 0.0
    for h in names:
        after += lost(groups, h)
    return after


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
    before, first = 0.0, moved.length[0]
    for h in pooled:
        before += lost(groups, h)
    change = _label_all(columns, groups, cells, group, names) - before
    is_made = change <= limit and change != 0
    if is_made:
        for i in range(len(cells)):
            shift(groups, moved, cells[i], names[group[i]])
        for h in pooled:
            refresh(columns, groups, h)
        settle(groups, moved, first, is_judged)
    for h in names:
        refresh(columns, groups, h)  # empty if nothing is made
    return change if is_made else 0.0
