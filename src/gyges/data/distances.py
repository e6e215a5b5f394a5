"""Distances between the values of a column, from 0 (the same) to 1 (as far as can be)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gyges.arguments import instance, items, numbers
from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.hierarchy import Hierarchy, Ladder
from gyges.data.values import Kind, Value, as_kind, check_value, guess_kind, positions
from gyges.errors import RuleError

_SYMMETRIC = 1e-9  # how far the two halves of a given matrix may differ


def distance_matrix(values: Sequence[Value], hierarchy: Hierarchy | None = None) -> FloatArray:
    """Distances between values, in the order given: values × values [Li2009, Sect. II.C].

    Numbers and dates: their difference over the range. With a hierarchy: the height of the lowest
    common ancestor over the height of the hierarchy. Other categories: 0 or 1.

    >>> distance_matrix([30, 40, 90])[0]
    array([0.        , 0.16666667, 1.        ])
    """
    listed = [check_value(one, "values: one") for one in items(values, "values", "values")]
    if hierarchy is not None:
        instance(hierarchy, Hierarchy, "hierarchy", "make one with gy.Hierarchy.from_tree")
        return _hierarchy_distances(listed, hierarchy)
    kind = guess_kind(listed)
    if kind in (Kind.NUMBER, Kind.DATE):
        return line_distances(positions(as_kind(listed, kind, "values"), kind))
    codes = _first_places(listed)
    return np.asarray(codes[:, None] != codes[None, :], dtype=np.float64)


def _hierarchy_distances(values: list[Value], hierarchy: Hierarchy) -> FloatArray:
    codes = _first_places(values)
    distances = ladder_distances(hierarchy.bind(list(dict.fromkeys(values)), "values"))
    return distances[np.ix_(codes, codes)]


def _first_places(values: list[Value]) -> IntArray:
    """Each value's place among the distinct values, in the order of their first appearance."""
    place = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.array([place[value] for value in values], dtype=np.int64)


def domain_distances(domain: Domain) -> FloatArray:
    """Distances over a whole domain: numbers by range (of the data) even with a hierarchy."""
    if domain.is_ordered:
        return line_distances(domain.positions, domain.range)
    if domain.ladder is not None:
        return ladder_distances(domain.ladder)
    return 1.0 - np.eye(len(domain))


def line_distances(places: FloatArray, length: float | None = None) -> FloatArray:
    """|x - y| over the range; 0 where the range is 0."""
    length = float(np.ptp(places)) if length is None and len(places) else (length or 0.0)
    apart = np.abs(places[:, None] - places[None, :])
    return apart / length if length > 0 else np.zeros_like(apart)


def ladder_distances(ladder: Ladder) -> FloatArray:
    """Height of the lowest common ancestor over the height of the hierarchy [Li2009, Sect. II.C].

    A label's level is its longest path down to a leaf, so the distance is an ultrametric.
    """
    n = ladder.ancestors.shape[1]
    distance = np.zeros((n, n))
    for level in range(ladder.height):
        ancestors = ladder.ancestors[level]
        distance += ancestors[:, None] != ancestors[None, :]
    return distance / ladder.height if ladder.height else distance


def check_distances(given: ArrayLike, n_values: int, name: str) -> FloatArray:
    """A matrix that a publisher gives as distances: square, 0 on the diagonal, symmetric."""
    matrix = numbers(given, name, 2, "a matrix, values × values")
    if matrix.shape != (n_values, n_values):
        raise RuleError(
            f"{name} are {'×'.join(map(str, matrix.shape)) or 'one number'}, but there are "
            f"{n_values} values: give one row and one column for each, in sorted order"
        )
    if not (matrix >= 0).all():
        raise RuleError(f"{name}: distances are numbers of 0 or more")
    if np.diag(matrix).any() or not np.allclose(matrix, matrix.T, rtol=0, atol=_SYMMETRIC):
        raise RuleError(
            f"{name}: a value is at distance 0 from itself, and as far from another as that one "
            f"is from it; correct the matrix"
        )
    return matrix
