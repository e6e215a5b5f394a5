"""Joint worlds of several releases, read aloud: every assignment of values is tried.

A release is a list of groups; a group is a list of (person, value).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product


def worlds(releases):
    """Every dict of person → value that gives each group of each release its values."""
    people = sorted({name for release in releases for group in release for name, _ in group})
    values = sorted({value for release in releases for group in release for _, value in group})
    found = []
    for chosen in product(values, repeat=len(people)):
        world = dict(zip(people, chosen, strict=True))
        if all(
            sorted(world[name] for name, _ in group) == sorted(value for _, value in group)
            for release in releases
            for group in release
        ):
            found.append(world)
    return found


def shares(found, person):
    """The share of worlds in which the person has each value that is possible."""
    held = [world[person] for world in found]
    return {value: Fraction(held.count(value), len(held)) for value in set(held)}


def worlds_of_candidates(releases, n):
    """Worlds of n people who are each in one of the groups that they fit, in every release.

    A release is (lists of values, for each person the groups that they fit); everybody is in it.
    """
    values = sorted({value for groups, _ in releases for group in groups for value in group})
    return [
        world
        for world in product(values, repeat=n)
        if all(_fits(groups, fits, world) for groups, fits in releases)
    ]


def _fits(groups, fits, world):
    """Whether the people can be placed so that each group has its values."""
    for placed in product(*fits):
        held = [
            [v for v, at in zip(world, placed, strict=True) if at == g] for g in range(len(groups))
        ]
        if all(sorted(one) == sorted(group) for one, group in zip(held, groups, strict=True)):
            return True
    return False


def worlds_by_group(releases):
    """The same as `worlds`, for more people: the values of each group are dealt out in turn."""
    groups = [group for release in releases for group in release]
    found = [{}]
    for group in groups:
        names, values = [name for name, _ in group], [value for _, value in group]
        dealt = {tuple(one) for one in permutations(values)}
        found = [
            {**world, **dict(zip(names, one, strict=True))}
            for world in found
            for one in dealt
            if all(world.get(n, v) == v for n, v in zip(names, one, strict=True))
        ]
    return found
