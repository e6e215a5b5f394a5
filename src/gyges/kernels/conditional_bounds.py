"""Proven bounds on P(j takes s | n), for groups with too many count vectors to enumerate.

Write P_V(c) for the probability that the choosers V take the vector c, and for totals n with one
value more than V has choosers A(s) = P_V(n - e_s) / n_s. For a chooser j outside V

    P(j takes s | n) = q[j, s] · n_s · A(s) / Σ_u q[j, u] · n_u · A(u).                          (1)

So the ratios ρ(s, u) = A(s) / A(u) decide. Count the pairs of an arrangement and a
chooser in it that takes u, or s: with B_i = P_{V-i}(n - e_s - e_u)

    n_u · P_V(n - e_s) = Σ_i q[i, u] · B_i        n_s · P_V(n - e_u) = Σ_i q[i, s] · B_i         (2)

Chooser i takes some x: P_V(n - e_u) = Σ_x q[i, x] · P_{V-i}(n - e_u - e_x), which with n' = n - e_u
and ρ' for the choosers V - i and the totals n' is B_i / n_s · Σ_x q[i, x] · n'_x · ρ'(x, s). Hence

    ρ(s, u) = Σ_i q[i, u] · γ_i     where     Σ_i q[i, s] · γ_i = 1                              (3)
    and       γ_i = B_i / (n_s · P_V(n - e_u)) = 1 / Σ_x q[i, x] · n'_x · ρ'(x, s).

With bounds on ρ' there are bounds on γ_i, and (3) is a linear program with one equation. For every
θ its value is at most

    θ + Σ_i max over γ_i of (q[i, u] - θ · q[i, s]) · γ_i

and at least the same with min. So bounds where d + 1 choosers and d values are gone follow from
bounds where one more of each is. One begins at a depth of `_DEPTH` with 0 <= ρ <= infinity. Which
ones are gone is not known: the largest terms that may be missing are taken off. Nor is which
values, but for the last one (u) and in the end for the first: those are taken off that make γ_i
largest. Bounds are closed under ρ(s, u) · ρ(u, s) = 1 and ρ(s, u) = ρ(s, x) · ρ(x, u).

All statements are about V and n with n_s, n_u >= 1, as lo · A(u) <= A(s) <= hi · A(u): they are
true also where both are 0, and nothing is divided by 0. Rounding is provided for by `_SLACK`.

Earned by groups with too many states for any exact way, compiled or not: 600 choosers of a few
kinds and 14 values (10^23 states) are bounded to within a thousandth. Where all groups are small,
as in a partition of Adult, nothing would be lost without it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled

_DEPTH = 10
_SLACK = 1e-12  # of the sum of all terms' sizes, a thousand times what rounding can do
_LARGE = 1e100  # no bound is stated beyond this, where A(u) may be 0 for all that is known
_LOW, _HIGH = 0, 1


class Choices(NamedTuple):
    """A group: members × values, how many choosers each member represents, and the totals.

    `order[s, u]` are the members by q[i, u] / q[i, s], the smallest first.
    """

    q: FloatArray
    repeats: IntArray
    totals: FloatArray
    order: IntArray


class Room(NamedTuple):
    """For a number of each member: γ at least and at most, and terms of the two sums."""

    gamma: FloatArray  # 2 × members
    terms: FloatArray  # 2 × members


@compiled(nogil=True, error_model="numpy")
def conditional_bounds(
    q: FloatArray, repeats: IntArray, totals: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Two matrices, members × values, between which P(one of j's choosers takes s | n) lies.

    Rows of q add up to 1; its columns may have been multiplied by any numbers.
    """
    r, m = q.shape
    n = totals.astype(np.float64)
    choices = Choices(q, repeats, n, _orders(q))
    room = Room(np.empty((2, r)), np.empty((2, r)))
    deeper = _at_depth_two(choices, room)
    known = np.empty((m, 2, m, m))
    for v in range(m):
        left = n.copy()
        left[v] -= 1.0
        known[v] = _next(choices, deeper, left, 0, 2.0, room)
    below, above = np.zeros((r, m)), np.zeros((r, m))  # the sum in (1) over n_s · A(s)
    for s in range(m):
        for u in range(m):
            low, high = 1.0, 1.0
            room.terms[:] = 0.0
            if u != s:
                _bound_gamma(choices, known[s], n, u, s, 0, room)
                low, high = _sum(choices, u, s, room, _LOW), _sum(choices, u, s, room, _HIGH)
            for j in range(r):
                if q[j, u] > 0.0:
                    weight = q[j, u] * n[u] / n[s]
                    below[j, s] += weight * max(low - room.terms[_LOW, j], 0.0)
                    if high < np.inf:  # else its terms are infinite too
                        above[j, s] += weight * (high - room.terms[_HIGH, j])
                    else:
                        above[j, s] = np.inf
    for j in range(r):
        for s in range(m):
            least, most = above[j, s], below[j, s]
            above[j, s] = min(q[j, s] / most * (1.0 + _SLACK), 1.0) if q[j, s] > 0.0 else 0.0
            below[j, s] = q[j, s] / least * (1.0 - _SLACK) if q[j, s] > 0.0 else 0.0
    return below, above


@compiled(error_model="numpy")
def _orders(q: FloatArray) -> IntArray:
    r, m = q.shape
    order, ratio = np.zeros((m, m, r), dtype=np.int64), np.empty(r)
    for s in range(m):
        for u in range(m):
            if s == u:
                continue
            for i in range(r):
                ratio[i] = q[i, u] / q[i, s] if q[i, s] > 0.0 else np.inf
            order[s, u] = np.argsort(ratio)
    return order


@compiled(error_model="numpy")
def _at_depth_two(choices: Choices, room: Room) -> FloatArray:
    """Bounds on ρ after any two values are gone and three choosers: 2 × values × values."""
    m = len(choices.totals)
    bounds = np.zeros((2, m, m))
    for s in range(m):
        for u in range(m):
            bounds[_HIGH, s, u] = 1.0 if s == u else np.inf
        bounds[_LOW, s, s] = 1.0
    for depth in range(_DEPTH, 1, -1):
        bounds = _next(choices, bounds, choices.totals, depth, depth + 1.0, room)
    return bounds


@compiled(error_model="numpy")
def _next(
    choices: Choices,
    deeper: FloatArray,
    totals: FloatArray,
    n_unknown: int,
    n_gone: float,
    room: Room,
) -> FloatArray:
    """Bounds on ρ where `n_gone` choosers are gone, from those where one more is, and a value more.

    Of the totals any `n_unknown` values are gone.
    """
    m = len(totals)
    bounds = np.zeros((2, m, m))
    for s in range(m):
        for u in range(m):
            bounds[_HIGH, s, u] = 1.0 if s == u else np.inf
        bounds[_LOW, s, s] = 1.0
        for u in range(m):
            if u == s or totals[s] == 0.0 or totals[u] == 0.0:
                continue
            _bound_gamma(choices, deeper, totals, s, u, n_unknown, room)
            low, high = _sum(choices, s, u, room, _LOW), _sum(choices, s, u, room, _HIGH)
            gone_low, gone_high = 0.0, 0.0
            for i in range(len(choices.repeats)):
                gone_low = max(gone_low, room.terms[_LOW, i])
                gone_high = max(gone_high, -room.terms[_HIGH, i])
            bounds[_HIGH, s, u] = max(high + n_gone * gone_high, 1.0 / _LARGE)
            bounds[_LOW, s, u] = min(max(low - n_gone * gone_low, 0.0), _LARGE)
    _close(bounds, totals, n_unknown)
    return bounds


@compiled(error_model="numpy")
def _bound_gamma(
    choices: Choices,
    deeper: FloatArray,
    totals: FloatArray,
    s: int,
    u: int,
    n_unknown: int,
    room: Room,
) -> None:
    """1 / Σ_x q[i, x] · n'_x · ρ'(x, s) for each member i, at least and at most.

    n' are the totals without one u, and without `n_unknown` others: at least one s is left.
    """
    r, m = choices.q.shape
    left = np.empty(m)
    for i in range(r):
        least, most = 0.0, 0.0
        for x in range(m):
            chance = choices.q[i, x]
            left[x] = totals[x] - (x == u)
            if chance > 0.0 and left[x] > 0.0:
                least += chance * left[x] * deeper[_LOW, x, s]
                most += chance * left[x] * deeper[_HIGH, x, s]
        left[s] -= 1.0  # this one stays
        unknown = float(n_unknown)
        while unknown > 0.0:
            worst, cost = -1, 0.0
            for x in range(m):
                own = choices.q[i, x] * deeper[_LOW, x, s]
                if left[x] > 0.0 and own > cost:
                    worst, cost = x, own
            if worst < 0:
                break
            taken = min(unknown, left[worst])
            least -= taken * cost
            left[worst] -= taken
            unknown -= taken
        least = max(least * (1.0 - _SLACK), choices.q[i, s])
        room.gamma[_LOW, i] = 1.0 / most * (1.0 - _SLACK) if most > 0.0 else 0.0
        room.gamma[_HIGH, i] = 1.0 / least * (1.0 + _SLACK)


@compiled(error_model="numpy")
def _sum(choices: Choices, s: int, u: int, room: Room, which: int) -> float:
    """Σ_i q[i, u] γ_i where Σ_i q[i, s] γ_i = 1: at least or at most.

    Its terms stay in `room`, so that those of choosers that are gone can be taken off.
    """
    theta = _theta(choices, s, u, room, which)
    value, size = theta, theta
    for i in range(len(choices.repeats)):
        slope = choices.q[i, u] - theta * choices.q[i, s]
        term = 0.0
        if slope > 0.0:
            term = slope * room.gamma[which, i]
        elif slope < 0.0:
            term = slope * room.gamma[1 - which, i]
        room.terms[which, i] = term
        value += choices.repeats[i] * term
        size += choices.repeats[i] * abs(term)
    if value == np.inf:
        return value
    return value + _SLACK * size if which == _HIGH else value - _SLACK * size


@compiled(error_model="numpy")
def _theta(choices: Choices, s: int, u: int, room: Room, which: int) -> float:
    """The best θ: γ is raised from least to most, where it counts most (or least) first."""
    r, reached, theta = len(choices.repeats), 0.0, 0.0
    for i in range(r):
        reached += choices.repeats[i] * choices.q[i, s] * room.gamma[_LOW, i]
    for x in range(r):
        i = choices.order[s, u, r - 1 - x if which == _HIGH else x]
        own = choices.q[i, s]
        if own == 0.0:
            continue
        theta = choices.q[i, u] / own
        reached += choices.repeats[i] * own * (room.gamma[_HIGH, i] - room.gamma[_LOW, i])
        if reached >= 1.0:
            break
    return theta


@compiled(error_model="numpy")
def _close(bounds: FloatArray, totals: FloatArray, n_unknown: int) -> None:
    """Tighten by ρ(s, u) ρ(u, s) = 1 and ρ(s, u) = ρ(s, x) ρ(x, u), where some of x are left."""
    low, high = bounds[_LOW], bounds[_HIGH]
    m = len(totals)
    for s in range(m):
        for u in range(m):
            if low[u, s] > 0.0:
                high[s, u] = min(high[s, u], (1.0 + _SLACK) / low[u, s])
            if 0.0 < high[u, s] < np.inf:
                low[s, u] = max(low[s, u], (1.0 - _SLACK) / high[u, s])
    for x in range(m):
        if totals[x] <= n_unknown:
            continue
        for s in range(m):
            for u in range(m):
                if low[s, x] > 0.0 and low[x, u] > 0.0:
                    low[s, u] = max(low[s, u], low[s, x] * low[x, u] * (1.0 - _SLACK))
                if high[s, x] < np.inf and high[x, u] < np.inf:
                    high[s, u] = min(high[s, u], high[s, x] * high[x, u] * (1.0 + _SLACK))
                low[s, u] = min(low[s, u], _LARGE)
                high[s, u] = max(high[s, u], 1.0 / _LARGE)
