"""In which groups of a release the people of an original are, by row or counted.

Of a release that was just made, the partition of its cells says it: with millions of rows, only an
attacker who asks about single rows has them looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import IntArray
from gyges.data.table import Table
from gyges.release.partition_of_cells import Partition
from gyges.release.placed_people import PlacedPeople
from gyges.utility.grouping import Grouping, ShownAs


@dataclass(frozen=True, eq=False, repr=False)
class OriginalPlaces:
    """The group of each row of an original, where it is certain; or the partition of its cells."""

    table: Table
    found: IntArray | None = None  # negative where it is not certain
    partition: Partition | None = None  # of the release that was made from this table

    @cached_property
    def group_of_row(self) -> IntArray:
        """The group of each row, in table order; negative where it is not certain."""
        if self.partition is not None:
            return self.partition.group_of_row(self.table)
        assert self.found is not None
        return self.found

    @property
    def has_anybody(self) -> bool:
        """Whether anyone's group is known."""
        if self.partition is not None:
            return bool(self.partition.groups.sizes.any())
        return bool((self.group_of_row >= 0).any())

    @property
    def n_lost(self) -> int:
        """How many people's group is not known, or who are suppressed."""
        if self.partition is not None:
            return self.partition.n_left_out
        return int((self.group_of_row[self.table.is_first_row] < 0).sum())

    @property
    def n_placed(self) -> int:
        """How many people's group is known."""
        if self.partition is not None:
            return int(self.partition.groups.sizes.sum())
        return int((self.group_of_row[self.table.is_first_row] >= 0).sum())

    @property
    def group_of_cell(self) -> IntArray:
        """The group of each cell, where all people of a cell are in one."""
        if self.partition is not None:
            return self.partition.group_of_cell
        group_of_cell = np.empty(len(self.table.cells), dtype=np.int64)
        group_of_cell[self.table.cell_of_row] = self.group_of_row
        return group_of_cell

    @cached_property
    def people(self) -> PlacedPeople:
        """How many people of each cell and value are in each group."""
        if self.partition is not None:
            return PlacedPeople.of_partition(self.partition)
        return PlacedPeople.of_rows(self.table, self.group_of_row)

    def grouping(self, shown: ShownAs) -> Grouping:
        """The same with what the labels show, for measures of utility."""
        if self.partition is not None:
            return Grouping.of_partition(self.partition)
        return Grouping.of_rows(self.table, self.group_of_row, shown)
