"""Proven upper bounds on what an attacker learns about a group's people.

A group is settled by the first of these that is possible:

1. by its exact posterior, where it has few states (kernels/permanent.py);
2. by a proven bound on the posterior (kernels/conditional_bounds.py), if that is enough;
3. by its exact posterior after all, if it does not have too many states;
4. by the bound, if it shows that the attacker learns at most the limit.

Otherwise nothing is proven, and the number is marked as an estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gyges.adversaries.belief_knowledge import BeliefKnowledge, gains_if_possible
from gyges.adversaries.member_groups import MemberGroups
from gyges.adversaries.posterior import EXACT_STATES
from gyges.arrays import FloatArray, IntArray, frozen
from gyges.kernels import conditioning
from gyges.kernels.conditional_bounds import conditional_bounds
from gyges.kernels.conditioning import ConditioningMethod
from gyges.kernels.jensen_shannon import row_divergences, spread_rows
from gyges.kernels.permanent import given_totals, n_states
from gyges.kernels.scaling_correction import refine
from gyges.kernels.threads import each_in_threads
from gyges.ragged import Ragged

EXACT, BOUNDED, ESTIMATED = 0, 1, 2  # how a group's number was found

_FEW_STATES = 1 << 15  # up to which the exact posterior is the quickest
_BOUNDABLE = 1 << 25  # members times squared values, above which a bound takes too long
_LIKELY_ENOUGH = 1e-200  # as in kernels/conditioning.py
_ROUNDS = 30  # of scaling, which changes no posterior and keeps numbers within a float's range
_ABOVE_ROUNDING = 1e-10  # added to a bound on a gain


@dataclass(frozen=True, slots=True, eq=False)
class CertainGains:
    """The most that is learned about anyone in each group, and how that number was found.

    EXACT: the largest gain, right to about 1e-12. BOUNDED: at least the largest gain. ESTIMATED:
    not certain.
    """

    largest: FloatArray  # groups
    how: IntArray  # groups

    def __post_init__(self) -> None:
        frozen(self.largest, self.how)


def certain_gains(
    members: MemberGroups,
    knowledge: BeliefKnowledge,
    limit: float,
    *,
    enough: float | None = None,
    exact_states: int = EXACT_STATES,
) -> CertainGains:
    """The largest gain (base 2) of each group: exact or bounded where that is possible.

    Args:
        limit: what they may learn; a bound above it is useless.
        enough: a bound up to this is as good as the gain itself. Default: the largest gain of the
            groups that were settled first, so that the largest of all is a gain where possible.
        exact_states: how many states a group may have to be computed exactly.
    """
    way = ConditioningMethod(
        conditioning.EXACT, float(min(_FEW_STATES, exact_states)), conditioning.TOO_LARGE
    )
    gains, found = gains_if_possible(members, knowledge, way, only_largest=True)
    largest, how = members.largest_in_group(gains), np.full(len(members), ESTIMATED)
    is_exact = found.how == conditioning.EXACT
    how[is_exact] = EXACT
    if enough is None:
        enough = float(largest[is_exact].max(initial=0.0))
    rest = np.flatnonzero(~is_exact)
    settled = each_in_threads(
        lambda g: _settled(_ScaledGroup.of(members, knowledge, g), limit, enough, exact_states),
        rest.tolist(),
    )
    for g, (gain, certainty) in zip(rest.tolist(), settled, strict=True):
        largest[g], how[g] = gain, certainty
    return CertainGains(largest, how)


@dataclass(frozen=True, slots=True, eq=False)
class _ScaledGroup:
    """One group's members, scaled so that the totals are likely, and the beliefs about them."""

    q: FloatArray  # members × the group's values; rows add up to 1
    people: IntArray
    totals: IntArray
    values: IntArray
    before: FloatArray  # members × all values: prior beliefs, smoothed
    knowledge: BeliefKnowledge

    @classmethod
    def of(cls, members: MemberGroups, knowledge: BeliefKnowledge, g: int) -> _ScaledGroup:
        arrays = members.arrays
        inside = slice(arrays.member_starts[g], arrays.member_starts[g + 1])
        held = slice(arrays.value_starts[g], arrays.value_starts[g + 1])
        order = np.argsort(arrays.rows[inside], kind="stable")  # no answer depends on the order
        rows, values = arrays.rows[inside][order], arrays.values[held].astype(np.int64)
        people, totals = arrays.repeats[inside][order], arrays.totals[held].copy()
        q = _scaled(knowledge.priors[np.ix_(rows, values)], people, totals)
        return cls(q, people, totals, values, knowledge.smoothed[rows], knowledge)

    def smoothed(self, beliefs: FloatArray) -> FloatArray:
        """Beliefs in the group's values, over all values and smoothed."""
        full = np.zeros(self.before.shape)
        full[:, self.values] = beliefs
        return np.asarray(spread_rows(full, self.knowledge.spread))

    def largest_gain(self, after: FloatArray) -> float:
        """The largest gain of all members, given these beliefs after the release."""
        nats = row_divergences(self.before, self.smoothed(after), False)
        return float(nats.max() / math.log(2))


def _settled(
    group: _ScaledGroup, limit: float, enough: float, exact_states: int
) -> tuple[float, int]:
    bound = math.inf
    if len(group.q) * len(group.totals) ** 2 <= _BOUNDABLE:
        bound = _bound(group)
        if bound <= enough:
            return bound, BOUNDED
    after = _exact(group, exact_states)
    if after is not None:
        return group.largest_gain(after), EXACT
    if bound <= limit:
        return bound, BOUNDED
    estimate, off = refine(group.q, group.people, group.totals)
    return group.largest_gain(estimate) if off < np.inf else math.inf, ESTIMATED


def _exact(group: _ScaledGroup, exact_states: int) -> FloatArray | None:
    """The exact posterior, members × values, or None where it has too many states."""
    if n_states(group.people, group.totals) <= exact_states:
        after, likelihood = given_totals(group.q, group.people, group.totals)
        if likelihood > _LIKELY_ENOUGH:
            return np.asarray(after)
    return None


def _bound(group: _ScaledGroup) -> float:
    """An upper bound on the largest gain, from bounds on the posterior beliefs.

    A term f(p_i, y_i) of the divergence is convex in y_i, so over low_i <= y_i <= high_i it is at
    most the chord between its ends. The y are smoothed beliefs, linear in the beliefs x: the sum of
    chords is largest where the values with the largest slopes get as much as the bounds and
    Σ x = 1 allow.
    """
    low, high = conditional_bounds(group.q, group.people, group.totals)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return math.inf
    p, start, end = group.before, group.smoothed(low), group.smoothed(high)
    at_start, at_end, width = _terms(p, start), _terms(p, end), end - start
    is_wide = width > 1e-9
    slope = np.where(is_wide, (at_end - at_start) / np.where(is_wide, width, 1.0), 0.0)
    fixed = np.where(is_wide, at_start - slope * start, np.maximum(at_start, at_end)).sum(axis=1)
    slopes = slope @ _weights(group.knowledge)[:, group.values]
    best = np.argsort(-slopes, axis=1)
    low, spare = (np.take_along_axis(a, best, axis=1) for a in (low, high - low))
    slopes = np.take_along_axis(slopes, best, axis=1)
    left = np.maximum(1.0 - low.sum(axis=1, keepdims=True), 0.0)
    before = np.cumsum(spare, axis=1) - spare
    given = low + np.clip(left - before, 0.0, spare)
    nats = fixed + (slopes * given).sum(axis=1)
    return float(nats.max() / math.log(2)) + _ABOVE_ROUNDING


def _terms(p: FloatArray, y: FloatArray) -> FloatArray:
    """½ [p ln(2p/(p + y)) + y ln(2y/(p + y))], where 0 ln 0 = 0."""
    both = np.where(p + y > 0.0, p + y, 1.0)
    parts = [a * np.log(np.where(a > 0.0, 2.0 * a / both, 1.0)) for a in (p, y)]
    return np.asarray(0.5 * (parts[0] + parts[1]))


def _weights(knowledge: BeliefKnowledge) -> FloatArray:
    """How much each value (a row) gets of each value's share."""
    spread = knowledge.spread
    n = len(spread.starts) - 1
    weights = np.zeros((n, n))
    weights[spread.to, Ragged(spread.to, spread.starts).segment_of_value] = spread.weights
    return weights


def _scaled(p: FloatArray, people: IntArray, totals: IntArray) -> FloatArray:
    """Rows and columns multiplied so that rows add up to 1 and columns, about, to the totals."""
    begun = p / p.sum(axis=1, keepdims=True)
    q = begun
    for _ in range(_ROUNDS):
        q = q * (totals / (people @ q))
        q /= q.sum(axis=1, keepdims=True)
    is_whole = bool((q[p > 0.0] > _LIKELY_ENOUGH).all())  # nothing became too small for a float
    return np.ascontiguousarray(q if is_whole else begun)
