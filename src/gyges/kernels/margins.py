"""Scaling a matrix to given margins, and the correction that makes it a conditional probability.

`scale` finds q[j, s] = r_j · p[j, s] · a_s with rows that add up to 1 and columns to n. It is the
most likely way to meet the totals n on average, not exactly: the first term of an expansion.
`refine` adds the next one. Without person j, the others must take n - e_s instead of n, so

    P(j takes s | n) ∝ q[j, s] · P(the others take n - e_s)

and with G the inverse covariance of the totals the last factor is, but for factors of row and
column, exp((G q_j)_s) by the normal law. Where n_s is small the normal law is poor, and the exact
law of a sum of independent yes-no choices takes its place on the diagonal. Factors of row and
column are found by scaling again. A row is a person's, a column a value's.

Inside, a matrix lies value by value and is filled up to a multiple of `_ABREAST` with people who
count nothing: then the processor works on several people at once.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.compiled import compiled

_CLOSE = 1e-10  # how near the values' sums come to their totals, as a share of them
_ABOUT = 1e-6  # near enough to refine: factors of people and values are found again after it
_ROUNDS = 2000  # after so many the gap that is left is accepted and told
_ABREAST = 16  # people; the processor takes four at a time, and four times that without a look
_MANY_VALUES = 64  # above this the covariance costs more than it gives
_SMALL_TOTAL = 4  # up to here the exact law of a total is used: more changes little
_LARGE_VARIANCE = 500.0  # a total that varies more tells next to nothing of one person
_PLAIN_ROUNDS = 2  # before the first of Newton's steps
_SLOW = 0.2  # what a step may leave of the gap before the covariance is computed anew
_LONGEST_STEP = 3.0
_PATIENCE = 12  # steps that come no nearer before they are taken back
_LARGEST_EXPONENT = 5.0
_LARGEST_FACTOR = 1e12
_LIKELY = 0.5


@compiled()
def scale(p: FloatArray, people: IntArray, totals: IntArray) -> tuple[FloatArray, float]:
    """q = rows and columns of p multiplied so that Σ_s q[j, s] = 1 and Σ_j people_j q[j, s] = n_s.

    Row j stands for `people[j]` people. Needs a way to meet the totals through every positive entry
    (kernels/matching.py). Also by how much it misses them: infinity if floats cannot tell.
    """
    by_value, weights = _laid_out(p, people, totals)
    q, gap, _ = _scaled(np.empty((0, 0)), by_value, weights, totals, _CLOSE)
    return _laid_back(q, len(p)), gap if gap > _CLOSE else 0.0


@compiled()
def refine(p: FloatArray, people: IntArray, totals: IntArray) -> tuple[FloatArray, float]:
    """P(j takes s | n), approximately, and about how far that may be off.

    As far as the scaled matrix is from it, or from meeting the totals; infinity as above.
    """
    by_value, weights = _laid_out(p, people, totals)
    q, gap, inverse = _scaled(np.empty((0, 0)), by_value, weights, totals, _ABOUT)
    if gap == np.inf:
        return _laid_back(q, len(p)), gap
    better, gap = _refined(q, inverse, weights, people, totals)
    off = max(_largest_difference(q, better, len(p)), gap if gap > _CLOSE else 0.0)
    return _laid_back(better, len(p)), off


@compiled(fastmath={"nnan"})
def _largest_difference(q: FloatArray, better: FloatArray, r: int) -> float:
    """Between two matrices of numbers, so far as they stand for people."""
    largest = 0.0
    for s in range(len(q)):
        for j in range(r):
            largest = max(largest, abs(better[s, j] - q[s, j]))
    return largest


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def _laid_out(p: FloatArray, people: IntArray, totals: IntArray) -> tuple[FloatArray, FloatArray]:
    """The matrix value by value, filled up, and how many people each place counts.

    Values are scaled to their totals already: so tiny numbers do not leave a float's range.
    """
    r, m = p.shape
    width = (r + _ABREAST - 1) // _ABREAST * _ABREAST
    by_value, weights = np.ones((m, width)), np.zeros(width)
    for j in range(r):
        weights[j] = people[j]
        for s in range(m):
            by_value[s, j] = p[j, s]
    for s in range(m):
        total = _product(by_value, s, weights)
        for j in range(r):
            by_value[s, j] = by_value[s, j] / total * totals[s]
    return by_value, weights


@compiled()
def _laid_back(q: FloatArray, r: int) -> FloatArray:
    """The matrix as it was given, people × values."""
    rows = np.empty((r, len(q)))
    for j in range(r):
        for s in range(len(q)):
            rows[j, s] = q[s, j]
    return rows


@compiled(error_model="numpy")
def _scaled(
    start: FloatArray, p: FloatArray, weights: FloatArray, totals: IntArray, close: float
) -> tuple[FloatArray, float, FloatArray]:
    """The matrix scaled to the totals, but for a share of `close`, and the share that is left.

    People and values in turn [SinkhornKnopp1967], then Newton's steps on the values' factors, with
    one covariance as long as that does. A tiny chance that must become a large one needs many steps
    before it shows; if they show nothing they are taken back. Where p is nearly scaled, `start` may
    give the inverse of the covariance to begin with; the last one is told.
    """
    m = len(p)
    q, inverse = np.empty_like(p), start
    by_value, by_person = np.ones((4, m)), np.empty((2, p.shape[1]))
    factors, kept, sums, missing = by_value[0], by_value[1], by_value[2], by_value[3]
    shares, room = by_person[0], by_person[1]
    plain, before = _PLAIN_ROUNDS if m <= _MANY_VALUES else _ROUNDS, np.inf
    if len(inverse):
        plain = 0
    gap, patience = np.inf, _PATIENCE
    for turn in range(_ROUNDS + 1):
        _sum_up(p, factors, weights, shares, room, sums)
        gap = _gap(sums, totals)
        if gap <= close or turn == _ROUNDS:
            break
        if plain > 0:
            for s in range(m):
                factors[s] *= totals[s] / sums[s]
            _shrink(factors)
            plain, before = plain - 1, np.inf
            continue
        if gap < before:
            is_slow, before, patience = gap > _SLOW * before, gap, _PATIENCE
            _copy(factors, kept)
        else:
            is_slow, patience = True, patience - 1
        if patience == 0 or gap == np.inf:
            _copy(kept, factors)
            plain, inverse, patience = 2 * m, np.empty((0, 0)), _PATIENCE
            continue
        if len(inverse) == 0 or is_slow:
            _multiply(p, factors, shares, q)
            inverse = _inverse_covariance(q, weights, sums, np.arange(m), room)
        _step(inverse, totals, sums, factors, missing)
    _multiply(p, factors, shares, q)
    return q, gap, inverse


@compiled()
def _copy(numbers: FloatArray, to: FloatArray) -> None:
    """A loop: the assignment of a whole array takes seconds to compile."""
    for s in range(len(numbers)):
        to[s] = numbers[s]


@compiled(error_model="numpy")
def _shrink(factors: FloatArray) -> None:
    """Make the largest factor 1: all of them together have no effect."""
    largest = 0.0
    for s in range(len(factors)):
        largest = max(largest, factors[s])
    for s in range(len(factors)):
        factors[s] /= largest


@compiled(error_model="numpy")
def _step(
    inverse: FloatArray,
    totals: IntArray,
    sums: FloatArray,
    factors: FloatArray,
    missing: FloatArray,
) -> None:
    """Newton's step on the logarithms of the factors, not too long a one.

    `missing` is room for a number for each value.
    """
    m = len(totals)
    for s in range(m):
        missing[s] = totals[s] - sums[s]
    for s in range(m):
        step = _product(inverse, s, missing)
        factors[s] *= np.exp(min(max(step, -_LONGEST_STEP), _LONGEST_STEP))
    _shrink(factors)


@compiled(error_model="numpy")
def _refined(
    q: FloatArray, about: FloatArray, weights: FloatArray, people: IntArray, totals: IntArray
) -> tuple[FloatArray, float]:
    """The next term of the expansion for the matrix q, which need only be scaled about.

    `about` is the inverse that came with it, if any; `weights` are the people again, as many as
    the matrix has places. What is left is told too.
    """
    m = len(q)
    by_value, room = np.empty((2, m)), np.empty(q.shape[1])
    sums, variance = by_value[0], by_value[1]
    chosen, n_chosen = np.empty(m, dtype=np.int64), 0
    for s in range(m):
        sums[s] = totals[s]
        _times(q, s, weights, room)
        variance[s] = totals[s] - _product(q, s, room)
        if variance[s] < _LARGE_VARIANCE:
            chosen[n_chosen] = s
            n_chosen += 1
    telling = chosen[:n_chosen]
    if n_chosen == 0:
        better, gap, _ = _scaled(about, q, weights, totals, _CLOSE)
        return better, gap
    if n_chosen <= _MANY_VALUES:
        cross = _inverse_covariance(q, weights, sums, telling, room)
    else:
        cross = np.zeros((n_chosen, n_chosen))
    start = cross.copy() if n_chosen == m <= _MANY_VALUES else about
    changed, likely = q.copy(), np.empty(len(people), dtype=np.int64)
    for x in range(n_chosen):
        s = telling[x]
        normal = 1.0 / max(variance[s], 1e-12)
        if n_chosen > _MANY_VALUES:
            cross[x, x] = normal
        if totals[s] <= _SMALL_TOTAL:
            _times_one_fewer(q, people, s, totals[s], changed, likely)
            cross[x, x] -= normal  # the exact law takes the place of the normal one
        _times_exponential(q, cross, telling, x, changed, room)
    better, gap, _ = _scaled(start, changed, weights, totals, _CLOSE)
    return better, gap


@compiled(fastmath={"reassoc", "contract", "nnan", "nsz", "arcp"})
def _times_exponential(
    q: FloatArray,
    cross: FloatArray,
    telling: IntArray,
    x: int,
    changed: FloatArray,
    exponents: FloatArray,
) -> None:
    """Multiply value `telling[x]` by exp((cross q_j)_x) for each person j.

    e^y is the 32nd power of a polynomial in y / 32, so that several are computed at once.
    `exponents` is room for a number for each person.
    """
    width, to = q.shape[1], telling[x]
    exponents[:] = 0.0
    for y in range(len(telling)):
        weight, other = cross[y, x], telling[y]
        for j in range(width):
            exponents[j] += weight * q[other, j]
    for j in range(width):
        y = min(max(exponents[j], -_LARGEST_EXPONENT), _LARGEST_EXPONENT) / 32.0
        power = 1 / 720 + y * (1 / 5040 + y * (1 / 40320 + y / 362880))
        power = 1 / 6 + y * (1 / 24 + y * (1 / 120 + y * power))
        power = 1.0 + y * (1.0 + y * (1 / 2 + y * power))
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        changed[to, j] *= power


@compiled(error_model="numpy")
def _times_one_fewer(
    q: FloatArray, people: IntArray, s: int, n: int, changed: FloatArray, likely: IntArray
) -> None:
    """Multiply value s by P(n - 1 of the others take it) / P(n of them do) for each person.

    The law of all is a product of 1 - q + q·z over people, and one of them is divided out again.
    That would lose digits where he is likely to take s: then the others are multiplied instead.
    There are few such people, since q adds up to n. `likely` is room for a number for each.
    """
    n_likely, unlikely = 0, (1.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(len(people)):
        if q[s, j] > _LIKELY:
            likely[n_likely] = j
            n_likely += 1
        else:
            unlikely = _law_with(unlikely, q[s, j], people[j])
    law = unlikely
    for j in likely[:n_likely]:
        law = _law_with(law, q[s, j], people[j])
        others = unlikely
        for other in likely[:n_likely]:
            others = _law_with(others, q[s, other], people[other] - (other == j))
        changed[s, j] *= _within_reason(others[n - 1] / max(others[n], 1e-300))
    _divide_out(q, len(people), s, law, n, changed)


@compiled(error_model="numpy", fastmath={"nnan", "contract"})
def _divide_out(
    q: FloatArray, r: int, s: int, law: tuple[float, ...], n: int, changed: FloatArray
) -> None:
    """The same for those of the first r places who are not likely to take s, several at once."""
    for j in range(r):
        chance = q[s, j]
        share = 1.0 / max(1.0 - chance, 1.0 - _LIKELY)
        p0 = law[0] * share
        p1 = (law[1] - chance * p0) * share
        p2 = (law[2] - chance * p1) * share
        p3 = (law[3] - chance * p2) * share
        p4 = (law[4] - chance * p3) * share
        fewer = p0 if n == 1 else p1 if n == 2 else p2 if n == 3 else p3
        same = p1 if n == 1 else p2 if n == 2 else p3 if n == 3 else p4
        factor = _within_reason(fewer / max(same, 1e-300))
        changed[s, j] *= factor if chance <= _LIKELY else 1.0


@compiled(fastmath={"nnan"}, forceinline=True)
def _within_reason(factor: float) -> float:
    """A person's chances do not all vanish, nor one beside another, where rounding left nothing."""
    return min(max(factor, 1.0 / _LARGEST_FACTOR), _LARGEST_FACTOR)


@compiled(fastmath={"contract"}, forceinline=True)
def _law_with(law: tuple[float, ...], chance: float, times: int) -> tuple[float, ...]:
    """P(c people take a value) for c = 0.._SMALL_TOTAL, where so many more have this chance to."""
    p0, p1, p2, p3, p4 = law  # by name: an array would be slower
    for _ in range(times):
        p4 += chance * (p3 - p4)
        p3 += chance * (p2 - p3)
        p2 += chance * (p1 - p2)
        p1 += chance * (p0 - p1)
        p0 -= chance * p0
    return p0, p1, p2, p3, p4


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def _sum_up(
    p: FloatArray,
    factors: FloatArray,
    weights: FloatArray,
    shares: FloatArray,
    room: FloatArray,
    sums: FloatArray,
) -> None:
    """The values' sums, once p is multiplied by their factors and people's chances add up to 1.

    `shares` become the people's factors; `room` is for a number for each person.
    """
    m, width = p.shape
    shares[:] = 0.0
    for s in range(m):
        factor = factors[s]
        for j in range(width):
            shares[j] += p[s, j] * factor
    for j in range(width):
        share = 1.0 / shares[j]
        shares[j] = share
        room[j] = share * weights[j]
    for s in range(m):
        sums[s] = factors[s] * _product(p, s, room)


@compiled()
def _multiply(p: FloatArray, factors: FloatArray, shares: FloatArray, q: FloatArray) -> None:
    """Make q = p times the factors of values and people."""
    m, width = p.shape
    for s in range(m):
        factor = factors[s]
        for j in range(width):
            q[s, j] = p[s, j] * factor * shares[j]


@compiled()
def _gap(sums: FloatArray, totals: IntArray) -> float:
    """How far a sum is from its total at most, as a share of it; infinity if it is no number."""
    largest = 0.0
    for s in range(len(totals)):
        off = abs(sums[s] - totals[s]) / totals[s]
        if not off < np.inf:
            return np.inf
        largest = max(largest, off)
    return largest


@compiled()
def _inverse_covariance(
    q: FloatArray, weights: FloatArray, sums: FloatArray, chosen: IntArray, room: FloatArray
) -> FloatArray:
    """Of the chosen values: Σ_j weights_j · (diag(q_j) - q_j q_jᵀ); sums = Σ_j weights_j q_j.

    All sums add up to a constant, so their covariance has no inverse; it is filled up with a
    constant in every entry, which changes an inverse by factors of people and values only.
    `room` is for a number for each person.
    """
    m = len(chosen)
    fill = sums.sum() / m**2 if m == len(q) else 0.0
    H = np.empty((m, m))
    for a in range(m):
        _times(q, chosen[a], weights, room)
        for b in range(a + 1):
            H[a, b] = fill - _product(q, chosen[b], room)
        H[a, a] += sums[chosen[a]]
    _invert(H)
    return H


@compiled()
def _times(rows: FloatArray, s: int, other: FloatArray, product: FloatArray) -> None:
    """Multiply row s by another one, number by number."""
    for j in range(len(other)):
        product[j] = rows[s, j] * other[j]


@compiled(fastmath={"reassoc", "contract"})
def _product(rows: FloatArray, s: int, other: FloatArray) -> float:
    """Σ_j rows[s, j] · other_j."""
    total = 0.0
    for j in range(len(other)):
        total += rows[s, j] * other[j]
    return total


@compiled(error_model="numpy")
def _invert(H: FloatArray) -> None:
    """Replace H = L Lᵀ by its inverse Mᵀ M, with M the inverse of the lower triangle L."""
    m = len(H)
    _cholesky(H)
    M = np.zeros((m, m))
    for a in range(m):
        M[a, a] = 1.0 / H[a, a]
        for c in range(a):
            factor = -H[a, c] * M[a, a]
            for b in range(c + 1):
                M[a, b] += factor * M[c, b]
    for a in range(m):
        for b in range(m):
            H[a, b] = 0.0
    for a in range(m):
        for b in range(a + 1):
            for c in range(a + 1):
                H[b, c] += M[a, b] * M[a, c]


@compiled(error_model="numpy")
def _cholesky(H: FloatArray) -> None:
    """Replace the lower triangle of H = L Lᵀ by L; a pivot too small by rounding is lifted."""
    for a in range(len(H)):
        whole = H[a, a]
        for b in range(a + 1):
            rest = H[a, b]
            for c in range(b):
                rest -= H[a, c] * H[b, c]
            if a == b:
                H[a, a] = np.sqrt(max(rest, 1e-14 * whole + 1e-300))
            else:
                H[a, b] = rest / H[b, b]
