from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels import joining_minima as kernel


def target(n, s, tops, k):
    return Fraction(max(n - s - tops - k, 0), s)


def relatives(n, s, m, k):
    share = Fraction(1)
    for i in range(m):
        share *= Fraction(max(n - s - k - i, 0), n - k - i) if n - k - i > 0 else 0
    return share


def least_ratio(signatures, k, m):
    """The least ratio of a target in any group and relatives in the same or any other."""
    together = [target(*one, k) * relatives(*one[:2], m, k + 1) for one in signatures]
    known = min(relatives(*one[:2], m, k) for one in signatures)
    apart = [target(*one, 0) * known for one in signatures]
    others = min(relatives(*one[:2], m, 0) for one in signatures)
    return min(*together, *apart, *(target(*one, k) * others for one in signatures))


def exact_answer(question, k, m, limit):
    kind, _, *numbers = question
    one, other = numbers[:3], numbers[3:]
    if kind in (kernel.ORDER, kernel.ORDER_KNOWN):
        known = k if kind == kernel.ORDER_KNOWN else 0
        here, there = (relatives(*x[:2], m, known) for x in (one, other))
        return (here > there) - (here < there)
    if kind == kernel.IS_ABOVE_ALONE:
        ratio = target(*one, k) * relatives(*one[:2], m, k + 1)
    elif kind == kernel.IS_ABOVE_WITH_KNOWN:
        ratio = target(*one, 0) * relatives(*other[:2], m, k)
    else:
        ratio = target(*one, k) * relatives(*other[:2], m, 0)
    return 1 if ratio > limit else -1


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 2),
    st.integers(1, 3),
    st.sampled_from([Fraction(1, 9), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2, 3)]),
)
def test_a_signature_joins_exactly_if_all_stay_above_the_limit(seed, k, m, limit):
    rng = np.random.default_rng(seed)
    rows = np.array([[0, k, m, 0, limit.numerator, limit.denominator]])
    least, holders = np.array([[math.inf] * 3 + [0.0] * 2]), np.zeros((1, 5, 3), dtype=np.int64)
    near, loosest = np.empty((1, 5)), np.empty((1, 5))
    none = np.zeros(1, dtype=np.int64)
    kernel.fill_bounds(np.array([0, 1]), none, none, rows, least, holders, near, loosest)
    answers = np.zeros((256, kernel.QUESTION + 1), dtype=np.int64)
    question = np.zeros(kernel.QUESTION, dtype=np.int64)
    undo, undo_logs = np.zeros((8, 5), dtype=np.int64), np.zeros(8)
    log_limits, joined = np.array([math.log(limit)]), []
    for _ in range(12):
        n, s = int(rng.integers(4, 14)), int(rng.integers(1, 4))
        one = (n, s, int(rng.integers(0, n - s + 1)))
        while True:
            before = least.tobytes(), holders.tobytes(), near.tobytes()
            state = least, holders, near, answers, undo, undo_logs, 0, question
            verdict, n_undo = kernel.join(0, *one, rows, log_limits, *state)
            if verdict != kernel.YES:
                kernel.leave(rows, least, holders, near, undo, undo_logs, n_undo)
                assert before == (least.tobytes(), holders.tobytes(), near.tobytes())
            if verdict != kernel.OPEN:
                break
            place = kernel.answer_place(question, answers)
            answers[place] = [*question, exact_answer(question.tolist(), k, m, limit)]
        assert (verdict == kernel.YES) == (least_ratio([*joined, one], k, m) > limit)
        joined += [one] if verdict == kernel.YES else []


def test_answers_that_share_a_place_are_kept_apart():
    answers = np.zeros((64, kernel.QUESTION + 1), dtype=np.int64)
    questions = [np.array([1, 0, n, 1, 0, n, 1, 0]) for n in range(2, 34)]
    for n, question in enumerate(questions):
        answers[kernel.answer_place(question, answers)] = [*question, n]
    for n, question in enumerate(questions):
        assert answers[kernel.answer_place(question, answers), kernel.QUESTION] == n
