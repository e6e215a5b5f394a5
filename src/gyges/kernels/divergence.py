"""Jensen-Shannon divergence of rows, and of what conditioning found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.conditioning import IMPOSSIBLE, Crowds, Way, gather, solve

_ABOVE_ROUNDING = 1.0 + 1e-12


@compiled()
def jensen_shannon(p: FloatArray, q: FloatArray, scale_p: float, scale_q: float) -> float:
    """½ Σ_i [p_i ln(p_i/a_i) + q_i ln(q_i/a_i)] with a = (p + q)/2 and 0 ln 0 = 0.

    Every term is at least 0, also where the vectors do not add up to 1.
    """
    total = 0.0
    for i in range(len(p)):
        one, other = p[i] * scale_p, q[i] * scale_q
        if one == other:
            continue
        middle = 0.5 * (one + other)
        term = 0.0
        if one > 0.0:
            term += one * np.log(one / middle)
        if other > 0.0:
            term += other * np.log(other / middle)
        total += max(term, 0.0)
    return 0.5 * total


@compiled()
def row_divergences(p: FloatArray, q: FloatArray, normalize: bool) -> FloatArray:
    """The divergence of each pair of rows, in nats; with `normalize` rows are made to sum to 1."""
    out = np.empty(len(p))
    for r in range(len(p)):
        scale_p = 1.0 / p[r].sum() if normalize else 1.0
        scale_q = 1.0 / q[r].sum() if normalize else 1.0
        out[r] = jensen_shannon(p[r], q[r], scale_p, scale_q)
    return out


@compiled(fastmath={"reassoc", "contract"})
def most(p: FloatArray, q: FloatArray) -> float:
    """ln 2 / 2 · Σ_i (p_i - q_i)² / (p_i + q_i): no less than the divergence, at most 1.4 times it.

    With x = (p - q)/(p + q) a term of the divergence is (p + q)/4 · Σ_k x^(2k) / (k (2k - 1)), a
    sum between x² and 2 ln 2 · x². No logarithm, for those who ask for the largest only.
    """
    total = 0.0
    for i in range(len(p)):
        total += (p[i] - q[i]) ** 2 / max(p[i] + q[i], 1e-300)
    return 0.5 * np.log(2.0) * total


class Spread(NamedTuple):
    """How smoothing spreads a value's share: over `to[starts[v]:starts[v+1]]`, by these weights."""

    starts: IntArray
    to: IntArray
    weights: FloatArray


@compiled()
def _add(share: float, value: int, spread: Spread, q: FloatArray) -> None:
    for x in range(spread.starts[value], spread.starts[value + 1]):
        q[spread.to[x]] += spread.weights[x] * share


@compiled()
def spread_rows(p: FloatArray, spread: Spread) -> FloatArray:
    """Every row after smoothing."""
    smoothed = np.zeros(p.shape)
    for r in range(p.shape[0]):
        for value in range(p.shape[1]):
            if p[r, value] > 0.0:
                _add(p[r, value], value, spread, smoothed[r])
    return smoothed


@compiled(nogil=True)
def member_divergences(
    smoothed: FloatArray,
    crowds: Crowds,
    found: FloatArray,
    out_starts: IntArray,
    start: int,
    stop: int,
    spread: Spread,
    only_largest: bool,
    out: FloatArray,
) -> None:
    """The divergence between a member's smoothed row and what was found of it, in nats.

    `found` is conditioning's result; `spread` smooths it the same way. With `only_largest` a
    member who cannot have his group's largest divergence keeps what `out` held.
    """
    q = np.empty(smoothed.shape[1])
    for g in range(start, stop):
        begin, end = crowds.value_starts[g], crowds.value_starts[g + 1]
        largest = 0.0
        for i in range(crowds.member_starts[g], crowds.member_starts[g + 1]):
            at = out_starts[g] + (i - crowds.member_starts[g]) * (end - begin)
            q[:] = 0.0
            for x in range(end - begin):
                _add(found[at + x], crowds.values[begin + x], spread, q)
            p = smoothed[crowds.rows[i]]
            if only_largest and most(p, q) * _ABOVE_ROUNDING <= largest:
                continue
            out[i] = jensen_shannon(p, q, 1.0, 1.0)
            largest = max(largest, out[i])


@compiled(nogil=True)
def groups_within(
    p: FloatArray,
    smoothed: FloatArray,
    crowds: Crowds,
    first: IntArray,
    start: int,
    stop: int,
    way: Way,
    spread: Spread,
    reach: FloatArray,
    reached: FloatArray,
    limit: float,
    out: BoolArray,
    how: IntArray,
) -> None:
    """Whether no member of a group has a divergence of more than `limit` nats.

    For the bundles start..stop-1, where bundle b is groups `first[b]:first[b+1]`. They stand or
    fall together: after one that is not within the limit the rest of its bundle is not looked at.
    A group is conditioned (`how` says in which way) and then compared as `member_divergences` does.
    """
    n_values = p.shape[1]
    place, room = np.zeros(n_values, dtype=np.int64), np.empty((3, n_values))
    for b in range(start, stop):
        smallest = first[b]
        for g in range(first[b], first[b + 1]):
            if _n_members(crowds, g) < _n_members(crowds, smallest):
                smallest = g
        for turn in range(first[b], first[b + 1]):
            g = turn  # but the smallest changes places with the first: it is the likeliest to fail
            if turn == first[b]:
                g = smallest
            elif turn == smallest:
                g = first[b]
            problem = gather(p, crowds, g)
            how[g], found, _ = solve(problem, crowds, g, way, place)
            if how[g] >= IMPOSSIBLE:
                break
            out[g] = _is_within(
                problem.p, smoothed, reached, crowds, g, found, spread, reach, limit, room
            )
            if not out[g]:
                break


@compiled()
def _n_members(crowds: Crowds, g: int) -> int:
    n: int = crowds.member_starts[g + 1] - crowds.member_starts[g]
    return n


@compiled()
def _is_within(
    p: FloatArray,
    smoothed: FloatArray,
    reached: FloatArray,
    crowds: Crowds,
    g: int,
    found: FloatArray,
    spread: Spread,
    reach: FloatArray,
    limit: float,
    room: FloatArray,
) -> bool:
    """Whether this is so of group g, with beliefs p before and `found` after, members × values.

    First a bound is tried on the unsmoothed numbers: a term f(p, q) of the divergence is convex and
    f(wp, wq) = w f(p, q), so smoothing with weights w gives at most Σ_s (Σ_i w_is) f(p_s, q_s).
    `reach[s]` is Σ_i w_is, and `reached` Σ_s reach[s] · p_s of each row, over all values.
    `room` is for three numbers for each value.
    """
    begin, m = crowds.value_starts[g], found.shape[1]
    own_reach, before, q = room[0], room[1], room[2]
    for x in range(m):
        own_reach[x] = reach[crowds.values[begin + x]]
    for j in range(len(found)):
        row = crowds.rows[crowds.member_starts[g] + j]
        if _bound(p, found, j, own_reach, reached[row]) * _ABOVE_ROUNDING + 1e-13 <= limit:
            continue
        q[:] = 0.0
        for x in range(m):
            _add(found[j, x], crowds.values[begin + x], spread, q)
        for value in range(len(q)):  # a copy, as in conditioning.Problem
            before[value] = smoothed[row, value]
        is_near = most(before, q) * _ABOVE_ROUNDING <= limit
        if not (is_near or jensen_shannon(before, q, 1.0, 1.0) <= limit):  # nor what is no number
            return False
    return True


@compiled(fastmath={"reassoc", "contract"})
def _bound(p: FloatArray, found: FloatArray, j: int, reach: FloatArray, reached: float) -> float:
    """The bound for member j, where `reach` is about the group's values."""
    total, inside = 0.0, 0.0
    for x in range(p.shape[1]):
        one, other = p[j, x], found[j, x]
        total += reach[x] * (one - other) ** 2 / max(one + other, 1e-300)
        inside += reach[x] * one
    return 0.5 * np.log(2.0) * (total + max(reached - inside, 0.0))  # elsewhere `found` is 0
