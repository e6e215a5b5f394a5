"""People who fit several groups of a release: these groups together become one more group."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from gyges.arrays import IntArray
from gyges.data.table import Table
from gyges.ragged import Ragged, starts_of
from gyges.release.groups import Groups
from gyges.release.lookup import Candidates
from gyges.release.release import Release

_MOST_BITS = 40  # of a common denominator; beyond it, groups count by their size


@runtime_checkable
class WithCandidates(Protocol):
    """A release that lists all the groups that a person fits, as those of gyges do."""

    @property
    def groups(self) -> Groups:
        """People per group, and how often each value occurs."""
        ...

    def candidates(self, people: Table) -> Candidates:
        """The groups that a person can be in, for each cell of a table of people."""
        ...


def candidates_of(release: WithCandidates, people: Table) -> Candidates:
    """The groups that people fit, by the columns that the release and the people share."""
    if not isinstance(release, Release) or release.group_form.is_averaged:
        return release.candidates(people)
    shared = shared_columns(release, people)
    if len(shared) == len(release.roles.quasi_identifiers) == len(people.cells.columns):
        return release.candidates(people)
    return release.candidates_by(people, shared)


def shared_columns(release: Release, people: Table) -> list[str]:
    """The quasi-identifiers of a release that a table of people has too."""
    known = people.schema.quasi_identifiers
    return [name for name in release.roles.quasi_identifiers if name in known]


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


def merged_alike(groups: Groups, candidates: Candidates) -> tuple[Groups, Candidates]:
    """Groups that everyone fits alike, each such set as one group.

    Where a release is looked up by some of its columns, groups that differ in the others cannot be
    told apart: all people who fit one of them fit all, and every row of them looks alike. Then the
    counts of these groups together are those of these people, and nothing more is known: in how
    many ways the people can be divided among the groups does not depend on who has which value.
    Other groups stay as they are.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    fits = Ragged(candidates.groups, candidates.starts)
    n_cells, n_groups = len(fits), len(groups)
    if (fits.lengths <= 1).all():
        return groups, candidates
    links = (fits.segment_of_value, n_cells + fits.values)
    shape = (n_cells + n_groups,) * 2
    drawn = coo_array((np.ones(len(fits.values)), links), shape=shape)
    part = connected_components(drawn, directed=False)[1]
    size_of_part = np.bincount(part[n_cells:], minlength=int(part.max()) + 1)
    is_whole = fits.lengths == size_of_part[part[:n_cells]]
    is_alike = np.ones(len(size_of_part), dtype=bool)
    is_alike[part[:n_cells][~is_whole & (fits.lengths > 0)]] = False
    looks_other = candidates.rows != groups.sizes[candidates.groups]
    is_alike[part[:n_cells][fits.segment_of_value[looks_other]]] = False
    merged = is_alike[part[n_cells:]] & (size_of_part[part[n_cells:]] > 1)
    if not merged.any():
        return groups, candidates
    key = np.where(merged, n_groups + part[n_cells:], np.arange(n_groups))
    place = np.unique(key, return_inverse=True)[1]
    together = Groups.from_entries(
        sizes=np.bincount(place, weights=groups.sizes).astype(np.int64),
        group_of_entry=place[groups.group_of_entry],
        value_codes=groups.value_codes,
        value_counts=groups.value_counts,
        values=groups.values,
        values_per_person=groups.values_per_person,
    )
    keep = np.ones(len(fits.values), dtype=bool)
    is_same = merged[fits.values] & (fits.place_in_segment > 0)
    keep[is_same] = False
    lengths = np.bincount(fits.segment_of_value[keep], minlength=n_cells)
    chosen = place[fits.values[keep]]
    rows = np.where(merged[fits.values[keep]], together.sizes[chosen], candidates.rows[keep])
    return together, Candidates(starts_of(lengths), chosen, rows)


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
