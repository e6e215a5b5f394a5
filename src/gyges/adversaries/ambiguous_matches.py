"""People who fit several groups of a release: all of these groups together, as one more group."""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray, lengths_of
from gyges.release.groups import Groups
from gyges.release.lookup import Candidates

_MOST_BITS = 40  # of a common denominator; beyond it, groups count by their size


def join_candidates(groups: Groups, candidates: Candidates) -> tuple[Groups, IntArray]:
    """The groups and, for each cell that fits several, one more; and the group of each cell.

    Any published row that looks like the person may be theirs [Ganta2008, Def. 6]. With r_g such
    rows in group g, the person has value v with the share

        Σ_g r_g · n_g(v)/|g|  /  Σ_g r_g

    which the new group's counts express in whole numbers.
    """
    n = lengths_of(candidates.starts)
    several = np.flatnonzero(n > 1)
    group_of_cell = candidates.only.copy()
    if not len(several):
        return groups, group_of_cell
    group_of_cell[several] = len(groups) + np.arange(len(several))
    pair = _positions(candidates.starts[several], n[several])
    group, rows = candidates.groups[pair], candidates.rows[pair]
    first = np.cumsum(n[several]) - n[several]
    factor, sizes = _whole_numbers(rows, groups.sizes[group], first)
    n_entries = lengths_of(groups.starts)[group]
    entry = _positions(groups.starts[group], n_entries)
    joined = np.repeat(np.repeat(np.arange(len(several)), n[several]), n_entries)
    counts = groups.value_counts[entry] * np.repeat(factor, n_entries)
    together = Groups.from_entries(
        sizes=np.concatenate([groups.sizes, sizes]),
        group_of_entry=np.concatenate([groups.group_of_entry, len(groups) + joined]),
        value_codes=np.concatenate([groups.value_codes, groups.value_codes[entry]]),
        value_counts=np.concatenate([groups.value_counts, counts]),
        values=groups.values,
    )
    return together, group_of_cell


def _positions(starts: IntArray, lengths: IntArray) -> IntArray:
    """starts[0], starts[0] + 1, …, starts[1], …: all places of several segments, one by one."""
    offsets = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(lengths.sum()) + np.repeat(starts - offsets, lengths))


def _whole_numbers(rows: IntArray, sizes: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    """What to multiply each group's counts with, and the size that the joined group then has.

    r_g/|g| over the common denominator L of a cell's groups; the size is L · Σ r_g.
    """
    cell = np.repeat(np.arange(len(first)), lengths_of(np.append(first, len(rows))))
    shared = np.gcd(rows, sizes)
    above, below = rows // shared, sizes // shared
    too_large = np.add.reduceat(np.log2(below), first) > _MOST_BITS
    above[too_large[cell]] = below[too_large[cell]] = 1
    common: IntArray = np.lcm.reduceat(below, first)
    factor: IntArray = above * (common[cell] // below)
    return factor, np.add.reduceat(factor * sizes, first)
