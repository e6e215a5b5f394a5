"""Searches of a lattice: for a good node, for the node of least loss, for every safe node."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from gyges.search.lattice_boxes import Box, KnownNodes, split
from gyges.search.lattice_check import SAFE, Checker, NodeFinding
from gyges.search.lattice_nodes import Levels
from gyges.search.lattice_objective import Objective

Progress: TypeAlias = Callable[[int, int, int], None]  # nodes checked, pruned, left

_EQUAL = 1e-12  # losses that differ by less are rounded sums of the same parts
_REPORT_EVERY = 0.1  # seconds


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidate:
    """A safe node and its loss."""

    levels: Levels
    loss: float
    finding: NodeFinding


class LatticeWalk:
    """A search of a lattice: what it knows so far, and how much time it has."""

    def __init__(
        self,
        checker: Checker,
        objective: Objective,
        *,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.checker = checker
        self.objective = objective
        self.best: Candidate | None = None
        self.left = checker.lattice.n_nodes  # nodes that are still undecided
        # What suppression costs every finer node, for each node checked and not hopeless.
        self.lost: dict[Levels, float] = {}
        n_columns = len(checker.lattice.top)
        self.hopeless = KnownNodes(n_columns, covers_finer=True)
        self.safe = KnownNodes(n_columns, covers_finer=False)
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._progress = progress
        self._reported = -math.inf

    @property
    def n_pruned(self) -> int:
        """How many nodes were settled without a check of their own."""
        return max(self.checker.lattice.n_nodes - self.left - self.checker.n_checked, 0)

    @property
    def is_over(self) -> bool:
        """Whether the time limit is reached."""
        return time.monotonic() > self._deadline

    @property
    def enough(self) -> float:
        """The loss that a better node must stay below."""
        return math.inf if self.best is None else self.best.loss - _EQUAL

    def examine(self, levels: Levels) -> NodeFinding:
        """Check a node, and remember what that implies for others."""
        finding = self.checker.examine(levels)
        if finding.is_hopeless:
            self.hopeless.add(levels)
        else:
            self.lost[levels] = self.objective.surely_lost(levels, finding)
        if finding.is_safe:
            self.safe.add(levels)
            self.offer(levels, finding)
        self.report()
        return finding

    def is_surely_safe(self, levels: Levels) -> bool:
        """Whether a node below is known to be safe, and rules are monotone."""
        return self.checker.predicts_up and self.safe.covers(levels)

    def offer(self, levels: Levels, finding: NodeFinding) -> None:
        """Take a safe node as the best so far if it is."""
        if self.objective.bound(levels) < self.enough:
            loss = self.objective.loss(levels, finding)
            if loss < self.enough:
                self.best = Candidate(levels, loss, finding)

    def report(self, *, is_last: bool = False) -> None:
        """Report progress from time to time."""
        if self._progress is None:
            return
        now = time.monotonic()
        if is_last or now - self._reported >= _REPORT_EVERY:
            self._reported = now
            self._progress(self.checker.n_checked, self.n_pruned, self.left)


def descend(walk: LatticeWalk) -> None:
    """Find a good first node: from the top go down while a step is safe and gains, best first.

    For monotone rules a column that cannot be refined at a node can be refined nowhere below it,
    so this takes at most one check per level and one per column.
    """
    node = walk.checker.lattice.top
    finding = walk.examine(node)
    objective = walk.objective
    loss = objective.loss(node, finding) if finding.is_safe else -math.inf
    columns = set(range(len(node)))
    while not walk.is_over:
        columns = {c for c in columns if node[c] > 0}
        if not columns or not finding.is_safe:
            return
        saved = {c: objective.steps[c][node[c]] - objective.steps[c][node[c] - 1] for c in columns}
        column = min(columns, key=lambda c: (-saved[c], c))
        finer = (*node[:column], node[column] - 1, *node[column + 1 :])
        found = walk.examine(finer)
        new_loss = objective.loss(finer, found) if found.is_safe else math.inf
        if new_loss < loss:
            node, loss = finer, new_loss
        else:
            columns.remove(column)


class _Waiting(NamedTuple):
    """A box in the queue of `least_loss`."""

    bound: float  # no safe node of the box has a smaller loss
    order: int
    box: Box
    lost: float  # what suppression costs every node of the box at least


def least_loss(walk: LatticeWalk) -> float:
    """Find the node of least loss. Returns a bound: no safe node has a smaller loss.

    Boxes of nodes wait, the least bound first. For each box
    1. its coarsest node is checked, unless known nodes decide: if it is hopeless, so is the box;
    2. a box of several nodes is split in two.
    When a bound reaches the best loss found, that is the optimum. At the time limit, the least
    bound of the waiting boxes bounds the loss of all unseen nodes.
    """
    lattice, order = walk.checker.lattice, itertools.count(0, -1)
    whole = Box(lattice.bottom, lattice.top)
    waiting = [_Waiting(walk.objective.bound(whole.low), next(order), whole, 0.0)]
    while waiting and waiting[0].bound < walk.enough:
        if walk.is_over:
            return waiting[0].bound
        _, _, box, lost = heapq.heappop(waiting)
        walk.left -= box.n_nodes
        if not _may_hold_safe(walk, box) or box.low == box.high:
            continue
        walk.left += box.n_nodes
        lost = max(lost, walk.lost.get(box.high, 0.0))
        for half in split(box, walk.objective.steps):
            bound = walk.objective.bound(half.low, lost)
            heapq.heappush(waiting, _Waiting(bound, next(order), half, lost))
    walk.left = 0
    return math.inf if walk.best is None else walk.best.loss


def _may_hold_safe(walk: LatticeWalk, box: Box) -> bool:
    """Whether a box may hold a safe node; its coarsest is checked unless known nodes decide."""
    high, may_differ = box.high, walk.checker.allowed > 0  # in suppression, so in loss
    if walk.hopeless.covers(high):
        return False
    if high in walk.lost:
        return True
    if walk.is_surely_safe(high) and not (may_differ and box.low == high):
        if not may_differ:
            walk.offer(high, SAFE)
        return True
    return not walk.examine(high).is_hopeless


def safe_nodes(walk: LatticeWalk, *, only_minimal: bool) -> Iterator[tuple[Levels, NodeFinding]]:
    """Every safe node once; or at least the minimal ones, possibly with others.

    A box holds none if its coarsest node is hopeless, and no new minimal one if its finest is
    above a known safe node. The finer half of a box comes first: it may make the other needless.
    """
    lattice, may_differ = walk.checker.lattice, walk.checker.allowed > 0
    stack = [Box(lattice.bottom, lattice.top)]
    while stack and not walk.is_over:
        box = stack.pop()
        walk.left -= box.n_nodes
        if walk.hopeless.covers(box.high) or (only_minimal and walk.safe.covers(box.low)):
            continue
        is_single = box.low == box.high
        if box.high not in walk.lost:
            if not walk.is_surely_safe(box.high) or (may_differ and is_single):
                finding = walk.examine(box.high)
                if finding.is_hopeless:
                    continue
                if finding.is_safe:
                    yield box.high, finding
            elif is_single:
                yield box.high, SAFE
        if not is_single:
            walk.left += box.n_nodes
            stack += split(box, walk.objective.steps)[::-1]


def lowest(nodes: list[Levels]) -> list[Levels]:
    """The nodes above no other, sorted."""
    array = np.array(nodes, dtype=np.int16)
    kept = [
        node
        for node, levels in zip(nodes, array, strict=True)
        if np.count_nonzero((array <= levels).all(axis=1)) == 1
    ]
    return sorted(kept)
