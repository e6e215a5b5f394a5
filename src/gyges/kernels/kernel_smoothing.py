"""Sums under a product kernel over a sparse table, one column at a time.

    T(q) = Σ_x Π_i K_i(q_i, x_i) · N(x)     for the rows q, x of one table

The product kernel is a Kronecker product, so it is applied column by column: the sum over x_1 is
shared by all q that begin with the same q_1, the sum over x_2 by all that begin with the same
q_1, q_2, and so on. With P_i distinct beginnings of i columns and X_i distinct endings after them,
this takes at most Σ_i P_i · X_(i-1) steps where the double loop takes P_d · X_0. On a full grid
that is the dense Kronecker product; on a sparse table it is less, since only endings that some
weight has reached are visited. Only one path of beginnings is held in memory at a time: Σ_i X_i
rows.

Earned by 5,000 rows of three columns: 1/190 of the time of the dense product in NumPy.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled

LINE, LADDER, MATRIX = 0, 1, 2  # where the weight of two values comes from

# A distance that equals the bandwidth but for rounding counts as equal to it.
EQUAL = 1e-12


@compiled()
def epanechnikov(distance: float, bandwidth: float) -> float:
    """1 - (x/B)² where |x/B| < 1, else 0; the constant 3/(4B) cancels from every average."""
    if distance >= bandwidth * (1.0 - EQUAL):
        return 0.0
    return 1.0 - (distance / bandwidth) ** 2


@compiled()
def uniform(distance: float, bandwidth: float) -> float:
    """1 where x <= B, else 0."""
    return 1.0 if distance <= bandwidth * (1.0 + EQUAL) else 0.0


@compiled()
def _weight(
    kind: int,
    size: int,
    length: float,
    bandwidth: float,
    is_uniform: bool,
    numbers: FloatArray,
    ancestors: IntArray,
    q: int,
    v: int,
) -> float:
    """K(q, v) of one column: by place on a line, by the level where two meet, or as given."""
    if kind == LINE:
        distance = abs(numbers[q] - numbers[v]) / length
        if is_uniform:
            return float(uniform(distance, bandwidth))
        return float(epanechnikov(distance, bandwidth))
    if kind == LADDER:
        level = 0
        while ancestors[level * size + q] != ancestors[level * size + v]:
            level += 1
        return float(numbers[level])
    return float(numbers[q * size + v])


@compiled()
def _carry(table: FloatArray, row: int, to: int, k: float, is_new: bool) -> None:
    """Add k times a row of a table to another row, which may begin anew."""
    for s in range(table.shape[1]):
        table[to, s] = k * table[row, s] + (0.0 if is_new else table[to, s])


@compiled()
def sum_under_kernel(
    codes: CodeArray, first_change: IntArray, kinds: IntArray, sizes: IntArray,
    lengths: FloatArray, bandwidths: FloatArray, is_uniform: bool, numbers: FloatArray,
    number_starts: IntArray, ancestors: IntArray, ancestor_starts: IntArray, first_code: IntArray,
    ending: IntArray, ending_starts: IntArray, table: FloatArray, out: FloatArray, most: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Fill `out[c] = T(codes[c])`, rows × values; rows come in lexicographic order.

    `table` holds the endings of every length, the rows themselves first, the empty ending last;
    those after i columns begin at `ending_starts[i]`. `first_code[r]` is the first column of row r
    and `ending[r]` is row r without it. `first_change[c]` is the first column in which row c
    differs from the row before it.

    Returns how many rows of `table` were visited, and how many of these were added to others: the
    same for any number of values; and how many rows of `out` are filled. Soon after `most` visits
    it stops, and `out` is not complete.
    """
    n_columns = codes.shape[1]
    reached = np.arange(len(table))  # the endings reached after i columns, from ending_starts[i] on
    n_reached = np.full(n_columns + 1, len(codes))
    stamp = np.zeros(len(table), dtype=np.int64)  # when a row was last begun anew
    weights = np.zeros(int(first_code.max()) + 1)
    known = np.zeros(len(weights), dtype=np.int64)  # when a weight was last computed
    clock, n_visited, n_added, n_done = 0, 0, 0, 0
    while n_done < len(codes) and n_visited <= most:
        c = n_done
        for i in range(first_change[c], n_columns):
            clock += 1
            own = numbers[number_starts[i] : number_starts[i + 1]]
            steps = ancestors[ancestor_starts[i] : ancestor_starts[i + 1]]
            n_next, after = 0, ending_starts[i + 1]
            n_visited += n_reached[i]
            for place in range(ending_starts[i], ending_starts[i] + n_reached[i]):
                r = reached[place]
                v = first_code[r]
                if known[v] != clock:
                    known[v] = clock
                    weights[v] = _weight(kinds[i], sizes[i], lengths[i], bandwidths[i],
                                         is_uniform, own, steps, codes[c, i], v)  # fmt: skip
                k = weights[v]
                if k == 0.0:
                    continue
                n_added += 1
                to = ending[r]
                is_new = stamp[to] != clock
                if is_new:
                    stamp[to] = clock
                    reached[after + n_next] = to
                    n_next += 1
                _carry(table, r, to, k, is_new)
            n_reached[i + 1] = n_next
        if n_reached[n_columns]:
            out[c] = table[-1]
        else:  # every weight of this row is 0
            out[c] = 0.0
        n_done += 1
    return n_visited, n_added, n_done
