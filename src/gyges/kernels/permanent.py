"""Independent choices, given how often each value was chosen: permanents with repeated columns.

Person j takes value s with probability q[j, s], independently; it is known that value s was taken
n_s times. Then

    P(j takes s | n) = n_s · q[j, s] · per(Q without j and one column s) / per(Q)

with n_s equal columns for value s in Q. Instead of k! permutations, one pass forward and one back
over the count vectors c <= n: F(c) sums over what the first |c| people take, B(c) over what the
others take so that the total is n.

    F(c + e_s) += F(c) · q[|c|, s]        B(c) = Σ_s q[|c|, s] · B(c + e_s)
    P(j takes s | n) = Σ_{|c| = j} F(c) · q[j, s] · B(c + e_s) / F(n)

That is Π (n_s + 1) states, m steps each. Where the rows of q add up to 1 and its columns to n, all
numbers stay between 0 and 1 and F(n) is not small: callers scale q (kernels/margins.py).
Compiled, because the passes are loops over single states: see benchmarks/beliefs.py.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled


@compiled()
def n_states(totals: IntArray) -> float:
    """Π (n_s + 1), as a float because it may be astronomical."""
    product = 1.0
    for n in totals:
        product *= n + 1.0
    return product


@compiled()
def given_totals(q: FloatArray, totals: IntArray) -> tuple[FloatArray, float]:
    """P(j takes s | n), people × values, and F(n), how likely the totals n are."""
    m = len(totals)
    strides = np.ones(m + 1, dtype=np.int64)
    for s in range(m):
        strides[s + 1] = strides[s] * (totals[s] + 1)
    F = _forward(q, totals, strides)
    together = _backward(q, totals, strides, F)
    likelihood = F[-1]
    for j in range(len(q)):
        for s in range(m):
            together[j, s] /= max(likelihood, 1e-300)
    return together, likelihood


@compiled()
def _forward(q: FloatArray, totals: IntArray, strides: IntArray) -> FloatArray:
    """F of every state c, in the order of its index Σ c_s · stride_s.

    `step[s]` leads back to the state before someone took s. Where nobody has, it is 0 and leads
    to F(c) itself, which is still 0: no branch is needed.
    """
    m, n_all = len(totals), strides[-1]
    F = np.zeros(n_all)
    F[0] = 1.0
    c, step = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    j = 0  # people who have chosen: |c|
    for x in range(1, n_all):
        s = 0
        while c[s] == totals[s]:
            j -= c[s]
            c[s], step[s] = 0, 0
            s += 1
        c[s] += 1
        step[s] = strides[s]
        j += 1
        ways = 0.0
        for s in range(m):
            ways += F[x - step[s]] * q[j - 1, s]
        F[x] = ways
    return F


@compiled()
def _backward(q: FloatArray, totals: IntArray, strides: IntArray, F: FloatArray) -> FloatArray:
    """Σ F(c) · q[|c|, s] · B(c + e_s) for each person and value; B along the way, as F above."""
    m, n_all = len(totals), strides[-1]
    B = np.zeros(n_all)
    B[-1] = 1.0
    together = np.zeros(q.shape)
    c, step = totals.copy(), np.zeros(m, dtype=np.int64)
    j = len(q)
    for x in range(n_all - 2, -1, -1):
        s = 0
        while c[s] == 0:
            j += totals[s]
            c[s], step[s] = totals[s], 0
            s += 1
        c[s] -= 1
        step[s] = strides[s]
        j -= 1
        all_ways, before = 0.0, F[x]
        for s in range(m):
            ways = q[j, s] * B[x + step[s]]
            all_ways += ways
            together[j, s] += before * ways
        B[x] = all_ways
    return together
