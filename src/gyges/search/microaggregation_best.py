"""Tighter groups than MDAV's for tables of numbers: several heuristics, improved by exchanges.

V-MDAV [Solanas2006] extends groups beyond k people, two fixed reference points [Chang2007] start
groups at the edges of the data and dissolve poor ones, and one column of numbers has an optimum
[Hansen2003]. Every result is improved: groups are dissolved, divided, and exchange people. The
tightest counts, and MDAV's own groups are among those compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

import numpy as np

from gyges.arguments import choice
from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.kernels.group_exchanges import dissolved, divided, exchanged, spread
from gyges.kernels.optimal_line import optimal_groups
from gyges.kernels.point_groups import reference_groups, variable_groups
from gyges.search.microaggregation_distances import Space
from gyges.search.microaggregation_mdav import Shares, mdav

Algorithm: TypeAlias = Literal["best", "mdav", "v-mdav", "two-points", "optimal"]

_MOST_PEOPLE = (
    20_000  # of a larger table "best" is MDAV alone: the others take n²/k steps each round
)
_GAMMAS = (0.2, 1.1)  # for scattered and for clustered people [Solanas2006]
_ROUNDS = 20


def clustered(cells: Cells, k: int, algorithm: str) -> Shares:
    """Groups of k people or more by an algorithm.

    "best" falls back to MDAV where there are categories, equal rows without one value each, or
    more than 20,000 people in several columns; the others are refused in the first two cases.
    """
    choice(algorithm, get_args(Algorithm), "algorithm")
    space, is_one = Space.of(cells), len(cells.domains) == 1
    may_divide = cells.values_per_person == "one"
    # Nobody need be separated from people with equal quasi-identifiers, or everybody may be.
    is_plain = not space.marked and (may_divide or int(cells.people.max(initial=0)) == 1)
    if algorithm == "optimal" and not (is_plain and is_one):
        raise RuleError("algorithm='optimal' needs one quasi-identifier, of numbers or dates")
    if algorithm in ("v-mdav", "two-points") and not is_plain:
        raise RuleError(
            f"algorithm={algorithm!r} needs numbers or dates in every quasi-identifier, and one "
            f"sensitive value per person or rows that all differ: choose 'best' or 'mdav'"
        )
    is_small = is_one or cells.n_people <= _MOST_PEOPLE
    if algorithm == "mdav" or not is_plain or (algorithm == "best" and not is_small):
        return mdav(cells, k, may_divide=may_divide, space=space)
    points = np.ascontiguousarray(space.numbers(space.places(cells.codes)).T)
    cell = np.repeat(np.arange(len(cells)), cells.people)
    found = list(_candidates(cells, k, algorithm, points[cell], cell, space))
    group = min(found, key=lambda one: float(spread(points[cell], one)))
    return _shares(cell, group)


def _candidates(
    cells: Cells, k: int, algorithm: str, points: FloatArray, cell: IntArray, space: Space
) -> Iterator[IntArray]:
    """The group of each person, by each heuristic that was asked for."""
    if algorithm == "v-mdav":
        yield from (variable_groups(points, k, gamma) for gamma in _GAMMAS)
    elif algorithm == "two-points":
        yield dissolved(points, reference_groups(points, k))
    elif points.shape[1] == 1:
        yield _on_a_line(points[:, 0], k)
    else:
        plain = _of_people(mdav(cells, k, space=space))
        yield plain
        others = [variable_groups(points, k, gamma) for gamma in _GAMMAS]
        for start in (plain, reference_groups(points, k), *others):
            yield _improved(points, start, k)


def _improved(points: FloatArray, group: IntArray, k: int) -> IntArray:
    """Groups of k to 2k - 1 people that are at least as tight."""
    tighter = divided(points, dissolved(points, group), k)
    found: IntArray = exchanged(points, tighter, k, _ROUNDS)
    return found


def _on_a_line(numbers: FloatArray, k: int) -> IntArray:
    order = np.argsort(numbers, kind="stable")
    group = np.empty(len(numbers), dtype=np.int64)
    group[order] = optimal_groups(numbers[order], k)
    return group


def _of_people(shares: Shares) -> IntArray:
    """The group of each person, cell after cell."""
    order = np.lexsort((shares.group, shares.cell))
    return np.repeat(shares.group[order], shares.count[order])


def _shares(cell: IntArray, group: IntArray) -> Shares:
    """How many people of each cell are in each group; groups are numbered without gaps."""
    _, group = np.unique(group, return_inverse=True)
    n = int(group.max(initial=-1)) + 1
    keys, counts = np.unique(cell * n + group, return_counts=True)
    return Shares(keys // n, keys % n, counts.astype(np.int64))
