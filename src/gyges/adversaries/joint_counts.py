"""Several releases as one system of unknown counts: the worlds that agree with all of them.

A world gives every person a value. It agrees with a release if every group has the published
counts. People who are in the same group of every release form a *cohort*: exchanging their values
changes nothing published, so a world comes down to the unknowns

    x_cv  how many people of cohort c have value v,    0 <= x_cv <= |c|
    Σ_v x_cv = |c|                          for each cohort c
    Σ_{c in g} x_cv = n_g(v)                for each group g of each release and each value v

and each solution x stands for Π_c |c|! / Π_v x_cv! worlds.

People of a group who were not looked up form one more cohort, which is in this group alone. That
takes nothing away: worlds in which two such people are one person have no other values for anyone
else. Where more people fit a group than it holds, some of them are not in that release and nobody
says who: the group then says nothing about them (see `n_unplaced`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gyges.adversaries.located_people import Located
from gyges.arrays import BoolArray, CodeArray, IntArray
from gyges.kernels.sum_bounds import tighten
from gyges.ragged import Ragged, starts_of
from gyges.release.locating import NOWHERE

_MOST_ROUNDS = 200  # how often each sum may be looked at on average; stopping early stays right


@dataclass(frozen=True, eq=False)
class JointCounts:
    """Unknowns x_cv and the sums that they are part of; cohorts of strangers come last."""

    people: IntArray  # cohorts: |c|
    groups: IntArray  # cohorts × releases: the group that surely holds the cohort; -1 for none
    is_loose: BoolArray  # cohorts: not all that is known about where they are is in the sums
    is_unplaced: BoolArray  # cohorts who fit a group that more people fit than it holds
    cohort_of_person: IntArray  # of the people looked up
    n_looked_up: int  # how many cohorts are theirs
    starts: IntArray  # cohorts + 1: where their unknowns start
    value: CodeArray  # unknowns: v
    totals: IntArray  # sums: of cohorts, then of groups and values; -1 where not used
    sums_of: IntArray  # unknowns × (1 + releases); -1 where there is none
    group_of_sum: IntArray  # sums of groups: the group, counted through all releases
    n_unplaced: tuple[
        int, ...
    ]  # releases: people who fit a group that is too small for all of them

    @property
    def is_stranger(self) -> BoolArray:
        """The cohorts of people who were not looked up."""
        return np.arange(len(self.people)) >= self.n_looked_up

    @cached_property
    def cohort(self) -> IntArray:
        """The cohort of each unknown."""
        return Ragged(self.value, self.starts).segment_of_value

    @cached_property
    def sums(self) -> Ragged:
        """The unknowns of each sum."""
        listed = Ragged.group_by(self.sums_of.ravel(), len(self.totals))
        return Ragged(listed.values // self.sums_of.shape[1], listed.starts)

    def bounds(self) -> tuple[IntArray, IntArray]:
        """The least and the largest count of each unknown before anything is known of the sums."""
        return np.zeros(len(self.value), dtype=np.int64), self.people[self.cohort]

    def tighten(self, low: IntArray, high: IntArray, changed: IntArray | None = None) -> BoolArray:
        """Tighten bounds in place by each sum alone; return the sums that cannot be reached.

        Begins with the sums of the `changed` unknowns, or with all.
        """
        waits = np.ones(len(self.totals), dtype=bool)
        if changed is not None:
            waits[:] = False
            sums = self.sums_of[changed]
            waits[sums[sums >= 0]] = True
        waits &= self.totals >= 0
        steps, listed = _MOST_ROUNDS * len(self.totals), self.sums
        broken = tighten(
            low, high, self.totals, listed.starts, listed.values, self.sums_of, waits, steps
        )
        broken[self.cohort[low > high]] = True  # left by stopping early
        return np.asarray(broken)

    def without(self, broken: BoolArray) -> tuple[JointCounts, BoolArray]:
        """The system without all that is connected with these sums, and the cohorts left out."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n_cohorts = len(self.people)
        place_of_sum = np.append(np.arange(n_cohorts), n_cohorts + self.group_of_sum)
        sums, unknown = self.sums_of.T.ravel(), np.tile(self.cohort, self.sums_of.shape[1])
        links = coo_array(
            (np.ones(int((sums >= 0).sum())), (unknown[sums >= 0], place_of_sum[sums[sums >= 0]])),
            shape=(place_of_sum.max() + 1,) * 2,
        )
        part = connected_components(links, directed=False)[1]
        is_out = np.isin(part, part[place_of_sum[broken]])
        totals = np.where(is_out[place_of_sum], -1, self.totals)
        return replace(self, totals=totals), is_out[:n_cohorts]


def joint_counts(located: Located, rows: IntArray) -> JointCounts:
    """The system of unknowns of people who were located; `rows` names each person once."""
    cohorts = _with_strangers(located, _cohorts(located, rows))
    starts, value, entries = _unknowns(located, cohorts)
    n_cohorts = len(cohorts.people)
    first = n_cohorts + starts_of([len(groups.value_codes) for groups in located.releases])
    sums_of = np.full((len(value), 1 + len(located.releases)), -1, dtype=np.int64)
    cohort = np.repeat(np.arange(n_cohorts), np.diff(starts))
    sums_of[:, 0] = cohort
    n_groups = starts_of([len(groups) for groups in located.releases])
    counts = [np.where((cohorts.known >= 0).any(axis=1), cohorts.people, -1)]
    for j, groups in enumerate(located.releases):
        sums_of[:, 1 + j] = np.where(cohorts.sure[cohort, j] >= 0, first[j] + entries[:, j], -1)
        used = np.zeros(len(groups), dtype=bool)
        used[: located.n_own[j]] = ~cohorts.is_crowded[j]
        counts.append(np.where(used[groups.group_of_entry], groups.value_counts, -1))
    return JointCounts(
        cohorts.people,
        cohorts.sure,
        cohorts.is_loose,
        cohorts.is_unplaced,
        located.combinations[1],
        len(located.combinations[0]),
        starts,
        value,
        np.concatenate(counts),
        sums_of,
        np.concatenate(
            [
                first + groups.group_of_entry
                for first, groups in zip(n_groups, located.releases, strict=False)
            ]
        ),
        cohorts.n_unplaced,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Cohorts:
    """Where cohorts are; a group that is known but not sure only limits their values."""

    people: IntArray
    known: IntArray  # cohorts × releases
    sure: IntArray  # cohorts × releases
    is_loose: BoolArray
    is_unplaced: BoolArray
    is_crowded: list[BoolArray]  # releases: the groups that more people fit than they hold
    n_unplaced: tuple[int, ...]


def _cohorts(located: Located, rows: IntArray) -> _Cohorts:
    """The cohorts of the people looked up."""
    known = located.combinations[0].copy()
    people = np.bincount(located.combinations[1][rows], minlength=len(known)).astype(np.int64)
    sure, crowded, unplaced = known.copy(), [], []
    is_several, is_left = np.zeros((2, len(known)), dtype=bool)
    for j, groups in enumerate(located.releases):
        n_own = located.n_own[j]
        sure[known[:, j] >= n_own, j] = NOWHERE  # a union of groups: they are in one of them
        crowded.append(_held(sure[:, j], people, n_own) > groups.sizes[:n_own])
        is_unplaced = np.append(crowded[j], False)[sure[:, j]]
        is_several |= known[:, j] >= n_own
        is_left |= is_unplaced
        sure[is_unplaced, j] = known[is_unplaced, j] = NOWHERE
        unplaced.append(int(people[is_unplaced].sum()))
    is_loose = is_several | is_left
    return _Cohorts(people, known, sure, is_loose, is_left, crowded, tuple(unplaced))


def _held(group: IntArray, people: IntArray, n_groups: int) -> IntArray:
    """How many of the people each group holds."""
    held = np.bincount(group[group >= 0], people[group >= 0], minlength=n_groups)
    return np.asarray(held, dtype=np.int64)


def _with_strangers(located: Located, cohorts: _Cohorts) -> _Cohorts:
    """The cohorts, and one for the people of each group who were not looked up."""
    people, where, loose = [cohorts.people], [], [cohorts.is_loose]
    for j, n_own in enumerate(located.n_own):
        held = _held(cohorts.sure[:, j], cohorts.people, n_own)
        n_missing = np.where(cohorts.is_crowded[j], 0, located.releases[j].sizes[:n_own] - held)
        some = np.flatnonzero(n_missing)
        rows = np.full((len(some), len(located.n_own)), NOWHERE, dtype=np.int64)
        rows[:, j] = some
        people.append(n_missing[some])
        where.append(rows)
        # Somebody who fits several groups is one of these strangers, and nothing says which one.
        is_united = bool((located.group_of[:, j] >= n_own).any())
        loose.append(np.full(len(some), is_united))
    return _Cohorts(
        np.concatenate(people),
        np.concatenate([cohorts.known, *where]),
        np.concatenate([cohorts.sure, *where]),
        np.concatenate(loose),
        np.append(cohorts.is_unplaced, np.zeros(sum(map(len, where)), dtype=bool)),
        cohorts.is_crowded,
        cohorts.n_unplaced,
    )


def _unknowns(located: Located, cohorts: _Cohorts) -> tuple[IntArray, CodeArray, IntArray]:
    """The values that all known groups of a cohort have: starts, values, entries by release."""
    releases, known = located.releases, cohorts.known
    offset = starts_of([len(groups.value_codes) for groups in releases])
    base = (known >= 0).argmax(axis=1)
    group = known[np.arange(len(known)), base]
    begins, ends = np.zeros((2, len(known)), dtype=np.int64)
    for j, groups in enumerate(releases):
        here = (base == j) & (group >= 0)
        begins[here] = groups.starts[group[here]] + offset[j]
        ends[here] = groups.starts[group[here] + 1] + offset[j]
    listed = Ragged.ranges(begins, ends)
    cohort, entry = listed.segment_of_value, listed.values
    value = np.concatenate([groups.value_codes for groups in releases])[entry]
    n_values = len(located.values)
    entries = np.full((len(entry), len(releases)), -1, dtype=np.int64)
    keep = np.ones(len(entry), dtype=bool)
    for j, groups in enumerate(releases):
        is_base = base[cohort] == j
        entries[is_base, j] = entry[is_base] - offset[j]
        other = np.flatnonzero((known[cohort, j] >= 0) & ~is_base)
        keys = groups.group_of_entry * n_values + groups.value_codes
        wanted = known[cohort[other], j] * n_values + value[other]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        entries[other, j] = at
        keep[other] &= keys[at] == wanted
    lengths = np.bincount(cohort[keep], minlength=len(known))
    return starts_of(lengths), value[keep], entries[keep]
