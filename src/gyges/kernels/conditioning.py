"""Groups of people who choose independently, conditioned on how often each value was chosen.

The batch runs in one compiled loop: a search asks about thousands of groups of five or ten people,
each worth microseconds (benchmarks/beliefs.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.margins import ABOUT, CLOSE, ROUNDS, refine, scale
from gyges.kernels.matching import arrange, circles
from gyges.kernels.permanent import given_totals, n_states

EXACT, REFINED, SCALED, SHARED = 0, 1, 2, 3  # how a group was computed, the roughest last
IMPOSSIBLE, TOO_LARGE = 4, 5  # why it was not

_SMALL = 1e-200  # below this a likelihood may have lost digits to the end of a float's range


class Crowds(NamedTuple):
    """Groups of members; a member is some people with the same probabilities.

    Group g has the members `member_starts[g]:member_starts[g+1]` and the values
    `values[value_starts[g]:value_starts[g+1]]`, each `totals[...]` times. Member i has row
    `rows[i]` of the probabilities and `people[i]` people; of these, `held_counts[...]` hold the
    value `held[...]`, for `held_starts[i]:held_starts[i+1]`. Values come in ascending order.
    """

    member_starts: IntArray
    rows: IntArray
    people: IntArray
    value_starts: IntArray
    values: IntArray
    totals: IntArray
    held_starts: IntArray
    held: IntArray
    held_counts: IntArray


@compiled()
def lay_out(
    group: IntArray,
    n_groups: int,
    all_people: IntArray,
    starts: IntArray,
    values: IntArray,
    counts: IntArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, IntArray]:
    """The part of a Crowds that says who is where: rows by group, -1 for a row in none.

    Row r's people are `all_people[r]`; they hold `values[starts[r]:starts[r+1]]`, so many each.
    """
    member_starts = np.zeros(n_groups + 1, dtype=np.int64)
    n_held = 0
    for r in range(len(group)):
        if group[r] >= 0:
            member_starts[group[r] + 1] += 1
            n_held += starts[r + 1] - starts[r]
    for g in range(n_groups):
        member_starts[g + 1] += member_starts[g]
    rows, place = np.empty(member_starts[-1], dtype=np.int64), member_starts.copy()
    for r in range(len(group)):
        if group[r] >= 0:
            rows[place[group[r]]] = r
            place[group[r]] += 1
    people, held_starts = np.empty_like(rows), np.zeros(len(rows) + 1, dtype=np.int64)
    held, held_counts = np.empty(n_held, dtype=np.int64), np.empty(n_held, dtype=np.int64)
    n_held = 0
    for i in range(len(rows)):
        people[i] = all_people[rows[i]]
        for x in range(starts[rows[i]], starts[rows[i] + 1]):
            held[n_held], held_counts[n_held] = values[x], counts[x]
            n_held += 1
        held_starts[i + 1] = n_held
    return member_starts, rows, people, held_starts, held, held_counts


@compiled(nogil=True)
def condition(
    p: FloatArray,
    crowds: Crowds,
    out_starts: IntArray,
    start: int,
    stop: int,
    method: int,
    exact_up_to: float,
    otherwise: int,
    out: FloatArray,
    how: IntArray,
    change: FloatArray,
) -> None:
    """P(member takes value | totals) of groups start..stop-1, and how it was computed.

    Group g's matrix, members × its values, begins at `out[out_starts[g]]`. With EXACT a circle of
    up to `exact_up_to` states is exact, a larger one is done by `otherwise`. `change[g]` is the
    largest difference between scaled and refined numbers, 0 where all is exact.
    """
    place = np.zeros(p.shape[1], dtype=np.int64)
    for g in range(start, stop):
        first, last = crowds.member_starts[g], crowds.member_starts[g + 1]
        begin, end = crowds.value_starts[g], crowds.value_starts[g + 1]
        if first == last:
            how[g] = EXACT
            continue
        # Copies, not views: threads that count references to one array get in each other's way.
        totals, people = _copied(crowds.totals, begin, end), _copied(crowds.people, first, last)
        own = _taken(p, crowds.rows, first, last, crowds.values, begin, end)
        if method == SHARED:
            how[g] = _share(own, people, totals)
            _put(own, out, out_starts[g])
            continue
        circle, circle_of = place[:0], place[:0]
        is_one = _is_positive(own)
        if not is_one:
            circle, circle_of = _circles(own, crowds, first, last, crowds.values[begin:end], place)
            if len(circle) == 0:
                how[g] = IMPOSSIBLE
                continue
            is_one = not circle.any()
        if is_one:
            how[g], solved, change[g] = _solve(own, people, totals, method, exact_up_to, otherwise)
        else:
            how[g], solved, change[g] = _by_circles(
                own, people, totals, circle, circle_of, method, exact_up_to, otherwise
            )
        _put(solved, out, out_starts[g])


@compiled()
def _copied(numbers: IntArray, start: int, end: int) -> IntArray:
    copied = np.empty(end - start, dtype=np.int64)
    for x in range(end - start):
        copied[x] = numbers[start + x]
    return copied


@compiled()
def _taken(
    p: FloatArray, rows: IntArray, first: int, last: int, values: IntArray, begin: int, end: int
) -> FloatArray:
    """The probabilities of the members `rows[first:last]` for the values `values[begin:end]`."""
    own = np.empty((last - first, end - begin))
    for j in range(last - first):
        for s in range(end - begin):
            own[j, s] = p[rows[first + j], values[begin + s]]
    return own


@compiled()
def _put(solved: FloatArray, out: FloatArray, at: int) -> None:
    """Write a group's matrix into its place."""
    for j in range(solved.shape[0]):
        for s in range(solved.shape[1]):
            out[at] = solved[j, s]
            at += 1


@compiled()
def _is_positive(p: FloatArray) -> bool:
    for j in range(p.shape[0]):
        for s in range(p.shape[1]):
            if p[j, s] == 0.0:
                return False
    return True


@compiled()
def _circles(
    p: FloatArray, crowds: Crowds, first: int, last: int, values: IntArray, place: IntArray
) -> tuple[IntArray, IntArray]:
    """The circle of each value and of each member; nothing where no arrangement is possible.

    `place` is room for the places of the values among the group's.
    """
    circle_of = np.zeros(last - first, dtype=np.int64)
    for s in range(len(values)):
        place[values[s]] = s
    begin, end = crowds.held_starts[first], crowds.held_starts[last]
    holders, held = np.empty(end - begin, dtype=np.int64), np.empty(end - begin, dtype=np.int64)
    may = True
    for i in range(first, last):
        for x in range(crowds.held_starts[i], crowds.held_starts[i + 1]):
            holders[x - begin], held[x - begin] = i - first, place[crowds.held[x]]
            may &= p[i - first, place[crowds.held[x]]] > 0.0
    if not may:
        arranged = np.zeros(p.shape, dtype=np.int64)
        for x in range(begin, end):
            arranged[holders[x - begin], held[x - begin]] += crowds.held_counts[x]
        if not arrange(p, arranged):
            return circle_of[:0], circle_of[:0]
        holders, held = _holders(arranged)
    circle = circles(p, holders, held)
    for x in range(len(held)):
        circle_of[holders[x]] = circle[held[x]]
    return circle, circle_of


@compiled()
def _holders(held: IntArray) -> tuple[IntArray, IntArray]:
    """The rows and columns that are not 0."""
    r, m = held.shape
    rows, values = np.empty(r * m, dtype=np.int64), np.empty(r * m, dtype=np.int64)
    n = 0
    for j in range(r):
        for s in range(m):
            if held[j, s] > 0:
                rows[n], values[n] = j, s
                n += 1
    return rows[:n], values[:n]


@compiled()
def _share(p: FloatArray, people: IntArray, totals: IntArray) -> int:
    """Replace p by n_s · p[j, s] / Σ_j' p[j', s], each row made to add up to 1: the Ω-estimate."""
    for s in range(len(totals)):
        column = 0.0
        for j in range(len(p)):
            column += people[j] * p[j, s]
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
    people: IntArray,
    totals: IntArray,
    circle: IntArray,
    circle_of: IntArray,
    method: int,
    exact_up_to: float,
    otherwise: int,
) -> tuple[int, FloatArray, float]:
    """Solve each circle of values on its own; the roughest way taken is the group's."""
    how, found, change = EXACT, np.zeros(p.shape), 0.0
    for name in range(len(totals)):
        values, members = _named(circle, name), _named(circle_of, name)
        if len(values) == 0:
            continue
        done, solved, moved = _solve(
            _part(p, members, values),
            _chosen(people, members),
            _chosen(totals, values),
            method,
            exact_up_to,
            otherwise,
        )
        how, change = max(how, done), max(change, moved)
        for a in range(len(members)):
            for b in range(len(values)):
                found[members[a], values[b]] = solved[a, b]
    return how, found, change


@compiled()
def _named(names: IntArray, name: int) -> IntArray:
    """The places of a name."""
    n = 0
    for x in range(len(names)):
        n += names[x] == name
    places = np.empty(n, dtype=np.int64)
    n = 0
    for x in range(len(names)):
        if names[x] == name:
            places[n] = x
            n += 1
    return places


@compiled()
def _chosen(numbers: IntArray, places: IntArray) -> IntArray:
    chosen = np.empty(len(places), dtype=np.int64)
    for x in range(len(places)):
        chosen[x] = numbers[places[x]]
    return chosen


@compiled()
def _part(p: FloatArray, members: IntArray, values: IntArray) -> FloatArray:
    part = np.empty((len(members), len(values)))
    for a in range(len(members)):
        for b in range(len(values)):
            part[a, b] = p[members[a], values[b]]
    return part


@compiled()
def _solve(
    p: FloatArray,
    people: IntArray,
    totals: IntArray,
    method: int,
    exact_up_to: float,
    otherwise: int,
) -> tuple[int, FloatArray, float]:
    """One circle: which way, the probabilities, and how much refining changed."""
    if len(totals) == 1:
        return EXACT, np.ones(p.shape), 0.0
    way = method
    if method == EXACT and n_states(totals) > exact_up_to:
        way = otherwise
        if way == TOO_LARGE:
            return way, np.zeros(p.shape), 0.0
    if way == EXACT:
        return way, _exactly(p, people, totals), 0.0
    q = scale(p, people, totals, ROUNDS, CLOSE if way == SCALED else ABOUT)
    if way == SCALED:
        return way, q, 0.0
    better = refine(q, people, totals)
    moved = 0.0
    for j in range(len(q)):
        for s in range(len(totals)):
            moved = max(moved, abs(better[j, s] - q[j, s]))
    return way, better, moved


@compiled()
def _exactly(p: FloatArray, people: IntArray, totals: IntArray) -> FloatArray:
    """Exact chances; scaling changes none of them, it only keeps the numbers within range."""
    k, m = people.sum(), len(totals)
    each = np.empty((k, m))
    _one_by_one(p, people, each)
    chances, likelihood = given_totals(each, totals)
    if likelihood <= _SMALL:
        _one_by_one(scale(p, people, totals, ROUNDS, CLOSE), people, each)
        chances, likelihood = given_totals(each, totals)
    found, person = np.empty(p.shape), 0
    for j in range(len(p)):  # people of one member have the same chances
        for s in range(m):
            found[j, s] = chances[person, s]
        person += people[j]
    return found


@compiled()
def _one_by_one(q: FloatArray, people: IntArray, each: FloatArray) -> None:
    """A row for each person of each member."""
    person = 0
    for j in range(len(people)):
        for _ in range(people[j]):
            for s in range(q.shape[1]):
                each[person, s] = q[j, s]
            person += 1
