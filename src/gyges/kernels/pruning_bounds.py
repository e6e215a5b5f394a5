"""What a group must reach to matter for the worst case, and quick tests that it does not.

The costs of kernels/atom_costs.py are superadditive, L(i+j) >= L(i) + L(j): atoms about further
members of the same group only help each other. So of many groups only the largest L(j) counts for
each j, whichever group has it. What j atoms spread over all groups achieve is the superadditive
closure, and what h atoms achieve with the target's atom among them follows:

    star(j) = max(max_g L_g(j), max_a star(a) + star(j-a))
    aim(h)  = max_{a=1..h} max_g (log s_1/n + L_g(a)) + star(h-a)

This is MINIMIZE2 [Martin2007, Alg. 2] without the loop over groups inside the loop over atoms.

Earned by a scan of 200,000 groups: an eighth of the time of computing every group's costs.
"""

from __future__ import annotations

import math

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.atom_costs import margin
from gyges.kernels.compiled import compiled

_SMALLEST = 1e-300  # for a positive probability that a double cannot represent
WIDE = 128  # values of a group: for more, picking the largest counts beats bounding them
_SLACK = 1.0 + 1e-12  # more than the rounding of the bound on S_c


# The rows of `limits`, what a group must reach to matter: the closures so far, and the same as
# probabilities. A group cannot matter if for all c <= K, with i = limits[LAST, c] the last member
# that can get c atoms, (n - i - S_c)/(n - i) >= limits[LOW, c] and (n - S_c)/s_1 >= limits[GOAL, c]
# (then every product of its factors is at least a known product).
STAR, AIM, LOW, GOAL, LAST = range(5)


@compiled()
def new_limits(K: int) -> FloatArray:
    """Limits that every group reaches."""
    limits = np.zeros((5, K + 1))
    for j in range(K + 1):
        limits[AIM, j] = -np.inf
        limits[LOW, j] = limits[GOAL, j] = np.inf
    return limits


@compiled()
def set_limits(costs: FloatArray, n_rows: int, limits: FloatArray) -> None:
    """Set the limits by the closures of the first rows' costs."""
    K = costs.shape[1] - 1
    above = 1.0 + 4.0 * margin(K)
    for j in range(1, K + 1):
        star, aim = 0.0, -np.inf
        for x in range(n_rows):
            star = max(star, costs[x, j])
            aim = max(aim, costs[x, 0] + costs[x, j])
        for a in range(1, j):
            star = max(star, limits[STAR, a] + limits[STAR, j - a])
            aim = max(aim, limits[AIM, a] + limits[STAR, j - a])
        limits[STAR, j], limits[AIM, j] = star, aim
        limits[LAST, j] = K // j - 1 if star < np.inf else 0
        limits[LOW, j] = above * max(math.exp(-star), _SMALLEST) if star < np.inf else 0.0
        limits[GOAL, j] = above * max(math.exp(-aim), _SMALLEST) if aim < np.inf else 0.0


@compiled()
def is_far_below(
    counts: IntArray, start: int, stop: int, n: int, spread: FloatArray, limits: FloatArray
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
        left = n - limits[LAST, c]
        if left - bound < left * limits[LOW, c] or n - bound < most * limits[GOAL, c]:
            return False
    return True


@compiled()
def set_spread(d: int, spread: FloatArray) -> None:
    """√(c (d-c)/d) for c = 0, 1, …; beyond d as for d, whose sum is the whole group."""
    for c in range(len(spread)):
        spread[c] = math.sqrt(c * (d - c) / d) if c < d else 0.0


@compiled()
def new_spreads(K: int) -> FloatArray:
    """Room for what `set_spread` gives for each number of values below WIDE; -1 where not set."""
    return np.full((WIDE, K + 1), -1.0)


@compiled()
def is_below(row: IntArray, limits: FloatArray) -> bool:
    """Whether a row cannot matter, by its factors one by one."""
    n = row[0]
    for c in range(1, len(row)):
        left = n - limits[LAST, c]
        if left - row[c] < left * limits[LOW, c] or n - row[c] < row[1] * limits[GOAL, c]:
            return False
    return True


@compiled()
def matters(costs: FloatArray, limits: FloatArray) -> bool:
    """Whether a row may be, within the margin, the best for some number of atoms."""
    close = margin(len(costs) - 1)
    for j in range(1, len(costs)):
        if costs[j] > limits[STAR, j] or costs[0] + costs[j] > limits[AIM, j]:
            return True
        if limits[STAR, j] < np.inf and costs[j] >= limits[STAR, j] - close:
            return True
        if limits[AIM, j] < np.inf and costs[0] + costs[j] >= limits[AIM, j] - close:
            return True
    return False
