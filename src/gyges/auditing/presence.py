"""How likely somebody of a population is in the release: δ-presence [Nergiz2007].

A world says who of the population is behind which published row: every row's person fits its
labels, and nobody is behind two rows. All worlds are equally likely. Where nobody fits two classes
of rows, somebody of a class of f rows and F fitting people is in with probability f/F. Where labels
overlap the worlds are counted.
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

MOST_STATES = 2_000  # of the rows that are still to be given to people
MOST_TYPES = 16  # of people who fit different classes


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """Who fits what: cells of the population and classes of published rows that look alike."""

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
    where no world is possible: the population lacks people who were published.
    """
    found: list[Fraction | None] = [Fraction(0)] * len(fitting.people)
    circle = _circles(fitting)
    cells_of: dict[int, list[int]] = {}
    for cell in np.flatnonzero(np.diff(fitting.starts) > 0).tolist():
        cells_of.setdefault(int(circle[fitting.classes[fitting.starts[cell]]]), []).append(cell)
    for cells in cells_of.values():
        _settle(fitting, cells, found)
    return found


def _circles(fitting: Fitting) -> IntArray:
    """Classes that share people, directly or through others, get one number."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    cell = Ragged(fitting.classes, fitting.starts).segment_of_value
    n_cells, n = len(fitting.people), len(fitting.people) + len(fitting.rows)
    edges = coo_array(
        (np.ones(len(cell)), (cell, fitting.classes + n_cells)), shape=(n, n), dtype=np.int8
    )
    _, number = connected_components(edges, directed=False)
    return np.asarray(number[n_cells:], dtype=np.int64)


def _settle(fitting: Fitting, cells: list[int], found: list[Fraction | None]) -> None:
    """Fill in the cells of one circle of classes."""
    kinds: dict[tuple[int, ...], list[int]] = {}  # people who fit the same classes are alike
    for cell in cells:
        fits = fitting.classes[fitting.starts[cell] : fitting.starts[cell + 1]]
        kinds.setdefault(tuple(sorted(fits.tolist())), []).append(cell)
    types = [Type(fits, int(fitting.people[alike].sum())) for fits, alike in kinds.items()]
    rows = {c: int(fitting.rows[c]) for one in types for c in one.fits}
    shares = _shares(types, rows)
    for share, alike in zip(shares, kinds.values(), strict=True):
        for cell in alike:
            found[cell] = share


@dataclass(frozen=True, slots=True)
class Type:
    """People who fit the same classes."""

    fits: tuple[int, ...]
    people: int


def _shares(types: Sequence[Type], rows: dict[int, int]) -> Sequence[Fraction | None]:
    total, people = sum(rows.values()), sum(one.people for one in types)
    if total > people:  # no world is possible
        return [None] * len(types)
    if len(types) == 1:  # everybody fits the same classes, so only their sum counts
        return [Fraction(total, people)]
    if total == people:  # everybody is in, if a world is possible at all
        return [Fraction(1) if _is_possible(types, rows) else None] * len(types)
    if len(types) > MOST_TYPES or prod(n + 1 for n in rows.values()) > MOST_STATES:
        return [None] * len(types)
    return count_worlds(types, rows)


def _is_possible(types: Sequence[Type], rows: dict[int, int]) -> bool:
    """Whether every row finds a person who fits it, nobody being behind two: a flow from people."""
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


def count_worlds(types: Sequence[Type], rows: dict[int, int]) -> list[Fraction | None]:
    """For each type the expected share of its people who are in, over all worlds.

    Types are given rows one after the other; a state is how many rows of each class are left, with
    the number of ways to get there and, for each type so far, its people in, summed over them.

    >>> count_worlds([Type((0,), 1), Type((0, 1), 1)], {0: 1, 1: 1})
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


def _choices(one: Type, classes: list[int], left: tuple[int, ...]) -> list[tuple[int, ...]]:
    """How many people of a type may be behind the rows of each class."""
    most = [min(n, one.people) if c in one.fits else 0 for c, n in zip(classes, left, strict=True)]
    every = product(*(range(n + 1) for n in most))
    return [taken for taken in every if sum(taken) <= one.people]


def _ways(people: int, taken: tuple[int, ...]) -> int:
    """In how many ways so many of these people are behind the rows of each class."""
    ways = 1
    for n in taken:
        ways *= comb(people, n)
        people -= n
    return ways
