"""A partition: the group of each cell of a table, which a search finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from gyges.arrays import BoolArray, IntArray, frozen
from gyges.data.cells import Cells
from gyges.data.stand_ins import missing_cells
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.exact import counted
from gyges.release.followed_people import FollowedPeople
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import groups_of_cells

LEFT_OUT = -1  # the group of people who are not published

# What groups show: "usual" is the range of numbers and dates, the node of a hierarchy, else the set
# of values; "nodes" shows a node wherever there is a hierarchy, "sets" shows ranges and sets alone.
Labels: TypeAlias = Literal["usual", "nodes", "sets"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pieces:
    """People of one cell spread over several groups; one sensitive value per person only.

    Of the people of `entry[i]` (an entry of the cells: one combination with one value),
    `count[i]` are in `group[i]`. Every person of the cells is in one piece, drawn at random from
    `seed`: the order of the rows must not decide.
    """

    entry: IntArray
    group: IntArray
    count: IntArray
    seed: int = 0

    def __post_init__(self) -> None:
        frozen(self.entry, self.group, self.count)


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """Groups 0..n_groups-1 of cells; a cell with LEFT_OUT is not published.

    Where a search separates people with equal quasi-identifiers, `pieces` says how;
    `group_of_cell` then holds the group of the cell's first piece. `levels` is set where every
    column is coarsened to one level for the whole table, `hidden` where each group shows the value
    that all its people share in a column, or `*`; otherwise groups show `labels`.
    """

    cells: Cells
    group_of_cell: IntArray
    n_groups: int
    levels: Mapping[str, int] | None = None
    pieces: Pieces | None = None
    hidden: BoolArray | None = None  # groups × columns: where a group shows `*`
    is_simulatable: bool = False  # which groups were chosen reveals nothing more than they do
    notices: tuple[str, ...] = ()  # what a user should know about the search
    labels: Labels = "usual"
    bound: float = 0.0  # proven: no release that satisfies the rules has a smaller loss
    followed: FollowedPeople | None = None  # where it matters who is who, not only how many
    # The same groups with stand-ins for missing values that match anything, as they were sought.
    sought: Partition | None = None

    def __post_init__(self) -> None:
        frozen(self.group_of_cell)
        if self.hidden is not None:
            frozen(self.hidden)

    def __repr__(self) -> str:
        return (
            f"<Partition: {counted(len(self.cells), 'cell')} in {counted(self.n_groups, 'group')}>"
        )

    @cached_property
    def groups(self) -> Groups:
        """People per group, and how often each value occurs."""
        if self.followed is not None:
            return self.followed.groups(self.cells, self.n_groups)
        if self.pieces is None:
            return groups_of_cells(self.cells, self.group_of_cell, self.n_groups)
        kept = self.pieces.group != LEFT_OUT
        group, count = self.pieces.group[kept], self.pieces.count[kept]
        sizes = np.bincount(group, weights=count, minlength=self.n_groups).astype(np.int64)
        return Groups.from_entries(
            sizes=sizes,
            group_of_entry=group,
            value_codes=self.cells.value_codes[self.pieces.entry[kept]],
            value_counts=count,
            values=list(self.cells.sensitive.values),
            values_per_person=self.cells.values_per_person,
        )

    def of_table(self, table: Table) -> Partition:
        """The groups of a table's own cells, where these were sought with stand-ins."""
        if table.stand_ins is None:
            return self
        if self.pieces is not None:
            raise RuleError(
                "people with equal quasi-identifiers cannot be divided between groups where a "
                "missing value may be any value: omit relaxed, or choose missing='value'"
            )
        group_of_cell = self.group_of_cell[table.stand_ins.place]
        return replace(self, cells=table.cells, group_of_cell=group_of_cell, sought=self)

    @cached_property
    def lacking(self) -> BoolArray:
        """Groups × columns: whether somebody has no value."""
        cell, group, _ = self.members()
        lacks = np.zeros((self.n_groups, len(self.cells.domains)), dtype=bool)
        np.logical_or.at(lacks, group, missing_cells(self.cells)[cell])
        return lacks

    def members(self) -> tuple[IntArray, IntArray, IntArray]:
        """(cell, group, people) of everyone who is published; a cell may occur several times."""
        if self.pieces is None:
            cell, group = np.arange(len(self.cells)), self.group_of_cell
            people = self.cells.people
        else:
            cell = self.cells.cell_of_entry[self.pieces.entry]
            group, people = self.pieces.group, self.pieces.count
        kept = group != LEFT_OUT
        return cell[kept], group[kept], people[kept]

    @property
    def n_left_out(self) -> int:
        """How many people are not published."""
        n_counterfeits = 0 if self.followed is None else len(self.followed.counterfeit_value)
        return self.cells.n_people + n_counterfeits - int(self.groups.sizes.sum())

    @property
    def counterfeits(self) -> tuple[tuple[int, int], ...]:
        """(group, number of counterfeits) of each group that has any, counted from 1."""
        if self.followed is None:
            return ()
        numbers, counts = np.unique(self.followed.counterfeit_group + 1, return_counts=True)
        return tuple(zip(numbers.tolist(), counts.tolist(), strict=True))

    def group_of_row(self, table: Table) -> IntArray:
        """The group of each row of the table, in table order; LEFT_OUT where not published."""
        if self.followed is not None:
            return self.followed.group
        if self.pieces is None:
            return self.group_of_cell[table.cell_of_row]
        return _deal_out(self.pieces, entry_of_row(table))


def entry_of_row(table: Table) -> IntArray:
    """The cells' entry (combination and value) of each row."""
    cells, n_values = table.cells, max(len(table.cells.sensitive), 1)
    known = cells.cell_of_entry * n_values + cells.value_codes
    asked = table.cell_of_row * n_values + table.value_of_row
    return np.searchsorted(known, asked).astype(np.int64)


def _deal_out(pieces: Pieces, entries: IntArray) -> IntArray:
    """Give each row a place in one of its entry's pieces, at random."""
    by_entry = np.argsort(pieces.entry, kind="stable")
    places = np.repeat(pieces.group[by_entry], pieces.count[by_entry])
    mixed = np.random.default_rng(pieces.seed).permutation(len(entries))
    rows = mixed[np.argsort(entries[mixed], kind="stable")]
    group = np.empty(len(entries), dtype=np.int64)
    group[rows] = places
    return group
