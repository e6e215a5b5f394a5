"""A group of choosers that choose independently, conditioned on how often each value was chosen.

Earned together with conditioned_groups.py, which calls it for every group: 1/500 of NumPy's time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.bit_sets import WORD
from gyges.kernels.compiled import compiled
from gyges.kernels.matching import arrange, circles, is_closed_in_bits
from gyges.kernels.matrix_scaling import scale
from gyges.kernels.permanent import given_totals, n_states
from gyges.kernels.scaling_correction import refine

EXACT, REFINED, SCALED, SHARED = 0, 1, 2, 3  # how a group was computed, the roughest last
IMPOSSIBLE, TOO_LARGE, TOO_SMALL = 4, 5, 6  # why it was not: the states, the probabilities

_FEW_STATES = 1 << 11  # up to here a look at circles costs more than it saves
_SMALL = 1e-200  # below this a likelihood may have lost digits to the end of a float's range


class ChooserGroups(NamedTuple):
    """Groups of members; a member is some choosers with the same probabilities.

    Group g has the members `member_starts[g]:member_starts[g+1]` and the values
    `values[value_starts[g]:value_starts[g+1]]`, each `totals[...]` times. Member i has row
    `rows[i]` of the probabilities and `repeats[i]` choosers; of these, `held_counts[...]` hold the
    value `held[...]`, for `held_starts[h]:held_starts[h+1]` with h = `holders[i]`. Values come in
    ascending order. All arrays are read-only: one kernel is compiled, not two.
    """

    member_starts: IntArray
    rows: IntArray
    repeats: IntArray
    value_starts: IntArray
    values: CodeArray
    totals: IntArray
    holders: IntArray
    held_starts: IntArray
    held: CodeArray
    held_counts: IntArray


class ConditioningMethod(NamedTuple):
    """How groups are computed: with EXACT, circles of too many states use `otherwise`."""

    method: int
    exact_up_to: float  # states
    otherwise: int
    may_hold: bool = False  # whether every chooser is known to be able to hold its value


class Problem(NamedTuple):
    """A group's own numbers.

    Copies, not views: threads that count references to one array get in each other's way.
    """

    p: FloatArray  # members × values
    repeats: IntArray
    totals: IntArray
    is_positive: bool  # all of p


@compiled()
def gather(p: FloatArray, groups: ChooserGroups, g: int) -> Problem:
    """What belongs to group g."""
    first, begin = groups.member_starts[g], groups.value_starts[g]
    r, m = groups.member_starts[g + 1] - first, groups.value_starts[g + 1] - begin
    own, repeats = np.empty((r, m)), np.empty(r, dtype=np.int64)
    totals, values = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.uint64)
    for s in range(m):
        totals[s] = groups.totals[begin + s]
        values[s] = groups.values[begin + s]
    least = 1.0
    for j in range(r):
        repeats[j] = groups.repeats[first + j]
        row = np.uint64(groups.rows[first + j])
        for s in range(m):
            chance = p[row, values[s]]
            own[j, s] = chance
            least = min(least, chance)
    return Problem(own, repeats, totals, least > 0.0)


@compiled()
def solve(
    problem: Problem, groups: ChooserGroups, g: int, way: ConditioningMethod, place: IntArray
) -> tuple[int, FloatArray, float]:
    """How one group was computed, or why not; its matrix; and about how far that may be off.

    `place` is room for a number for each value.
    """
    p, repeats, totals, is_positive = problem
    if len(repeats) == 0:
        return EXACT, p, 0.0
    if way.method == SHARED:
        shared = p.copy()
        done = _share(shared, repeats, totals)
        return done, shared, 0.0
    if way.method == EXACT and n_states(repeats, totals) <= min(way.exact_up_to, _FEW_STATES):
        chances, likelihood = given_totals(p, repeats, totals)
        if likelihood > _SMALL:
            return EXACT, chances, 0.0
    first, begin = groups.member_starts[g], groups.value_starts[g]
    for s in range(len(totals)):
        place[groups.values[begin + s]] = s
    if not (is_positive or _is_one_circle(p, groups, first, place, way.may_hold)):
        circle, circle_of = _circles(p, groups, first, place)
        if len(circle) == 0:
            return IMPOSSIBLE, p[:0], 0.0
        if circle.any():
            return _by_circles(p, repeats, totals, circle, circle_of, way)
    return _solve(p, repeats, totals, way)


@compiled()
def _is_one_circle(
    p: FloatArray, groups: ChooserGroups, first: int, place: IntArray, may_hold: bool
) -> bool:
    """Whether a quick look, at values as bits of a word, shows that all of them are in one circle.

    Members are numbered from `first` on; `place` is the index of each value in the group. In a
    large group a few members close the circle; for the others only the values that they hold are
    read, and not even these if `may_hold`.
    """
    r, m = p.shape
    if m > WORD:
        return False
    reach, is_closed, look = np.zeros(m, dtype=np.uint64), False, 16
    for j in range(r):
        h, may = groups.holders[first + j], np.uint64(0)
        for s in range(0 if is_closed else m):
            may |= np.uint64(p[j, s] > 0.0) << np.uint64(s)
        for x in range(groups.held_starts[h], groups.held_starts[h + 1]):
            s = place[groups.held[x]]
            if p[j, s] == 0.0:
                return False
            reach[s] |= may
        if j == look or j == r - 1:
            look *= 2
            is_closed = is_closed or is_closed_in_bits(reach)
            if is_closed and may_hold:
                return True
    return is_closed


@compiled()
def _circles(
    p: FloatArray, groups: ChooserGroups, first: int, place: IntArray
) -> tuple[IntArray, IntArray]:
    """The circle of each value and of each member; nothing where no arrangement is possible."""
    r = len(p)
    circle_of = np.zeros(r, dtype=np.int64)
    n_held = 0
    for j in range(r):
        h = groups.holders[first + j]
        n_held += groups.held_starts[h + 1] - groups.held_starts[h]
    holders, held = np.empty(n_held, dtype=np.int64), np.empty(n_held, dtype=np.int64)
    arranged = np.zeros(p.shape, dtype=np.int64)
    n_held, may = 0, True
    for j in range(r):
        h = groups.holders[first + j]
        for x in range(groups.held_starts[h], groups.held_starts[h + 1]):
            s = place[groups.held[x]]
            holders[n_held], held[n_held] = j, s
            arranged[j, s] += groups.held_counts[x]
            may &= p[j, s] > 0.0
            n_held += 1
    if not may:
        if not arrange(p, arranged):
            return circle_of[:0], circle_of[:0]
        holders, held = np.nonzero(arranged)
    circle = circles(p, holders, held)
    for x in range(len(held)):
        circle_of[holders[x]] = circle[held[x]]
    return circle, circle_of


@compiled()
def _share(p: FloatArray, repeats: IntArray, totals: IntArray) -> int:
    """Replace p by n_s · p[j, s] / Σ_j' p[j', s], each row made to add up to 1: the Ω-estimate."""
    for s in range(len(totals)):
        column = 0.0
        for j in range(len(p)):
            column += repeats[j] * p[j, s]
        if column == 0.0:
            return IMPOSSIBLE
        for j in range(len(p)):
            p[j, s] *= totals[s] / column
    for j in range(len(p)):
        row = 0.0
        for s in range(len(totals)):
            row += p[j, s]
        if row == 0.0:
            return IMPOSSIBLE
        for s in range(len(totals)):
            p[j, s] /= row
    return SHARED


@compiled()
def _by_circles(
    p: FloatArray,
    repeats: IntArray,
    totals: IntArray,
    circle: IntArray,
    circle_of: IntArray,
    way: ConditioningMethod,
) -> tuple[int, FloatArray, float]:
    """Solve each circle of values on its own; the roughest way taken is the group's."""
    how, found, change = EXACT, np.zeros(p.shape), 0.0
    for name in range(len(totals)):
        values, members = np.flatnonzero(circle == name), np.flatnonzero(circle_of == name)
        if len(values) == 0:
            continue
        part = p[members][:, values]
        done, solved, moved = _solve(part, repeats[members], totals[values], way)
        how, change = max(how, done), max(change, moved)
        for a in range(len(members)):
            for b in range(len(values)):
                found[members[a], values[b]] = solved[a, b]
    return how, found, change


@compiled()
def _solve(
    p: FloatArray, repeats: IntArray, totals: IntArray, way: ConditioningMethod
) -> tuple[int, FloatArray, float]:
    """One circle: which way or why not, the probabilities, and about how far they may be off."""
    if len(totals) == 1:
        return EXACT, np.ones(p.shape), 0.0
    method = way.method
    if method == EXACT and n_states(repeats, totals) > way.exact_up_to:
        method = way.otherwise
    if method == TOO_LARGE:
        return TOO_LARGE, p, 0.0
    if method == EXACT:
        return _exactly(p, repeats, totals)
    if method == SCALED:
        found, off = scale(p, repeats, totals)
    else:
        found, off = refine(p, repeats, totals)
    return method if off < np.inf else TOO_SMALL, found, off


@compiled()
def _exactly(p: FloatArray, repeats: IntArray, totals: IntArray) -> tuple[int, FloatArray, float]:
    """Exact chances; scaling changes none of them, it only keeps the numbers within range."""
    chances, likelihood = p, 0.0
    for turn in range(2):
        if turn == 1:
            p, _ = scale(p, repeats, totals)
        chances, likelihood = given_totals(p, repeats, totals)
        if likelihood > _SMALL:
            return EXACT, chances, 0.0
    return TOO_SMALL, chances, 0.0
