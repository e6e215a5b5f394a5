"""Which vectors of a block may be dropped without changing the answer of a check.

Each function takes the block of every vector and the vectors, and returns the rows to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray

NEAR = 1e-12  # a share of the whole: closer to the cone than this is on it
LARGEST_COMPARISON = 2_000  # vectors compared pair by pair; larger blocks only lose duplicates


def extreme_rays(block: IntArray, vectors: FloatArray) -> IntArray:
    """Keep the extreme rays of each block's cone; drop what lies between others.

    The paper says "not in the convex hull", which drops nothing; it means "not an extreme point".
    Vectors that differ by a factor count as one, since diversity ignores factors.
    """
    return _within_blocks(block, _positive(vectors), vectors, _extreme)


def largest_quotients(block: IntArray, vectors: FloatArray) -> IntArray:
    """Keep, for each ordered pair of values, the vector with the largest quotient of the two.

    For (c,l)-diversity with exactly l sensitive values [Kifer2006, Sect. 7, "ℓ = |C|"]. A quotient
    over 0 is infinite, 0/0 is ignored.
    """
    return _within_blocks(block, _positive(vectors), vectors, _quotient_winners)


def minimal_marks(block: IntArray, vectors: FloatArray) -> IntArray:
    """Keep the vectors that no other is below, component by component."""
    return _within_blocks(block, np.ones(len(vectors), dtype=bool), vectors, _minimal)


def minimal_for_each_value(block: IntArray, vectors: FloatArray) -> IntArray:
    """Keep, for each value, the minimal vectors among those that are positive there.

    A smaller vector makes a smaller bound, unless the bound becomes 0 (nobody, no failure): so a
    vector is dropped only if for each of its values a smaller one is kept that has that value.
    """
    return _within_blocks(block, _positive(vectors), vectors, _minimal_for_each)


def _positive(vectors: FloatArray) -> BoolArray:
    return np.asarray((vectors > 0).any(axis=1))


def _within_blocks(
    block: IntArray, stays: BoolArray, vectors: FloatArray, choose: Callable[[FloatArray], IntArray]
) -> IntArray:
    rows = np.flatnonzero(stays)
    kept = [rows[:0]]
    for members in _members(block[rows]):
        inside = rows[members]
        if len(inside) > 1:
            inside = inside[choose(vectors[inside])]
        kept.append(inside)
    return np.sort(np.concatenate(kept))


def _members(block: IntArray) -> Iterator[IntArray]:
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.diff(block[order], prepend=-1))
    yield from np.split(order, starts[1:])


def _extreme(vectors: FloatArray) -> IntArray:
    """Clarkson's method: a point outside the cone of those chosen leads to a new extreme one."""
    from scipy.optimize import nnls

    points = vectors / vectors.sum(axis=1, keepdims=True)
    _, first = np.unique(points.round(14), axis=0, return_index=True)
    points = points[first]
    if len(points) <= 2:
        return first
    chosen = list(dict.fromkeys(points.argmax(axis=0).tolist()))
    for candidate in range(len(points)):
        while candidate not in chosen:
            weights, distance = nnls(points[chosen].T, points[candidate])
            if distance <= NEAR:
                break
            away = points[candidate] - weights @ points[chosen]
            farthest = int(np.argmax(points @ away))
            chosen.append(candidate if farthest in chosen else farthest)
    return first[sorted(chosen)]


def _quotient_winners(vectors: FloatArray) -> IntArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        winners = {
            int(np.nanargmax(quotients))
            for other in range(vectors.shape[1])
            for quotients in (vectors / vectors[:, [other]]).T
            if not np.isnan(quotients).all()
        }
    return np.array(sorted(winners), dtype=np.int64)


def _minimal(vectors: FloatArray) -> IntArray:
    return _needed(vectors, lambda vector, smaller: len(smaller) == 0)


def _minimal_for_each(vectors: FloatArray) -> IntArray:
    return _needed(
        vectors, lambda vector, smaller: not np.all((smaller > 0).any(axis=0) >= (vector > 0))
    )


def _needed(vectors: FloatArray, is_needed: Callable[[FloatArray, FloatArray], bool]) -> IntArray:
    """The different vectors that are needed beside those that are nowhere larger."""
    _, first = np.unique(vectors, axis=0, return_index=True)
    distinct = vectors[first]
    if len(first) > LARGEST_COMPARISON:
        return first
    kept = []
    for place, vector in enumerate(distinct):
        is_smaller = (distinct <= vector).all(axis=1)
        is_smaller[place] = False
        if is_needed(vector, distinct[is_smaller]):
            kept.append(place)
    return first[kept]
