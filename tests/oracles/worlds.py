"""All worlds of a release, enumerated: the definition that decides every question of probability.

A world says which person has which values. All worlds are equally likely. With one value per
person a world is an assignment of the group's values to its people; in a set each value with
count c goes to c different people; in a multiset each (numbered) occurrence goes to anybody.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction


def worlds_of_group(values, people, kind):
    """Every equally likely world of one group: a tuple of Counters, one for each person."""
    if kind == "one":
        for arrangement in set(itertools.permutations(values)):
            yield tuple(Counter([value]) for value in arrangement)
    elif kind == "set":
        counts = sorted(Counter(values).items())
        choices = [itertools.combinations(range(people), times) for _, times in counts]
        for holders in itertools.product(*choices):
            world = [Counter() for _ in range(people)]
            for (value, _), chosen in zip(counts, holders, strict=True):
                for person in chosen:
                    world[person][value] += 1
            yield tuple(world)
    else:
        for holders in itertools.product(range(people), repeat=len(values)):
            world = [Counter() for _ in range(people)]
            for value, person in zip(values, holders, strict=True):
                world[person][value] += 1
            yield tuple(world)


def worlds(values, people, kind="one"):
    """Every world of a release: {(group, person): Counter of values}, numbered from 0."""
    for parts in itertools.product(
        *(list(worlds_of_group(v, n, kind)) for v, n in zip(values, people, strict=True))
    ):
        yield {
            (group, person): held
            for group, part in enumerate(parts)
            for person, held in enumerate(part)
        }


def probability(all_worlds, statement, given=lambda world: True):
    """The share of worlds with `given` in which `statement` is true; None if there are none."""
    known = [world for world in all_worlds if given(world)]
    if not known:
        return None
    return Fraction(sum(bool(statement(world)) for world in known), len(known))
