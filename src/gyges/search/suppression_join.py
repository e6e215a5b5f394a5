"""Join cells that no group takes with accepted groups, which then hide more.

Under a rule about values the cells left by `peel` often share one value, so that no group of
them alone can ever hold: each needs a group that already does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.cells import Cells, row_keys
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search.acceptance import Acceptance
from gyges.search.suppression_peel import NOWHERE, Hiding, accepted

_PRICES = (2, 4, 8, 1e12)  # in average weights, per person who joins a group


def join_rest(
    found: Hiding, acceptance: Acceptance, masks: Sequence[BoolArray], costs: FloatArray
) -> Hiding:
    """Join the cells left with groups that agree with them in what a mask shows.

    For each price and each mask in turn: the cells left that agree in the columns shown join the
    group whose people lose least by hiding the others, if all that is suppressed additionally
    costs at most the price per person who joins, and the rules accept it.
    """
    state = _State.of(found)
    for price in _PRICES:
        for mask in masks:
            each = float(mask @ costs)
            if len(state.left) == 0 or each > price * costs.mean():
                break
            state.join_at(mask, price * costs.mean(), costs, acceptance)
    kept = state.sizes > 0
    place = np.append(np.where(kept, np.cumsum(kept) - 1, NOWHERE), NOWHERE)
    return Hiding(found.cells, place[state.group_of_cell], state.hidden[kept])


@dataclass
class _State:
    """Groups while cells join them."""

    cells: Cells
    group_of_cell: IntArray
    hidden: BoolArray
    sizes: IntArray
    first: IntArray  # one cell of each group
    left: IntArray

    @classmethod
    def of(cls, found: Hiding) -> _State:
        left = np.flatnonzero(found.group_of_cell == NOWHERE)
        group_of_cell, hidden = found.group_of_cell.copy(), found.hidden.copy()
        return cls(found.cells, group_of_cell, hidden, found.sizes.copy(), found.first, left)

    def join_at(
        self, mask: BoolArray, price: float, costs: FloatArray, acceptance: Acceptance
    ) -> None:
        """Join what may be joined by hiding the columns of a mask: one group, or else all."""
        # Where only sizes count, any group is enough.
        for with_all in (False, True) if acceptance.rules else (False,):
            finer, of_left, of_group, n_parts = self._parts(mask)
            if len(finer) == 0:
                return
            each = float(mask @ costs)
            added = self.sizes[finer] * (each - self.hidden[finer] @ costs)
            target = self._cheapest(finer, of_group, added, mask, n_parts)
            is_in = np.full(len(finer), True) if with_all else target[of_group] == finer
            lost = np.bincount(of_group[is_in], weights=added[is_in], minlength=n_parts)
            people = np.bincount(of_left, weights=self.cells.people[self.left], minlength=n_parts)
            may = (people > 0) & (target != NOWHERE) & (each * people + lost <= price * people)
            into = np.where(may, target, NOWHERE)
            place = np.arange(-1, len(self.hidden))[1:]  # where each group's cells go
            place[finer[is_in & may[of_group]]] = target[of_group[is_in & may[of_group]]]
            self._apply(place, into[of_left], mask, acceptance)

    def _parts(self, mask: BoolArray) -> tuple[IntArray, IntArray, IntArray, int]:
        """The groups that hide no more than a mask; what cells left and they show, as numbers."""
        is_finer = ~(self.hidden & ~mask).any(axis=1) & (self.sizes > 0)
        finer = np.flatnonzero(is_finer)
        shown = self.cells.codes[np.concatenate([self.left, self.first[finer]])][:, ~mask]
        widths = [len(d) for d, out in zip(self.cells.domains, mask, strict=True) if not out]
        _, part = np.unique(row_keys(shown, widths), return_inverse=True)
        return finer, part[: len(self.left)], part[len(self.left) :], int(part.max(initial=-1)) + 1

    def _cheapest(
        self, finer: IntArray, part: IntArray, added: FloatArray, mask: BoolArray, n_parts: int
    ) -> IntArray:
        """For each part the group that loses least; one that hides the mask already comes first."""
        differs = (self.hidden[finer] != mask).any(axis=1)
        order = np.lexsort((differs, added, part))[::-1]
        group = np.full(n_parts, NOWHERE, dtype=np.int64)
        group[part[order]] = finer[order]  # the last one stays
        return group

    def _apply(
        self, place: IntArray, into: IntArray, mask: BoolArray, acceptance: Acceptance
    ) -> None:
        """Put groups and cells left together where the rules accept that."""
        targets = np.unique(into[into != NOWHERE])
        number = np.full(len(self.hidden) + 1, NOWHERE, dtype=np.int64)  # the last serves NOWHERE
        number[targets] = np.arange(len(targets))
        moved = np.append(place, NOWHERE)[self.group_of_cell]
        moved[self.left] = into
        good = accepted(acceptance, groups_of_cells(self.cells, number[moved], len(targets)))
        is_taken = np.isin(moved, targets[good])
        self.group_of_cell[is_taken] = moved[is_taken]
        self.hidden[targets[good]] = mask
        inside = self.group_of_cell != NOWHERE
        self.sizes = np.bincount(
            self.group_of_cell[inside], self.cells.people[inside], minlength=len(self.hidden)
        ).astype(np.int64)
        self.left = np.flatnonzero(~inside)
