from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels import judged_parts as kernel
from gyges.kernels.joining_minima import NO, OPEN
from tests.kernels import made
from tests.kernels.test_joining_minima import relatives, target

LIMITS = [Fraction(1, 9), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2, 3)]


def is_above(counts, l, k, m, limit):
    """Whether a part is above the limit for each of its values."""
    n, held = sum(counts), [count for count in counts if count]
    for place, s in enumerate(held):
        tops = sum(sorted(held[:place] + held[place + 1 :], reverse=True)[:l])
        if target(n, s, tops, k) * relatives(n, s, m, k + 1) <= limit:
            return False
    return True


def described(starts, codes, counts, class_of, most):
    n = len(starts) - 1
    top, before = np.zeros((n, most + 1), dtype=np.int64), np.zeros((n, most + 2), dtype=np.int64)
    worst, n_worst = np.zeros(len(codes), dtype=np.int64), np.zeros(n, dtype=np.int64)
    best = np.full(int(class_of.max()) + 1, -1)
    kernel.describe(n, starts, codes, counts, class_of, best, top, before, worst, n_worst)
    assert (best == -1).all()
    return top, before, worst, n_worst


@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_the_largest_counts_and_the_most_frequent_value_of_each_class(seed, most):
    rng = np.random.default_rng(seed)
    _, starts, codes, counts = made.ragged_counts(rng, 8)
    class_of = rng.integers(0, 3, 6)
    top, before, worst, n_worst = described(starts, codes, counts, class_of, most)
    for p in range(8):
        entries = range(starts[p], starts[p + 1])
        largest = sorted((counts[e] for e in entries), reverse=True)[: most + 1]
        assert top[p].tolist() == largest + [0] * (most + 1 - len(largest))
        assert before[p].tolist() == [0, *np.cumsum(top[p])]
        chosen = worst[starts[p] : starts[p] + n_worst[p]]
        of_class = {class_of[codes[e]]: counts[e] for e in chosen}
        assert len(of_class) == n_worst[p]
        assert of_class == {
            c: max(counts[e] for e in entries if class_of[codes[e]] == c) for c in of_class
        }
        assert set(of_class) == {class_of[codes[e]] for e in entries}


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(LIMITS),
)
def test_parts_are_judged_by_themselves_and_against_minima(seed, l, k, m, limit):
    rng = np.random.default_rng(seed)
    sizes, starts, codes, counts = made.ragged_counts(rng, 10)
    one_class, value_rows = np.zeros(6, dtype=np.int64), np.arange(7)
    rows = np.tile([l, k, m, 0, limit.numerator, limit.denominator], (6, 1))
    top, before, worst, n_worst = described(starts, codes, counts, one_class, l)
    standing, near = np.empty(10, dtype=np.int64), np.full((6, 5), math.log(limit))
    known, statistics = np.full((64, 4), -1), np.empty((64, 5))
    shared = sizes, starts, codes, counts, top, before
    limits = rows, np.full(6, math.log(limit))
    kernel.judge_alone(
        10, *shared, worst, n_worst, value_rows, one_class, one_class[:1], *limits, near, known,
        statistics, standing,
    )  # fmt: skip
    found, first = np.zeros((len(codes), 4), dtype=np.int64), np.zeros(6, dtype=np.int64)
    far = np.full((6, 16, 2), 2**61)
    for _ in range(2):  # the second time some are known to be far
        kernel.list_near(
            5, *shared, value_rows, *limits, near, far, known, statistics, standing, found, first
        )
        for p in range(10):
            part = counts[starts[p] : starts[p + 1]].tolist()
            if standing[p] != OPEN:
                assert (standing[p] != NO) == is_above(part, l, k, m, limit)
            if p % 2 or NO in standing[p : p + 2]:
                continue
            listed = {tuple(row) for row in found[first[p // 2] : first[p // 2 + 1]].tolist()}
            for q in (p, p + 1):
                for e in range(starts[q], starts[q + 1]):
                    n, s = int(sizes[q]), int(counts[e])
                    others = np.delete(counts[starts[q] : starts[q + 1]], e - starts[q])
                    tops = sum(sorted(others.tolist(), reverse=True)[:l])
                    low = min(
                        target(n, s, tops, k), relatives(n, s, m, 0), relatives(n, s, m, k)
                    )  # fmt: skip
                    if m and low <= limit:
                        assert (codes[e], n, s, tops) in listed


@given(
    st.integers(2, 3),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(LIMITS),
)
def test_below_the_least_size_no_part_is_above_the_limit(n_values, l, k, m, limit):
    rows = np.array([[l, k, m, 0, limit.numerator, limit.denominator]])
    found = kernel.least_size_of_any(n_values, rows, np.array([math.log(limit)]), 9)
    for counts in product(range(10), repeat=n_values):
        if 0 < sum(counts) < found:
            assert not is_above(counts, l, k, m, limit)


@given(
    st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 1),
    st.sampled_from(LIMITS),
)
def test_a_part_with_two_sides_above_the_limit_is_divisible(part, l, k, m, limit):
    codes = np.flatnonzero(part).astype(np.int32)
    counts, one_class = np.array(part)[codes], np.zeros(3, dtype=np.int64)
    top, before, *_ = described(np.array([0, len(codes)]), codes, counts, one_class, l)
    rows = np.tile([l, k, m, 0, limit.numerator, limit.denominator], (3, 1))
    is_divisible, sizes = np.zeros(1, dtype=np.int64), np.array([sum(part)])
    kernel.list_divisible(1, sizes, top, before, np.arange(4), one_class[:1], rows, is_divisible)
    for left in product(*(range(count + 1) for count in part)):
        right = [count - taken for count, taken in zip(part, left, strict=True)]
        if any(left) and any(right) and is_above(left, l, k, m, limit):
            assert is_divisible[0] or not is_above(right, l, k, m, limit)
