"""From safe groups to groups that lose less: annealing, in a fixed course that can end anywhere.

The course is a list of epochs, each twice as long as the one before and begun from the best groups
so far. An epoch is 40 slices, from hot to cold. Chance is fixed by the chain, the epoch and the
slice, so the course is the same in every run, in one thread or in several. Time decides only where
it ends: more time is never worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.annealing import walk
from gyges.kernels.cell_groups import CellGroups, Moved, fill
from gyges.kernels.cell_labels import TALL, TREE
from gyges.kernels.regrouping import regroup
from gyges.kernels.threads import each_in_threads
from gyges.search.least_loss_problem import LossProblem
from gyges.search.least_loss_rules import Judge
from gyges.search.least_loss_start import all_lost, linked

SLICES = 40  # temperatures of an epoch
_TRIES = 25  # moves tried for each cell in the first epoch
_POOLS = 1000  # pools of groups that are peeled anew in the first epoch
# The mean cost of a move at first and at last, for each person of a typical group.
_HEAT, _HEAT_OF_NODES = (0.02, 0.004), (0.01, 0.002)
_HOTTER, _HOTTEST = 1.4, 4.0  # each epoch begins hotter, up to so much
_SPARE = 256  # groups that may be founded beyond those that fit
_EPSILON = 1e-9


@dataclass
class Chain:
    """One walk: the groups where it is, and the best that it has seen."""

    problem: LossProblem
    judge: Judge
    near: IntArray
    number: int
    best: IntArray
    lost: float = field(init=False)
    groups: CellGroups = field(init=False)
    moved: Moved = field(init=False)
    typical: float = field(init=False)  # people of a group

    def __post_init__(self) -> None:
        n = len(self.problem.order)
        room = min(self.problem.cells.n_people // self.problem.least, n) + _SPARE
        numbered = np.unique(self.best, return_inverse=True)[1].ravel()
        self.groups = linked(self.problem.columns, numbered, room)
        self.best, self.lost = numbered, all_lost(self.groups)
        rows = np.empty((4 * n + (1 << 14), 3), dtype=np.int64)
        self.moved = Moved(rows, np.zeros(2, dtype=np.int64))
        self.typical = float(np.median(self.groups.total[self.groups.total > 0]))

    def begin(self, group: IntArray, lost: float) -> None:
        """Go back to the best groups of all chains."""
        self.best, self.lost = group.copy(), lost
        self.groups.group[:] = group
        fill(self.problem.columns, self.groups)

    def slice(self, epoch: int, part: int) -> None:
        """Walk at one temperature; then peel some pools anew, if there is a lattice."""
        n_tries = _TRIES * len(self.problem.order) * 2**epoch // SLICES + 1
        chance = (self.number * 64 + epoch) * SLICES + part
        heat, tried, turn = self._heat(epoch, part), 0, 0
        while tried < n_tries:
            tried += self._walk(n_tries - tried, heat, chance * 1009 + turn)
            turn += 1
        levels = self.problem.levels
        if levels is not None:
            before = self.groups.group.copy()
            regroup(
                self.problem.columns, self.groups, self.moved, levels.above, levels.price,
                levels.radix, self._wanted, max(1, _POOLS * 2**epoch // SLICES), heat, chance,
                self.judge.is_asked,
            )  # fmt: skip
            self._judge(before)

    def _walk(self, n_tries: int, heat: float, seed: int) -> int:
        """Some tries; returns how many."""
        before, best = self.groups.group.copy(), self.groups.group.copy()
        start = all_lost(self.groups)
        done, change = walk(
            self.problem.columns, self.groups, self.moved, self.near, self._wanted, n_tries, heat,
            seed, min(0.03, 0.5 / self.typical), self.judge.is_asked, best,
        )  # fmt: skip
        if self.judge.is_asked:
            self._judge(before)
        elif start + change < self.lost - _EPSILON:
            self.best, self.lost = best, start + change
        return int(done)

    def _judge(self, before: IntArray) -> None:
        """Undo what rules refuse, and note the groups if they are the best so far."""
        if self.judge.is_asked:
            self.judge.undo_refused(self.groups, self.moved, before)
        now = all_lost(self.groups)
        if now < self.lost - _EPSILON:
            self.best, self.lost = self.groups.group.copy(), now

    @property
    def _wanted(self) -> int:
        """The size that moves leave to groups: with more rules than sizes, about the usual one."""
        usual = int(0.7 * self.typical) if self.judge.is_asked else 1
        return max(self.problem.least, usual)

    def _heat(self, epoch: int, part: int) -> float:
        kinds = self.problem.columns.kind
        has_nodes_alone = bool(((kinds == TREE) | (kinds == TALL)).all())
        hot, cold = _HEAT_OF_NODES if has_nodes_alone else _HEAT
        hot *= min(_HOTTER**epoch, _HOTTEST)
        return float(self.typical * hot * (cold / hot) ** (part / (SLICES - 1)))


def improve(chains: list[Chain], n_epochs: int) -> Iterator[Chain]:
    """Walk with all chains at once; yields the best of them after each slice."""
    for epoch in range(n_epochs):
        if epoch:
            best = _best(chains)
            group, lost = best.best, best.lost
            for chain in chains:
                chain.begin(group, lost)
        for part in range(SLICES):
            each_in_threads(lambda chain, e=epoch, p=part: chain.slice(e, p), chains)  # type: ignore[misc]
            yield _best(chains)


def _best(chains: list[Chain]) -> Chain:
    return min(chains, key=lambda chain: chain.lost)  # the first of equally good ones
