"""The least ratios P(not v)/P(v) given three kinds of facts, as logarithms.

A signature is (block, n members, s occurrences of the value, tops…): see signatures.py. Formulas
are [Chen2009, Sect. 7.1], with the boundary cases that the definition by worlds asks for.
A logarithm is -inf exactly where the formula is 0, and errs by less than `margin` elsewhere;
where the last digit matters, fractions settle what is closer than that.

Earned together with joint_effect.py and frontier.py, which ask for these ratios pair by pair: an
eighth and a twentieth of the other's time. The minima of 50 signatures for five (k, m) take between
a seventh and half of NumPy's time on two machines; from about 100 on NumPy is faster on one of
them, but it would need every formula a second time, and notes neither holders nor near ties.
"""

from __future__ import annotations

import math

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import FEW, compiled

ONE, SET, MULTISET = 0, 1, 2

# The five minima, in the order of SS1 … SS5 of [Chen2009, Sect. 6.1].
TOGETHER, TARGET, TARGET_KNOWN, RELATIVES, RELATIVES_KNOWN = 0, 1, 2, 3, 4

UNCLEAR = 2


@compiled(few=FEW)
def margin(logarithm: float, m: int) -> float:
    """How close two logarithms may be before fractions must decide.

    A product of m factors is off by m·2^-52 at most, a sum of l logarithms by l·2^-53 of its
    size: this is several times more, up to thousands of values and millions of members.
    """
    return 4e-12 * (1.0 + abs(logarithm)) * (1.0 + m / 1024.0)


@compiled()
def log_excluded(kind: int, signature: IntArray) -> float:
    """log of the factor of T that depends on neither k nor m: that of the excluded values.

    one       1
    set       Π (n - top) / n
    multiset  ((n - 1) / n)^Σ tops
    """
    n = signature[1]
    if kind == MULTISET:
        return float(signature[3] * math.log1p(-1.0 / n)) if n > 1 else 0.0
    logarithm = 0.0
    if kind == SET:
        for i in range(3, len(signature)):
            if signature[i] >= n:
                return -np.inf
            if signature[i] > 0:
                logarithm += math.log1p(-signature[i] / n)
    return logarithm


@compiled()
def log_target(kind: int, signature: IntArray, k: int, excluded: float) -> float:
    """log T(g, l, k): how t lacking the value weighs against t having it.

    `excluded` is `log_excluded` of the signature.

    one       (n - s - Σ tops - k) / s
    set       (n - s - k) / s · Π (n - top) / n
    multiset  q^s / (1 - q^s) · ((n - 1) / n)^Σ tops    with q = (n - k - 1) / (n - k)
    """
    n, s = signature[1], signature[2]
    if kind == MULTISET:
        if n - k <= 1:
            return -math.inf
        log_power = s * math.log1p(-1.0 / (n - k))
        odds = log_power - math.log(-math.expm1(log_power))
        return float(odds + excluded)
    rest = n - s - k
    if kind == ONE:
        rest -= signature[3]
    if rest <= 0:
        return -np.inf
    return float(math.log(rest / s) + excluded)


@compiled()
def log_relatives(kind: int, n: int, s: int, m: int, k: int) -> float:
    """log V(g, m, k): the probability that m members do not have the value when k others do not.

    one, set  Π_{i<m} (n - s - k - i) / (n - k - i) = Π_{i<s} (n - k - m - i) / (n - k - i)
    multiset  ((n - k - m) / (n - k))^s
    """
    if m == 0:
        return 0.0
    if kind == MULTISET:
        if k + m >= n:
            return -np.inf
        return s * math.log1p(-m / (n - k))
    if k + m > n - s:
        return -np.inf
    factors, gap = (m, s) if m < s else (s, m)
    logarithm, product = 0.0, 1.0
    for i in range(factors):
        product *= (n - k - gap - i) / (n - k - i)
        if product < 1e-200:
            logarithm += math.log(product)
            product = 1.0
    return logarithm + math.log(product)


@compiled(few=FEW)
def log_statistics(kind: int, signature: IntArray, k: int, m: int, statistics: FloatArray) -> None:
    """Put the five statistics of one signature, for k members and m relatives, into an array."""
    log_statistics_given(kind, signature, k, m, log_excluded(kind, signature), statistics)


@compiled()
def log_statistics_given(
    kind: int, signature: IntArray, k: int, m: int, excluded: float, statistics: FloatArray
) -> None:
    """As `log_statistics`, where `log_excluded` of the signature is known already."""
    n, s = signature[1], signature[2]
    at_k = log_target(kind, signature, k, excluded)
    statistics[TARGET] = log_target(kind, signature, 0, excluded) if k else at_k
    statistics[TARGET_KNOWN] = at_k
    statistics[RELATIVES] = log_relatives(kind, n, s, m, 0)
    statistics[RELATIVES_KNOWN] = log_relatives(kind, n, s, m, k) if k else statistics[RELATIVES]
    statistics[TOGETHER] = -np.inf
    if statistics[TARGET_KNOWN] > -np.inf:
        statistics[TOGETHER] = statistics[TARGET_KNOWN] + log_relatives(kind, n, s, m, k + 1)


@compiled(few=FEW)
def least_statistics(
    kind: int,
    found: IntArray,
    row_starts: IntArray,
    row_k: IntArray,
    row_m: IntArray,
    least: FloatArray,
    holders: IntArray,
) -> IntArray:
    """The least of each statistic for each row (a block with a k and an m), into `least`.

    `least` is rows × 5 and comes with what no group has (+inf, V: 0); `holders` is
    rows × 5 × (2 + width), comes with zeros and takes the signature (n, s, tops…) that has the
    least. Returned are signatures that may have it too: (row, statistic, place in `found`).
    """
    statistics = np.empty(5)
    close = np.empty((16, 3), np.int64)
    n_close = 0
    for i in range(len(found)):
        for row in range(row_starts[found[i, 0]], row_starts[found[i, 0] + 1]):
            k, m = row_k[row], row_m[row]
            log_statistics(kind, found[i], k, m, statistics)
            for which in range(5 if m else RELATIVES):
                held = holders[row, which]
                order = compared(
                    kind, which, k, m, statistics[which], found[i, 1:], least[row, which], held
                )
                if order < 0:
                    least[row, which] = statistics[which]
                    for column in range(len(held)):
                        held[column] = found[i, column + 1]
                elif order == UNCLEAR:
                    if n_close == len(close):
                        close = _doubled(close)
                    close[n_close, 0], close[n_close, 1], close[n_close, 2] = row, which, i
                    n_close += 1
    for row in range(len(row_k)):  # knowledge of the target implies nothing about relatives
        for column in range(2, holders.shape[2]):
            holders[row, RELATIVES, column] = holders[row, RELATIVES_KNOWN, column] = 0
    return close[:n_close]


@compiled(few=FEW)
def joined(
    kind: int,
    row_k: IntArray,
    row_m: IntArray,
    least: FloatArray,
    holders: IntArray,
    other_least: FloatArray,
    other_holders: IntArray,
) -> tuple[FloatArray, IntArray, IntArray]:
    """Of two sets of five minima the lesser each, and where (row, statistic) that is unclear."""
    least, holders = least.copy(), holders.copy()
    close = np.empty((16, 2), np.int64)
    n_close = 0
    for row in range(len(row_k)):
        for which in range(5):
            here, there = least[row, which], other_least[row, which]
            if other_holders[row, which, 0] == 0 or there > here + margin(there, row_m[row]):
                continue  # most of the time; the rest looks closer
            order = compared(
                kind,
                which,
                row_k[row],
                row_m[row],
                there,
                other_holders[row, which],
                here,
                holders[row, which],
            )
            if order < 0:
                least[row, which] = other_least[row, which]
                for column in range(holders.shape[2]):
                    holders[row, which, column] = other_holders[row, which, column]
            elif order == UNCLEAR:
                if n_close == len(close):
                    close = _doubled(close)
                close[n_close, 0], close[n_close, 1] = row, which
                n_close += 1
    return least, holders, close[:n_close]


@compiled()
def _doubled(rows: IntArray) -> IntArray:
    """The same rows, and room for as many more."""
    more = np.empty((2 * len(rows), rows.shape[1]), np.int64)
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            more[i, j] = rows[i, j]
    return more


@compiled(few=FEW)
def compared(
    kind: int,
    which: int,
    k: int,
    m: int,
    one: float,
    one_holder: IntArray,
    other: float,
    other_holder: IntArray,
) -> int:
    """-1 where one is less than the other, 1 where more, 0 where both are the same, or UNCLEAR.

    Of equal values the one with the smaller signature is less, so that the order of joining
    does not show. A holder without members means: no group.
    """
    if other_holder[0] == 0:
        return -1 if one_holder[0] else 0
    if one_holder[0] == 0:
        return 1
    smaller: int = _smaller(one_holder, other_holder)
    if one == -np.inf and other == -np.inf:
        return smaller
    if one == -np.inf or other == -np.inf or abs(one - other) > margin(one, m):
        return -1 if one < other else 1
    if smaller == 0:
        return 0
    if not _is_exact(kind, which, m, one_holder, other_holder):
        return UNCLEAR
    known = 0 if which == TARGET else k
    difference = (one_holder[0] - one_holder[1] - one_holder[2] - known) * other_holder[1]
    difference -= (other_holder[0] - other_holder[1] - other_holder[2] - known) * one_holder[1]
    return smaller if difference == 0 else (-1 if difference < 0 else 1)


@compiled()
def _is_exact(kind: int, which: int, m: int, one: IntArray, other: IntArray) -> bool:
    """Whether the statistic is (n - s - top - k) / s, small enough to cross-multiply."""
    if which >= RELATIVES or (which == TOGETHER and m) or max(one[0], other[0]) >= 2**31:
        return False
    for i in range(2, len(one)):
        if kind != ONE and (one[i] or other[i]):
            return False
    return kind != MULTISET


@compiled()
def _smaller(one: IntArray, other: IntArray) -> int:
    """-1 where one has fewer members, then fewer occurrences, then larger tops; 1 where more."""
    for i in range(len(one)):
        if one[i] != other[i]:
            return -1 if (one[i] < other[i]) == (i < 2) else 1
    return 0


@compiled(few=FEW)
def least_ratio(statistics: FloatArray) -> float:
    """log of the least negated ratio, from five minima [Chen2009, Thm. 2].

    Infinity absorbs zero: no member has the value.
    """
    if statistics[TARGET] == np.inf:
        return np.inf
    apart = min(
        statistics[TARGET] + statistics[RELATIVES_KNOWN],
        statistics[TARGET_KNOWN] + statistics[RELATIVES],
    )
    return float(min(statistics[TOGETHER], apart))


@compiled(few=FEW)
def standings(least: FloatArray, row_m: IntArray, log_limits: FloatArray) -> IntArray:
    """For each row 1 where the least ratio is above its limit, -1 where below, 0 where close.

    A limit of -inf asks for a ratio above 0, and whether it is 0 is never in doubt.
    """
    standing = np.empty(len(least), np.int64)
    for row in range(len(least)):
        standing[row] = stands(least_ratio(least[row]), row_m[row], log_limits[row])
    return standing


@compiled(few=FEW)
def worst_standing(least: FloatArray, row_m: IntArray, log_limits: FloatArray) -> int:
    """The least of the standings: 1 where all rows are above their limits, -1 where one is not."""
    worst = 1
    for row in range(len(least)):
        worst = min(worst, stands(least_ratio(least[row]), row_m[row], log_limits[row]))
    return worst


@compiled(few=FEW)
def stands(ratio: float, m: int, log_limit: float) -> int:
    """1 where a least ratio is above its limit, -1 where it is not, 0 where that is unclear."""
    is_exact = abs(ratio) == np.inf or log_limit == -np.inf
    if not is_exact and abs(ratio - log_limit) <= 4 * margin(ratio, m):
        return 0
    return 1 if ratio > log_limit else -1


@compiled(few=FEW)
def least_ratios(
    kind: int,
    found: IntArray,
    row_starts: IntArray,
    row_k: IntArray,
    row_m: IntArray,
    least: FloatArray,
    limits: FloatArray,
    log_limits: FloatArray,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """The least ratio of each signature, together with groups that have the five minima `least`.

    Of all rows of the signature's block the one with the largest probability/limit counts:
    returned are that quotient, that probability, and the standing (as in `standings`; the worst).
    """
    worst = np.zeros(len(found))
    chosen = np.zeros(len(found))
    standing = np.ones(len(found), np.int64)
    statistics = np.empty(5)
    for i in range(len(found)):
        for row in range(row_starts[found[i, 0]], row_starts[found[i, 0] + 1]):
            log_statistics(kind, found[i], row_k[row], row_m[row], statistics)
            statistics[RELATIVES] = least[row, RELATIVES]
            statistics[RELATIVES_KNOWN] = least[row, RELATIVES_KNOWN]
            ratio = least_ratio(statistics)
            standing[i] = min(standing[i], stands(ratio, row_m[row], log_limits[row]))
            probability = 1.0 / (1.0 + math.exp(min(ratio, 700.0)))
            if probability / limits[row] > worst[i]:
                worst[i] = probability / limits[row]
                chosen[i] = probability
    return worst, chosen, standing
