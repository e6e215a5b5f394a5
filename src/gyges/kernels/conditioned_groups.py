"""Conditional probabilities of many groups, kept or compared with those before conditioning.

All of it is one compiled loop with one entry point: a search asks about thousands of groups of five
or ten choosers, each worth microseconds (benchmarks/beliefs.py), compiling takes up to a minute.

Earned by 50 groups of eight choosers: 0.1 ms; NumPy, which passes over the count vectors of one
group after another, takes 55 ms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray, frozen
from gyges.kernels.compiled import compiled
from gyges.kernels.conditioning import IMPOSSIBLE, ChooserGroups, ConditioningMethod, gather, solve
from gyges.kernels.jensen_shannon import ABOVE_ROUNDING, Spread, add_spread, jensen_shannon, most


class Kept(NamedTuple):
    """Where to put what was found; empty arrays if it is not wanted.

    Group g's matrix, members × its values, begins at `numbers[starts[g]]`. `off[g]` is about how
    far a number of it may be off, 0 where all is exact.
    """

    starts: IntArray
    numbers: FloatArray
    off: FloatArray


class Compared(NamedTuple):
    """What to compare with, and whether a group is within the limit; empty arrays if not asked.

    `smoothed` are the probabilities before, smoothed by `spread`; `limit` is a divergence in nats.
    `reach` and `reached` are for a quick bound, see `_is_within`.
    """

    smoothed: FloatArray
    spread: Spread
    reach: FloatArray
    reached: FloatArray
    limit: float
    is_within: BoolArray


def _nothing(*shape: int) -> FloatArray:
    """No numbers, read-only as what is compared with: one kernel is compiled, not two."""
    empty = np.zeros(shape)
    frozen(empty)
    return empty


_NO_NUMBERS = np.zeros(0, dtype=np.int64)
NOT_KEPT = Kept(_NO_NUMBERS, np.zeros(0), np.zeros(0))
NOT_COMPARED = Compared(
    _nothing(0, 0),
    Spread(_NO_NUMBERS, _NO_NUMBERS, np.zeros(0)),
    _nothing(0),
    _nothing(0),
    0.0,
    np.zeros(0, dtype=bool),
)


@compiled(nogil=True)
def condition(
    p: FloatArray,
    groups: ChooserGroups,
    first: IntArray,
    start: int,
    stop: int,
    way: ConditioningMethod,
    kept: Kept,
    compared: Compared,
    how: IntArray,
) -> None:
    """P(member takes value | totals) for each group of some bundles, and how it was computed.

    For the bundles start..stop-1, where bundle b is groups `first[b]:first[b+1]`. Where groups are
    compared, a bundle passes or fails as a whole: after a group with a member whose probabilities
    change by more than the limit, the rest of its bundle is skipped.
    """
    n_values, keeps, compares = p.shape[1], len(kept.off) > 0, len(compared.is_within) > 0
    place, room = np.zeros(n_values, dtype=np.int64), np.empty((3, n_values))
    for b in range(start, stop):
        smallest = first[b]
        for g in range(first[b], first[b + 1]):
            if _n_members(groups, g) < _n_members(groups, smallest):
                smallest = g
        for turn in range(first[b], first[b + 1]):
            g = turn  # but the smallest changes places with the first: it is the likeliest to fail
            if turn == first[b]:
                g = smallest
            elif turn == smallest:
                g = first[b]
            problem = gather(p, groups, g)
            how[g], found, off = solve(problem, groups, g, way, place)
            if keeps:
                kept.off[g] = off
                _keep(found, kept.numbers, kept.starts[g])
            if compares:
                if how[g] >= IMPOSSIBLE:
                    break
                compared.is_within[g] = _is_within(problem.p, found, groups, g, compared, room)
                if not compared.is_within[g]:
                    break


@compiled()
def _keep(found: FloatArray, numbers: FloatArray, at: int) -> None:
    for j in range(found.shape[0]):
        for s in range(found.shape[1]):
            numbers[at] = found[j, s]
            at += 1


@compiled()
def _n_members(groups: ChooserGroups, g: int) -> int:
    n: int = groups.member_starts[g + 1] - groups.member_starts[g]
    return n


@compiled()
def _is_within(
    p: FloatArray,
    found: FloatArray,
    groups: ChooserGroups,
    g: int,
    compared: Compared,
    room: FloatArray,
) -> bool:
    """Whether no member of group g changes more, with p before and `found` after, members × values.

    First a bound is tried on the unsmoothed numbers: a term f(p, q) of the divergence is convex and
    f(wp, wq) = w f(p, q), so smoothing with weights w gives at most Σ_s (Σ_i w_is) f(p_s, q_s).
    `reach[s]` is Σ_i w_is, and `reached` Σ_s reach[s] · p_s of each row, over all values.
    `room` is for three numbers for each value.
    """
    begin, m, limit = groups.value_starts[g], found.shape[1], compared.limit
    own_reach, before, q = room[0], room[1], room[2]
    for x in range(m):
        own_reach[x] = compared.reach[groups.values[begin + x]]
    for j in range(len(found)):
        row = groups.rows[groups.member_starts[g] + j]
        bound = _bound(p, found, j, own_reach, compared.reached[row])
        if bound * ABOVE_ROUNDING + 1e-13 <= limit:
            continue
        q[:] = 0.0
        for x in range(m):
            add_spread(found[j, x], groups.values[begin + x], compared.spread, q)
        for value in range(len(q)):  # a copy, as in conditioning.Problem
            before[value] = compared.smoothed[row, value]
        is_near = most(before, q) * ABOVE_ROUNDING <= limit
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


@compiled(nogil=True)
def member_divergences(
    smoothed: FloatArray,
    groups: ChooserGroups,
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
    member that cannot have its group's largest divergence keeps what `out` held.
    """
    q = np.empty(smoothed.shape[1])
    for g in range(start, stop):
        begin, end = groups.value_starts[g], groups.value_starts[g + 1]
        largest = 0.0
        for i in range(groups.member_starts[g], groups.member_starts[g + 1]):
            at = out_starts[g] + (i - groups.member_starts[g]) * (end - begin)
            q[:] = 0.0
            for x in range(end - begin):
                add_spread(found[at + x], groups.values[begin + x], spread, q)
            p = smoothed[groups.rows[i]]
            if only_largest and most(p, q) * ABOVE_ROUNDING <= largest:
                continue
            out[i] = jensen_shannon(p, q, 1.0, 1.0)
            largest = max(largest, out[i])
