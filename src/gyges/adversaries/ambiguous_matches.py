"""People who fit several groups of a release: these groups together become one more group."""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray
from gyges.ragged import Ragged
from gyges.release.groups import Groups
from gyges.release.lookup import Candidates

_MOST_BITS = 40  # of a common denominator; beyond it, groups count by their size


def with_united_groups(groups: Groups, candidates: Candidates) -> tuple[Groups, IntArray]:
    """The groups and, for each cell that fits several, their union; and the group of each cell.

    Any published row that looks like the person may be theirs [Ganta2008, Def. 6]. With r_g such
    rows in group g, the person has value v with the share

        Σ_g r_g · n_g(v)/|g|  /  Σ_g r_g

    which the new group's counts express in whole numbers.
    """
    several = np.flatnonzero(np.diff(candidates.starts) > 1)
    group_of_cell = candidates.only.copy()
    if not len(several):
        return groups, group_of_cell
    group_of_cell[several] = len(groups) + np.arange(len(several))
    pairs = Ragged.ranges(candidates.starts[several], candidates.starts[several + 1])
    group = candidates.groups[pairs.values]
    factor, sizes = _whole_numbers(pairs.of(candidates.rows), groups.sizes[group])
    entries = Ragged.ranges(groups.starts[group], groups.starts[group + 1])
    entry, pair = entries.values, entries.segment_of_value
    union, counts = pairs.segment_of_value[pair], groups.value_counts[entry] * factor[pair]
    together = Groups.from_entries(
        sizes=np.concatenate([groups.sizes, sizes]),
        group_of_entry=np.concatenate([groups.group_of_entry, len(groups) + union]),
        value_codes=np.concatenate([groups.value_codes, groups.value_codes[entry]]),
        value_counts=np.concatenate([groups.value_counts, counts]),
        values=groups.values,
    )
    return together, group_of_cell


def _whole_numbers(rows: Ragged, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """The factor of each group's counts, and the size of the union.

    r_g/|g| over the common denominator L of a cell's groups; the size is L · Σ r_g.
    """
    cell, shared = rows.segment_of_value, np.gcd(rows.values, sizes)
    above, below = rows.values // shared, sizes // shared
    too_large = Ragged(np.log2(below), rows.starts).sums() > _MOST_BITS
    above[too_large[cell]] = below[too_large[cell]] = 1
    common = Ragged(below, rows.starts).reduced(np.lcm, 1)
    factor: IntArray = above * (common[cell] // below)
    return factor, Ragged(factor * sizes, rows.starts).sums()
