"""The minima of five statistics while signatures join one by one, and can leave again.

One value each. The state is `least` and `holders`, the minima of log_ratios.py for each row (a
value with an l, k and m) and the signatures (n, s, tops) that have them. Every signature that
joined is above its limit alone, so only the four statistics change that meet those of others.

A step that rounding leaves open is not decided here: `question` then holds (kind, point, a
signature, another signature), and the caller puts the answer among `answers` and asks again.

Earned together with ordered_cuts.py, which asks for every cut that it proposes.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
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

L, K, M, POINT, TOP, BOTTOM = 0, 1, 2, 3, 4, 5  # of a row; its limit is TOP/BOTTOM, 0: too long
# Questions: is a product above the limit of its point (1) or not (-1); which of two is less.
IS_ABOVE_ALONE, IS_ABOVE_WITH_KNOWN, IS_ABOVE_WITH_OTHERS, ORDER, ORDER_KNOWN = 1, 2, 3, 4, 5
QUESTION = 8  # numbers of a question; the answer follows
NO_ANSWER = -9
YES, OPEN, NO = 1, 0, -1
MIX = np.uint64(0x9E3779B97F4A7C15)


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
        verdict = _answer(IS_ABOVE_ALONE, point, n, s, tops, n, s, tops, answers, question)
    for which in range(TARGET, RELATIVES_KNOWN + 1):
        old, held, one = least[row, which], holders[row, which], key[1:]
        if verdict != YES or m == 0 or new[which] > near[row, which]:
            continue
        key[3] = tops if which < RELATIVES else 0
        order = compared(ONE, which, k, m, new[which], one, old, held)
        if order == UNCLEAR:
            kind = ORDER if which == RELATIVES else ORDER_KNOWN
            order = _answer(kind, point, n, s, key[3], held[0], held[1], held[2], answers, question)
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
        verdict = _above_together(row, point, m, log_limits[row], least, holders, answers, question)
    return (OPEN if verdict == NO_ANSWER else verdict), n_undo


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
def _above_together(
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
        (TARGET, RELATIVES_KNOWN, IS_ABOVE_WITH_KNOWN),
        (TARGET_KNOWN, RELATIVES, IS_ABOVE_WITH_OTHERS),
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
        mixed = (mixed ^ np.uint64(question[i])) * MIX
        mixed ^= mixed >> np.uint64(29)
    place = mixed & np.uint64(len(answers) - 1)
    while answers[place, 0]:
        is_same = True
        for i in range(QUESTION):
            is_same &= answers[place, i] == question[i]
        if is_same:
            break
        place = (place + np.uint64(1)) & np.uint64(len(answers) - 1)
    return int(np.int64(place))
