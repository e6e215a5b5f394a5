"""Scaling a matrix to given margins, and the correction that makes it a conditional probability.

`scale` finds q[j, s] = r_j · p[j, s] · a_s with rows that add up to 1 and columns to n. It is the
most likely way to meet the totals n on average, not exactly: the first term of an expansion.
`refine` adds the next one. Without person j, the others must take n - e_s instead of n, so

    P(j takes s | n) ∝ q[j, s] · P(the others take n - e_s)

and with G the inverse covariance of the totals the last factor is, but for factors of row and
column, exp((G q_j)_s) by the normal law. Where n_s is small the normal law is poor, and the exact
law of a sum of independent yes-no choices takes its place on the diagonal. Factors of row and
column are found by scaling again.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled

CLOSE = 1e-10  # how near the columns come to their totals, as a share of them
ABOUT = 1e-6  # near enough to refine: factors of row and column are found again after it
ROUNDS = 2000  # enough to come CLOSE, unless there is no way
_MANY_VALUES = 64  # above this the covariance costs more than it gives
_SMALL_TOTAL = 4  # up to here the exact law of a total is used: more changes little
_LARGE_TABLE = 1 << 22  # numbers that its forward pass may hold
_LARGE_VARIANCE = 500.0  # a total that varies more tells next to nothing of one person
_PLAIN_ROUNDS = 2  # before the first of Newton's steps
_SLOW = 0.2  # what a step may leave of the gap before the covariance is computed anew
_LONGEST_STEP = 3.0


@compiled()
def scale(
    p: FloatArray, people: IntArray, totals: IntArray, rounds: int, close: float
) -> FloatArray:
    """As `scale_from`, with nothing to begin with."""
    return scale_from(np.empty((0, 0)), p, people, totals, rounds, close)


@compiled()
def scale_from(
    start: FloatArray,
    p: FloatArray,
    people: IntArray,
    totals: IntArray,
    rounds: int,
    close: float,
) -> FloatArray:
    """q = rows and columns of p multiplied so that Σ_s q[j, s] = 1 and Σ_j people_j q[j, s] = n_s.

    Rows and columns in turn [SinkhornKnopp1967], then Newton's steps on the columns' factors, with
    one covariance as long as that does. A step that does not help is taken back. Needs a way to
    meet the totals through every positive entry (kernels/matching.py), else it stops after
    `rounds`. Where p is nearly scaled, `start` may give the covariance's Cholesky factor to begin
    with.
    """
    m = p.shape[1]
    q = np.empty_like(p)
    factors, kept, columns = np.ones(m), np.ones(m), np.empty(m)
    L, everything = start, np.arange(m)
    plain, before = _PLAIN_ROUNDS if m <= _MANY_VALUES else rounds, np.inf
    if len(L):
        plain = 0
    for _ in range(rounds):
        _normalize(p, factors, people, q, columns)
        gap = _gap(columns, totals)
        if gap <= close:
            break
        if plain > 0:
            for s in range(m):
                factors[s] *= totals[s] / columns[s]
            plain, before = plain - 1, np.inf
            continue
        if gap >= before:
            factors[:] = kept
            plain, L = 2 * m, np.empty((0, 0))
            continue
        if len(L) == 0 or gap > _SLOW * before:
            L = _cholesky(_covariance(q, people, columns, everything))
        before = gap
        kept[:] = factors
        _step(L, totals, columns, factors)
    return q


@compiled()
def _step(L: FloatArray, totals: IntArray, columns: FloatArray, factors: FloatArray) -> None:
    """Newton's step on the logarithms of the factors, not too long a one."""
    m = len(totals)
    step = np.empty(m)
    for s in range(m):
        step[s] = totals[s] - columns[s]
    _substitute(L, step)
    largest = 0.0
    for s in range(m):
        factors[s] *= np.exp(min(max(step[s], -_LONGEST_STEP), _LONGEST_STEP))
        largest = max(largest, factors[s])
    for s in range(m):
        factors[s] /= largest


@compiled()
def refine(q: FloatArray, people: IntArray, totals: IntArray) -> FloatArray:
    """P(j takes s | n), approximately, from the matrix q, which need only be scaled ABOUT."""
    m = q.shape[1]
    columns, variance = np.empty(m), np.empty(m)
    for s in range(m):
        columns[s] = variance[s] = totals[s]
    for j in range(len(q)):
        for s in range(m):
            variance[s] -= people[j] * q[j, s] ** 2
    telling = np.flatnonzero(variance < _LARGE_VARIANCE)
    if len(telling) == 0:
        return scale(q, people, totals, ROUNDS, CLOSE)
    cross = np.zeros((len(telling), len(telling)))
    L = np.empty((0, 0))
    if len(telling) <= _MANY_VALUES:
        L = _cholesky(_covariance(q, people, columns, telling))
        cross = _inverse(L)
    fewer = np.ones((len(telling), len(q)))
    for x in range(len(telling)):
        normal = 1.0 / max(variance[telling[x]], 1e-12)
        if len(telling) > _MANY_VALUES:
            cross[x, x] = normal
        if _one_fewer(q, people, telling[x], totals[telling[x]], fewer[x]):
            cross[x, x] -= normal  # the exact law takes the place of the normal one
    if len(telling) < m:  # the covariance of some values is none to begin with
        L = np.empty((0, 0))
    weights = _weighted(q, fewer, cross, telling)
    found: FloatArray = scale_from(L, weights, people, totals, ROUNDS, CLOSE)
    return found


@compiled()
def _weighted(q: FloatArray, fewer: FloatArray, cross: FloatArray, telling: IntArray) -> FloatArray:
    """q[j, s] · fewer[s, j] · exp((cross q_j)_s) for the telling values, q[j, s] for the others."""
    weights = q.copy()
    beside = np.empty(len(telling))
    for j in range(len(q)):
        beside[:] = 0.0
        for y in range(len(telling)):
            share = q[j, telling[y]]
            for x in range(len(telling)):
                beside[x] += share * cross[y, x]
        for x in range(len(telling)):
            weights[j, telling[x]] *= fewer[x, j] * np.exp(min(max(beside[x], -5.0), 5.0))
    return weights


@compiled(fastmath={"reassoc", "contract"})
def _normalize(
    p: FloatArray, factors: FloatArray, people: IntArray, q: FloatArray, columns: FloatArray
) -> None:
    """Multiply the columns by their factors, make rows add up to 1, and add up the columns."""
    columns[:] = 0.0
    for j in range(len(p)):
        row = 0.0
        for s in range(p.shape[1]):
            q[j, s] = p[j, s] * factors[s]
            row += q[j, s]
        share = 1.0 / row
        for s in range(p.shape[1]):
            q[j, s] *= share
            columns[s] += people[j] * q[j, s]


@compiled()
def _gap(columns: FloatArray, totals: IntArray) -> float:
    """How far a column is from its total, as a share of it, at most."""
    largest = 0.0
    for s in range(len(totals)):
        largest = max(largest, abs(columns[s] - totals[s]) / totals[s])
    return largest


@compiled(fastmath={"reassoc", "contract"})
def _covariance(
    q: FloatArray, people: IntArray, columns: FloatArray, chosen: IntArray
) -> FloatArray:
    """Σ_j people_j · (diag(q_j) - q_j q_jᵀ) of the chosen columns; columns = Σ_j people_j q_j.

    All columns add up to a constant, so their covariance has no inverse; it is filled up with a
    constant in every entry, which changes an inverse by factors of row and column only.
    """
    m, r = len(chosen), len(q)
    by_value, weighted = np.empty((m, r)), np.empty(r)
    for j in range(r):
        for a in range(m):
            by_value[a, j] = q[j, chosen[a]]
    fill = columns.sum() / m**2 if m == q.shape[1] else 0.0
    H = np.full((m, m), fill)
    for a in range(m):
        for j in range(r):
            weighted[j] = people[j] * by_value[a, j]
        for b in range(a + 1):
            both = 0.0
            for j in range(r):
                both += weighted[j] * by_value[b, j]
            H[a, b] -= both
            H[b, a] = H[a, b]
        H[a, a] += columns[chosen[a]]
    return H


@compiled()
def _cholesky(H: FloatArray) -> FloatArray:
    """Lower triangle L with L Lᵀ = H; a pivot that rounding made too small is lifted."""
    m = len(H)
    L = np.zeros((m, m))
    for a in range(m):
        for b in range(a + 1):
            rest = H[a, b]
            for c in range(b):
                rest -= L[a, c] * L[b, c]
            if a == b:
                L[a, a] = np.sqrt(max(rest, 1e-14 * H[a, a] + 1e-300))
            else:
                L[a, b] = rest / L[b, b]
    return L


@compiled()
def _substitute(L: FloatArray, x: FloatArray) -> None:
    """Replace x by y with L Lᵀ y = x."""
    m = len(L)
    for a in range(m):
        for c in range(a):
            x[a] -= L[a, c] * x[c]
        x[a] /= L[a, a]
    for a in range(m - 1, -1, -1):
        for c in range(a + 1, m):
            x[a] -= L[c, a] * x[c]
        x[a] /= L[a, a]


@compiled()
def _inverse(L: FloatArray) -> FloatArray:
    """The inverse of L Lᵀ."""
    inverse = np.empty_like(L)
    column = np.empty(len(L))
    for a in range(len(L)):
        column[:] = 0.0
        column[a] = 1.0
        _substitute(L, column)
        for b in range(len(L)):
            inverse[a, b] = column[b]
    return inverse


@compiled()
def _one_fewer(q: FloatArray, people: IntArray, s: int, n: int, ratio: FloatArray) -> bool:
    """P(n - 1 of the others take s) / P(n of them do) for each row, if n is small; else False."""
    k = people.sum()
    if n > _SMALL_TOTAL or k * (n + 1) > _LARGE_TABLE:
        return False
    F = np.zeros((k + 1, n + 1))  # F[i, c]: c of the first i people
    F[0, 0] = 1.0
    i = 0
    for j in range(len(q)):
        for _ in range(people[j]):
            for c in range(n + 1):
                F[i + 1, c] = F[i, c] * (1.0 - q[j, s])
                if c > 0:
                    F[i + 1, c] += F[i, c - 1] * q[j, s]
            i += 1
    after = np.zeros(n + 1)  # after[c]: c of those behind person i
    after[0] = 1.0
    for j in range(len(q) - 1, -1, -1):
        for _ in range(people[j]):
            i -= 1
            fewer, same = 0.0, F[i, n] * after[0]
            for c in range(n):
                fewer += F[i, c] * after[n - 1 - c]
                same += F[i, c] * after[n - c]
            ratio[j] = min(fewer / max(same, 1e-300), 1e12)
            for c in range(n, 0, -1):
                after[c] = after[c] * (1.0 - q[j, s]) + after[c - 1] * q[j, s]
            after[0] *= 1.0 - q[j, s]
    return True
