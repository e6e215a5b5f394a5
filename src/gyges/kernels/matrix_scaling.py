"""Scaling a matrix to given margins.

`scale` finds q[j, s] = r_j · p[j, s] · a_s with rows that add up to 1 and columns to n. It is the
most likely way to meet the totals n on average, not exactly: the first term of an expansion, of
which kernels/scaling_correction.py has the next. A row is a chooser's, a column a value's.

Inside, a matrix lies value by value and is filled up to a multiple of `_ABREAST` with choosers that
count nothing: then the processor works on several choosers at once.

Earned by 40 choosers of six values: 1/40 of the time of simple scaling in NumPy.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.covariance import MANY_VALUES, inverse_covariance, product

CLOSE = 1e-10  # how near the values' sums come to their totals, as a share of them
_ROUNDS = 2000  # after so many the remaining gap is accepted and returned
_ABREAST = 16  # choosers; the processor takes four at a time, and four times that without a look
_PLAIN_ROUNDS = 2  # before the first of Newton's steps
_SLOW = 0.2  # what a step may leave of the gap before the covariance is computed anew
_LONGEST_STEP = 3.0
_PATIENCE = 12  # steps that come no nearer before they are taken back
_FAR = 1e-6  # a gap that is too wide to call the totals met
_VANISHING = 1e-100  # a chance that Newton's steps may never raise to where it shows


@compiled()
def scale(p: FloatArray, repeats: IntArray, totals: IntArray) -> tuple[FloatArray, float]:
    """q = rows and columns of p multiplied so that Σ_s q[j, s] = 1 and Σ_j repeats_j q[j, s] = n_s.

    Row j represents `repeats[j]` choosers. Needs a way to meet the totals through every positive
    entry (kernels/matching.py). Also by how much it misses them: infinity if unknown.
    """
    by_value, weights = laid_out(p, repeats, totals)
    q, gap, _ = scaled(np.empty((0, 0)), by_value, weights, totals, CLOSE)
    return laid_back(q, len(p)), gap if gap > CLOSE else 0.0


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def laid_out(p: FloatArray, repeats: IntArray, totals: IntArray) -> tuple[FloatArray, FloatArray]:
    """The matrix value by value, filled up, and how many choosers each place counts.

    Values are scaled to their totals already: so tiny numbers do not leave a float's range.
    """
    r, m = p.shape
    width = (r + _ABREAST - 1) // _ABREAST * _ABREAST
    by_value, weights = np.ones((m, width)), np.zeros(width)
    for j in range(r):
        weights[j] = repeats[j]
        for s in range(m):
            by_value[s, j] = p[j, s]
    for s in range(m):
        total = product(by_value, s, weights)
        for j in range(r):
            by_value[s, j] = by_value[s, j] / total * totals[s]
    return by_value, weights


@compiled()
def laid_back(q: FloatArray, r: int) -> FloatArray:
    """The matrix as it was given, choosers × values."""
    rows = np.empty((r, len(q)))
    for j in range(r):
        for s in range(len(q)):
            rows[j, s] = q[s, j]
    return rows


@compiled(error_model="numpy")
def scaled(
    start: FloatArray, p: FloatArray, weights: FloatArray, totals: IntArray, close: float
) -> tuple[FloatArray, float, FloatArray]:
    """The matrix scaled to the totals, but for a share of `close`, and the share that is left.

    Choosers and values in turn [SinkhornKnopp1967], then Newton's steps on the values' factors,
    with one covariance as long as that does. A tiny chance that must become a large one needs many
    steps before it shows; if they show nothing they are taken back, and the share that is left is
    infinity: floats cannot tell. Where p is nearly scaled, `start` may give the inverse of the
    covariance to begin with; the last one is returned.
    """
    m = len(p)
    q, inverse = np.empty_like(p), start
    by_value, by_chooser = np.ones((4, m)), np.empty((2, p.shape[1]))
    factors, kept, sums, missing = by_value[0], by_value[1], by_value[2], by_value[3]
    shares, room = by_chooser[0], by_chooser[1]
    plain, before = _PLAIN_ROUNDS if m <= MANY_VALUES else _ROUNDS, np.inf
    if len(inverse):
        plain = 0
    gap, patience = np.inf, _PATIENCE
    for turn in range(_ROUNDS + 1):
        _sum_up(p, factors, weights, shares, room, sums)
        gap = _gap(sums, totals)
        if gap <= close or turn == _ROUNDS:
            break
        if plain > 0:
            for s in range(m):
                factors[s] *= totals[s] / sums[s]
            _shrink(factors)
            plain, before = plain - 1, np.inf
            continue
        if gap < before:
            is_slow, before, patience = gap > _SLOW * before, gap, _PATIENCE
            _copy(factors, kept)
        else:
            is_slow, patience = True, patience - 1
        if patience == 0 or gap == np.inf:
            _copy(kept, factors)
            plain, inverse, patience = 2 * m, np.empty((0, 0)), _PATIENCE
            continue
        if len(inverse) == 0 or is_slow:
            _multiply(p, factors, shares, q)
            inverse = inverse_covariance(q, weights, sums, np.arange(m), room)
        _step(inverse, totals, sums, factors, missing)
    _multiply(p, factors, shares, q)
    if gap > _FAR and _has_vanishing(p):
        gap = np.inf
    return q, gap, inverse


@compiled()
def _has_vanishing(p: FloatArray) -> bool:
    """Whether a chance is so small that floats cannot tell how the totals are met through it."""
    for s in range(p.shape[0]):
        for j in range(p.shape[1]):
            if 0.0 < p[s, j] < _VANISHING:
                return True
    return False


@compiled()
def _copy(numbers: FloatArray, to: FloatArray) -> None:
    """A loop: the assignment of a whole array takes seconds to compile."""
    for s in range(len(numbers)):
        to[s] = numbers[s]


@compiled(error_model="numpy")
def _shrink(factors: FloatArray) -> None:
    """Make the largest factor 1: all of them together have no effect."""
    largest = 0.0
    for s in range(len(factors)):
        largest = max(largest, factors[s])
    for s in range(len(factors)):
        factors[s] /= largest


@compiled(error_model="numpy")
def _step(
    inverse: FloatArray,
    totals: IntArray,
    sums: FloatArray,
    factors: FloatArray,
    missing: FloatArray,
) -> None:
    """Newton's step on the logarithms of the factors, not too long a one.

    `missing` is room for a number for each value.
    """
    m = len(totals)
    for s in range(m):
        missing[s] = totals[s] - sums[s]
    for s in range(m):
        step = product(inverse, s, missing)
        factors[s] *= np.exp(min(max(step, -_LONGEST_STEP), _LONGEST_STEP))
    _shrink(factors)


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def _sum_up(
    p: FloatArray,
    factors: FloatArray,
    weights: FloatArray,
    shares: FloatArray,
    room: FloatArray,
    sums: FloatArray,
) -> None:
    """The values' sums, once p is multiplied by their factors and choosers' chances add up to 1.

    `shares` become the choosers' factors; `room` is for a number for each chooser.
    """
    m, width = p.shape
    shares[:] = 0.0
    for s in range(m):
        factor = factors[s]
        for j in range(width):
            shares[j] += p[s, j] * factor
    for j in range(width):
        share = 1.0 / shares[j]
        shares[j] = share
        room[j] = share * weights[j]
    for s in range(m):
        sums[s] = factors[s] * product(p, s, room)


@compiled()
def _multiply(p: FloatArray, factors: FloatArray, shares: FloatArray, q: FloatArray) -> None:
    """Make q = p times the factors of values and choosers."""
    m, width = p.shape
    for s in range(m):
        factor = factors[s]
        for j in range(width):
            q[s, j] = p[s, j] * factor * shares[j]


@compiled()
def _gap(sums: FloatArray, totals: IntArray) -> float:
    """How far a sum is from its total at most, as a share of it; infinity if it is no number."""
    largest = 0.0
    for s in range(len(totals)):
        off = abs(sums[s] - totals[s]) / totals[s]
        if not off < np.inf:
            return np.inf
        largest = max(largest, off)
    return largest
