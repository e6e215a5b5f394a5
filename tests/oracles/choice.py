"""The minimality attack by its definition: run the search in every world and count."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product


def worlds_of(values, group_of_row):
    """Every assignment of each group's values to its people, as lists of values."""
    rows_of = {g: [i for i, one in enumerate(group_of_row) if one == g] for g in set(group_of_row)}
    choices = [
        [
            dict(zip(rows, order, strict=True))
            for order in set(permutations(values[i] for i in rows))
        ]
        for rows in rows_of.values()
    ]
    for chosen in product(*choices):
        world = {row: value for part in chosen for row, value in part.items()}
        yield [world[row] for row in range(len(values))]


def n_worlds(values, group_of_row):
    """How many worlds there are."""
    total = 1
    for g in set(group_of_row):
        held = Counter(v for v, one in zip(values, group_of_row, strict=True) if one == g)
        n = sum(held.values())
        for count in held.values():
            for i in range(count):
                total = total * (n - i) // (i + 1)
            n -= count
    return total


def choice_posterior(values, group_of_row, published, release):
    """For each person the probability of each value, over the worlds with the same release.

    `published(values)` is what the search publishes in a world; `release` what it published.
    """
    n_same, counts = 0, [Counter() for _ in values]
    for world in worlds_of(values, group_of_row):
        if published(world) == release:
            n_same += 1
            for person, value in enumerate(world):
                counts[person][value] += 1
    return [{v: Fraction(n, n_same) for v, n in held.items()} for held in counts]
