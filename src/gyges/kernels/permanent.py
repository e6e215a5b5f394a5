"""Independent choices, given how often each value was chosen: permanents with repeated columns.

Chooser j takes value s with probability q[j, s], independently; it is known that value s was taken
n_s times. Then

    P(j takes s | n) = n_s · q[j, s] · per(Q without j and one column s) / per(Q)

with n_s equal columns for value s in Q. Instead of k! permutations, one pass forward and one back
over the count vectors c <= n: F(c) sums over what the first |c| choosers take, B(c) over what the
others take so that the total is n.

    F(c + e_s) += F(c) · q[|c|, s]        B(c) = Σ_s q[|c|, s] · B(c + e_s)
    P(j takes s | n) = Σ_{|c| = j} F(c) · q[j, s] · B(c + e_s) / F(n)

That is Π (n_s + 1) states, a step for each value that is taken. A permanent does not change
when rows and columns change places: the values may as well choose among the choosers, of which k_j
have the same probabilities. Then there are Π (k_j + 1) states, and of the two ways the shorter one
is taken.

States follow each other in runs: along a run only the count of the most frequent value changes, so
that what the other counts are, and where their steps lead, is worked out once for the whole run.

Rows may be multiplied by any numbers, so they are made to add up to 1: all numbers are
probabilities. Where q is scaled to the totals (kernels/matrix_scaling.py), F(n) is not small.

Earned by 12 choosers of four values: a thousandth of the time of passes over dictionaries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.compiled import compiled

U = np.uint64  # an index without sign: the compiler need not look whether it counts from the end


@compiled(error_model="numpy")
def n_states(repeats: IntArray, totals: IntArray) -> float:
    """How many states the shorter way has, as a float because it may be astronomical."""
    return min(_n_vectors(repeats), _n_vectors(totals))


@compiled(error_model="numpy")
def _n_vectors(counts: IntArray) -> float:
    product = 1.0
    for n in counts:
        product *= n + 1.0
    return product


@compiled(error_model="numpy")
def given_totals(q: FloatArray, repeats: IntArray, totals: IntArray) -> tuple[FloatArray, float]:
    """P(one of j's choosers takes s | n), rows × values, and F of the last state.

    Row j represents `repeats[j]` choosers with the same probabilities.
    """
    is_turned = _n_vectors(totals) > _n_vectors(repeats)
    takers, taken = (totals, repeats) if is_turned else (repeats, totals)
    most = 0
    for s in range(len(taken)):
        if taken[s] > taken[most]:
            most = s
    together, likelihood = _passes(_one_by_one(q, takers, most, is_turned), taken, most)
    found, share = np.empty(q.shape), 1.0 / max(likelihood, 1e-300)
    first = 0
    for j in range(len(takers)):
        for s in range(len(taken)):
            chance = together[first, _swapped(s, most)] * share
            if is_turned:
                found[s, j] = chance * takers[j] / taken[s]
            else:
                found[j, s] = chance
        first += takers[j]
    return found, likelihood


OCCURS, TAKEN = 0, 1
STRIDE, STEP, VALUE = 0, 1, 2


class StateWalk(NamedTuple):
    """A walk through the states, run after run.

    `counts` has two rows: how often each value occurs, and how often it is taken. `steps` has
    each value's stride; then, for those that are taken at all in the order in which they came to
    be so, how far a step leads, and which value it is.
    """

    counts: IntArray
    steps: WordArray


@compiled(error_model="numpy")
def _passes(q: FloatArray, totals: IntArray, most: int) -> tuple[FloatArray, float]:
    """F(n) · P(j takes s | n) for each chooser, and F(n); the most frequent value comes first."""
    m = len(totals)
    walk = StateWalk(np.empty((2, m), dtype=np.int64), np.empty((3, m), dtype=U))
    size = 1
    for s in range(m):
        walk.counts[OCCURS, s] = totals[_swapped(s, most)]
        walk.steps[STRIDE, s] = size
        size *= walk.counts[OCCURS, s] + 1
    passes, together = np.empty((2, size)), np.zeros(q.shape)
    F, B = passes[0], passes[1]
    _forward(q, walk, F)
    _backward(q, walk, F, B, together)
    return together, F[-1]


@compiled()
def _swapped(s: int, most: int) -> int:
    """The place of a value where the most frequent one is the first, and the other way round."""
    return most if s == 0 else 0 if s == most else s


@compiled(error_model="numpy")
def _one_by_one(q: FloatArray, repeats: IntArray, most: int, is_turned: bool) -> FloatArray:
    """A row for each chooser that adds up to 1, the most frequent value first; q may be turned."""
    m = q.shape[0] if is_turned else q.shape[1]
    rows, chooser = np.empty((repeats.sum(), m)), 0
    for j in range(len(repeats)):
        total = 0.0
        for s in range(m):
            rows[chooser, _swapped(s, most)] = q[s, j] if is_turned else q[j, s]
            total += rows[chooser, _swapped(s, most)]
        for s in range(m):
            rows[chooser, s] /= total
        for other in range(chooser + 1, chooser + repeats[j]):
            for s in range(m):
                rows[other, s] = rows[chooser, s]
        chooser += repeats[j]
    return rows


@compiled(error_model="numpy")
def _next_run(walk: StateWalk, n_taken: int) -> tuple[int, int]:
    """Count one up, the first value aside: how many values are taken now, how many choosers more.

    A value that is taken as often as it occurs begins again, and the one after it counts up: so
    the one taken last is the first that is not taken any more.
    """
    s, more = 1, 1
    while walk.counts[TAKEN, s] == walk.counts[OCCURS, s]:
        more -= walk.counts[OCCURS, s]
        walk.counts[TAKEN, s] = 0
        n_taken -= 1
        s += 1
    if walk.counts[TAKEN, s] == 0:
        walk.steps[STEP, n_taken] = walk.steps[STRIDE, s]
        walk.steps[VALUE, n_taken] = s
        n_taken += 1
    walk.counts[TAKEN, s] += 1
    return n_taken, more


@compiled(error_model="numpy")
def _forward(q: FloatArray, walk: StateWalk, F: FloatArray) -> None:
    """Fill in F of every state c, in the order of its index Σ c_s · stride_s."""
    walk.counts[TAKEN] = 0
    n_taken, n_chose, n_first, x = 0, 0, walk.counts[OCCURS, 0], U(0)
    for run in range(len(F) // (n_first + 1)):
        ways = 1.0
        if run > 0:
            n_taken, more = _next_run(walk, n_taken)
            n_chose += more
            ways = _ways_to(x, U(n_chose - 1), q, walk, n_taken, F)
        F[x] = ways
        for c in range(n_first):
            x += U(1)
            j = U(n_chose + c)
            ways = ways * q[j, U(0)] + _ways_to(x, j, q, walk, n_taken, F)
            F[x] = ways
        x += U(1)


@compiled(error_model="numpy")
def _ways_to(x: int, j: int, q: FloatArray, walk: StateWalk, n_taken: int, F: FloatArray) -> float:
    """Σ_s F(c - e_s) · q[j, s] over the values taken, the first aside."""
    ways = 0.0
    for a in range(n_taken):
        ways += F[x - walk.steps[STEP, a]] * q[j, walk.steps[VALUE, a]]
    return ways


@compiled(error_model="numpy")
def _backward(
    q: FloatArray, walk: StateWalk, F: FloatArray, B: FloatArray, together: FloatArray
) -> None:
    """Fill in B, and add up F(c) · q[|c|, s] · B(c + e_s) for each chooser; from the last state on.

    What was taken of a value on the walk forward is now what is left of it.
    """
    walk.counts[TAKEN] = 0
    n_left, n_chose, n_first, x = 0, len(q), walk.counts[OCCURS, 0], U(len(B) - 1)
    for run in range(len(B) // (n_first + 1)):
        ways = 1.0
        if run > 0:
            n_left, more = _next_run(walk, n_left)
            n_chose -= more
            ways = _ways_from(x, U(n_chose), q, walk, n_left, F, B, together)
        B[x] = ways
        for c in range(n_first):
            x -= U(1)
            j = U(n_chose - 1 - c)
            ways *= q[j, U(0)]
            together[j, U(0)] += F[x] * ways
            ways += _ways_from(x, j, q, walk, n_left, F, B, together)
            B[x] = ways
        x -= U(1)


@compiled(error_model="numpy")
def _ways_from(
    x: int,
    j: int,
    q: FloatArray,
    walk: StateWalk,
    n_left: int,
    F: FloatArray,
    B: FloatArray,
    together: FloatArray,
) -> float:
    """Σ_s q[j, s] · B(c + e_s) over the values left, the first aside; F(c) times each is added."""
    all_ways, before = 0.0, F[x]
    for a in range(n_left):
        s = walk.steps[VALUE, a]
        ways = q[j, s] * B[x + walk.steps[STEP, a]]
        all_ways += ways
        together[j, s] += before * ways
    return all_ways
