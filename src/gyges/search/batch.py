"""A batch of groups that a search asks about: counted from its items, cells looked up on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import Cells
from gyges.data.values import Value
from gyges.kernels.packed_items import CELL, histograms, list_cells, spread
from gyges.kernels.threads import each_in_threads, lots_of
from gyges.ragged import Ragged, starts_of
from gyges.release.groups import Groups
from gyges.search.items import Items
from gyges.search.levels import Histograms, Segments, joined_histograms


@dataclass(frozen=True, eq=False, repr=False)
class Batch(Groups):
    """Groups of items `item_starts[g]:item_ends[g]`, valid until the search moves items again.

    Few criteria ask which cell is in which group, and noting it costs as much as a cut: so it is
    looked up when it is asked for.
    """

    items: Items | None = None
    item_starts: IntArray | None = None
    item_ends: IntArray | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        del self.__dict__["group_of_cell"]

    @cached_property  # type: ignore[misc]
    def group_of_cell(self) -> IntArray | None:
        """The group of each cell; -1 for a cell outside these groups."""
        if self.cells is None or self.items is None:
            return None
        assert self.item_starts is not None and self.item_ends is not None
        group = np.full(len(self.cells), -1, dtype=np.int64)
        fields, field = self.items.layout.fields, len(self.cells.domains) + CELL
        spread(self.items.words, fields, field, self.item_starts, self.item_ends, group)
        return group

    @cached_property
    def cells_by_group(self) -> Ragged | None:
        """The cells of each group."""
        if self.cells is None or self.items is None:
            return None
        fields, field = self.items.layout.fields, len(self.cells.domains) + CELL
        starts, found = list_cells(
            self.items.words, fields, field, self.item_starts, self.item_ends, len(self.cells)
        )
        return Ragged(found, starts)

    def take(self, chosen: IntArray | Sequence[int]) -> Batch:
        """Some of the groups, in the order asked for; they remember the whole table."""
        assert self.item_starts is not None and self.item_ends is not None
        chosen = np.asarray(chosen, dtype=np.int64)
        entries = Ragged.ranges(self.starts[chosen], self.starts[chosen + 1])
        return Batch(
            sizes=self.sizes[chosen],
            starts=entries.starts,
            value_codes=self.value_codes[entries.values],
            value_counts=self.value_counts[entries.values],
            values=self.values,
            table_counts=self.table_counts,
            values_per_person=self.values_per_person,
            cells=self.cells,
            items=self.items,
            item_starts=self.item_starts[chosen],
            item_ends=self.item_ends[chosen],
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counter:
    """Makes batches of one table's groups; what all of them share is computed once."""

    cells: Cells
    values: list[Value]  # one list for all batches: rules keep what they prepare for it
    table_counts: IntArray
    has_whole_cells: bool = True  # false where people of one cell are in several groups

    @classmethod
    def of(cls, cells: Cells, *, has_whole_cells: bool = True) -> Counter:
        """A counter for these cells."""
        return cls(cells, list(cells.sensitive.values), cells.value_totals, has_whole_cells)

    def everybody(self, n_people: int | None = None) -> Groups:
        """All people in one group; so many, where the cells are elsewhere."""
        present = np.flatnonzero(self.table_counts)
        return Groups(
            sizes=np.array([self.cells.n_people if n_people is None else n_people]),
            starts=np.array([0, len(present)]),
            value_codes=present.astype(np.int32),
            value_counts=self.table_counts[present],
            values=self.values,
            table_counts=self.table_counts,
            values_per_person=self.cells.values_per_person,
            cells=self.cells,
            group_of_cell=np.zeros(len(self.cells), dtype=np.int64),
        )

    def batch(self, items: Items, parts: Segments, found: Histograms | None = None) -> Batch:
        """These groups of the items; `found` says what they hold, where that is known."""
        lengths, codes, counts = found or self.histograms(items, parts.starts, parts.ends)
        return Batch(
            sizes=parts.totals,
            starts=starts_of(lengths),
            value_codes=codes,
            value_counts=counts,
            values=self.values,
            table_counts=self.table_counts,
            values_per_person=self.cells.values_per_person,
            cells=self.cells if self.has_whole_cells else None,
            items=items,
            item_starts=parts.starts,
            item_ends=parts.ends,
        )

    def histograms(self, items: Items, starts: IntArray, ends: IntArray) -> Histograms:
        """How many values each group holds; and which, and how often, group after group."""
        return joined_histograms(
            each_in_threads(
                lambda lot: self.histograms_of_lot(items, starts[lot], ends[lot]),
                lots_of(ends - starts),
            )
        )

    def histograms_of_lot(self, items: Items, starts: IntArray, ends: IntArray) -> Histograms:
        """The same in one thread."""
        d, n_values = len(self.cells.domains), len(self.values)
        found: Histograms = histograms(items.words, items.layout.fields, d, starts, ends, n_values)
        return found
