"""The ways to divide a group's sensitive values among parts of its people."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, factorial, prod
from operator import sub
from typing import TypeAlias

Matrix: TypeAlias = tuple[tuple[int, ...], ...]  # parts × values: how many people


def divisions(people: Sequence[int], held: Sequence[int], most: int) -> list[Matrix] | None:
    """Every way to give each part as many values as it has people; None if more than `most`.

    >>> divisions((1, 2), (2, 1), 9)
    [((0, 1), (2, 0)), ((1, 0), (1, 1))]
    """
    ways: list[tuple[Matrix, tuple[int, ...]]] = [((), tuple(held))]
    for n in people[:-1]:
        longer: list[tuple[Matrix, tuple[int, ...]]] = []
        for way, left in ways:
            if len(longer) > most:
                return None
            longer += [((*way, row), rest) for row, rest in _choices(n, left)]
        ways = longer
    return None if len(ways) > most else [(*way, left) for way, left in ways]


@lru_cache(maxsize=10_000)
def _choices(n: int, left: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every way to take n of these values, and what is left then."""
    return [(row, tuple(map(sub, left, row))) for row in _rows(n, left)]


def least_divisions(people: Sequence[int], held: Sequence[int]) -> int:
    """A lower bound of the number of divisions, at no cost.

    One part can have each of `n_choices`; and each division stands for at most Π n! worlds, out of
    all N!/Π h! worlds.
    """
    worlds = factorial(sum(people)) // prod(map(factorial, held))
    by_worlds = -(-worlds // prod(map(factorial, people)))
    return max(by_worlds, *(n_choices(n, held) for n in people))


def n_choices(n: int, held: Sequence[int]) -> int:
    """How many different multisets of n values there are: no more than there are divisions.

    The coefficient of xⁿ in Π (1 + x + … + x^h).

    >>> n_choices(2, (2, 1))
    2
    """
    ways = [1] + [0] * n
    for most in held:
        sums = [0]
        for count in ways:
            sums.append(sums[-1] + count)
        ways = [sums[total + 1] - sums[max(total - most, 0)] for total in range(n + 1)]
    return ways[n]


def n_worlds(people: Sequence[int], way: Matrix) -> int:
    """The number of worlds of a way: in each part, any order of its values.

    >>> n_worlds((1, 2), ((1, 0), (1, 1)))
    2
    """
    return prod(_arrangements(n, row) for n, row in zip(people, way, strict=True))


def _rows(n: int, left: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every way to take n of these values, value by value: what is taken, and how many remain."""
    rows: list[tuple[tuple[int, ...], int]] = [((), n)]
    after = sum(left)
    for most in left:
        after -= most
        rows = [
            ((*row, taken), open_ - taken)
            for row, open_ in rows
            for taken in range(max(0, open_ - after), min(open_, most) + 1)
        ]
    return [row for row, open_ in rows if open_ == 0]


def _arrangements(n: int, row: Sequence[int]) -> int:
    ways = 1
    for taken in row:
        ways *= comb(n, taken)
        n -= taken
    return ways
