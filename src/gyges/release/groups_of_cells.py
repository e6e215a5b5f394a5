"""Groups that know the cells of their people, for rules that depend on the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gyges.arguments import codes
from gyges.arrays import IntArray
from gyges.data.cells import Cells
from gyges.data.values import text_of
from gyges.ragged import Ragged
from gyges.release.groups import Groups, added_up


@dataclass(frozen=True, eq=False, repr=False)
class GroupsOfCells(Groups):
    """Groups that know the cells of their people."""

    cells: Cells = field(kw_only=True)

    @cached_property
    def cells_by_group(self) -> Ragged:
        """The cells of each group."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class PlacedCells(GroupsOfCells):
    """Groups of cells, given by the group of each cell."""

    group_of_cell: IntArray = field(kw_only=True)  # cells; -1 for a cell outside these groups

    @cached_property
    def cells_by_group(self) -> Ragged:
        """The cells of each group."""
        return Ragged.group_by(self.group_of_cell, len(self))

    def take(self, chosen: IntArray | Sequence[int]) -> PlacedCells:
        """Some of the groups, in the given order."""
        chosen = codes(chosen, "chosen", None, 0, len(self) - 1)
        new_place = np.full(len(self) + 1, -1, dtype=np.int64)
        new_place[chosen] = np.arange(len(chosen))
        group_of_cell = new_place[self.group_of_cell]
        return PlacedCells(*self._taken(chosen), cells=self.cells, group_of_cell=group_of_cell)


def groups_of_cells(
    cells: Cells, group_of_cell: IntArray, n_groups: int | None = None
) -> PlacedCells:
    """The groups of cells; a cell with group -1 is in none."""
    kept = group_of_cell >= 0
    n_groups = int(group_of_cell.max(initial=-1)) + 1 if n_groups is None else n_groups
    sizes = np.bincount(group_of_cell[kept], weights=cells.people[kept], minlength=n_groups)
    group_of_entry = group_of_cell[cells.cell_of_entry]
    inside = group_of_entry >= 0
    values = list(cells.sensitive.values)
    held = added_up(
        n_groups,
        group_of_entry[inside],
        cells.value_codes[inside],
        cells.value_counts[inside],
        len(values),
    )
    return PlacedCells(
        sizes.astype(np.int64), *held, values, cells.values_per_person,
        cells=cells, group_of_cell=group_of_cell,
    )  # fmt: skip


def everybody(
    cells: Cells, n_people: int | None = None, totals: IntArray | None = None
) -> PlacedCells:
    """All people in one group; `n_people` and `totals` are given where cells are not in memory."""
    totals = cells.value_totals if totals is None else totals
    present = np.flatnonzero(totals)
    return PlacedCells(
        sizes=np.array([cells.n_people if n_people is None else n_people]),
        starts=np.array([0, len(present)]),
        value_codes=present.astype(np.int32),
        value_counts=totals[present],
        values=list(cells.sensitive.values),
        values_per_person=cells.values_per_person,
        cells=cells,
        group_of_cell=np.zeros(len(cells), dtype=np.int64),
    )


def entries_by_text(groups: Groups) -> set[tuple[int, str, int]]:
    """(group, value as text, number of people) of every entry."""
    texts = [text_of(value) for value in groups.values]
    entries = zip(groups.group_of_entry, groups.value_codes, groups.value_counts, strict=True)
    return {(int(g), texts[code], int(n)) for g, code, n in entries}
