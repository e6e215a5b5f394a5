"""What an attacker learns from how the groups of a release were chosen: the minimality attack.

The attacker knows everybody's quasi-identifiers, the groups with their values, the search and its
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
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod
from typing import TypeAlias

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells

MOST_STATES = 20_000  # of one component; more are not enumerated
# Whether the search goes on as it did (True), publishes other groups (False), or may do either.
Verdict: TypeAlias = bool | None
Holds: TypeAlias = Callable[[Groups], BoolArray]
Matrix: TypeAlias = tuple[tuple[int, ...], ...]  # cells or atoms × values: how many people


@dataclass(frozen=True, slots=True, eq=False)
class CrossingPart:
    """A part of a proposed cut that does not consist of whole groups, as its cells."""

    cells: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceCondition:
    """A decision that depends on the world, through tests of parts that cross groups."""

    parts: Sequence[CrossingPart]
    verdict: Callable[[tuple[bool, ...]], Verdict]  # which parts satisfy the rules


@dataclass(frozen=True, slots=True, eq=False)
class ChoicePosterior:
    """For the people of one group: the probability of each value, before and after.

    Before: the value's share of the group. After: its share of the worlds in which the search
    chooses these groups.
    """

    group: int
    cells: tuple[int, ...]  # people of one cell have the same probabilities
    before: tuple[Fraction, ...]  # by the value's code
    after: tuple[tuple[Fraction, ...], ...]  # cells × values


@dataclass(frozen=True, slots=True)
class NotEnumerated:
    """Groups whose worlds were not enumerated, and why."""

    groups: tuple[int, ...]
    why: str


TOO_MANY = f"their values can be divided in more than {MOST_STATES:,} ways"
SEVERAL_WAYS = "the search can reach the same groups by more than one sequence of cuts"
NEVER = "this search would not have chosen these groups in any world"


def choice_posteriors(
    groups: PlacedCells, conditions: Sequence[ChoiceCondition], holds: Holds
) -> tuple[list[ChoicePosterior], list[NotEnumerated]]:
    """The probabilities of every group that a condition is about; exact, or not computed.

    Args:
        groups: the published groups, with the cells of their people; one value per person.
        holds: which groups satisfy every rule.
    """
    found: list[ChoicePosterior] = []
    missing: list[NotEnumerated] = []
    for members, about in _components(groups, conditions):
        states = _states(groups, members, about)
        why = TOO_MANY if states is None else _enumerate(groups, states, about, holds, found)
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


@dataclass(frozen=True, slots=True, eq=False)
class _GroupStates:
    """The ways to divide a group's values among its atoms: people whom no test tells apart."""

    group: int
    cells: IntArray
    atom_of_cell: IntArray
    people: tuple[int, ...]  # of each atom
    tables: IntArray  # ways × atoms × values
    weights: list[int]  # worlds of each way


def _states(
    groups: PlacedCells, members: Sequence[int], about: Sequence[ChoiceCondition]
) -> list[_GroupStates] | None:
    """The ways of every group of a component; None where they are too many together."""
    is_in = np.zeros((sum(len(c.parts) for c in about), len(groups.cells)), dtype=bool)
    for row, part in enumerate(part for condition in about for part in condition.parts):
        is_in[row, part.cells] = True
    states, n_states = [], 1
    for g in members:
        cells = groups.cells_by_group[g]
        _, atom = np.unique(is_in[:, cells], axis=1, return_inverse=True)
        atom = atom.ravel()
        people = tuple(np.bincount(atom, groups.cells.people[cells]).astype(int).tolist())
        held = tuple(groups.value_counts_in(g).get(v, 0) for v in range(len(groups.values)))
        ways = divisions(people, held, MOST_STATES // n_states)
        if ways is None:
            return None
        n_states *= len(ways)
        states.append(
            _GroupStates(
                g, cells, atom, people, np.array(ways), [_weight(people, way) for way in ways]
            )
        )
    return states


def divisions(people: Sequence[int], held: Sequence[int], most: int) -> list[Matrix] | None:
    """Every way to give each atom as many values as it has people; None if more than `most`.

    >>> divisions((1, 2), (2, 1), 9)
    [((0, 1), (2, 0)), ((1, 0), (1, 1))]
    """
    ways: list[tuple[Matrix, tuple[int, ...]]] = [((), tuple(held))]
    for n in people:
        longer = []
        for way, left in ways:
            for row in _rows(n, left):
                rest = tuple(a - b for a, b in zip(left, row, strict=True))
                longer.append(((*way, row), rest))
                if len(longer) > most:
                    return None
        ways = longer
    return [way for way, _ in ways]


def _rows(n: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to take n of these values."""
    if not left:
        if n == 0:
            yield ()
        return
    rest = sum(left[1:])
    for taken in range(max(0, n - rest), min(n, left[0]) + 1):
        for others in _rows(n - taken, left[1:]):
            yield (taken, *others)


def _weight(people: Sequence[int], way: Matrix) -> int:
    """The number of worlds of a way: in each atom any order of its values."""
    return prod(_arrangements(n, row) for n, row in zip(people, way, strict=True))


def _arrangements(n: int, row: Sequence[int]) -> int:
    ways = 1
    for taken in row:
        ways *= comb(n, taken)
        n -= taken
    return ways


def _enumerate(
    groups: PlacedCells,
    states: Sequence[_GroupStates],
    about: Sequence[ChoiceCondition],
    holds: Holds,
    found: list[ChoicePosterior],
) -> str:
    """Add the posteriors of a component to `found`; or return why they are not computed."""
    n_ways = [len(one.weights) for one in states]
    way = np.array(np.unravel_index(np.arange(prod(n_ways)), n_ways))  # groups × states
    verdicts = [_verdicts(groups, states, way, condition, holds) for condition in about]
    is_possible = np.all([verdict != 0 for verdict in verdicts], axis=0)
    if any((verdict[is_possible] < 0).any() for verdict in verdicts):
        return SEVERAL_WAYS
    kept = way[:, is_possible]
    if not kept.shape[1]:
        return NEVER
    weights = [
        prod(one.weights[w] for one, w in zip(states, chosen, strict=True))
        for chosen in kept.T.tolist()
    ]
    for one, ways in zip(states, kept, strict=True):
        found.append(_posterior(groups, one, _by_way(ways.tolist(), weights)))
    return ""


def _by_way(ways: Sequence[int], weights: Sequence[int]) -> dict[int, int]:
    """How many worlds each way of one group has, over all ways of the others."""
    worlds: dict[int, int] = {}
    for way, weight in zip(ways, weights, strict=True):
        worlds[way] = worlds.get(way, 0) + weight
    return worlds


def _posterior(
    groups: PlacedCells, one: _GroupStates, worlds: Mapping[int, int]
) -> ChoicePosterior:
    total = sum(worlds.values())
    tables = {way: one.tables[way].tolist() for way in worlds}
    after = [
        tuple(
            Fraction(sum(n * tables[way][a][v] for way, n in worlds.items()), people * total)
            for v in range(len(groups.values))
        )
        for a, people in enumerate(one.people)
    ]
    held, size = groups.value_counts_in(one.group), int(groups.sizes[one.group])
    return ChoicePosterior(
        group=one.group,
        cells=tuple(one.cells.tolist()),
        before=tuple(Fraction(held.get(v, 0), size) for v in range(len(groups.values))),
        after=tuple(after[a] for a in one.atom_of_cell.tolist()),
    )


def _verdicts(
    groups: PlacedCells,
    states: Sequence[_GroupStates],
    way: IntArray,
    condition: ChoiceCondition,
    holds: Holds,
) -> IntArray:
    """For each state 1 where the search goes on as it did, 0 where not, -1 where unclear."""
    flags = np.stack(
        [_part_holds(groups, states, way, part, holds) for part in condition.parts], axis=1
    )
    patterns, where = np.unique(flags, axis=0, return_inverse=True)
    verdicts = [condition.verdict(tuple(map(bool, pattern))) for pattern in patterns.tolist()]
    numbers = np.array([-1 if one is None else int(one) for one in verdicts])
    return np.asarray(numbers[where.ravel()])


def _part_holds(
    groups: PlacedCells,
    states: Sequence[_GroupStates],
    way: IntArray,
    part: CrossingPart,
    holds: Holds,
) -> BoolArray:
    """Whether a part satisfies every rule, in each state."""
    is_in = np.zeros(len(groups.cells), dtype=bool)
    is_in[part.cells] = True
    crossed = {one.group for one in states}
    counts = np.zeros((way.shape[1], len(groups.values)), dtype=np.int64)
    for one, ways in zip(states, way, strict=True):
        atoms = np.unique(one.atom_of_cell[is_in[one.cells]])
        counts += one.tables[:, atoms, :].sum(axis=1)[ways]
    cells = part.cells[~np.isin(groups.group_of_cell[part.cells], list(crossed))]
    whole = np.unique(groups.group_of_cell[cells])  # of these the part has every cell
    for g in whole.tolist():
        for v, n in groups.value_counts_in(g).items():
            counts[:, v] += n
    distinct, where = np.unique(counts, axis=0, return_inverse=True)
    return np.asarray(holds(_as_groups(distinct, groups.values))[where.ravel()])


def _as_groups(counts: IntArray, values: list[object]) -> Groups:
    """Groups of people with these values."""
    group, value = np.nonzero(counts)
    return Groups.from_entries(
        sizes=counts.sum(axis=1),
        group_of_entry=group,
        value_codes=value.astype(np.int32),
        value_counts=counts[group, value],
        values=values,  # type: ignore[arg-type]
    )
