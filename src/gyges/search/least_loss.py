"""The least loss: groups of cells that satisfy every rule and lose as little as can be found.

1. Mondrian cuts the table from above (mondrian.py). From below, cells join their cheapest
   neighbours until every rule holds; where labels are nodes, a walk over the lattice of hierarchies
   also takes off groups that hold, the finest nodes first (least_loss_start.py).
2. The better groups are improved by annealing: move a cell, exchange two, found a group, dissolve
   one, peel a few neighbouring groups anew (least_loss_walk.py).
3. A lower bound says how far the optimum can be (least_loss_bound.py).

Groups may overlap: two labels can cover the same person, who is in one of the groups.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gyges.arguments import called, choice
from gyges.arrays import IntArray
from gyges.criteria.base import Criterion, bind_all
from gyges.data.cells import Cells
from gyges.errors import NothingSafeError
from gyges.exact import seconds
from gyges.kernels.cell_groups import CellGroups
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import Labels, Partition
from gyges.search import mondrian
from gyges.search.least_loss_bound import lower_bounds
from gyges.search.least_loss_problem import LossProblem
from gyges.search.least_loss_rules import Judge
from gyges.search.least_loss_start import (
    NEAR,
    Near,
    all_lost,
    joined_from_below,
    joined_from_peel,
    linked,
)
from gyges.search.least_loss_walk import SLICES, Chain, improve
from gyges.utility.grouping import Grouping
from gyges.utility.loss import loss

Effort: TypeAlias = Literal["quick", "normal", "thorough"]
# Loss, bound, share that is done; True ends the search.
Progress: TypeAlias = "Callable[[float, float, float], object]"


@dataclass(frozen=True, slots=True)
class _Course:
    """How far a search goes: epochs of annealing, chains at once, orders of peeling, the bound."""

    n_epochs: int
    n_chains: int
    powers: tuple[float, ...]
    n_visits: int
    n_passes: int


_POWERS = (1.0, 1.5, 2.0, 3.0)
_COURSES: dict[str, _Course] = {
    "quick": _Course(0, 1, (2.0,), 10_000_000, 0),
    "normal": _Course(1, 1, _POWERS, 50_000_000, 0),
    "thorough": _Course(5, 2, _POWERS, 250_000_000, 4),
}
_ENDLESS = _Course(40, 2, _POWERS, 50_000_000, 4)  # until time is up
_ROUNDING = 1e-9
_MOST_NEAR = 1 << 22  # cells × neighbours
_EAGER = 1.08  # groups joined from below improve more than peeled ones: they may lose more at first


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    effort: Effort | None = None,
    time_limit: float | None = None,
    labels: Labels = "usual",
    progress: Progress | None = None,
) -> Partition:
    """The groups of least loss that are found; their `bound` says how far the optimum can be.

    The result depends on the cells, the rules and the effort alone, and more effort is never
    worse; with a time limit the same course ends where time is up.

    Args:
        effort: "quick" (no annealing), "normal" (one epoch) or "thorough" (five, in two chains);
            "normal" if there is no time limit.
        time_limit: seconds after which the best groups so far are returned. It is looked at
            between steps, and the first groups are always finished.
        labels: what groups will show, and what their loss is measured by; see `gyges.release`.
        progress: called from time to time with the loss, the bound and the share that is done. If
            it returns True, the search ends there with the best groups so far.
    """
    called(progress, "progress", ("loss", "bound", "done"))
    limit = np.inf if time_limit is None else seconds(time_limit, "time_limit")
    if effort is not None:
        choice(effort, get_args(Effort), "effort")
    choice(labels, get_args(Labels), "labels")
    course = _COURSES[effort or "normal"] if effort or time_limit is None else _ENDLESS
    problem = LossProblem.of(cells, bind_all(criteria, everybody(cells)), labels)
    return _Search(problem, course, limit, progress).run()


@dataclass
class _Search:
    """One search under way: the best groups so far, and the bound."""

    problem: LossProblem
    course: _Course
    limit: float
    progress: Progress | None
    best: IntArray | None = None
    lost: float = np.inf
    bound: float = 0.0
    nodes: IntArray | None = None  # of the lattice, where groups were taken off

    def run(self) -> Partition:
        """The best groups when the course, or the time, is at its end."""
        begun = time.monotonic()
        cut, refusal = _cut(self.problem)
        for share in self._ever_better(cut):
            spent = (time.monotonic() - begun) / self.limit if self.limit else 1.0
            if self._is_enough(max(share, spent)) or spent >= 1:
                break
        if self.best is None or not self.judge.holds_on(self.best):
            self.best = cut  # rules are checked in the end, never assumed to hold
        if self.best is None:
            raise refusal or NothingSafeError("the search found no groups that satisfy every rule")
        return self._partition(self.best)

    def _is_enough(self, done: float) -> bool:
        """Tell how far the search is, once there are safe groups; whether to end it."""
        if self.progress is None or self.best is None:
            return False
        return self.progress(self.lost / self.problem.n_units, self.bound, done) is True

    def _partition(self, group: IntArray) -> Partition:
        numbered, problem = self.problem.of_cells(group), self.problem
        found = Partition(problem.cells, numbered, int(numbered.max()) + 1, labels=problem.labels)
        return replace(found, bound=min(self.bound, loss(Grouping.of_partition(found))))

    def _ever_better(self, cut: IntArray | None) -> Iterator[float]:
        """Go through the course; yields the share that is done after each step."""
        if cut is not None:
            self._note(cut, all_lost(linked(self.problem.columns, cut, len(cut))))
            yield 0.0
        if len(self.problem.order) < 2:
            return
        starts = [] if cut is None else [(self.lost, cut)]
        for found in self._starts():
            starts += found
            yield 0.0
        asked = self.problem, self.course.n_visits, self.course.n_passes, self._nearest
        bounds = lower_bounds(*asked)
        self.bound = next(bounds)
        yield 0.0
        starts.sort(key=lambda start: start[0])
        if starts:
            yield from self._annealed([group for _, group in starts], bounds)
        while not self._is_optimal and (bound := next(bounds, None)) is not None:
            self.bound = bound
            yield 1.0

    @property
    def _is_optimal(self) -> bool:
        """Whether nothing can lose less."""
        return self.lost / self.problem.n_units <= self.bound + _ROUNDING

    def _starts(self) -> Iterator[list[tuple[float, IntArray]]]:
        """Safe groups to begin with: from a lattice, and from below."""
        if self.problem.levels is not None:
            near = self.near.cells if self._needs_near else np.empty((len(self.problem.order), 0))
            found, self.nodes = joined_from_peel(
                self.problem, self.judge, near.astype(np.int64), self._powers
            )
            yield [start for groups in found for start in self._safe(groups, 1.0)]
        if self._needs_near:
            below = joined_from_below(self.problem, self.judge, self.near.cells)
            yield self._safe(below, _EAGER)

    @property
    def _powers(self) -> tuple[float, ...]:
        """The orders of the walks over the lattice; with a line, few differ and all take long."""
        levels, powers = self.problem.levels, self.course.powers
        return powers[:2] if levels is not None and len(levels.line) else powers

    @cached_property
    def judge(self) -> Judge:
        """Asks the rules."""
        return Judge(self.problem)

    @cached_property
    def near(self) -> Near:
        """The neighbours of each cell."""
        return Near.of(self.problem.columns)

    @property
    def _nearest(self) -> Near | None:
        """The neighbours that the bound looks at: a group of k people fits into k of them."""
        if not self.course.n_epochs:
            return None
        most = min(self.problem.least, _MOST_NEAR // len(self.problem.order))
        has_near = self._needs_near or self.course.n_epochs > 1
        return self.near if has_near and most <= NEAR else Near.of(self.problem.columns, most)

    @property
    def _needs_near(self) -> bool:
        """Whether cells join their neighbours: where only sizes count, nodes are peeled instead."""
        is_peeled = self.problem.levels is not None and not self.judge.is_asked
        return not is_peeled or not (self.problem.is_by_nodes or self.course.n_epochs == 0)

    def _annealed(self, starts: list[IntArray], bounds: Iterator[float]) -> Iterator[float]:
        """Improve the best starts, and after each epoch the bound.

        Rules other than sizes are asked in one thread.
        """
        n_chains = 1 if self.judge.is_asked else self.course.n_chains
        chains = [
            Chain(
                self.problem, self.judge, lambda: self.near, self.nodes, number,
                starts[min(number, len(starts) - 1)],
            )
            for number in range(n_chains if self.course.n_epochs else 0)
        ]  # fmt: skip
        all_parts = 2**self.course.n_epochs - 1
        for step, chain in enumerate(improve(chains, self.course.n_epochs)):
            self._note(chain.best, chain.lost)
            epoch, part = divmod(step, SLICES)
            yield (2**epoch - 1 + 2**epoch * (part + 1) / SLICES) / all_parts
            if part == SLICES - 1:
                self.bound = next(bounds, self.bound)
            if self._is_optimal:
                return

    def _safe(self, groups: CellGroups | None, eager: float) -> list[tuple[float, IntArray]]:
        """A start with what it is worth, if every rule holds on it."""
        if groups is None or not self.judge.holds_on(groups.group):
            return []
        lost = all_lost(groups)
        self._note(groups.group, lost)
        return [(lost / eager, groups.group)]

    def _note(self, group: IntArray, lost: float) -> None:
        if lost < self.lost:
            self.best, self.lost = group.copy(), lost


def _cut(problem: LossProblem) -> tuple[IntArray | None, NothingSafeError | None]:
    """Mondrian's groups; or why it finds none, under a rule that one group of all breaks."""
    try:
        found = mondrian.search(problem.cells, problem.rules)
    except NothingSafeError as refusal:
        return None, refusal
    return found.group_of_cell[problem.order], None
