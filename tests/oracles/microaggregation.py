"""MDAV on people one by one, in whole numbers and fractions. Never imports gyges.

A person is a pair (point, name of the point). A point is (numbers, categories); a category is the
list of its ancestors from itself up to below the top.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations


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


def _apart(one, other):
    return sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(one, other, strict=True))


def two_references(points, k):
    """Groups of indices around the points farthest from the greatest and least values in turn.

    Also the indices that are left, fewer than k.
    """
    references = [
        tuple(map(max, zip(*points, strict=True))),
        tuple(map(min, zip(*points, strict=True))),
    ]
    left, groups = list(range(len(points))), []
    while len(left) >= k:
        reference = references[len(groups) % 2]
        seed = max(left, key=lambda i: (_apart(points[i], reference), -i))
        groups.append(sorted(left, key=lambda i: (_apart(points[i], points[seed]), i))[:k])
        left = [i for i in left if i not in groups[-1]]
    return groups, left


def v_mdav(points, k, gamma):
    """Groups of indices by V-MDAV, and the indices that are left, fewer than k."""
    n = len(points)
    mean = [Fraction(sum(column), n) for column in zip(*points, strict=True)]
    left, groups = list(range(n)), []
    while len(left) >= k:
        seed = max(left, key=lambda i: (_apart(points[i], mean), -i))
        group = sorted(left, key=lambda i: (_apart(points[i], points[seed]), i))[:k]
        left = [i for i in left if i not in group]
        while left and len(group) < 2 * k - 1:
            to_group = {i: min(_apart(points[i], points[m]) for m in group) for i in left}
            joins = min(left, key=lambda i: (to_group[i], i))
            others = [_apart(points[i], points[joins]) for i in left if i != joins]
            if others and not to_group[joins] < Fraction(gamma) ** 2 * min(others):
                break
            group.append(joins)
            left.remove(joins)
        groups.append(group)
    return groups, left


def spread(points, groups):
    """The squared distances of all points from the mean of their group, added up."""
    total = Fraction(0)
    for group in groups:
        mean = [
            Fraction(sum(points[i][j] for i in group), len(group)) for j in range(len(points[0]))
        ]
        total += sum(_apart(points[i], mean) for i in group)
    return total


def all_partitions(indices, k):
    """Every partition of the indices into groups of k or more."""
    if not indices:
        yield []
        return
    first, rest = indices[0], indices[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            remaining = [i for i in rest if i not in others]
            for more in all_partitions(remaining, k):
                yield [[first, *others], *more]


def least_spread(points, k):
    """The least spread of any partition into groups of k or more."""
    return min(spread(points, groups) for groups in all_partitions(list(range(len(points))), k))
