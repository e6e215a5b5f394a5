"""What a group must reach to matter for the worst case, and quick ways to see that it does not.

The costs of kernels/minimize.py are superadditive, L(i+j) >= L(i) + L(j): atoms about further
people of the same group only help each other. So of many groups only the largest L(j) counts for
each j, and no group needs to be told from another. What j atoms spread over all groups achieve is
the superadditive closure, and what h atoms achieve with the target among them follows:

    star(j) = max(max_g L_g(j), max_a star(a) + star(j-a))
    aim(h)  = max_{a=1..h} max_g (log s_1/n + L_g(a)) + star(h-a)

This is MINIMIZE2 [Martin2007, Alg. 2] without the loop over groups inside the loop over atoms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.minimize import margin

_SMALLEST = 1e-300  # stands for a positive probability that a double cannot hold
_SLACK = 1.0 + 1e-12  # more than the rounding of the bound on S_c


class Bar(NamedTuple):
    """What a row must reach to matter: the closures so far, and the same as probabilities.

    A row cannot matter if for all c <= K, with i = last[c] the last person who can get c atoms,
    (n - i - S_c)/(n - i) >= low[c] and (n - S_c)/s_1 >= goal[c]: every product of its factors
    is then at least a product that is known.
    """

    star: FloatArray
    aim: FloatArray
    low: FloatArray
    goal: FloatArray
    last: IntArray


@njit(cache=True)
def new_bar(K: int) -> Bar:
    """The bar that every row passes."""
    everything = np.full((2, K + 1), np.inf)
    nothing = np.full(K + 1, -np.inf)
    people = np.zeros(K + 1, dtype=np.int64)
    return Bar(np.zeros(K + 1), nothing, everything[0], everything[1], people)


@njit(cache=True)
def set_bar(costs: FloatArray, bar: Bar) -> None:
    """Compute the closures of some rows' costs, and what follows from them."""
    K = costs.shape[1] - 1
    star, aim = bar.star, bar.aim
    above = 1.0 + 4.0 * margin(K)
    for j in range(1, K + 1):
        star[j], aim[j] = 0.0, -np.inf
        for x in range(len(costs)):
            star[j] = max(star[j], costs[x, j])
            aim[j] = max(aim[j], costs[x, 0] + costs[x, j])
        for a in range(1, j // 2 + 1):
            star[j] = max(star[j], star[a] + star[j - a])
        for a in range(1, j):
            aim[j] = max(aim[j], aim[a] + star[j - a])
        bar.last[j] = K // j - 1 if star[j] < np.inf else 0
        bar.low[j] = above * max(math.exp(-star[j]), _SMALLEST) if star[j] < np.inf else 0.0
        bar.goal[j] = above * max(math.exp(-aim[j]), _SMALLEST) if aim[j] < np.inf else 0.0


@njit(cache=True)
def is_far_below(
    counts: IntArray, start: int, stop: int, n: int, spread: FloatArray, bar: Bar
) -> bool:
    """Whether a group cannot matter, without sorting it.

    S_c <= c μ + √(c (d-c)/d) √Σ(s-μ)², S_c <= c times the largest count, and
    S_c <= n - (d-c) times the least; spread[c] = √(c (d-c)/d) for the group's d values, μ = n/d.
    """
    d = stop - start
    squares, most, least = 0.0, counts[start], counts[start]
    for entry in range(start, stop):
        count = counts[entry]
        squares += float(count) * float(count)
        most = max(most, count)
        least = min(least, count)
    mean = float(n) / d
    deviation = math.sqrt(max(squares - n * mean, 0.0) + 1e-12 * squares)
    for c in range(1, len(spread)):
        bound = (c * mean + spread[c] * deviation) * _SLACK
        bound = min(bound, float(min(c * most, n - max(d - c, 0) * least)))
        people = float(n - bar.last[c])
        if people - bound < people * bar.low[c] or n - bound < most * bar.goal[c]:
            return False
    return True


@njit(cache=True)
def set_spread(d: int, spread: FloatArray) -> None:
    """√(c (d-c)/d) for c = 0, 1, …; beyond d as for d, whose sum is the whole group."""
    for c in range(len(spread)):
        spread[c] = math.sqrt(c * (d - c) / d) if c < d else 0.0


@njit(cache=True)
def is_below(row: IntArray, bar: Bar) -> bool:
    """Whether a row cannot matter, by its factors one by one."""
    n = row[0]
    for c in range(1, len(row)):
        people = n - bar.last[c]
        if people - row[c] < people * bar.low[c] or n - row[c] < row[1] * bar.goal[c]:
            return False
    return True


@njit(cache=True)
def matters(costs: FloatArray, bar: Bar) -> bool:
    """Whether a row may be, within the margin, the best for some number of atoms."""
    close = margin(len(costs) - 1)
    for j in range(1, len(costs)):
        if costs[j] > bar.star[j] or costs[0] + costs[j] > bar.aim[j]:
            return True
        if bar.star[j] < np.inf and costs[j] >= bar.star[j] - close:
            return True
        if bar.aim[j] < np.inf and costs[0] + costs[j] >= bar.aim[j] - close:
            return True
    return False
