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
from numba import njit

from gyges.arrays import FloatArray, IntArray

CLOSE = 1e-11  # how near the columns come to their totals, as a share of them
ROUNDS = 2000  # enough to come CLOSE, unless there is no way
FEW_ROUNDS = 3  # enough against numbers too small for a float
_PLAIN_ROUNDS = 5  # of plain scaling before Newton's steps
_MANY_VALUES = 64  # above this Newton's steps and the covariance cost more than they give
_SMALL_TOTAL = 8  # up to here the exact law of a total is used: more changes nothing
_LARGE_TABLE = 1 << 22  # numbers that its forward pass may hold
_LONGEST_STEP = 3.0


@njit(cache=True)
def scale(p: FloatArray, people: IntArray, totals: IntArray, rounds: int) -> FloatArray:
    """q = rows and columns of p multiplied so that Σ_s q[j, s] = 1 and Σ_j people_j q[j, s] = n_s.

    Rows and columns in turn [SinkhornKnopp1967], then Newton's steps on the columns' factors; a
    step that does not help is taken back. Needs a way to meet the totals through every positive
    entry (kernels/matching.py), else it does not end before the last round.
    """
    m = p.shape[1]
    q = np.empty_like(p)
    factors, kept, columns = np.ones(m), np.ones(m), np.empty(m)
    wait, is_newton, before = _PLAIN_ROUNDS, False, np.inf
    for _ in range(rounds):
        _normalize(p, factors, people, q, columns)
        gap = np.abs(columns / totals - 1.0).max()
        if gap <= CLOSE:
            break
        if is_newton and not gap < before:
            factors[:] = kept
            wait, is_newton = 2 * _PLAIN_ROUNDS, False
            continue
        before, is_newton = gap, wait == 0 and m <= _MANY_VALUES
        if is_newton:
            kept[:] = factors
            step = _solve(_covariance(q, people, columns), totals - columns)
            factors *= np.exp(np.minimum(np.maximum(step, -_LONGEST_STEP), _LONGEST_STEP))
        else:
            factors *= totals / columns
            wait = max(wait - 1, 0)
        factors /= factors.max()
    return q


@njit(cache=True)
def refine(q: FloatArray, people: IntArray, totals: IntArray) -> FloatArray:
    """P(j takes s | n), approximately, from the scaled matrix q."""
    r, m = q.shape
    columns = totals.astype(np.float64)
    variance = _covariance(q, people, columns)
    weights = q.copy()
    cross = np.zeros((m, m))
    if m <= _MANY_VALUES:
        cross = _inverse(variance)
    n_people = people.sum()
    for s in range(m):
        spread = max(variance[s, s] - _fill(columns), 1e-12)
        if totals[s] <= _SMALL_TOTAL and n_people * (totals[s] + 1) <= _LARGE_TABLE:
            weights[:, s] *= _one_fewer(q[:, s].copy(), people, totals[s])
        else:
            weights[:, s] *= np.exp(np.minimum(q[:, s] / spread, 5.0))
        if m <= _MANY_VALUES:
            cross[s, s] -= 1.0 / spread
    if m <= _MANY_VALUES:
        for j in range(r):
            for s in range(m):
                beside = 0.0
                for other in range(m):
                    beside += cross[s, other] * q[j, other]
                weights[j, s] *= np.exp(min(max(beside, -5.0), 5.0))
    found: FloatArray = scale(weights, people, totals, ROUNDS)
    return found


@njit(cache=True)
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
        for s in range(p.shape[1]):
            q[j, s] /= row
            columns[s] += people[j] * q[j, s]


@njit(cache=True)
def _fill(columns: FloatArray) -> float:
    """What is added to every entry: the totals add up to a constant, so no inverse without."""
    return float(columns.sum() / len(columns) ** 2)


@njit(cache=True)
def _covariance(q: FloatArray, people: IntArray, columns: FloatArray) -> FloatArray:
    """Σ_j people_j · (diag(q_j) - q_j q_jᵀ), filled up to full rank."""
    m = q.shape[1]
    H = np.full((m, m), _fill(columns))
    for j in range(len(q)):
        for s in range(m):
            share = people[j] * q[j, s]
            H[s, s] += share
            for other in range(s + 1):
                H[s, other] -= share * q[j, other]
    for s in range(m):
        for other in range(s):
            H[other, s] = H[s, other]
    return H


@njit(cache=True)
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


@njit(cache=True)
def _substitute(L: FloatArray, right: FloatArray) -> FloatArray:
    """x with L Lᵀ x = right."""
    m = len(L)
    x = right.copy()
    for a in range(m):
        for c in range(a):
            x[a] -= L[a, c] * x[c]
        x[a] /= L[a, a]
    for a in range(m - 1, -1, -1):
        for c in range(a + 1, m):
            x[a] -= L[c, a] * x[c]
        x[a] /= L[a, a]
    return x


@njit(cache=True)
def _solve(H: FloatArray, right: FloatArray) -> FloatArray:
    solved: FloatArray = _substitute(_cholesky(H), right)
    return solved


@njit(cache=True)
def _inverse(H: FloatArray) -> FloatArray:
    L = _cholesky(H)
    inverse = np.empty_like(H)
    for a in range(len(H)):
        unit = np.zeros(len(H))
        unit[a] = 1.0
        inverse[a] = _substitute(L, unit)
    return inverse


@njit(cache=True)
def _one_fewer(q: FloatArray, people: IntArray, n: int) -> FloatArray:
    """P(n - 1 of the others say yes) / P(n of them do), for each person of yes-probability q_j."""
    each = np.repeat(q, people)
    F = np.zeros((len(each) + 1, n + 1))  # F[j, c]: c of the first j
    F[0, 0] = 1.0
    for j in range(len(each)):
        F[j + 1, 0] = F[j, 0] * (1.0 - each[j])
        for c in range(1, n + 1):
            F[j + 1, c] = F[j, c] * (1.0 - each[j]) + F[j, c - 1] * each[j]
    after = np.zeros(n + 1)  # after[c]: c of those behind j
    after[0] = 1.0
    ratio = np.empty(len(q))
    person = len(each)
    for j in range(len(q) - 1, -1, -1):
        for _ in range(people[j]):
            person -= 1
            fewer, same = 0.0, F[person, n] * after[0]
            for c in range(n):
                fewer += F[person, c] * after[n - 1 - c]
                same += F[person, c] * after[n - c]
            ratio[j] = min(fewer / max(same, 1e-300), 1e12)
            for c in range(n, 0, -1):
                after[c] = after[c] * (1.0 - q[j]) + after[c - 1] * q[j]
            after[0] *= 1.0 - q[j]
    return ratio
