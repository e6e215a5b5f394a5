"""The largest share of a group's most frequent value once the next few are ruled out.

Earned by 200,000 groups: an eighth of the time of sorting all counts in NumPy.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.atom_costs import fill_row
from gyges.kernels.compiled import FEW, compiled
from gyges.kernels.pruning_bounds import (
    GOAL,
    LOW,
    WIDE,
    is_below,
    is_far_below,
    new_limits,
    new_spreads,
    set_spread,
)

_ABOVE = 1.0 + 1e-12  # more than the rounding of a ratio of two integers


@compiled()
def is_less(a: int, b: int, c: int, d: int) -> bool:
    """Whether a/b < c/d, for a, c >= 0 and b, d > 0, by Euclid's algorithm: nothing overflows."""
    while True:
        if a // b != c // d:
            return bool(a // b < c // d)
        a, c = a % b, c % d
        if a == 0 or c == 0:
            return bool(c > 0)
        a, b, c, d = d, c, b, a


@compiled(few=FEW)
def least_odds(
    sizes: IntArray, starts: IntArray, counts: IntArray, K: int
) -> tuple[IntArray, IntArray, IntArray]:
    """min_g (n - S_c)/s_1 for c = 1..K: numerators, denominators, and the first such group.

    s_1 >= s_2 >= … are a group's counts, S_c = s_1 + … + s_c; the denominator is 0 without groups.
    """
    left, most = np.ones(K + 1, dtype=np.int64), np.zeros(K + 1, dtype=np.int64)
    ids = np.full(K + 1, -1, dtype=np.int64)
    limits = new_limits(K)
    limits[LOW, :] = 0.0
    row, spreads = np.empty(K + 1, dtype=np.int64), new_spreads(K)
    for g in range(len(sizes)):
        start, stop, n = starts[g], starts[g + 1], sizes[g]
        if n == 0:
            continue
        if stop - start < WIDE:
            if spreads[stop - start, 0] < 0.0:
                set_spread(stop - start, spreads[stop - start])
            if is_far_below(counts, start, stop, n, spreads[stop - start], limits):
                continue
        row[0] = n
        fill_row(counts, start, stop, row)
        if is_below(row, limits):
            continue
        for c in range(1, K + 1):
            if most[c] == 0 or is_less(n - row[c], row[1], left[c], most[c]):
                left[c], most[c], ids[c] = n - row[c], row[1], g
                limits[GOAL, c] = _ABOVE * float(left[c]) / float(most[c])
    return left, most, ids
