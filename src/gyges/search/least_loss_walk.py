"""From safe groups to groups that lose less: annealing, in a fixed course that can end anywhere.

The course is a list of epochs, each twice as long as the one before and begun from the best groups
so far. An epoch is 40 slices, from hot to cold. Chance is fixed by the chain, the epoch and the
slice, so the course is the same in every run, in one thread or in several. Time decides only where
it ends: more time is never worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.kernels.annealing import walk
from gyges.kernels.cell_groups import CellGroups, Moved, fill
from gyges.kernels.regrouping import regroup
from gyges.kernels.threads import each_in_threads
from gyges.search.least_loss_problem import LossProblem
from gyges.search.least_loss_rules import Judge
from gyges.search.least_loss_start import Near, all_lost, linked

SLICES = 40  # temperatures of an epoch
_TRIES = 5  # moves tried for each cell in the first epoch
_POOLS, _POOLS_OF_A_GROUP = 5, 30  # pools peeled anew in the first epoch: see `_due`
_MORE_OF_RUNS = 4  # times as many from the second epoch on, where groups are runs of a line
_AT_ONCE = 20  # pools that are worth dividing the groups into halves
# The mean cost of a move at first and at last, for each person of a typical group.
_HEAT, _HEAT_OF_PEELED = (0.02, 0.004), (0.01, 0.001)
_HOTTER, _HOTTEST = 1.4, 4.0  # each epoch begins hotter, up to so much
_SPARE = 256  # groups that may be founded beyond those that fit
_IDLE = 2  # epochs without improvement after which the course ends
_EPSILON = 1e-9


@dataclass
class Chain:
    """One walk: the groups where it is, and the best that it has seen."""

    problem: LossProblem
    judge: Judge
    near: Callable[[], Near]
    nodes: IntArray | None  # at which pools are peeled anew, if there is a lattice
    number: int
    best: IntArray
    lost: float = field(init=False)
    groups: CellGroups = field(init=False)
    moved: list[Moved] = field(init=False)
    typical: float = field(init=False)  # people of a group

    def __post_init__(self) -> None:
        n = len(self.problem.order)
        room = min(self.problem.cells.n_people // self.problem.least, n) + _SPARE
        numbered = np.unique(self.best, return_inverse=True)[1].ravel()
        self.groups = linked(self.problem.columns, numbered, room)
        self.best, self.lost = numbered, all_lost(self.groups)
        self.moved = [
            Moved(np.empty((4 * n + (1 << 14), 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
            for _ in range(2)
        ]
        self.typical = float(np.median(self.groups.total[self.groups.total > 0]))

    def begin(self, group: IntArray, lost: float) -> None:
        """Go back to the best groups of all chains."""
        self.best, self.lost = group.copy(), lost
        self.groups.group[:] = group
        fill(self.problem.columns, self.groups)

    def moves_cells(self, epoch: int) -> bool:
        """Whether single cells are moved: nodes are hardly ever better for it at first."""
        is_peeled = self.nodes is not None and self.problem.is_by_nodes and not self.judge.is_asked
        return epoch > 0 or not is_peeled

    def slice(self, epoch: int, part: int) -> None:
        """Walk at one temperature; then peel some pools anew, if there is a lattice."""
        chance = (self.number * 64 + epoch) * SLICES + part
        heat = self._heat(epoch, part)
        if self.moves_cells(epoch):
            n_tries, tried, turn = _TRIES * len(self.best) * 2**epoch // SLICES + 1, 0, 0
            while tried < n_tries:
                tried += self._walk(n_tries - tried, heat, chance * 1009 + turn)
                turn += 1
        n_pools = self._due(epoch, part + 1) - self._due(epoch, part)
        if self.nodes is not None and n_pools:
            self._peel_pools(self.nodes, heat, chance, n_pools)

    def _due(self, epoch: int, part: int) -> int:
        """How many pools are due before a slice: few of them wait until the division is worth it.

        Large groups gain more by being peeled anew, and there are fewer of them.
        """
        most = _POOLS_OF_A_GROUP * self.problem.cells.n_people / self.typical
        levels = self.problem.levels
        more = _MORE_OF_RUNS if epoch and levels is not None and len(levels.line) else 1
        pools = more * int(min(_POOLS * self.typical**2, most))
        due: int = pools * 2**epoch * part // SLICES
        return due if part == SLICES else due // _AT_ONCE * _AT_ONCE

    def _peel_pools(self, nodes: IntArray, heat: float, chance: int, n_pools: int) -> None:
        """Peel pools of each half of the groups anew; both halves at once where no rule is asked.

        The halves know nothing of each other, so that threads change nothing.
        """
        by_cell, levels, before = (
            self.problem.by_cell,
            self.problem.levels,
            self.groups.group.copy(),
        )
        assert levels is not None
        locked = [self.groups.locked] if self.judge.is_asked else self._halves(chance)

        def peel_some(half: int) -> None:
            room = np.zeros_like(self.groups.tally)
            groups = self.groups._replace(locked=locked[half], tally=room)
            regroup(
                self.problem.columns, groups, self.moved[half], *by_cell, nodes, levels.reach,
                levels.line, self._wanted, -(-n_pools // len(locked)), heat, 2 * chance + half,
                self.judge.is_asked,
            )  # fmt: skip

        each_in_threads(peel_some, range(len(locked)))
        self._judge(before)

    def _halves(self, chance: int) -> list[BoolArray]:
        """For each half of the groups, neighbours by some column, which groups are not in it."""
        columns = np.random.default_rng(chance).permutation(self.groups.low.shape[1])
        order = np.lexsort((*self.groups.low[:, columns].T, self.groups.head < 0))
        n_used, is_late = int((self.groups.head >= 0).sum()), np.zeros(len(order), dtype=bool)
        is_late[order[n_used // 2 : n_used]] = True
        is_late[order[n_used::2]] = True  # every second one of the empty groups
        return [is_late, ~is_late]

    def _walk(self, n_tries: int, heat: float, seed: int) -> int:
        """Some tries; returns how many."""
        before, best = self.groups.group.copy(), self.groups.group.copy()
        start = all_lost(self.groups)
        done, change = walk(
            self.problem.columns, self.groups, self.moved[0], self.near().cells, self._wanted,
            n_tries, heat, seed, min(0.03, 0.5 / self.typical), self.judge.is_asked, best,
        )  # fmt: skip
        if self.judge.is_asked:
            self._judge(before)
        elif start + change < self.lost - _EPSILON:
            self.best, self.lost = best, start + change
        return int(done)

    def _judge(self, before: IntArray) -> None:
        """Undo what rules refuse, and note the groups if they are the best so far."""
        if self.judge.is_asked:
            self.judge.undo_refused(self.groups, self.moved[0], before)
        now = all_lost(self.groups)
        if now < self.lost - _EPSILON:
            self.best, self.lost = self.groups.group.copy(), now

    @property
    def _wanted(self) -> int:
        """The size that moves leave to groups: with more rules than sizes, about the usual one."""
        usual = int(0.7 * self.typical) if self.judge.is_asked else 1
        return max(self.problem.least, usual)

    def _heat(self, epoch: int, part: int) -> float:
        hot, cold = _HEAT if self.nodes is None else _HEAT_OF_PEELED
        hot *= min(_HOTTER**epoch, _HOTTEST)
        return float(self.typical * hot * (cold / hot) ** (part / (SLICES - 1)))


def improve(chains: list[Chain], n_epochs: int) -> Iterator[Chain]:
    """Walk with all chains at once; yields the best of them after each slice."""
    idle = 0
    for epoch in range(n_epochs):
        if chains[0].moves_cells(epoch):
            chains[0].near()  # once for all chains
        best = _best(chains)
        group, lost = best.best, best.lost
        for chain in chains if epoch else []:
            chain.begin(group, lost)
        for part in range(SLICES):
            each_in_threads(lambda chain, e=epoch, p=part: chain.slice(e, p), chains)  # type: ignore[misc]
            yield _best(chains)
        idle = 0 if _best(chains).lost < lost - _EPSILON else idle + 1
        if idle == _IDLE:
            return


def _best(chains: list[Chain]) -> Chain:
    return min(chains, key=lambda chain: chain.lost)  # the first of equally good ones
