"""Where the search for the least loss begins: neighbours, and groups that are safe already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.cell_groups import CellGroups, fill
from gyges.kernels.cell_labels import NONE, Columns
from gyges.kernels.joining_groups import best_partners, join_pairs
from gyges.kernels.nearest_cells import nearest_cells
from gyges.kernels.peeling import peel
from gyges.kernels.threads import batches_of, each_in_threads
from gyges.search.least_loss_problem import Levels, LossProblem
from gyges.search.least_loss_rules import Judge

NEAR = 24  # neighbours of each cell
_MOST_COMPARED = 1 << 16  # of more cells, neighbours are sought in parts of the table
_GROWN = 1.5  # times the least size: groups that grow beyond it are avoided


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Near:
    """The nearest cells of each cell by the cost of one label for both, in no order."""

    cells: IntArray  # cells × neighbours
    apart: FloatArray  # how far they are
    is_exact: bool  # no other cell is nearer

    @classmethod
    def of(cls, columns: Columns, most: int = NEAR) -> Near:
        """Find at most `most`; of very many cells each part of the table is searched by itself."""
        n = len(columns.codes)
        near = np.empty((n, min(most, n - 1)), dtype=np.int64)
        apart, n_parts = np.empty(near.shape), -(-n // _MOST_COMPARED)
        for first, last in pairwise(np.linspace(0, n, n_parts + 1).astype(np.int64).tolist()):
            part = columns._replace(codes=columns.codes[first:last])
            _fill_in(part, near[first:last], apart[first:last])
            near[first:last] += first
        return cls(near, apart, n_parts == 1)


def _fill_in(columns: Columns, near: IntArray, apart: FloatArray) -> None:
    heavy, starts = _blocks(columns.codes)
    each_in_threads(
        lambda at: nearest_cells(columns, heavy, starts, at.start, at.stop, near, apart),
        batches_of(np.diff(starts), worth=1 << 12),
    )


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
    return float((groups.cost * groups.total).sum())  # a dot product would depend on the cores


def joined_from_below(problem: LossProblem, judge: Judge, near: IntArray) -> CellGroups | None:
    """Groups that begin as single cells and join their cheapest neighbours until all hold."""
    return _joined(problem, judge, near, np.arange(len(problem.order)))


def joined_from_peel(
    problem: LossProblem, judge: Judge, near: IntArray, powers: Iterable[float]
) -> tuple[list[CellGroups | None], IntArray]:
    """Groups that walks over the lattice of hierarchies take off, joined until all hold.

    One walk for each power of prices that orders its nodes. Returns the nodes that were used, too.
    """
    levels = problem.levels
    assert levels is not None
    peeled = each_in_threads(lambda power: _peeled(problem, levels, power), powers)
    used = np.unique(np.concatenate([nodes for _, nodes in peeled]), axis=0)
    return [_joined(problem, judge, near, group) for group, _ in peeled], used


def _peeled(problem: LossProblem, levels: Levels, power: float) -> tuple[IntArray, IntArray]:
    """The groups that a walk takes off, and its nodes; what is left over is one more group."""
    people = problem.columns.weight
    nodes, group = levels.nodes(people, power), np.empty(len(people), dtype=np.int64)
    is_used = np.empty(len(nodes), dtype=bool)
    reach, line = levels.reach, levels.line
    peel(levels.keys, nodes, reach, line, people, problem.least, group, is_used)
    return np.unique(group, return_inverse=True)[1].ravel(), nodes[is_used]


def _joined(
    problem: LossProblem, judge: Judge, near: IntArray, group: IntArray
) -> CellGroups | None:
    """Join every group that fails with the one that it costs least; None if one group fails."""
    groups = linked(problem.columns, group, len(group))
    n_groups, asked = len(groups.head), np.flatnonzero(groups.head >= 0)
    partner, price = np.empty(n_groups, dtype=np.int64), np.empty(n_groups)
    is_open, cap = np.zeros(n_groups, dtype=bool), _GROWN * problem.least
    while True:
        is_open[asked] = ~judge.holding(groups, asked)
        is_open &= groups.head >= 0
        if not is_open.any():
            return groups
        if np.count_nonzero(groups.head >= 0) == 1:
            return None
        best_partners(problem.columns, groups, near, is_open, cap, partner, price)
        cheapest = np.argsort(price, kind="stable")
        half = max(1, int(is_open.sum()) // 2)
        touched = join_pairs(problem.columns, groups, cheapest, partner, half)
        asked = np.flatnonzero((touched | judge.is_global) & (groups.head >= 0))
