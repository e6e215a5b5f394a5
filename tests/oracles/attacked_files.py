"""Several published tables read by someone who knows columns of some people: every world is tried.

A table is (columns, rows); a row is (labels, value). Labels are values, `a-b` or `*`. Rows with the
same labels are a group. Everyone who is known is in one group that they fit, in every table where
they are present; the other rows belong to other people.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import factorial


def covers(label, value):
    """Whether a label may stand for a value."""
    if label == "*":
        return True
    if isinstance(value, int):
        ends = [int(end) for end in label.split("-")]
        return ends[0] <= value <= ends[-1]
    return label == value


def groups_of(rows):
    """The values of each group."""
    found = {}
    for labels, value in rows:
        found.setdefault(labels, []).append(value)
    return found


def fitting(columns, rows, person):
    """The groups that a person fits by the columns that are known of them."""
    return [
        labels
        for labels in groups_of(rows)
        if all(covers(labels[columns.index(c)], v) for c, v in person.items() if c in columns)
    ]


def worlds(tables, options):
    """Each assignment of values to people, with the number of worlds that have it.

    `options`: for each table and person the groups that they may be in; [None] where they are not.
    """
    values = sorted({value for _, rows in tables for _, value in rows})
    n = len(options[0])
    found = {}
    for chosen in product(values, repeat=n):
        weight = 1
        for (_, rows), groups in zip(tables, options, strict=True):
            ways = (_ways(rows, chosen, placed) for placed in product(*groups))
            weight *= sum(ways)
        if weight:
            found[chosen] = weight
    return found


def _ways(rows, chosen, placed):
    """In how many ways the other people of the groups can have what is left of their values."""
    ways = 1
    for labels, values in groups_of(rows).items():
        left = Counter(values)
        left.subtract(v for v, at in zip(chosen, placed, strict=True) if at == labels)
        if min(left.values()) < 0:
            return 0
        ways *= factorial(sum(left.values()))
        for count in left.values():
            ways //= factorial(count)
    return ways


def share(found, place, value):
    """The share of worlds in which a person has a value."""
    held = sum(weight for world, weight in found.items() if world[place] == value)
    return Fraction(held, sum(found.values()))
