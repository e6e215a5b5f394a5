"""How many people of each cell and value are in each group: what attackers with an original count.

A release that was just made has a partition, which says it without a look at any row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.cells import Cells
from gyges.data.table import Table
from gyges.release.partition_of_cells import LEFT_OUT, Partition


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlacedPeople:
    """`people[i]` people of cell `cell[i]` with value `value[i]` are in group `group[i]`.

    Each combination once, sorted by group, cell and value; one sensitive value per person only.
    People who are not published are in none.
    """

    cells: Cells
    group: IntArray
    cell: IntArray
    value: IntArray
    people: IntArray

    def __post_init__(self) -> None:
        frozen(self.group, self.cell, self.value, self.people)

    @classmethod
    def of_rows(cls, table: Table, group_of_row: IntArray) -> PlacedPeople:
        """The people of a table's rows; a negative group means that they are not published."""
        kept = np.flatnonzero(group_of_row >= 0)
        group, cell = group_of_row[kept], table.cell_of_row[kept]
        return _counted(table.cells, group, cell, table.value_of_row[kept], None)

    @classmethod
    def of_partition(cls, partition: Partition) -> PlacedPeople:
        """The people of a partition."""
        cells, pieces = partition.cells, partition.pieces
        if pieces is None:
            entry, people = np.arange(len(cells.value_codes)), cells.value_counts
            group = partition.group_of_cell[cells.cell_of_entry]
        else:
            entry, group, people = pieces.entry, pieces.group, pieces.count
        kept = np.flatnonzero(group != LEFT_OUT)
        entry, group = entry[kept], group[kept]
        cell, value = cells.cell_of_entry[entry], cells.value_codes[entry]
        return _counted(cells, group, cell, value, people[kept])


def _counted(
    cells: Cells, group: IntArray, cell: IntArray, value: CodeArray, people: IntArray | None
) -> PlacedPeople:
    """Add up what is there several times; without `people`, each entry is one person."""
    n_cells, n_values = len(cells), max(len(cells.sensitive), 1)
    keys = (group.astype(np.int64) * n_cells + cell) * n_values + value
    if people is None:
        keys, summed = np.unique(keys, return_counts=True)
    else:
        keys, where = np.unique(keys, return_inverse=True)
        summed = np.bincount(where.ravel(), weights=people, minlength=len(keys))
    cell_and_group, code = np.divmod(keys, n_values)
    group, cell = np.divmod(cell_and_group, max(n_cells, 1))
    return PlacedPeople(cells, group, cell, code, summed.astype(np.int64))
