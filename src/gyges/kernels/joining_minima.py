"""Whether a group may join others under watched amounts of knowledge, and their minima then.

One value per person. The state is `least` and `holders`, the minima of log_ratios.py for each row
(a value with an l, k and m) and the signatures (n, s, tops) that have them. Every accepted group is
above the limits by itself, so only the four statistics change that meet those of other groups.

A step that rounding leaves open is not decided here: `question` then holds (KIND, point, a
signature, another signature), and the caller puts the answer among `answers` and calls again.

Earned together with ordered_cuts.py, which asks for every cut that it proposes.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.log_ratios import (
    ONE,
    RELATIVES,
    RELATIVES_KNOWN,
    TARGET,
    TARGET_KNOWN,
    TOGETHER,
    UNCLEAR,
    compared,
    log_statistics,
    margin,
    stands,
)
from gyges.kernels.signatures import fill_largest

L, K, M, POINT, TOP, BOTTOM = 0, 1, 2, 3, 4, 5  # of a row; its limit is TOP/BOTTOM, 0: too long
# Questions: is a product above the limit of its point (1) or not (-1); or which of two is less.
IS_SAFE_ALONE, IS_SAFE_WITH_KNOWN, IS_SAFE_WITH_OTHERS, ORDER, ORDER_KNOWN = 1, 2, 3, 4, 5
QUESTION = 8  # numbers of a question: its kind, a point and two signatures; the answer follows
NO_ANSWER = -9
YES, OPEN, NO = 1, 0, -1
NEAR, FAR = 1, 2  # safe alone: changes minima perhaps, or certainly not
_MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled(error_model="numpy")
def describe(
    n_parts: int,
    starts: IntArray,
    codes: CodeArray,
    counts: IntArray,
    class_of: IntArray,
    best: IntArray,
    top: IntArray,
    before: IntArray,
    worst: IntArray,
    n_worst: IntArray,
) -> None:
    """For each part its largest counts, their sums, and the most frequent value of each class.

    Part p has the values `codes[starts[p]:starts[p + 1]]`, and `worst[starts[p]:]` gets the places
    of `n_worst[p]` of them. `best` is room, all -1 before and after.
    """
    for p in range(n_parts):
        begin, n_found = starts[p], 0
        for e in range(begin, starts[p + 1]):
            c = class_of[codes[e]]
            if best[c] < 0:
                best[c] = begin + n_found
                worst[begin + n_found] = e
                n_found += 1
            elif counts[e] > counts[worst[best[c]]]:
                worst[best[c]] = e
        for t in range(begin, begin + n_found):
            best[class_of[codes[worst[t]]]] = -1
        n_worst[p] = n_found
    for p in range(n_parts):
        fill_largest(counts, starts[p], starts[p + 1], top[p], before[p])


@compiled(error_model="numpy")
def list_divisible(
    n_parts: int,
    sizes: IntArray,
    top: IntArray,
    before: IntArray,
    value_rows: IntArray,
    class_rows: IntArray,
    rows: IntArray,
    is_divisible: IntArray,
) -> None:
    """Which parts may have two safe sides: 0 where that is excluded.

    If all values have the same points, a side of n people whose most frequent value occurs s times
    and whose l + 1 most frequent ones f times needs n - f - k > limit·s. Over both sides f and s
    add up to at least those of the whole, which therefore needs n - f - 2k > limit·s.
    """
    for p in range(n_parts):
        is_divisible[p] = 1
        if len(class_rows) > 1:
            continue
        for row in range(value_rows[0], value_rows[1]):
            rest = sizes[p] - before[p, rows[row, L] + 1] - 2 * rows[row, K]
            is_short = rest * rows[row, BOTTOM] <= rows[row, TOP] * top[p, 0]
            if rest <= 0 or (is_short and rows[row, BOTTOM] > 0):
                is_divisible[p] = 0


@compiled(error_model="numpy")
def judge_alone(
    n_parts: int,
    sizes: IntArray,
    starts: IntArray,
    codes: CodeArray,
    counts: IntArray,
    top: IntArray,
    before: IntArray,
    worst: IntArray,
    n_worst: IntArray,
    value_rows: IntArray,
    class_of: IntArray,
    class_rows: IntArray,
    rows: IntArray,
    log_limits: FloatArray,
    loosest: FloatArray,
    known: IntArray,
    statistics: FloatArray,
    standing: IntArray,
) -> None:
    """Whether each part is above the limits by itself: `standing[p]` is NO, OPEN, NEAR or FAR.

    Values of one class have the same points, and the most frequent one has the least of every
    statistic. Where none of these is near the minima of any value, a part changes nothing: FAR.
    """
    for p in range(n_parts):
        n, verdict = sizes[p], FAR
        for t in range(starts[p], starts[p] + n_worst[p]):
            value, s = codes[worst[t]], counts[worst[t]]
            first = class_rows[class_of[value]] - value_rows[value]
            for row in range(value_rows[value], value_rows[value + 1]):
                m, tops = rows[row, M], _tops(top, before, p, rows[row, L], s)
                rest = n - s - tops - rows[row, K]
                wide, bound = rest * rows[row, BOTTOM], rows[row, TOP] * s
                if rest <= 0 or wide < bound or (wide == bound and rows[row, BOTTOM] > 0):
                    verdict = NO
                if verdict == NO:
                    break
                if m == 0 and rows[row, BOTTOM] > 0:
                    continue
                point = rows[row, POINT]
                place = _place(point, n, s, tops, known)
                if _is_other(point, n, s, tops, known, place):
                    _compute(point, n, s, tops, rows[row, K], m, known, statistics, place)
                stood = stands(statistics[place, TOGETHER], m, log_limits[row])
                if stood <= 0:
                    verdict = min(verdict, OPEN if stood == 0 else NO)
                elif m > 0 and not _is_above(statistics, place, loosest, first + row):
                    verdict = min(verdict, NEAR)
        standing[p] = verdict


@compiled(error_model="numpy")
def list_near(
    n_cuts: int,
    sizes: IntArray,
    starts: IntArray,
    codes: CodeArray,
    counts: IntArray,
    top: IntArray,
    before: IntArray,
    value_rows: IntArray,
    rows: IntArray,
    log_limits: FloatArray,
    near: FloatArray,
    far: IntArray,
    known: IntArray,
    statistics: FloatArray,
    standing: IntArray,
    found: IntArray,
    first: IntArray,
) -> None:
    """The signatures of each cut that may change minima, or whose standing is open.

    Those of cut c are `found[first[c]:first[c + 1]]`: row, n, s, tops. Parts that are NO or FAR
    have none. `far[row, s]` is an n and an n - tops that were found far from every minimum. With
    more of both every statistic is larger, and minima only fall.
    """
    n_found = 0
    for p in range(2 * n_cuts):
        if p % 2 == 0:
            first[p // 2] = n_found
        if standing[p] == FAR or min(standing[p], standing[p ^ 1]) == NO:
            continue
        for e in range(starts[p], starts[p + 1]):
            n, s = sizes[p], counts[e]
            for row in range(value_rows[codes[e]], value_rows[codes[e] + 1]):
                point, m = rows[row, POINT], rows[row, M]
                if m == 0 and rows[row, BOTTOM] > 0:
                    continue
                tops, few = _tops(top, before, p, rows[row, L], s), min(s, far.shape[1] - 1)
                if s == few and n >= far[row, s, 0] and n - tops >= far[row, s, 1]:
                    continue
                place = _place(point, n, s, tops, known)
                if _is_other(point, n, s, tops, known, place):
                    _compute(point, n, s, tops, rows[row, K], m, known, statistics, place)
                is_safe = stands(statistics[place, TOGETHER], m, log_limits[row]) > 0
                if is_safe and (m == 0 or _is_above(statistics, place, near, row)):
                    if 2 * n - tops < far[row, few, 0] + far[row, few, 1]:
                        far[row, few, 0], far[row, few, 1] = n, n - tops
                    continue
                found[n_found, 0], found[n_found, 1] = row, n
                found[n_found, 2], found[n_found, 3] = s, tops
                n_found += 1
    first[n_cuts] = n_found


@compiled(error_model="numpy")
def join(
    row: int,
    n: int,
    s: int,
    tops: int,
    rows: IntArray,
    log_limits: FloatArray,
    least: FloatArray,
    holders: IntArray,
    near: FloatArray,
    answers: IntArray,
    undo: IntArray,
    undo_logs: FloatArray,
    n_undo: int,
    question: IntArray,
) -> tuple[int, int]:
    """Let a signature join the others of its row: YES, NO or OPEN.

    What changed is noted from `undo[n_undo]` on; the new length is returned too.
    """
    point, k, m, is_changed = rows[row, POINT], rows[row, K], rows[row, M], False
    key, new = np.array([0, n, s, tops]), np.empty(5)
    log_statistics(ONE, key, k, m, new)
    verdict = stands(new[TOGETHER], m, log_limits[row])
    if verdict == 0:
        verdict = _answer(IS_SAFE_ALONE, point, n, s, tops, n, s, tops, answers, question)
    for which in range(TARGET, RELATIVES_KNOWN + 1):
        old, held, one = least[row, which], holders[row, which], key[1:]
        if verdict != YES or m == 0 or new[which] > near[row, which]:
            continue
        key[3] = tops if which < RELATIVES else 0
        order = compared(ONE, which, k, m, new[which], one, old, held)
        if order == UNCLEAR:
            kind = ORDER if which == RELATIVES else ORDER_KNOWN
            order = _answer(
                kind, point, n, s, key[3], held[0], held[1], held[2], answers, question
            )
        if order == NO_ANSWER:
            verdict = NO_ANSWER
        if order == -1:
            undo[n_undo, 0], undo[n_undo, 1], undo_logs[n_undo] = row, which, old
            undo[n_undo, 2:] = held
            n_undo += 1
            held[:] = one
            least[row, which], near[row, which] = new[which], _near(new[which], m)
            is_changed = True
    if verdict == YES and is_changed:
        verdict = _safe_together(row, point, m, log_limits[row], least, holders, answers, question)
    return (OPEN if verdict == NO_ANSWER else verdict), n_undo


@compiled(error_model="numpy", forceinline=True)
def _tops(top: IntArray, before: IntArray, p: int, l: int, s: int) -> int:
    """The sum of part p's l most frequent other counts, for a value that occurs s times."""
    if l == 0:
        return np.int64(0)
    return before[p, l + 1] - s if s >= top[p, l - 1] else before[p, l]


@compiled(error_model="numpy", forceinline=True)
def _is_above(statistics: FloatArray, place: int, bounds: FloatArray, row: int) -> bool:
    """Whether no statistic that meets those of other groups is at its bound, or below."""
    return (
        (statistics[place, TARGET] > bounds[row, TARGET])
        & (statistics[place, TARGET_KNOWN] > bounds[row, TARGET_KNOWN])
        & (statistics[place, RELATIVES] > bounds[row, RELATIVES])
        & (statistics[place, RELATIVES_KNOWN] > bounds[row, RELATIVES_KNOWN])
    )


@compiled(error_model="numpy", forceinline=True)
def _place(point: int, n: int, s: int, tops: int, known: IntArray) -> int:
    """Where the statistics of a signature are, if they are known."""
    mixed = (np.uint64(point) ^ np.uint64(n)) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(s)) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(tops)) * _MIX
    return np.int64((mixed >> np.uint64(29)) & np.uint64(len(known) - 1))


@compiled(error_model="numpy", forceinline=True)
def _is_other(point: int, n: int, s: int, tops: int, known: IntArray, place: int) -> bool:
    """Whether the statistics of another signature are there."""
    return (
        (known[place, 0] != point)
        | (known[place, 1] != n)
        | (known[place, 2] != s)
        | (known[place, 3] != tops)
    )


@compiled(error_model="numpy")
def _compute(
    point: int,
    n: int,
    s: int,
    tops: int,
    k: int,
    m: int,
    known: IntArray,
    statistics: FloatArray,
    place: int,
) -> None:
    """Put the statistics of a signature there."""
    known[place, 0], known[place, 1], known[place, 2], known[place, 3] = point, n, s, tops
    log_statistics(ONE, known[place], k, m, statistics[place])


@compiled(error_model="numpy")
def fill_bounds(
    value_rows: IntArray,
    class_of: IntArray,
    class_rows: IntArray,
    rows: IntArray,
    least: FloatArray,
    holders: IntArray,
    near: FloatArray,
    loosest: FloatArray,
) -> None:
    """What is near each minimum; and for each point of a class the greatest of its values."""
    loosest[:] = -np.inf
    for v in range(len(class_of)):
        for row in range(value_rows[v], value_rows[v + 1]):
            template = class_rows[class_of[v]] + row - value_rows[v]
            for which in range(TARGET, RELATIVES_KNOWN + 1):
                near[row, which] = _near(least[row, which], rows[row, M])
                if holders[row, TARGET, 0] > 0:
                    loosest[template, which] = max(loosest[template, which], near[row, which])


@compiled(error_model="numpy", forceinline=True)
def _near(logarithm: float, m: int) -> float:
    """Above it no logarithm can belong to a number as small."""
    return logarithm + 2 * margin(logarithm, m)


@compiled(error_model="numpy")
def leave(
    rows: IntArray,
    least: FloatArray,
    holders: IntArray,
    near: FloatArray,
    undo: IntArray,
    undo_logs: FloatArray,
    n_undo: int,
) -> None:
    """Restore the minima, the last change first."""
    for i in range(n_undo - 1, -1, -1):
        row, which = undo[i, 0], undo[i, 1]
        least[row, which] = undo_logs[i]
        near[row, which] = _near(undo_logs[i], rows[row, M])
        for column in range(3):
            holders[row, which, column] = undo[i, 2 + column]


@compiled(error_model="numpy")
def _safe_together(
    row: int,
    point: int,
    m: int,
    log_limit: float,
    least: FloatArray,
    holders: IntArray,
    answers: IntArray,
    question: IntArray,
) -> int:
    """Whether a target in one group and relatives in another are above the limit.

    YES, NO or NO_ANSWER.
    """
    for target, relatives, kind in (
        (TARGET, RELATIVES_KNOWN, IS_SAFE_WITH_KNOWN),
        (TARGET_KNOWN, RELATIVES, IS_SAFE_WITH_OTHERS),
    ):
        verdict = stands(least[row, target] + least[row, relatives], m, log_limit)
        if verdict == 0:
            one, other = holders[row, target], holders[row, relatives]
            verdict = _answer(
                kind,
                point,
                one[0],
                one[1],
                one[2],
                other[0],
                other[1],
                other[2],
                answers,
                question,
            )
        if verdict != YES:
            return verdict
    return YES


@compiled(error_model="numpy")
def _answer(
    kind: int,
    point: int,
    n: int,
    s: int,
    tops: int,
    other_n: int,
    other_s: int,
    other_tops: int,
    answers: IntArray,
    question: IntArray,
) -> int:
    """The answer to a question about two signatures; NO_ANSWER where it is not known yet."""
    question[0], question[1], question[2], question[3] = kind, point, n, s
    question[4], question[5], question[6], question[7] = tops, other_n, other_s, other_tops
    place = answer_place(question, answers)
    return int(answers[place, QUESTION]) if answers[place, 0] else NO_ANSWER


@compiled(error_model="numpy")
def answer_place(question: IntArray, answers: IntArray) -> int:
    """Where a question is among the answers, or the free place where it belongs."""
    mixed = np.uint64(0)
    for i in range(QUESTION):
        mixed = (mixed ^ np.uint64(question[i])) * _MIX
        mixed ^= mixed >> np.uint64(29)
    place = mixed & np.uint64(len(answers) - 1)
    while answers[place, 0]:
        is_same = True
        for i in range(QUESTION):
            is_same &= answers[place, i] == question[i]
        if is_same:
            break
        place = (place + np.uint64(1)) & np.uint64(len(answers) - 1)
    return np.int64(place)


@compiled(error_model="numpy")
def least_people_of_any(
    n_values: int, rows: IntArray, log_limits: FloatArray, at_most: int
) -> int:
    """A number of people below which no group whose most frequent value has these rows is safe.

    Of n people with up to V values the most frequent one has s >= n/V, and the l + 1 most frequent
    ones have s + tops >= (l + 1)·n/V. Whatever is safe with more of both is safe with the least.
    """
    key, statistics = np.zeros(4, np.int64), np.empty(5)
    for n in range(1, at_most + 1):
        may_hold = True
        for row in range(len(rows)):
            most = min(rows[row, L] + 1, n_values)
            key[1], key[2] = n, (n + n_values - 1) // n_values
            key[3] = max((most * n + n_values - 1) // n_values - key[2], 0)
            log_statistics(ONE, key, rows[row, K], rows[row, M], statistics)
            may_hold &= stands(statistics[TOGETHER], rows[row, M], log_limits[row]) >= 0
        if may_hold:
            return n
    return at_most + 1
