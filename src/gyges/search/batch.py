"""A batch of groups for rules to judge: counted from items, with cells looked up on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import Cells
from gyges.data.values import Value
from gyges.kernels.packed_items import CELL, histograms, list_cells
from gyges.kernels.threads import batches_of, each_in_threads
from gyges.ragged import Ragged, starts_of
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import GroupsOfCells, PlacedCells, everybody
from gyges.search.items import Items
from gyges.search.levels import Histograms, Segments, concatenated_histograms


@dataclass(frozen=True, eq=False, repr=False)
class Batch(GroupsOfCells):
    """Groups of items `item_starts[g]:item_ends[g]`, valid until the search moves items again.

    Few rules read which cell is in which group, and recording it costs as much as a cut, so it is
    looked up on demand.
    """

    items: Items = field(kw_only=True)
    item_starts: IntArray = field(kw_only=True)
    item_ends: IntArray = field(kw_only=True)

    @cached_property
    def cells_by_group(self) -> Ragged:
        """The cells of each group."""
        fields, place = self.items.layout.fields, len(self.cells.domains) + CELL
        starts, found = list_cells(
            self.items.words, fields, place, self.item_starts, self.item_ends, len(self.cells)
        )
        return Ragged(found, starts)

    def take(self, chosen: IntArray | Sequence[int]) -> Batch:
        """Some of the groups, in this order."""
        chosen = np.asarray(chosen, dtype=np.int64)
        entries = Ragged.ranges(self.starts[chosen], self.starts[chosen + 1])
        return replace(
            self,
            sizes=self.sizes[chosen],
            starts=entries.starts,
            value_codes=self.value_codes[entries.values],
            value_counts=self.value_counts[entries.values],
            item_starts=self.item_starts[chosen],
            item_ends=self.item_ends[chosen],
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counter:
    """Makes batches of one table's groups; what they share is computed once."""

    cells: Cells
    values: list[Value]
    table_counts: IntArray
    has_whole_cells: bool = True  # false where people of one cell are in several groups

    @classmethod
    def of(cls, cells: Cells, *, has_whole_cells: bool = True) -> Counter:
        """A counter for these cells."""
        return cls(cells, list(cells.sensitive.values), cells.value_totals, has_whole_cells)

    def everybody(self, n_people: int | None = None) -> PlacedCells:
        """All people in one group; `n_people` of them, where the cells are elsewhere."""
        return everybody(self.cells, n_people, self.table_counts)

    def batch(self, items: Items, parts: Segments, found: Histograms | None = None) -> Groups:
        """These groups of the items; `found` are their histograms, if they are known."""
        lengths, codes, counts = found or self.histograms(items, parts.starts, parts.ends)
        starts, kind = starts_of(lengths), self.cells.values_per_person
        if not self.has_whole_cells:
            return Groups(parts.totals, starts, codes, counts, self.values, kind)
        return Batch(
            sizes=parts.totals,
            starts=starts,
            value_codes=codes,
            value_counts=counts,
            values=self.values,
            values_per_person=kind,
            cells=self.cells,
            items=items,
            item_starts=parts.starts,
            item_ends=parts.ends,
        )

    def histograms(self, items: Items, starts: IntArray, ends: IntArray) -> Histograms:
        """How many values each group holds; and which, and how often, group after group."""
        return concatenated_histograms(
            each_in_threads(
                lambda batch: self.histograms_of_batch(items, starts[batch], ends[batch]),
                batches_of(ends - starts),
            )
        )

    def histograms_of_batch(self, items: Items, starts: IntArray, ends: IntArray) -> Histograms:
        """The same in one thread."""
        d, n_values = len(self.cells.domains), len(self.values)
        found: Histograms = histograms(items.words, items.layout.fields, d, starts, ends, n_values)
        return found
