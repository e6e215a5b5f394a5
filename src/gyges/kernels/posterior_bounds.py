"""Proven bounds on P(j takes s | n), for groups with too many count vectors to go through.

Write P_V(c) for the probability that the people V take the vector c, and for n with one value more
than V has people R(s, u) = P_V(n - e_s) / P_V(n - e_u). For a person j outside V

    P(j takes s | n) = q[j, s] / Σ_u q[j, u] · R(u, s).                                         (1)

Count the pairs of an arrangement and a person in it who takes u, or s, through the others of V:
with B_i = P_{V-i}(n - e_s - e_u)

    n_u · P_V(n - e_s) = Σ_i q[i, u] · B_i        n_s · P_V(n - e_u) = Σ_i q[i, s] · B_i         (2)

and P_V(n - e_u) = Σ_x q[i, x] · P_{V-i}(n - e_u - e_x), which is B_i · Σ_x q[i, x] · R'(x, s) with
R' of the people V - i and the totals n - e_u. So β_i = B_i / P_V(n - e_u) lies between
1 / Σ_x q[i, x] · R'(x, s) at the largest and at the smallest R', and

    R(s, u) = Σ_i q[i, u] · β_i / n_u      where      Σ_i q[i, s] · β_i = n_s.

That is a linear program with one equation. For every θ its value is at most

    θ · n_s + Σ_i max over β_i of (q[i, u] - θ · q[i, s]) · β_i,

and at least the same with min. So bounds on R' after d + 1 people and d + 1 values are gone give
bounds on R after d. One begins at a depth of `_DEPTH` with 0 <= R <= infinity. Who is gone is not
known: the largest terms that may be missing are taken off, and totals are as small, or as large,
as d missing values can make them; only the first value that goes is told apart. Bounds are closed
under R(s, u) · R(u, s) = 1 and R(s, u) = R(s, x) · R(x, u), where x cannot be used up.

A statement about R(s, u) is about all V and n with n_u >= 1, as lo · P_V(n - e_u) <= P_V(n - e_s)
<= hi · P_V(n - e_u), so that nothing is divided by 0. Rounding is provided for by `_SLACK`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled

_DEPTH = 10
_SLACK = 1e-12  # of the sum of all terms' sizes, a thousand times what rounding can do
_LOW, _HIGH = 0, 1


class Choices(NamedTuple):
    """A group: members × values, how many people each member stands for, and the totals.

    `order[s, u]` are the members by q[i, u] / q[i, s], the smallest first.
    """

    q: FloatArray
    people: IntArray
    totals: FloatArray
    order: IntArray


class Room(NamedTuple):
    """For a number of each member: β at least and at most, and terms of the two sums."""

    beta: FloatArray  # 2 × members
    terms: FloatArray  # 2 × members


@compiled(nogil=True, error_model="numpy")
def posterior_bounds(
    q: FloatArray, people: IntArray, totals: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Two matrices, members × values, between which P(one of j's people takes s | n) lies.

    Rows of q add up to 1; its columns may have been multiplied by what one likes before.
    """
    r, m = q.shape
    n = totals.astype(np.float64)
    choices = Choices(q, people, n, _orders(q))
    room = Room(np.empty((2, r)), np.empty((2, r)))
    deeper = _at_depth_two(choices, room)
    known = np.empty((m, 2, m, m))
    for v in range(m):
        left = n.copy()
        left[v] -= 1.0
        known[v] = _next(choices, deeper, left, left, 2.0, room)
    below, above = q.copy(), q.copy()  # the sum in (1), with R at its smallest and largest
    for s in range(m):
        for u in range(m):
            if u == s:
                continue
            _bound_beta(choices, known[s], u, room)
            low, high = _sums(choices, u, s, n[u], n[u], room)
            for j in range(r):
                if q[j, s] > 0.0 and q[j, u] > 0.0:
                    least = max((low - room.terms[_LOW, j]) / n[s], 0.0)
                    below[j, s] += q[j, u] * least
                    if high < np.inf:  # else its terms are infinite too
                        above[j, s] += q[j, u] * (high - room.terms[_HIGH, j]) / n[s]
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
    """Bounds on R after two values are gone and three people: 2 × values × values."""
    m = len(choices.totals)
    bounds = np.zeros((2, m, m))
    for s in range(m):
        for u in range(m):
            bounds[_HIGH, s, u] = 1.0 if s == u else np.inf
        bounds[_LOW, s, s] = 1.0
    for depth in range(_DEPTH, 1, -1):
        fewest = np.maximum(choices.totals - depth, 0.0)
        bounds = _next(choices, bounds, fewest, choices.totals, depth + 1.0, room)
    return bounds


@compiled(error_model="numpy")
def _next(
    choices: Choices,
    deeper: FloatArray,
    fewest: FloatArray,
    most: FloatArray,
    n_gone: float,
    room: Room,
) -> FloatArray:
    """Bounds on R where `n_gone` people are gone, from those where one more is, and a value more.

    `fewest` and `most` are the totals that may be left.
    """
    m = len(choices.totals)
    bounds = np.zeros((2, m, m))
    for s in range(m):
        bounds[_LOW, s, s] = bounds[_HIGH, s, s] = 1.0
        _bound_beta(choices, deeper, s, room)
        for u in range(m):
            if u == s or most[s] == 0.0:
                continue
            if most[u] == 0.0:
                bounds[_HIGH, s, u] = np.inf
                continue
            low, high = _sums(choices, s, u, fewest[s], most[s], room)
            gone_low, gone_high = 0.0, 0.0
            for i in range(len(choices.people)):
                gone_low = max(gone_low, room.terms[_LOW, i])
                gone_high = max(gone_high, -room.terms[_HIGH, i])
            bounds[_HIGH, s, u] = (high + n_gone * gone_high) / max(fewest[u], 1.0)
            if fewest[s] > 0.0:
                bounds[_LOW, s, u] = max((low - n_gone * gone_low) / most[u], 0.0)
    _close(bounds, fewest)
    return bounds


@compiled(error_model="numpy")
def _bound_beta(choices: Choices, deeper: FloatArray, s: int, room: Room) -> None:
    """1 / Σ_x q[i, x] · R'(x, s) for each member i, at least and at most."""
    r, m = choices.q.shape
    for i in range(r):
        least, most = 0.0, 0.0
        for x in range(m):
            chance = choices.q[i, x]
            if chance > 0.0:
                least += chance * deeper[_LOW, x, s]
                most += chance * deeper[_HIGH, x, s]
        room.beta[_LOW, i] = 1.0 / most * (1.0 - _SLACK)
        room.beta[_HIGH, i] = 1.0 / least * (1.0 + _SLACK)


@compiled(error_model="numpy")
def _sums(
    choices: Choices, s: int, u: int, fewest: float, most: float, room: Room
) -> tuple[float, float]:
    """Σ_i q[i, u] β_i where Σ_i q[i, s] β_i is between `fewest` and `most`: at least, at most.

    Their terms stay in `room`, so that those of people who are gone can be taken off.
    """
    low = _sum(choices, s, u, fewest, room, _LOW)
    return low, _sum(choices, s, u, most, room, _HIGH)


@compiled(error_model="numpy")
def _sum(choices: Choices, s: int, u: int, total: float, room: Room, which: int) -> float:
    theta = _theta(choices, s, u, total, room, which)
    value, size = theta * total, theta * total
    for i in range(len(choices.people)):
        slope = choices.q[i, u] - theta * choices.q[i, s]
        term = 0.0
        if slope > 0.0:
            term = slope * room.beta[which, i]
        elif slope < 0.0:
            term = slope * room.beta[1 - which, i]
        room.terms[which, i] = term
        value += choices.people[i] * term
        size += choices.people[i] * abs(term)
    if value == np.inf:
        return value
    return value + _SLACK * size if which == _HIGH else value - _SLACK * size


@compiled(error_model="numpy")
def _theta(choices: Choices, s: int, u: int, total: float, room: Room, which: int) -> float:
    """The best θ: β is raised from least to most, where it costs most (or least) first."""
    r, reached, theta = len(choices.people), 0.0, 0.0
    for i in range(r):
        reached += choices.people[i] * choices.q[i, s] * room.beta[_LOW, i]
    for x in range(r):
        i = choices.order[s, u, r - 1 - x if which == _HIGH else x]
        own = choices.q[i, s]
        if own == 0.0:
            continue
        theta = choices.q[i, u] / own
        reached += choices.people[i] * own * (room.beta[_HIGH, i] - room.beta[_LOW, i])
        if reached >= total:
            break
    return theta


@compiled(error_model="numpy")
def _close(bounds: FloatArray, fewest: FloatArray) -> None:
    """Tighten by R(s, u) R(u, s) = 1 and R(s, u) = R(s, x) R(x, u), where some of x are left."""
    low, high = bounds[_LOW], bounds[_HIGH]
    m = len(fewest)
    for s in range(m):
        for u in range(m):
            if low[u, s] > 0.0:
                high[s, u] = min(high[s, u], (1.0 + _SLACK) / low[u, s])
            if fewest[s] >= 1.0 and high[u, s] > 0.0:
                low[s, u] = max(low[s, u], (1.0 - _SLACK) / high[u, s])
    for x in range(m):
        if fewest[x] < 1.0:
            continue
        for s in range(m):
            for u in range(m):
                if low[s, x] > 0.0 and low[x, u] > 0.0:
                    low[s, u] = max(low[s, u], low[s, x] * low[x, u] * (1.0 - _SLACK))
                if high[s, x] < np.inf and high[x, u] < np.inf:
                    high[s, u] = min(high[s, u], high[s, x] * high[x, u] * (1.0 + _SLACK))
