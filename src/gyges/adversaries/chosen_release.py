"""What an attacker learns from how the groups of a release were chosen: the minimality attack.

The attacker knows everyone's quasi-identifiers, the groups with their values, the search and its
rules [Wong2007]. A world assigns each group's values to its people. The search would have published
these groups in some worlds only, and these are the worlds that remain: the probability of a value
is its share of them [Cormode2010].

A search decides by tests: does a part of a group (or of several) satisfy the rules? A part that is
made of whole groups has the same values in all worlds, so its test always has the same result. A
part that crosses groups does not. Groups that no test crosses together are independent, so each
component of groups is enumerated by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from gyges.adversaries.divided_values import divisions, least_divisions, n_worlds
from gyges.adversaries.settled_parts import PartTest, dense_counts
from gyges.arrays import BoolArray, IntArray
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells

MOST_STATES = 5_000  # of one component; more are not enumerated
MOST_IN_ALL = 300_000  # of all components that are enumerated
# Whether the search goes on as it did (True), publishes other groups (False), or may do either.
Verdict: TypeAlias = bool | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossingPart:
    """A part of a proposed cut that does not consist of whole groups, as its cells."""

    cells: IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChoiceCondition:
    """A decision that depends on the world, through tests of parts that cross groups."""

    parts: Sequence[CrossingPart]
    verdict: Callable[[tuple[bool, ...]], Verdict]  # which parts satisfy the rules


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChoicePosterior:
    """For the people of one group: the probability of each of its values, before and after.

    Before: the value's share of the group. After: its share of the worlds in which the search
    chooses these groups.
    """

    group: int
    cells: tuple[int, ...]  # people of one cell have the same probabilities
    values: tuple[int, ...]  # the codes of the values that the group has
    before: tuple[Fraction, ...]  # values
    after: tuple[tuple[Fraction, ...], ...]  # cells × values


@dataclass(frozen=True, slots=True)
class NotEnumerated:
    """Groups whose worlds were not enumerated, and why."""

    groups: tuple[int, ...]
    why: str


TOO_MANY = f"their values can be divided in more than {MOST_STATES:,} ways"
TOO_MANY_IN_ALL = f"more than {MOST_IN_ALL:,} ways to divide values were enumerated for others"
SEVERAL_WAYS = "the search can reach the same groups by more than one sequence of cuts"
NEVER = "this search would not have chosen these groups in any world"


def choice_posteriors(
    groups: PlacedCells, conditions: Sequence[ChoiceCondition], test: PartTest
) -> tuple[list[ChoicePosterior], list[NotEnumerated]]:
    """The probabilities of every group that a condition is about; exact, or not computed.

    `groups` are the published ones, with the cells of their people; one value per person.
    """
    found: list[ChoicePosterior] = []
    missing: list[NotEnumerated] = []
    left = MOST_IN_ALL
    for members, about in _components(groups, conditions):
        component = _Component(groups, members, about, test)
        states = component.states() if left > 0 else None
        if states is None:
            why = TOO_MANY if left > 0 else TOO_MANY_IN_ALL
        else:
            why = component.enumerate(states, found)
            left -= prod(len(one.worlds) for one in states)
        if why:
            missing.append(NotEnumerated(tuple(members), why))
    return found, missing


def _crossed(groups: PlacedCells, part: CrossingPart) -> list[int]:
    """The groups of which a part has some cells, but not all."""
    of_cell = groups.group_of_cell[part.cells]
    inside = np.bincount(of_cell, minlength=len(groups))
    touched = np.flatnonzero(inside)
    return [int(g) for g in touched[inside[touched] < groups.cells_by_group.lengths[touched]]]


def _components(
    groups: PlacedCells, conditions: Sequence[ChoiceCondition]
) -> Iterator[tuple[list[int], list[ChoiceCondition]]]:
    """Groups that conditions link, directly or through others, with these conditions."""
    parent: dict[int, int] = {}

    def root(g: int) -> int:
        while parent.setdefault(g, g) != g:
            g = parent[g]
        return g

    first: list[int] = []
    for condition in conditions:
        linked = [g for part in condition.parts for g in _crossed(groups, part)]
        first.append(linked[0])
        for g in linked[1:]:
            parent[root(g)] = root(linked[0])
        root(linked[0])
    members: dict[int, list[int]] = {}
    for g in sorted(parent):
        members.setdefault(root(g), []).append(g)
    about: dict[int, list[ChoiceCondition]] = {}
    for g, condition in zip(first, conditions, strict=True):
        about.setdefault(root(g), []).append(condition)
    yield from ((members[top], about[top]) for top in members)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _GroupStates:
    """The ways to divide a group's values among its atoms: people whom no test tells apart."""

    group: int
    cells: IntArray
    atom_of_cell: IntArray
    people: tuple[int, ...]  # of each atom
    tables: IntArray = field(default_factory=lambda: np.zeros((0, 0, 0), dtype=np.int64))
    """Ways × atoms × values."""
    worlds: list[int] = field(default_factory=list)
    """Of each way."""


def _atoms(groups: PlacedCells, g: int, is_in: BoolArray) -> _GroupStates:
    """The atoms of a group; `is_in` says which part has which cell."""
    cells = groups.cells_by_group[g]
    _, atom = np.unique(is_in[:, cells], axis=1, return_inverse=True)
    atom = atom.ravel()
    people = np.bincount(atom, groups.cells.people[cells]).astype(int)
    return _GroupStates(g, cells, atom, tuple(people.tolist()))


@dataclass(frozen=True, eq=False, repr=False)
class _Component:
    """Groups whose values are enumerated together."""

    groups: PlacedCells
    members: Sequence[int]
    about: Sequence[ChoiceCondition]
    test: PartTest

    @cached_property
    def parts(self) -> list[CrossingPart]:
        """The parts of all conditions."""
        return [part for condition in self.about for part in condition.parts]

    @cached_property
    def counts(self) -> IntArray:
        """How often each value occurs in each group: groups × values."""
        return dense_counts(self.groups, np.array(self.members))

    @cached_property
    def certain(self) -> list[IntArray]:
        """How often each value occurs in the groups that a part has as a whole, for each part."""
        found = []
        for part in self.parts:
            of_cell = np.unique(self.groups.group_of_cell[part.cells])
            counts = np.zeros(len(self.groups.values), dtype=np.int64)
            for g in np.setdiff1d(of_cell, self.members).tolist():
                held = self.groups.value_counts_in(g)
                counts[list(held)] += list(held.values())
            found.append(counts)
        return found

    @cached_property
    def sizes(self) -> list[int]:
        """How many people each part has."""
        return [int(self.groups.cells.people[part.cells].sum()) for part in self.parts]

    @cached_property
    def told_apart(self) -> IntArray:
        """The values that are counted by themselves; the others never decide a test."""
        if self.test.most is None:
            return np.flatnonzero(self.counts.any(axis=0))
        decides = np.zeros(len(self.groups.values), dtype=bool)
        for part, certain, size in zip(self.parts, self.certain, self.sizes, strict=True):
            inside = self._people_in(part)
            reached = certain + np.minimum(self.counts, inside[:, None]).sum(axis=0)
            decides |= reached > self.test.most(size)
        return np.flatnonzero(decides & self.counts.any(axis=0))

    def _people_in(self, part: CrossingPart) -> IntArray:
        """How many people of each group a part has."""
        cells, of_cell = self.groups.cells, self.groups.group_of_cell[part.cells]
        people = np.bincount(of_cell, cells.people[part.cells], minlength=len(self.groups))
        return people[list(self.members)].astype(np.int64)

    def enumerate(self, states: Sequence[_GroupStates], found: list[ChoicePosterior]) -> str:
        """Add the posteriors of the groups to `found`; or return why they are not computed."""
        n_ways = [len(one.worlds) for one in states]
        way = np.array(np.unravel_index(np.arange(prod(n_ways)), n_ways))  # groups × states
        verdicts = self._verdicts(states, way)
        is_possible = (verdicts != 0).all(axis=0)
        if (verdicts[:, is_possible] < 0).any():
            return SEVERAL_WAYS
        kept = way[:, is_possible]
        if not kept.shape[1]:
            return NEVER
        worlds = [
            prod(one.worlds[w] for one, w in zip(states, chosen, strict=True))
            for chosen in kept.T.tolist()
        ]
        for one, ways in zip(states, kept, strict=True):
            found.append(self._posterior(one, _by_way(ways.tolist(), worlds)))
        return ""

    def states(self) -> list[_GroupStates] | None:
        """The ways of every group; None where they are too many together."""
        is_in = np.zeros((len(self.parts), len(self.groups.cells)), dtype=bool)
        for row, part in enumerate(self.parts):
            is_in[row, part.cells] = True
        atoms = [_atoms(self.groups, g, is_in) for g in self.members]
        alone = self.counts[:, self.told_apart].tolist()
        held = [(*row, sum(one.people) - sum(row)) for one, row in zip(atoms, alone, strict=True)]
        divided = [(one.people, row) for one, row in zip(atoms, held, strict=True)]
        if prod(least_divisions(*one) for one in divided) > MOST_STATES:
            return None
        states, n_states = [], 1
        for atom, (people, counts) in zip(atoms, divided, strict=True):
            ways = divisions(people, counts, MOST_STATES // n_states)
            if ways is None:
                return None
            n_states *= len(ways)
            worlds = [n_worlds(people, way) for way in ways]
            states.append(replace(atom, tables=np.array(ways), worlds=worlds))
        return states

    def _verdicts(self, states: Sequence[_GroupStates], way: IntArray) -> IntArray:
        """1 where the search goes on as it did, 0 where not, -1 where unclear.

        Conditions × states.
        """
        flags = [
            self._holds(states, way, part, certain, size)
            for part, certain, size in zip(self.parts, self.certain, self.sizes, strict=True)
        ]
        found, first = [], 0
        for condition in self.about:
            last = first + len(condition.parts)
            patterns, where = np.unique(np.stack(flags[first:last]), axis=1, return_inverse=True)
            verdicts = [condition.verdict(tuple(map(bool, one))) for one in patterns.T.tolist()]
            numbers = np.array([-1 if one is None else int(one) for one in verdicts])
            found.append(numbers[where.ravel()])
            first = last
        return np.array(found)

    def _holds(
        self,
        states: Sequence[_GroupStates],
        way: IntArray,
        part: CrossingPart,
        certain: IntArray,
        size: int,
    ) -> BoolArray:
        """Whether a part satisfies every rule, in each state."""
        is_in = np.zeros(len(self.groups.cells), dtype=bool)
        is_in[part.cells] = True
        alone = self.told_apart
        counts = np.repeat(certain[alone][None, :], way.shape[1], axis=0)
        for one, ways in zip(states, way, strict=True):
            atoms = np.unique(one.atom_of_cell[is_in[one.cells]])
            counts += one.tables[:, atoms, : len(alone)].sum(axis=1)[ways]
        if self.test.most is not None:
            limit = self.test.most(size)
            others = np.delete(certain, alone)
            is_good = (counts <= limit).all(axis=1) & bool((others <= limit).all())
            return np.asarray(is_good)
        distinct, where = np.unique(counts, axis=0, return_inverse=True)
        every = np.repeat(certain[None, :], len(distinct), axis=0)
        every[:, alone] = distinct
        return np.asarray(self.test.holds(self._as_groups(every))[where.ravel()])

    def _as_groups(self, counts: IntArray) -> Groups:
        """Groups of people with these values."""
        group, value = np.nonzero(counts)
        return Groups.from_entries(
            sizes=counts.sum(axis=1),
            group_of_entry=group,
            value_codes=value.astype(np.int32),
            value_counts=counts[group, value],
            values=self.groups.values,
        )

    def _posterior(self, one: _GroupStates, worlds: Mapping[int, int]) -> ChoicePosterior:
        """The probabilities of one group; values that are counted together share theirs."""
        held, size = self.groups.value_counts_in(one.group), int(self.groups.sizes[one.group])
        column = {int(v): c for c, v in enumerate(self.told_apart)}
        rest = size - sum(held.get(v, 0) for v in column)
        total = sum(worlds.values())
        ways = np.array(list(worlds))
        weights = np.array([worlds[way] for way in worlds], dtype=object)
        after = []
        for a, people in enumerate(one.people):
            sums = [int(n) for n in (one.tables[ways, a, :].astype(object).T @ weights)]
            share = [Fraction(n, people * total) for n in sums]
            after.append(
                tuple(
                    share[column[v]] if v in column else share[-1] * Fraction(n, rest or 1)
                    for v, n in held.items()
                )
            )
        return ChoicePosterior(
            group=one.group,
            cells=tuple(one.cells.tolist()),
            values=tuple(held),
            before=tuple(Fraction(n, size) for n in held.values()),
            after=tuple(after[a] for a in one.atom_of_cell.tolist()),
        )


def _by_way(ways: Sequence[int], worlds: Sequence[int]) -> dict[int, int]:
    """How many worlds each way of one group has, over all ways of the others."""
    summed: dict[int, int] = {}
    for way, n in zip(ways, worlds, strict=True):
        summed[way] = summed.get(way, 0) + n
    return summed
