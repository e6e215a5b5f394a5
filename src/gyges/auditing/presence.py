"""The probability that a person of the population is in the release: δ-presence [Nergiz2007].

A world assigns a person of the population to every published row: the person fits the row's labels,
and nobody has two rows. All worlds are equally likely. Where nobody fits two classes of rows, a
person who fits a class of f rows and F fitting people is in the release with probability f/F. Where
labels overlap, the worlds are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np

from gyges.arrays import IntArray
from gyges.ragged import Ragged

MOST_STATES = 2_000  # numbers of rows of each class that are not assigned yet
MOST_TYPES = 16  # types of people, by the classes they fit


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """Which cells of the population fit which classes of published rows that look alike."""

    people: IntArray  # cells: how many people of the population
    rows: IntArray  # classes: how many published rows
    starts: IntArray  # cells + 1; the classes that cell c fits are classes[starts[c]:starts[c+1]]
    classes: IntArray

    @property
    def matches(self) -> IntArray:
        """How many people of the population fit each class: F."""
        per_pair = np.repeat(self.people, np.diff(self.starts))
        fitting = np.bincount(self.classes, weights=per_pair, minlength=len(self.rows))
        return fitting.astype(np.int64)


def presence(fitting: Fitting) -> list[Fraction | None]:
    """For each cell the probability that one of its people is in the release.

    0 where they fit no class. None where too many classes overlap for the worlds to be counted, or
    where no world is possible: published people are missing from the population.
    """
    found: list[Fraction | None] = [Fraction(0)] * len(fitting.people)
    component = _components(fitting)
    cells_of: dict[int, list[int]] = {}
    for cell in np.flatnonzero(np.diff(fitting.starts) > 0).tolist():
        cells_of.setdefault(int(component[fitting.classes[fitting.starts[cell]]]), []).append(cell)
    for cells in cells_of.values():
        _fill_component(fitting, cells, found)
    return found


def _components(fitting: Fitting) -> IntArray:
    """A number for each class; classes that share people, directly or through others, have one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    cell = Ragged(fitting.classes, fitting.starts).segment_of_value
    n_cells, n = len(fitting.people), len(fitting.people) + len(fitting.rows)
    edges = coo_array(
        (np.ones(len(cell)), (cell, fitting.classes + n_cells)), shape=(n, n), dtype=np.int8
    )
    _, number = connected_components(edges, directed=False)
    return np.asarray(number[n_cells:], dtype=np.int64)


def _fill_component(fitting: Fitting, cells: list[int], found: list[Fraction | None]) -> None:
    """Fill in the cells of one component."""
    cells_of: dict[tuple[int, ...], list[int]] = {}  # by the classes that they fit
    for cell in cells:
        fits = fitting.classes[fitting.starts[cell] : fitting.starts[cell + 1]]
        cells_of.setdefault(tuple(sorted(fits.tolist())), []).append(cell)
    types = [PersonType(fits, int(fitting.people[same].sum())) for fits, same in cells_of.items()]
    rows = {c: int(fitting.rows[c]) for one in types for c in one.fits}
    for share, same in zip(_shares(types, rows), cells_of.values(), strict=True):
        for cell in same:
            found[cell] = share


@dataclass(frozen=True, slots=True)
class PersonType:
    """People who fit the same classes."""

    fits: tuple[int, ...]
    people: int


def _shares(types: Sequence[PersonType], rows: dict[int, int]) -> Sequence[Fraction | None]:
    total, people = sum(rows.values()), sum(one.people for one in types)
    if total > people:  # no world is possible
        return [None] * len(types)
    if len(types) == 1:  # everyone fits the same classes, so only their sum counts
        return [Fraction(total, people)]
    if total == people:  # everyone is in the release, if a world is possible at all
        return [Fraction(1) if _is_possible(types, rows) else None] * len(types)
    if len(types) > MOST_TYPES or prod(n + 1 for n in rows.values()) > MOST_STATES:
        return [None] * len(types)
    return count_worlds(types, rows)


def _is_possible(types: Sequence[PersonType], rows: dict[int, int]) -> bool:
    """Whether all rows can be assigned to different people who fit them: a maximum flow."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    classes = {c: len(types) + 1 + place for place, c in enumerate(rows)}
    sink = len(types) + len(rows) + 1
    edges = [(0, 1 + t, one.people) for t, one in enumerate(types)]
    edges += [(1 + t, classes[c], one.people) for t, one in enumerate(types) for c in one.fits]
    edges += [(classes[c], sink, n) for c, n in rows.items()]
    start, end, room = np.array(edges, dtype=np.int32).T
    network = csr_array((room, (start, end)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(network, 0, sink).flow_value) == sum(rows.values())


def count_worlds(types: Sequence[PersonType], rows: dict[int, int]) -> list[Fraction | None]:
    """For each type, the expected share of its people in the release, over all worlds.

    Rows are assigned to one type after the other. A state is the number of rows of each class that
    are left, with the number of ways to reach it and, for each type so far, the number of its
    people in the release, summed over these ways.

    >>> count_worlds([PersonType((0,), 1), PersonType((0, 1), 1)], {0: 1, 1: 1})
    [Fraction(1, 1), Fraction(1, 1)]
    """
    classes = sorted(rows)
    states = {tuple(rows[c] for c in classes): [1] + [0] * len(types)}
    for number, one in enumerate(types, start=1):
        after: dict[tuple[int, ...], list[int]] = {}
        for left, sums in states.items():
            for taken in _choices(one, classes, left):
                ways = _ways(one.people, taken)
                rest = tuple(a - b for a, b in zip(left, taken, strict=True))
                there = after.setdefault(rest, [0] * (len(types) + 1))
                for place, total in enumerate(sums):
                    there[place] += ways * total
                there[number] += ways * sums[0] * sum(taken)
        states = after
    worlds, *inside = states.get((0,) * len(classes), [0] * (len(types) + 1))
    if not worlds:
        return [None] * len(types)
    return [Fraction(n, worlds * one.people) for n, one in zip(inside, types, strict=True)]


def _choices(one: PersonType, classes: list[int], left: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every way to assign rows of each class to people of a type, as numbers of rows."""
    most = [min(n, one.people) if c in one.fits else 0 for c, n in zip(classes, left, strict=True)]
    every = product(*(range(n + 1) for n in most))
    return [taken for taken in every if sum(taken) <= one.people]


def _ways(people: int, taken: tuple[int, ...]) -> int:
    """The number of ways to choose the people who are assigned rows of each class."""
    ways = 1
    for n in taken:
        ways *= comb(people, n)
        people -= n
    return ways
