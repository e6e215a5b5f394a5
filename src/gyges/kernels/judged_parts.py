"""Parts of proposed cuts, many at once: described, and compared with limits and minima.

Part p has sizes[p] members and the values `codes[starts[p]:starts[p + 1]]`, one value each;
parts 2c and 2c + 1 are the sides of cut c. Rows, limits and minima are those of joining_minima.py.
Values of one class have the same points, and the most frequent one has the least of every
statistic. `known` and `statistics` keep what was computed for some signatures.

Earned together with ordered_cuts.py, which proposes the cuts.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled
from gyges.kernels.joining_minima import BOTTOM, MIX, NO, OPEN, POINT, TOP, K, L, M
from gyges.kernels.log_ratios import (
    ONE,
    RELATIVES,
    RELATIVES_KNOWN,
    TARGET,
    TARGET_KNOWN,
    TOGETHER,
    log_statistics,
    stands,
)
from gyges.kernels.signatures import fill_largest

NEAR, FAR = 1, 2  # above the limits alone: changes minima perhaps, or certainly not


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
    """Which parts may have two sides above the limits: 0 where that is excluded.

    If all values have the same points, a side of n members whose most frequent value occurs s times
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
                is_above = stands(statistics[place, TOGETHER], m, log_limits[row]) > 0
                if is_above and (m == 0 or _is_above(statistics, place, near, row)):
                    if 2 * n - tops < far[row, few, 0] + far[row, few, 1]:
                        far[row, few, 0], far[row, few, 1] = n, n - tops
                    continue
                found[n_found, 0], found[n_found, 1] = row, n
                found[n_found, 2], found[n_found, 3] = s, tops
                n_found += 1
    first[n_cuts] = n_found


@compiled(error_model="numpy", forceinline=True)
def _tops(top: IntArray, before: IntArray, p: int, l: int, s: int) -> int:
    """The sum of part p's l most frequent other counts, for a value that occurs s times."""
    if l == 0:
        return 0
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
    mixed = (np.uint64(point) ^ np.uint64(n)) * MIX
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(s)) * MIX
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(tops)) * MIX
    return int(np.int64((mixed >> np.uint64(29)) & np.uint64(len(known) - 1)))


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
def least_size_of_any(n_values: int, rows: IntArray, log_limits: FloatArray, at_most: int) -> int:
    """A size below which no part whose most frequent value has these rows is above the limits.

    Of n members with up to V values the most frequent one has s >= n/V, and the l + 1 most frequent
    ones have s + tops >= (l + 1)·n/V. What is above with more of both is above with the least.
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
