"""Annealing: moves between groups of cells at random, those that cost little enough are made.

A move is made if it costs at most a random limit, exponential with the mean `heat`: the rule of
simulated annealing [Kirkpatrick1983]. What is lowered is Σ cost × weight over all groups; every
group keeps a weight of at least `least`.

Earned by what it saves: every try depends on the moves before it, so NumPy cannot make them at
once, and without it groups stay as joining leaves them (Adult, k = 5, sets: .0187, not .0151).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.cell_groups import CellGroups, Moved, settle
from gyges.kernels.cell_labels import FAR, NONE, Columns
from gyges.kernels.compiled import compiled
from gyges.kernels.group_moves import dissolve, exchange, found, relocate

_POOLED = 2048  # cells that a new group may choose from
_EPSILON = 1e-9


class _Room(NamedTuple):
    """Arrays that every try uses again."""

    low: IntArray
    high: IntArray
    bits: WordArray
    pool: IntArray
    seen: IntArray
    free: IntArray  # empty groups; the last one is used next


@compiled(error_model="numpy")
def _room(columns: Columns, groups: CellGroups) -> tuple[_Room, int]:
    """The arrays, and how many groups are empty."""
    d, n_groups = columns.codes.shape[1], len(groups.head)
    free, n_free = np.empty(n_groups, np.int64), 0
    for g in range(n_groups - 1, -1, -1):
        if groups.head[g] < 0:
            free[n_free] = g
            n_free += 1
    room = _Room(
        np.empty(d, np.int64),
        np.empty(d, np.int64),
        np.empty(groups.bits.shape[1], np.uint64),
        np.empty(_POOLED, np.int64),
        np.full(n_groups, NONE, np.int64),
        free,
    )
    return room, n_free


@compiled(error_model="numpy")
def _move_one(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    near: IntArray,
    cell: int,
    least: int,
    limit: float,
    room: _Room,
) -> float:
    """Move a cell to a group nearby, or exchange it where its own group can spare nothing."""
    g = groups.group[cell]
    h = groups.group[near[cell, np.random.randint(near.shape[1])]]
    if h == g or groups.locked[h]:
        return FAR
    rest = groups.total[g] - columns.weight[cell]
    if rest >= least or rest == 0:
        return relocate(columns, groups, moved, cell, h, limit)
    return exchange(columns, groups, moved, cell, h, least, limit, room.low, room.high, room.bits)


@compiled(error_model="numpy")
def walk(
    columns: Columns,
    groups: CellGroups,
    moved: Moved,
    near: IntArray,
    least: int,
    n_tries: int,
    heat: float,
    seed: int,
    rare: float,
    is_judged: bool,
    best: IntArray,
) -> tuple[int, float]:
    """Try moves at random; returns how many were tried, and the change of what is lost.

    A share `rare` of the tries founds a group and as many dissolve one; all others move a cell.
    With `is_judged` the groups of each move are locked, so that moves can be undone one by one,
    and the walk ends when about half of all groups are locked. Otherwise `best` becomes the groups
    at the least loss on the way, and the change is that of `best`.
    """
    np.random.seed(seed)
    room, n_free = _room(columns, groups)
    n_used, n_locked, change, lowest = len(groups.head) - n_free, 0, 0.0, 0.0
    for t in range(n_tries):
        limit = -heat * np.log(np.random.random() + 1e-300)
        cell, kind = np.random.randint(len(columns.codes)), np.random.random()
        g, first, delta = groups.group[cell], moved.length[0], FAR
        if groups.locked[g]:
            continue
        if kind >= 2 * rare:
            delta = _move_one(columns, groups, moved, near, cell, least, limit, room)
        elif groups.cost[g] > 0 and kind >= rare:
            delta = dissolve(columns, groups, moved, near, g, limit)
        elif groups.cost[g] > 0 and n_free:
            new = room.free[n_free - 1]
            delta = found(
                columns, groups, moved, near, cell, new, least, limit, room.pool, room.seen, t
            )
            n_free -= groups.head[new] >= 0
        if delta == FAR:
            continue
        if groups.head[g] < 0 and not is_judged:
            room.free[n_free] = g
            n_free += 1
        change += delta
        n_locked += moved.length[0] - first + 1
        settle(groups, moved, first, is_judged)
        if is_judged and (2 * n_locked > n_used or 2 * moved.length[0] > len(moved.rows)):
            return t + 1, change
        if not is_judged and t % 256 == 0 and change < lowest - _EPSILON:
            lowest, best[:] = change, groups.group
    if not is_judged and change < lowest:
        lowest, best[:] = change, groups.group
    return n_tries, change if is_judged else lowest
