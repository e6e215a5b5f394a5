"""The earth mover's distance by its definition, exactly: the cheapest way to move all mass."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise


def least_cost(p, q, ground):
    """min Σ f_ij d_ij with Σ_j f_ij = p_i, Σ_i f_ij = q_j, f >= 0, in whole numbers.

    Mass goes along the cheapest chain of moves that is left, each of which may undo an earlier one,
    until none is left to move: Bellman and Ford's rule finds the chain.
    """
    masses, scale = as_integers([*p, *q])
    supply, lack = masses[: len(p)], masses[len(p) :]
    prices, price = as_integers([d for row in ground for d in row])
    d = [prices[i * len(p) : (i + 1) * len(p)] for i in range(len(p))]
    moved = [[0] * len(p) for _ in p]
    while any(supply):
        chain = cheapest_chain(supply, lack, moved, d)
        undone = [moved[j][i] for (side, i), (_, j) in pairwise(chain) if side == "to"]
        amount = min(supply[chain[0][1]], lack[chain[-1][1]], *undone)
        for (side, i), (_, j) in pairwise(chain):
            if side == "from":
                moved[i][j] += amount
            else:
                moved[j][i] -= amount
        supply[chain[0][1]] -= amount
        lack[chain[-1][1]] -= amount
    cost = sum(
        f * c for one, other in zip(moved, d, strict=True) for f, c in zip(one, other, strict=True)
    )
    return Fraction(cost, scale * price)


def as_integers(numbers):
    """The same numbers times the least that makes all of them whole."""
    exact = [Fraction(number) for number in numbers]
    scale = math.lcm(*(number.denominator for number in exact))
    return [int(number * scale) for number in exact], scale


def cheapest_chain(supply, lack, moved, d):
    """From who has mass left to who lacks some: ("from", i), ("to", j), ("from", i'), …"""
    m = len(supply)
    away = [0 if mass else math.inf for mass in supply]
    there, before = [math.inf] * m, {}
    is_changed = True
    while is_changed:
        is_changed = False
        for i in range(m):
            for j in range(m):
                if away[i] + d[i][j] < there[j]:
                    there[j], before["to", j], is_changed = away[i] + d[i][j], ("from", i), True
                if moved[i][j] and there[j] - d[i][j] < away[i]:
                    away[i], before["from", i], is_changed = there[j] - d[i][j], ("to", j), True
    chain = [min((("to", j) for j in range(m) if lack[j]), key=lambda end: there[end[1]])]
    while chain[0] in before:
        chain.insert(0, before[chain[0]])
    return chain
