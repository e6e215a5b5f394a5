"""Full-domain generalization by enumeration: every node, every group, in plain loops.

A table is a dict of lists. A column's ladder is a list of functions from a value to its label,
the value itself first, one label for all last.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

JOBS = {"clerk": "office", "boss": "office", "farmer": "field", "nurse": "field"}

LADDERS = {
    "age": [lambda v: v, *(lambda v, w=w: v // w for w in (5, 10, 20)), lambda v: "*"],
    "zip": [*(lambda v, n=n: v[:n] for n in (5, 4, 3, 2, 1)), lambda v: "*"],
    "job": [lambda v: v, lambda v: JOBS[v], lambda v: "*"],
    "pet": [lambda v: v, lambda v: "*"],
}
LEAVES = {"job": list(JOBS)}  # the columns whose domain is more than the values present


def all_nodes(columns):
    """Every tuple of levels."""
    return list(itertools.product(*(range(len(LADDERS[name])) for name in columns)))


def groups_at(table, columns, node):
    """The people (places of rows) of each group, by label."""
    groups = {}
    for person in range(len(table[columns[0]])):
        label = tuple(
            LADDERS[name][level](table[name][person])
            for name, level in zip(columns, node, strict=True)
        )
        groups.setdefault(label, []).append(person)
    return list(groups.values())


def values_of(table, groups):
    """The sensitive values of each group."""
    return [[table["disease"][person] for person in group] for group in groups]


def left_out(table, groups, holds_each, allowed):
    """Whom a node must leave out: None if too many, or everybody.

    `holds_each(values, whole)` says which groups are good, given the values of the whole table.
    First against the whole table; then the rest as a table of its own, again and again.
    """
    good = holds_each(values_of(table, groups), table["disease"])
    kept = [group for group, fine in zip(groups, good, strict=True) if fine]
    while True:
        whole = [table["disease"][person] for group in kept for person in group]
        good = holds_each(values_of(table, kept), whole) if kept else []
        if all(good):
            break
        kept = [group for group, fine in zip(kept, good, strict=True) if fine]
    staying = {person for group in kept for person in group}
    gone = [person for group in groups for person in group if person not in staying]
    return gone if kept and len(gone) <= allowed else None


def safe_nodes(table, columns, holds_each, allowed=0):
    """Every safe node, with the people it leaves out."""
    safe = {}
    for node in all_nodes(columns):
        gone = left_out(table, groups_at(table, columns, node), holds_each, allowed)
        if gone is not None:
            safe[node] = gone
    return safe


def minimal(nodes):
    """The nodes with no other one below, sorted."""
    return sorted(
        node
        for node in nodes
        if not any(
            other != node and all(a <= b for a, b in zip(other, node, strict=True))
            for other in nodes
        )
    )


def loss(table, columns, node, gone=()):
    """The mean over people and columns of (values under the label - 1)/(all values - 1)."""
    total, n = Fraction(0), len(table[columns[0]])
    for name, level in zip(columns, node, strict=True):
        domain = sorted(set(LEAVES.get(name, table[name])))
        label = LADDERS[name][level]
        for person in range(n):
            mine = label(table[name][person])
            under = sum(label(value) == mine for value in domain)
            total += 1 if person in gone else Fraction(under - 1, max(len(domain) - 1, 1))
    return total / (n * len(columns))


def height_share(columns, node, table, gone=()):
    """The mean over people and columns of level/height; 1 for those left out."""
    n = len(table[columns[0]])
    exact = sum(
        Fraction(level, len(LADDERS[name]) - 1) for name, level in zip(columns, node, strict=True)
    )
    return (exact * (n - len(gone)) + len(columns) * len(gone)) / (n * len(columns))
