"""How many people of each cell are in each group: what every utility measure is computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from gyges.arguments import codes, mapping, shown
from gyges.arrays import BoolArray, IntArray
from gyges.data.cells import Cells, Domain
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import RuleError
from gyges.exact import whole
from gyges.ragged import Ragged
from gyges.release.groups import Groups
from gyges.release.partition_of_cells import LEFT_OUT, Labels, Partition

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownAs:
    """How groups are labelled: at one level of each column, with hidden cells, or each its own."""

    levels: Mapping[str, int] | None = None
    hidden: BoolArray | None = None  # groups × columns: where a group shows `*`
    labels: Labels = "usual"


@dataclass(frozen=True, eq=False, repr=False)
class Grouping:
    """Parts of cells in groups: `people[i]` people of cell `cell[i]` are in group `group[i]`.

    Sorted by group, each (cell, group) once; suppressed people are in no part.
    """

    cells: Cells
    cell: IntArray
    group: IntArray
    people: IntArray
    partition: Partition | None = None
    counted: Groups | None = None  # `groups`, where there is no partition
    shown: ShownAs = ShownAs()

    @classmethod
    def of_partition(cls, partition: Partition) -> Grouping:
        """The parts of a partition."""
        partition = partition.sought or partition
        parts = cls._counted(partition.cells, *partition.members(), partition)
        shown = ShownAs(partition.levels, partition.hidden, partition.labels)
        return replace(parts, shown=shown)

    @classmethod
    def of_rows(
        cls, table: Table, group_of_row: IntArray, shown: ShownAs | None = None
    ) -> Grouping:
        """The people behind a table's rows; a negative group means suppressed."""
        shown = ShownAs() if shown is None else shown
        if shown.levels is not None:
            shown = replace(shown, levels=_levels(table, shown.levels))
        widest = np.iinfo(np.int64)
        group = codes(group_of_row, "group_of_row", table.n_rows, widest.min, widest.max)
        is_shown = table.is_first_row & (group >= 0)
        used, group = np.unique(np.where(is_shown, group, LEFT_OUT), return_inverse=True)
        group = group - int(len(used) > 0 and used[0] == LEFT_OUT)
        if shown.hidden is not None:
            shown = replace(shown, hidden=shown.hidden[used[used != LEFT_OUT]])
        ones = np.ones(len(group), dtype=np.int64)
        cells, cell = table.searched_cells, table.searched_cell_of_row
        parts = cls._counted(cells, cell, group, ones, None)
        parts = replace(parts, shown=shown)
        if not parts.has_one_value_each:
            return parts
        kept = group != LEFT_OUT
        counted = Groups.from_entries(
            sizes=parts.sizes,
            group_of_entry=group[kept],
            value_codes=table.value_of_row[kept],
            value_counts=ones[kept],
            values=table.sensitive_values,
        )
        return replace(parts, counted=counted)

    @classmethod
    def _counted(
        cls,
        cells: Cells,
        cell: IntArray,
        group: IntArray,
        people: IntArray,
        partition: Partition | None,
    ) -> Grouping:
        kept = group != LEFT_OUT
        keys, where = np.unique(group[kept] * len(cells) + cell[kept], return_inverse=True)
        summed = np.bincount(where, weights=people[kept], minlength=len(keys)).astype(np.int64)
        return cls(cells, keys % len(cells), keys // len(cells), summed, partition)

    def once(self, make: Callable[..., T], *given: object) -> T:
        """What `make(grouping, *given)` returns, made once for all measures that need it."""
        if (make, given) not in self._made:
            self._made[make, given] = make(self, *given)
        made: T = self._made[make, given]
        return made

    @cached_property
    def _made(self) -> dict[tuple[object, ...], Any]:
        return {}

    @cached_property
    def starts(self) -> IntArray:
        """Where each group's parts begin; one more at the end."""
        bounds = np.arange(self.n_groups + 1)
        return np.searchsorted(self.group, bounds).astype(np.int64)

    @cached_property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def sizes(self) -> IntArray:
        """How many people each group has."""
        return np.bincount(self.group, weights=self.people, minlength=self.n_groups).astype(
            np.int64
        )

    @property
    def n_people(self) -> int:
        """How many people the original table is about."""
        return self.cells.n_people

    @property
    def n_left_out(self) -> int:
        """How many of them are suppressed."""
        return self.n_people - int(self.sizes.sum())

    @property
    def has_one_value_each(self) -> bool:
        """Whether every person has exactly one sensitive value."""
        return self.cells.values_per_person == "one"

    @property
    def groups(self) -> Groups:
        """How often each sensitive value occurs in each group; for one value per person."""
        if self.counted is not None:
            return self.counted
        assert self.partition is not None
        groups, values = self.partition.groups, list(self.cells.sensitive.values)
        return groups if groups.values == values else self.once(_of_known_values)

    @property
    def levels(self) -> Mapping[str, int] | None:
        """The level of each column, where all groups show one."""
        return self.shown.levels

    @property
    def labels(self) -> Labels:
        """What the groups show in a column without a level."""
        return self.shown.labels

    def hides(self, column: int) -> BoolArray:
        """Which groups show `*` in a column by cell suppression, whatever values they hold."""
        if self.shown.hidden is None:
            return np.zeros(self.n_groups, dtype=bool)
        return self.shown.hidden[:, column]

    def codes(self, column: int) -> Ragged:
        """The codes of each group's cells in a column."""
        return Ragged(self.cells.codes[self.cell, column].astype(np.int64), self.starts)

    def common_level(self, column: int) -> IntArray:
        """The level of each group's lowest common ancestor; without a hierarchy 0 or 1."""
        return self.once(_common_level, column)


def _common_level(grouping: Grouping, column: int) -> IntArray:
    domain: Domain = grouping.cells.domains[column]
    codes = grouping.codes(column)
    level = np.zeros(grouping.n_groups, dtype=np.int64)
    ancestors = [np.arange(len(domain))] if domain.ladder is None else domain.ladder.ancestors
    for at_level in ancestors[: max(domain.height, 1)]:
        by_group = codes.of(at_level)
        level += by_group.minima() != by_group.maxima()
    return np.where(grouping.hides(column), max(domain.height, 1), level)


def _levels(table: Table, given: Mapping[str, int]) -> dict[str, int]:
    """Refuse levels that a table's columns do not have."""
    levels = {}
    for name, level in mapping(given, "levels", "{column: level}").items():
        if name not in table.cells.columns:
            raise RuleError(f"levels names {shown(name)}, which is not a quasi-identifier")
        domain = table.searched_cells.domains[table.cells.columns.index(name)]
        levels[str(name)] = whole(level, f"levels: that of {name!r}", least=0)
        if levels[str(name)] > max(domain.height, 1):
            raise RuleError(f"levels: {name!r} has levels up to {max(domain.height, 1)}")
    return levels


def _of_known_values(grouping: Grouping) -> Groups:
    """The groups by the table's values; counterfeits of a value that nobody has are left out."""
    assert grouping.partition is not None
    groups, values = grouping.partition.groups, list(grouping.cells.sensitive.values)
    place = {text_of(value): code for code, value in enumerate(values)}
    code = np.array([place.get(text_of(value), -1) for value in groups.values])[groups.value_codes]
    kept = code >= 0
    counts, group = groups.value_counts[kept], groups.group_of_entry[kept]
    return Groups.from_entries(
        sizes=np.bincount(group, weights=counts, minlength=len(groups)).astype(np.int64),
        group_of_entry=group,
        value_codes=code[kept].astype(np.int32),
        value_counts=counts,
        values=values,
    )
