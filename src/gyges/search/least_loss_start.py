"""Where the search for the least loss begins: neighbours, and groups that are safe already."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.cell_groups import CellGroups, fill
from gyges.kernels.cell_labels import NONE, Columns
from gyges.kernels.joining_groups import best_partners, join_pairs
from gyges.kernels.nearest_cells import nearest_cells
from gyges.kernels.peeling import peel
from gyges.search.least_loss_problem import Levels, LossProblem
from gyges.search.least_loss_rules import Judge

_NEAR = 24  # neighbours of each cell
_STRETCH = 1 << 15  # of more cells, neighbours are sought among so many at a time
_POWERS = (1.0, 1.5)  # orders of nodes that are tried
_GROWN = 1.5  # times the least size: groups that grow beyond it are avoided


def neighbours(columns: Columns) -> IntArray:
    """The nearest cells of each cell by the cost of one label for both: cells × neighbours."""
    n = len(columns.codes)
    near = np.empty((n, min(_NEAR, n - 1)), dtype=np.int64)
    bounds = np.linspace(0, n, -(-n // (2 * _STRETCH)) + 1).astype(np.int64)
    for first, last in pairwise(bounds.tolist()):
        part = columns._replace(codes=columns.codes[first:last])
        found = near[first:last]
        nearest_cells(part, *_blocks(part.codes), found, np.empty(found.shape))
        found += first
    return near


def _blocks(codes: IntArray) -> tuple[int, IntArray]:
    """How many leading columns make blocks that are not too many, and where blocks begin."""
    heavy, n = 1, len(codes)
    is_new = np.diff(codes[:, :1], axis=0).any(axis=1)
    while heavy < codes.shape[1]:
        finer = is_new | (np.diff(codes[:, heavy]) != 0)
        if np.count_nonzero(finer) + 1 > 8 * n**0.5:
            break
        is_new, heavy = finer, heavy + 1
    return heavy, np.concatenate([[0], np.flatnonzero(is_new) + 1, [n]])


def linked(columns: Columns, group: IntArray, n_groups: int) -> CellGroups:
    """These groups with their labels and costs, with room for `n_groups`."""
    (n, d), words = columns.codes.shape, int(columns.word[-1])
    groups = CellGroups(
        group=group.astype(np.int64),
        head=np.full(n_groups, NONE, dtype=np.int64),
        after=np.full(n, NONE, dtype=np.int64),
        before=np.full(n, NONE, dtype=np.int64),
        total=np.zeros(n_groups, dtype=np.int64),
        cost=np.zeros(n_groups),
        without=np.zeros(n),
        low=np.zeros((n_groups, d), dtype=np.int64),
        high=np.zeros((n_groups, d), dtype=np.int64),
        bits=np.zeros((n_groups, max(words, 1)), dtype=np.uint64),
        tally=np.zeros(int(columns.size.max()), dtype=np.int64),
        locked=np.zeros(n_groups, dtype=bool),
    )
    fill(columns, groups)
    return groups


def all_lost(groups: CellGroups) -> float:
    """What all people lose together, the sum over columns."""
    return float(groups.cost @ groups.total)


def joined_from_below(problem: LossProblem, judge: Judge, near: IntArray) -> IntArray | None:
    """Groups that begin as single cells and join their cheapest neighbours until all hold."""
    return _joined(problem, judge, near, np.arange(len(problem.order)))


def joined_from_peel(problem: LossProblem, judge: Judge, near: IntArray) -> IntArray | None:
    """Groups that a walk over the lattice of hierarchies takes off, joined until all hold."""
    if problem.levels is None:
        return None
    peeled = [_peeled(problem, problem.levels, power) for power in _POWERS]
    n = len(problem.order)
    losses = [all_lost(linked(problem.columns, group, n)) for group in peeled]
    return _joined(problem, judge, near, peeled[int(np.argmin(losses))])


def _peeled(problem: LossProblem, levels: Levels, power: float) -> IntArray:
    """The groups that a walk over the lattice takes off; what is left over is one more."""
    people, everything = problem.columns.weight, np.arange(len(problem.order))
    group = np.empty_like(everything)
    nodes = levels.nodes(people, power)
    peel(levels.above, levels.radix, people, nodes, problem.least, everything, group)
    return np.unique(group, return_inverse=True)[1].ravel()


def _joined(problem: LossProblem, judge: Judge, near: IntArray, group: IntArray) -> IntArray | None:
    """Join every group that fails with the one that it costs least; None if one group fails."""
    groups = linked(problem.columns, group, len(group))
    n_groups, asked = len(groups.head), np.flatnonzero(groups.head >= 0)
    partner, price = np.empty(n_groups, dtype=np.int64), np.empty(n_groups)
    is_open, cap = np.zeros(n_groups, dtype=bool), _GROWN * problem.least
    while True:
        is_open[asked] = ~judge.holding(groups, asked)
        is_open &= groups.head >= 0
        if not is_open.any():
            return np.asarray(groups.group)
        if np.count_nonzero(groups.head >= 0) == 1:
            return None
        best_partners(problem.columns, groups, near, is_open, cap, partner, price)
        cheapest = np.argsort(price, kind="stable")
        half = max(1, int(is_open.sum()) // 2)
        touched = join_pairs(problem.columns, groups, cheapest, partner, half)
        asked = np.flatnonzero((touched | judge.is_global) & (groups.head >= 0))
