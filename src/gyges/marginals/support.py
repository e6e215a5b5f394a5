"""Which combinations some table consistent with the views can hold at all.

The maximum entropy distribution is positive exactly there. Proportional fitting finds a forced
zero only in the limit, ever more slowly; so forced zeros are found first, by linear programming.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.errors import RuleError
from gyges.marginals.counts import ViewCounts, coarsened, places_of, widths
from gyges.marginals.induced import Attribute, Resolution

LARGEST_PROGRAM = 20_000  # cells; larger tables are fitted without this step


def possible_cells(
    attributes: Sequence[Attribute], finest: Resolution, views: Sequence[ViewCounts]
) -> BoolArray:
    """Which cells of the table (one axis an attribute, at `finest` labels) may have people.

    A cell below an empty count cannot; in small tables neither can one that the counts together
    force to zero.
    """
    possible = open_cells(attributes, finest, views)
    cells = np.argwhere(possible)
    if len(cells) <= LARGEST_PROGRAM:
        reached = reachable(incidence(cells, attributes, finest, views))
        possible[tuple(cells[~reached].T)] = False
    return possible


def open_cells(
    attributes: Sequence[Attribute], finest: Resolution, views: Sequence[ViewCounts]
) -> BoolArray:
    """Which cells are below no empty count."""
    possible = np.ones(widths(attributes, finest), dtype=bool)
    for view in views:
        held = np.zeros(widths(attributes, view.resolution), dtype=bool)
        held[tuple(view.codes.T)] = True
        for axis, attribute in enumerate(attributes):
            coarser = attribute.coarsen(finest[axis], view.resolution[axis])
            if held.shape[axis] > 1:
                held = np.take(held, coarser, axis=axis)
        possible &= held
    return possible


def incidence(
    cells: IntArray,
    attributes: Sequence[Attribute],
    finest: Resolution,
    views: Sequence[ViewCounts],
) -> list[tuple[IntArray, IntArray]]:
    """For each view, the place of each cell's combination in it, and the view's counts."""
    found = []
    for view in views:
        codes = coarsened(cells.astype(np.int32), finest, view.resolution, attributes)
        sizes = widths(attributes, view.resolution)
        found.append((places_of(codes, view.codes, sizes), view.people))
    return found


def reachable(rows: list[tuple[IntArray, IntArray]]) -> BoolArray:
    """Which cells can have people while all counts are met, to the solver's tolerance.

    Maximize Σ y over A x = b·scale, 0 <= y <= min(x, 1): y is 1 where x can be positive.
    """
    from scipy.optimize import linprog
    from scipy.sparse import bmat, coo_matrix, eye

    n = len(rows[0][0])
    counts = np.concatenate([people for _, people in rows]).astype(np.float64)
    sums = incidence_matrix(rows)
    equal = bmat([[sums, coo_matrix((len(counts), n)), -counts[:, None] / counts.max()]])
    below = bmat([[-eye(n), eye(n), coo_matrix((n, 1))]])
    solved = linprog(
        np.concatenate([np.zeros(n), -np.ones(n), [0.0]]),
        A_ub=below.tocsr(),
        b_ub=np.zeros(n),
        A_eq=equal.tocsr(),
        b_eq=np.zeros(len(counts)),
        bounds=[(0, None)] * n + [(0, 1)] * n + [(1, None)],
        method="highs",
    )
    if solved.x is None:
        raise RuleError("the views contradict each other: no table has all their counts")
    return np.asarray(solved.x[n : 2 * n] > 0.5, dtype=bool)


def prove_impossible(
    reached: list[tuple[IntArray, IntArray]], excluded: list[tuple[IntArray, IntArray]]
) -> bool:
    """Whether the excluded cells are 0 in every consistent table, given a table positive elsewhere.

    Farkas: weights of the counts in whole numbers that are 0 on every reached cell, positive on
    every excluded one. The counts are met by some table on the reached cells alone, so weighted
    they are 0, and so are the excluded cells. The weights are guessed by linear programming and
    checked in whole numbers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import bmat, eye

    inside, outside = incidence_matrix(reached).T, incidence_matrix(excluded).T
    n, m = outside.shape
    solved = linprog(
        np.concatenate([np.zeros(m), -np.ones(n)]),
        A_ub=bmat([[-outside, eye(n)]]).tocsr(),
        b_ub=np.zeros(n),
        A_eq=bmat([[inside, eye(inside.shape[0], n) * 0]]).tocsr(),
        b_eq=np.zeros(inside.shape[0]),
        bounds=[(-(10**6), 10**6)] * m + [(0, 1)] * n,
        method="highs",
    )
    if solved.x is None:
        return False
    for factor in range(1, 61):
        weights = np.rint(solved.x[:m] * factor).astype(np.int64)
        if not (inside.tocsr() @ weights).any() and (outside.tocsr() @ weights > 0).all():
            return True
    return False


def incidence_matrix(rows: list[tuple[IntArray, IntArray]]) -> Any:
    """Counts × cells: 1 where a count sums a cell."""
    from scipy.sparse import bmat, coo_matrix

    n = len(rows[0][0])
    parts = [
        coo_matrix((np.ones(n, dtype=np.int64), (place, np.arange(n))), shape=(len(people), n))
        for place, people in rows
    ]
    return bmat([[part] for part in parts]).tocsr()
