"""Independent choices, given how often each value was chosen: permanents with repeated columns.

Person j takes value s with probability q[j, s], independently; it is known that value s was taken
n_s times. Then

    P(j takes s | n) = n_s · q[j, s] · per(Q without j and one column s) / per(Q)

with n_s equal columns for value s in Q. Instead of k! permutations, one pass forward and one back
over the count vectors c <= n: F(c) sums over what the first |c| people take, B(c) over what the
others take so that the total is n.

    F(c + e_s) += F(c) · q[|c|, s]        B(c) = Σ_s q[|c|, s] · B(c + e_s)
    P(j takes s | n) = Σ_{|c| = j} F(c) · q[j, s] · B(c + e_s) / F(n)

That is Π (n_s + 1) states, m steps each. A permanent does not change when rows and columns change
places: the values may as well choose among the people, of whom k_j have the same probabilities.
Then there are Π (k_j + 1) states, and of the two ways the shorter one is taken.

Rows may be multiplied by what one likes, so they are made to add up to 1: all numbers are
probabilities. Where q is scaled to the totals (kernels/margins.py), F(n) is not small.
Compiled, because the passes are loops over single states: see benchmarks/beliefs.py.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled


@compiled(error_model="numpy")
def n_states(people: IntArray, totals: IntArray) -> float:
    """How many states the shorter way has, as a float because it may be astronomical."""
    return min(_n_vectors(people), _n_vectors(totals))


@compiled(error_model="numpy")
def _n_vectors(counts: IntArray) -> float:
    product = 1.0
    for n in counts:
        product *= n + 1.0
    return product


@compiled(error_model="numpy")
def given_totals(q: FloatArray, people: IntArray, totals: IntArray) -> tuple[FloatArray, float]:
    """P(one of j's people takes s | n), rows × values, and F of the last state.

    Row j stands for `people[j]` people with the same probabilities.
    """
    if _n_vectors(totals) <= _n_vectors(people):
        return _first_of_each(_rows_to_one(q), people, totals)
    turned, likelihood = _first_of_each(_rows_to_one(q.T), totals, people)
    found = np.empty(q.shape)
    for j in range(len(people)):
        for s in range(len(totals)):
            found[j, s] = turned[s, j] * totals[s] / people[j]
    return found, likelihood


@compiled(error_model="numpy")
def _rows_to_one(q: FloatArray) -> FloatArray:
    scaled = np.empty(q.shape)
    for j in range(q.shape[0]):
        row = 0.0
        for s in range(q.shape[1]):
            row += q[j, s]
        for s in range(q.shape[1]):
            scaled[j, s] = q[j, s] / row
    return scaled


@compiled(error_model="numpy")
def _first_of_each(q: FloatArray, people: IntArray, totals: IntArray) -> tuple[FloatArray, float]:
    """P(j takes s | n) for the first of each row's people, and F(n)."""
    m = len(totals)
    strides = np.ones(m + 1, dtype=np.int64)
    for s in range(m):
        strides[s + 1] = strides[s] * (totals[s] + 1)
    row, person = np.empty(people.sum(), dtype=np.int64), 0  # who chooses after so many others
    for j in range(len(people)):
        for _ in range(people[j]):
            row[person] = j
            person += 1
    passes, room = np.zeros((2, strides[-1])), np.zeros((2, m), dtype=np.int64)
    F, B = passes
    c, step = room
    _forward(q, row, totals, strides, F, c, step)
    together = np.zeros(q.shape)
    _backward(q, row, totals, strides, F, B, c, step, together)
    likelihood = F[-1]
    for j in range(len(q)):
        for s in range(m):
            together[j, s] /= max(likelihood, 1e-300)
    return together, likelihood


@compiled(error_model="numpy")
def _forward(
    q: FloatArray,
    row: IntArray,
    totals: IntArray,
    strides: IntArray,
    F: FloatArray,
    c: IntArray,
    step: IntArray,
) -> None:
    """Fill in F of every state c, in the order of its index Σ c_s · stride_s; all begins with 0.

    `step[s]` leads back to the state before someone took s. Where nobody has, it is 0 and leads
    to F(c) itself, which is still 0: no branch is needed.
    """
    m = len(totals)
    F[0] = 1.0
    n_chose = 0  # |c|
    for x in range(1, len(F)):
        s = 0
        while c[s] == totals[s]:
            n_chose -= c[s]
            c[s], step[s] = 0, 0
            s += 1
        c[s] += 1
        step[s] = strides[s]
        j = row[n_chose]
        n_chose += 1
        ways = 0.0
        for s in range(m):
            ways += F[x - step[s]] * q[j, s]
        F[x] = ways


@compiled(error_model="numpy")
def _backward(
    q: FloatArray,
    row: IntArray,
    totals: IntArray,
    strides: IntArray,
    F: FloatArray,
    B: FloatArray,
    c: IntArray,
    step: IntArray,
    together: FloatArray,
) -> None:
    """Add up F(c) · q[|c|, s] · B(c + e_s) for the first of each row; B along the way, as F above.

    It begins where the pass forward ended: c is n, and steps lead nowhere yet.
    """
    m = len(totals)
    B[-1] = 1.0
    step[:] = 0
    n_chose = len(row)
    for x in range(len(B) - 2, -1, -1):
        s = 0
        while c[s] == 0:
            n_chose += totals[s]
            c[s], step[s] = totals[s], 0
            s += 1
        c[s] -= 1
        step[s] = strides[s]
        n_chose -= 1
        j, all_ways = row[n_chose], 0.0
        if n_chose == 0 or row[n_chose - 1] != j:
            for s in range(m):
                ways = q[j, s] * B[x + step[s]]
                all_ways += ways
                together[j, s] += F[x] * ways
        else:
            for s in range(m):
                all_ways += q[j, s] * B[x + step[s]]
        B[x] = all_ways
