"""Jensen-Shannon divergence of rows, and of what conditioning found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.conditioning import Crowds

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
    found: FloatArray,
    out_starts: IntArray,
    start: int,
    stop: int,
    spread: Spread,
    limit: float,
    out: BoolArray,
) -> None:
    """Whether no member of a group has a divergence of more than `limit` nats.

    As `member_divergences`, which compares `smoothed` with what was found, smoothed. Before that a
    bound is tried on the unsmoothed numbers: a term f(p, q) of the divergence is convex and
    f(wp, wq) = w f(p, q), so smoothing with weights w gives at most Σ_s (Σ_i w_is) f(p_s, q_s).
    """
    n_values = p.shape[1]
    q, before, reach = np.empty(n_values), np.empty(n_values), np.zeros(n_values)
    for value in range(n_values):
        for x in range(spread.starts[value], spread.starts[value + 1]):
            reach[value] += spread.weights[x]
    for g in range(start, stop):
        begin, end = crowds.value_starts[g], crowds.value_starts[g + 1]
        out[g] = True
        at = out_starts[g]
        for i in range(crowds.member_starts[g], crowds.member_starts[g + 1]):
            row = crowds.rows[i]
            if _most_unsmoothed(p, row, found, at, crowds.values, begin, end, reach) > limit:
                q[:] = 0.0
                for x in range(end - begin):
                    _add(found[at + x], crowds.values[begin + x], spread, q)
                for value in range(n_values):
                    before[value] = smoothed[row, value]
                is_near = most(before, q) * _ABOVE_ROUNDING <= limit
                if not is_near and jensen_shannon(before, q, 1.0, 1.0) > limit:
                    out[g] = False
                    break
            at += end - begin


@compiled(fastmath={"reassoc", "contract"})
def _most_unsmoothed(
    p: FloatArray,
    row: int,
    found: FloatArray,
    at: int,
    values: IntArray,
    begin: int,
    end: int,
    reach: FloatArray,
) -> float:
    """`most` of p[row] and what was found, 0 but for `values[begin:end]`, each term times reach."""
    total, outside = 0.0, 0.0
    for value in range(len(reach)):
        outside += reach[value] * p[row, value]
    for x in range(end - begin):
        one, other, weight = p[row, values[begin + x]], found[at + x], reach[values[begin + x]]
        total += weight * (one - other) ** 2 / max(one + other, 1e-300)
        outside -= weight * one
    return 0.5 * np.log(2.0) * (total + max(outside, 0.0)) * _ABOVE_ROUNDING + 1e-13
