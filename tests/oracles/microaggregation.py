"""MDAV on people one by one, in whole numbers and fractions. Never imports gyges.

A person is a pair (point, name of the point). A point is (numbers, categories); a category is the
list of its ancestors from itself up to below the top.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction


def squared(one, other):
    """Squared differences of numbers, and for each category the share of levels that differ."""
    total = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(one[0], other[0], strict=True))
    for a, b in zip(one[1], other[1], strict=True):
        total += Fraction(sum(x != y for x, y in zip(a, b, strict=True)), len(a))
    return total


def centroid(people):
    """The mean of numbers and the most frequent category, the least of equally frequent ones."""
    points = [point for point, _ in people]
    n = len(points)
    means = [Fraction(sum(column), n) for column in zip(*(p[0] for p in points), strict=True)]
    modes = []
    for column in zip(*(p[1] for p in points), strict=True):
        counts = Counter(tuple(value) for value in column)
        modes.append(min(counts, key=lambda value: (-counts[value], value[0])))
    return means, modes


def farthest(people, center):
    return max(people, key=lambda person: (squared(person[0], center), -person[1]))


def nearest(people, center, k):
    return sorted(people, key=lambda person: (squared(person[0], center), person[1]))[:k]


def without(people, gone):
    left = list(people)
    for person in gone:
        left.remove(person)
    return left


def mdav(people, k):
    """The groups as lists of people."""
    people, groups = list(people), []
    while len(people) >= 3 * k:
        r = farthest(people, centroid(people))
        groups.append(nearest(people, r[0], k))
        people = without(people, groups[-1])
        s = farthest(people, r[0])
        groups.append(nearest(people, s[0], k))
        people = without(people, groups[-1])
    if len(people) >= 2 * k:
        r = farthest(people, centroid(people))
        groups.append(nearest(people, r[0], k))
        people = without(people, groups[-1])
    return [*groups, people]
