"""What rules say about groups on the way to the least loss: which hold, which moves are undone.

Sizes are known to the kernels, so k-anonymity is never asked. Other rules are asked about batches
of new groups. The moves of a batch touch different groups, so that one that a rule refuses is
undone alone. Nothing is assumed about rules that are not monotone: if such a rule judges all groups
together, it is asked about all of them after every batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import BoolArray, IntArray, distinct_pairs
from gyges.criteria.base import judging_all
from gyges.kernels.cell_groups import CellGroups, Moved, undo
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search.acceptance import Acceptance, Proposals
from gyges.search.least_loss_problem import LossProblem


@dataclass(frozen=True)
class Judge:
    """The rules of a search, asked about groups of the kernels."""

    problem: LossProblem

    @cached_property
    def is_asked(self) -> bool:
        """Whether a rule requires more than sizes."""
        return not self.problem.is_size_all

    @cached_property
    def is_global(self) -> bool:
        """Whether a rule judges all groups together."""
        return bool(judging_all(self.problem.rules))

    def counted(self, group: IntArray, asked: IntArray, n_groups: int) -> Groups:
        """These groups as rules see them, in the order asked for."""
        number = np.full(n_groups, -1)
        number[asked] = np.arange(len(asked))
        of_cell = np.empty(len(self.problem.order), dtype=np.int64)
        of_cell[self.problem.order] = number[group]
        return groups_of_cells(self.problem.cells, of_cell, len(asked))

    def holding(self, groups: CellGroups, asked: IntArray) -> BoolArray:
        """Which of these groups satisfy every rule; all must be asked if a rule is global."""
        holds = groups.total[asked] >= self.problem.least
        if self.is_asked and len(asked):
            counted = self.counted(groups.group, asked, len(groups.head))
            for rule in self.problem.rules:
                holds &= rule.holds_each(counted)
        return np.asarray(holds)

    def holds_on(self, group: IntArray) -> bool:
        """Whether a partition satisfies every rule, judged as a whole."""
        found = groups_of_cells(self.problem.cells, self.problem.of_cells(group))
        return all(rule.holds_on(found) for rule in self.problem.rules)

    def undo_refused(self, groups: CellGroups, moved: Moved, before: IntArray) -> None:
        """Undo the moves that a rule refuses; `before` are the groups before them, which hold."""
        n_moves = int(moved.length[1])
        if n_moves:
            rows = moved.rows[: moved.length[0]]
            touched = np.concatenate([rows[:, 1], groups.group[rows[:, 0]]])
            move, group = distinct_pairs(np.tile(rows[:, 2], 2), touched)
            is_there = groups.head[group] >= 0
            move, group = move[is_there], group[is_there]
            first = np.searchsorted(move, np.arange(n_moves + 1))
            accepted = self._accepted(groups, group, first, before)
            self._undo(groups, moved, np.flatnonzero(~accepted))
            self._undo_until_safe(groups, moved, np.flatnonzero(accepted))
        groups.locked[:], moved.length[:] = False, 0

    def _accepted(
        self, groups: CellGroups, group: IntArray, first: IntArray, before: IntArray
    ) -> BoolArray:
        """Which moves rules accept; move m made the groups `group[first[m]:first[m+1]]`.

        A global rule is asked whether new groups may stand beside all groups from before. What
        holds together holds in parts, whichever moves are undone.
        """
        parts = self.counted(groups.group, group, len(groups.head))
        acceptance = Acceptance.of(self.problem.rules, self.problem.cells)
        acceptance.start(self.counted(before, np.unique(before), len(groups.head)))
        good = acceptance.alone(parts) & (parts.sizes >= self.problem.least)
        taken = np.asarray(np.logical_and.reduceat(good, first[:-1]))
        chosen = np.flatnonzero(taken)
        if len(chosen) and acceptance.is_in_order:
            taken[chosen] = acceptance.one_after_another(Proposals(parts, first).take(chosen))
        return taken

    def _undo(self, groups: CellGroups, moved: Moved, moves: IntArray) -> None:
        numbers = moved.rows[: moved.length[0], 2]
        firsts, lasts = (np.searchsorted(numbers, moves, side) for side in ("left", "right"))
        for first, last in zip(firsts, lasts, strict=True):
            undo(self.problem.columns, groups, moved, first, last)

    def _undo_until_safe(self, groups: CellGroups, moved: Moved, moves: IntArray) -> None:
        """Under a global rule that is not monotone: undo the later half until all is safe."""
        kind = self.problem.cells.values_per_person
        doubtful = [
            rule for rule in judging_all(self.problem.rules) if not rule.rule.is_monotone_for(kind)
        ]
        while doubtful and len(moves):
            now = self.counted(groups.group, np.unique(groups.group), len(groups.head))
            if all(rule.holds_on(now) for rule in doubtful):
                return
            half = len(moves) // 2
            self._undo(groups, moved, moves[half:])
            moves = moves[:half]
