"""People in groups as the kernels take them: members with equal beliefs, and their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gyges.arrays import FloatArray, IntArray, frozen
from gyges.errors import RuleError
from gyges.kernels.conditioning import ChooserGroups
from gyges.kernels.threads import batches_of, each_in_threads
from gyges.ragged import Ragged, starts_of
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import GroupsOfCells

_COST_OF_BATCH = 1 << 12  # that is worth a thread; a number of a large group costs 1
_SMALL_EXTRA = 7  # the additional cost of each number of a small group
_LARGEST_EXTRA = 700  # the additional cost of a group, at most


@dataclass(frozen=True, slots=True, eq=False)
class MemberGroups:
    """Groups of people, and where each group's matrix (members × its values) starts in a result."""

    arrays: ChooserGroups
    out_starts: IntArray

    def __len__(self) -> int:
        return len(self.out_starts) - 1

    @property
    def group_of_member(self) -> IntArray:
        """The group that each member belongs to."""
        return Ragged(self.arrays.rows, self.arrays.member_starts).segment_of_value

    def in_batches(self, work: Callable[[int, int], None], first: IntArray | None = None) -> None:
        """Call `work(start, stop)` on batches of groups, in several threads where that pays.

        If `first` gives where bundles of groups start, and the last one ends, then start and stop
        count bundles.
        """
        areas = np.diff(self.out_starts)
        costs = areas + np.minimum(_SMALL_EXTRA * areas, _LARGEST_EXTRA)
        if first is not None:
            costs = Ragged(costs, first).sums()
        batches = batches_of(costs, _COST_OF_BATCH)
        each_in_threads(lambda batch: work(batch.start, batch.stop), batches)

    def dense(self, found: FloatArray, n_values: int) -> FloatArray:
        """A result as members × all values, 0 for values that a group does not have."""
        values = Ragged(self.arrays.values, self.arrays.value_starts).take(self.group_of_member)
        out = np.zeros((len(values), n_values))
        out[values.segment_of_value, values.values] = found
        return out

    def row_of(self, found: FloatArray, member: int, n_values: int) -> FloatArray:
        """One member's row of a result, over all values."""
        g = int(np.searchsorted(self.arrays.member_starts, member, side="right")) - 1
        values = self.arrays.values[self.arrays.value_starts[g] : self.arrays.value_starts[g + 1]]
        at = self.out_starts[g] + (member - self.arrays.member_starts[g]) * len(values)
        row = np.zeros(n_values)
        row[values] = found[at : at + len(values)]
        return row

    def largest_in_group(self, numbers: FloatArray) -> FloatArray:
        """The largest of the members' numbers in each group; 0 in an empty one."""
        return Ragged(numbers, self.arrays.member_starts).maxima()


def members_of_entries(
    group: IntArray, row: IntArray, value: IntArray, count: IntArray, n_groups: int, n_values: int
) -> MemberGroups:
    """Make member groups of (group, row of beliefs, value, how many) entries, in any order."""
    order = np.lexsort((value, row, group))
    group, row, value, count = group[order], row[order], value[order], count[order]
    is_new = np.ones(len(group), dtype=bool)
    is_new[1:] = (group[1:] != group[:-1]) | (row[1:] != row[:-1])
    first = np.flatnonzero(is_new)
    keys, where = np.unique(group * n_values + value, return_inverse=True)
    value_starts = np.searchsorted(keys, np.arange(n_groups + 1) * n_values)
    held_starts = np.append(first, len(group))
    arrays = ChooserGroups(
        member_starts=np.searchsorted(group[first], np.arange(n_groups + 1)).astype(np.int64),
        rows=row[first].astype(np.int64),
        repeats=Ragged(count, held_starts).sums(),
        value_starts=value_starts.astype(np.int64),
        values=(keys % n_values).astype(np.int32),
        totals=np.bincount(where.ravel(), weights=count, minlength=len(keys)).astype(np.int64),
        holders=np.arange(len(first)),
        held_starts=held_starts.astype(np.int64),
        held=value.astype(np.int32),
        held_counts=count.astype(np.int64),
    )
    return _member_groups(arrays)


def members_of_groups(groups: Groups) -> MemberGroups:
    """The members of groups that know which cells their people come from."""
    known = known_cells(groups)
    cells, members = known.cells, known.cells_by_group
    rows = members.values
    return _member_groups(
        ChooserGroups(
            member_starts=members.starts,
            rows=rows,
            repeats=cells.people[rows],
            value_starts=groups.starts,
            values=groups.value_codes,
            totals=groups.value_counts,
            holders=rows,
            held_starts=cells.starts,
            held=cells.value_codes,
            held_counts=cells.value_counts,
        )
    )


def known_cells(groups: Groups) -> GroupsOfCells:
    """Groups that know which cells their people come from; refuse others."""
    if not isinstance(groups, GroupsOfCells):
        raise RuleError(
            "beliefs and households depend on who is in each group, and these groups only have "
            "sizes: publish from a table by method 'partition' (not relaxed) or 'lattice', which "
            "keep people with equal quasi-identifiers together, or use gy.posterior_beliefs"
        )
    return groups


def _member_groups(arrays: ChooserGroups) -> MemberGroups:
    frozen(*arrays)
    areas = np.diff(arrays.member_starts) * np.diff(arrays.value_starts)
    return MemberGroups(arrays, starts_of(areas))
