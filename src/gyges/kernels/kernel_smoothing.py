"""Sums under a product kernel over a sparse table, one column at a time.

    T(q) = Σ_x Π_i K_i(q_i, x_i) · N(x)     for the rows q, x of one table

The product kernel is a Kronecker product, so it is applied column by column: the sum over x_1 is
shared by all q that begin with the same q_1, the sum over x_2 by all that begin with the same
q_1, q_2, and so on. With P_i distinct beginnings of i columns and X_i distinct endings after them,
this takes Σ_i P_i · X_(i-1) steps where the double loop takes P_d · X_0. On a full grid that is the
dense Kronecker product; on a sparse table it is less. Only one path of beginnings is held in
memory at a time: Σ_i X_i rows.

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
def sum_under_kernel(
    codes: CodeArray,
    first_change: IntArray,
    kinds: IntArray,
    sizes: IntArray,
    lengths: FloatArray,
    bandwidths: FloatArray,
    is_uniform: bool,
    numbers: FloatArray,
    number_starts: IntArray,
    ancestors: IntArray,
    ancestor_starts: IntArray,
    blocks: IntArray,
    block_starts: IntArray,
    ending: IntArray,
    n_rows: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Fill `out[c] = T(codes[c])`, rows × values; rows come in lexicographic order.

    `table` holds the endings of every length, the rows themselves first, the empty ending last;
    `ending[r]` is row r without its first column. The endings after i columns that begin with v
    are rows `blocks[block_starts[i] + v]` up to the next. `first_change[c]` is the first column
    in which row c differs from the row before it. A row of `table` counts only while its `stamp`
    is that of the path's present sum.
    """
    n_columns, n_values = codes.shape[1], table.shape[1]
    stamp = np.zeros(len(table), dtype=np.int64)
    stamp[:n_rows] = 1
    present = np.ones(n_columns + 1, dtype=np.int64)
    clock = 1
    for c in range(len(codes)):
        for i in range(first_change[c], n_columns):
            clock += 1
            present[i + 1] = clock
            own = numbers[number_starts[i] : number_starts[i + 1]]
            steps = ancestors[ancestor_starts[i] : ancestor_starts[i + 1]]
            for v in range(sizes[i]):
                k = _weight(
                    kinds[i], sizes[i], lengths[i], bandwidths[i], is_uniform, own, steps,
                    codes[c, i], v,
                )  # fmt: skip
                if k == 0.0:
                    continue
                for r in range(blocks[block_starts[i] + v], blocks[block_starts[i] + v + 1]):
                    if stamp[r] != present[i]:
                        continue
                    to = ending[r]
                    if stamp[to] != clock:
                        stamp[to] = clock
                        for s in range(n_values):
                            table[to, s] = k * table[r, s]
                    else:
                        for s in range(n_values):
                            table[to, s] += k * table[r, s]
        if stamp[-1] == present[n_columns]:
            out[c] = table[-1]
        else:  # every weight of this row is 0
            out[c] = 0.0
