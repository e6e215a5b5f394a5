"""Both ways to check safety of [Chen2009, Sect. 8.1], compiled, with one value per person.

They share how T and V are computed, so that what differs is what the paper compares: the dynamic
program over all groups [Chen2009, Appendix A.3], and the five minima of the congregation property
[Chen2009, Sect. 6.1]. Both skip groups without the value, which hold no target.
"""

from __future__ import annotations

import numba
import numpy as np

from reproduction.arrays import FloatArray, IntArray


@numba.njit(cache=True)
def by_program(counts: IntArray, code: int, l: int, k: int, m: int) -> float:
    """The least negated ratio over all ways to place t, k others and m relatives in the groups."""
    with_t = np.full((k + 1, m + 1), np.inf)
    without_t = np.full((k + 1, m + 1), np.inf)
    without_t[0, 0] = 1.0
    new_with, new_without = np.empty_like(with_t), np.empty_like(with_t)
    V, TV = np.empty((k + 2, m + 1)), np.empty((k + 1, m + 1))
    top = np.empty(l + 1, dtype=np.int64)
    for g in range(len(counts)):
        n, s = counts[g].sum(), counts[g, code]
        if s == 0:
            continue
        rest = n - s - largest_others(counts[g], code, l, top)
        for i in range(k + 2):
            fill_relatives(V[i], n, s, m, i)
        for i in range(k + 1):
            TV[i] = V[i + 1] * (max(rest - i, 0) / s)
        for i in range(k + 1):
            for j in range(m + 1):
                best_with, best_without = np.inf, np.inf
                for a in range(i + 1):
                    for b in range(j + 1):
                        elsewhere = with_t[a, b] * V[i - a, j - b]
                        here = without_t[a, b] * TV[i - a, j - b]
                        best_with = min(best_with, elsewhere, here)
                        best_without = min(best_without, without_t[a, b] * V[i - a, j - b])
                new_with[i, j], new_without[i, j] = best_with, best_without
        with_t, new_with = new_with, with_t
        without_t, new_without = new_without, without_t
    return float(with_t[k, m])


@numba.njit(cache=True)
def by_five_minima(counts: IntArray, code: int, l: int, k: int, m: int) -> float:
    """The same from five minima: t, the others and the relatives are in one group or in two."""
    together = target = target_k = family = family_k = np.inf
    top = np.empty(l + 1, dtype=np.int64)
    for g in range(len(counts)):
        n, s = counts[g].sum(), counts[g, code]
        if s == 0:
            continue
        rest = n - s - largest_others(counts[g], code, l, top)
        T, T_k = max(rest, 0) / s, max(rest - k, 0) / s
        target, target_k = min(target, T), min(target_k, T_k)
        together = min(together, T_k * relatives(n, s, m, k + 1))
        family = min(family, relatives(n, s, m, 0))
        family_k = min(family_k, relatives(n, s, m, k))
    return float(min(together, target * family_k, target_k * family))


@numba.njit(cache=True)
def largest_others(counts: IntArray, code: int, l: int, top: IntArray) -> int:
    """The sum of the l largest counts of a group but the value's own; `top` has room for l + 1."""
    top[:] = 0
    for other in range(len(counts)):
        if other != code and counts[other] > top[max(l - 1, 0)]:
            place = l
            while place > 0 and top[place - 1] < counts[other]:
                top[place] = top[place - 1]
                place -= 1
            top[place] = counts[other]
    return int(top[:l].sum())


@numba.njit(cache=True)
def relatives(n: int, s: int, m: int, k: int) -> float:
    """V(g, m, k) = Π_{i<m} (n - s - k - i) / (n - k - i)  [Chen2009, Sect. 7.1]."""
    if m > 0 and n - s - k - m + 1 <= 0:
        return 0.0
    above, below = 1.0, 1.0
    for i in range(m):
        above *= n - s - k - i
        below *= n - k - i
    return above / below


@numba.njit(cache=True)
def fill_relatives(V: FloatArray, n: int, s: int, m: int, k: int) -> None:
    """V(g, j, k) for j = 0..m."""
    V[0] = 1.0
    for i in range(m):
        left = n - s - k - i
        V[i + 1] = V[i] * left / (n - k - i) if left > 0 else 0.0
