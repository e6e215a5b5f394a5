"""Re-identification and presence by their definitions, on tiny tables; nothing of gyges here."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations


def matches(row_fits, people):
    """For each published row, how many people of the population it fits."""
    return [sum(fits(person) for person in people) for fits in row_fits]


def k_map(row_fits, people):
    return min(matches(row_fits, people))


def journalist(row_fits, people):
    """The best chance to name a row's person by picking one of those it fits."""
    return max(Fraction(1, n) if n else Fraction(1) for n in matches(row_fits, people))


def marketer(row_fits, people):
    """The expected share of rows whose person is named, picking one of the fitting for each."""
    hits = [Fraction(1, n) if n else Fraction(1) for n in matches(row_fits, people)]
    return sum(hits) / len(hits)


def presence(row_fits, people):
    """For each person the share of worlds in which they are behind a row; None without worlds."""
    worlds = [
        chosen
        for chosen in permutations(range(len(people)), len(row_fits))
        if all(fits(people[i]) for fits, i in zip(row_fits, chosen, strict=True))
    ]
    if not worlds:
        return None
    return [Fraction(sum(i in world for world in worlds), len(worlds)) for i in range(len(people))]


def prosecutor(rows):
    """(largest, average) chance to pick the row of a person who is known to be in the table."""
    alike = [sum(other == row for other in rows) for row in rows]
    chances = [Fraction(1, n) for n in alike]
    return max(chances), sum(chances) / len(chances)
