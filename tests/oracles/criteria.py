"""The classical criteria, read aloud over lists of values: one list a group."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction


def k_anonymous(groups, k):
    return all(len(group) >= k for group in groups)


def distinct_diverse(groups, l):
    return all(len(set(group)) >= l for group in groups)


def entropy_diverse(groups, l):
    """N^N >= l^N Π n^n with whole numbers: -Σ p log p >= log l without a logarithm."""

    def enough(group):
        n = len(group)
        right = Fraction(l) ** n
        for count in Counter(group).values():
            right *= count**count
        return n**n >= right

    return all(enough(group) for group in groups)


def recursive_diverse(groups, c, l, strict):
    def enough(group):
        r = sorted(Counter(group).values(), reverse=True)
        tail = sum(r[l - 1 :])
        return r[0] < c * tail if strict else (r[0] <= c * tail and tail > 0)

    return all(enough(group) for group in groups)


def probabilistic_diverse(groups, l):
    return all(
        Fraction(max(Counter(group).values()), len(group)) <= 1 / Fraction(l) for group in groups
    )


def shares(group, values):
    return [Fraction(group.count(value), len(group)) for value in values]


def equal_distance(p, q):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def ordered_distance(p, q):
    """Carry what is too much from each value to the next; each step costs 1/(m-1)."""
    cost = carried = Fraction(0)
    for a, b in zip(p[:-1], q[:-1], strict=True):
        carried += a - b
        cost += abs(carried)
    return cost / max(len(p) - 1, 1)


def tree_distance(p, q, tree):
    """Move as much as can be within each subtree; what crosses a node costs its height.

    `tree` is nested tuples of value positions; all leaves are equally deep.
    """
    depth = _depth(tree)

    def walk(node):
        """(what is too much, what is too little) that must leave the node, and the cost inside."""
        if isinstance(node, int):
            extra = p[node] - q[node]
            return max(extra, Fraction(0)), max(-extra, Fraction(0)), Fraction(0)
        parts = [walk(child) for child in node]
        surplus = sum(part[0] for part in parts)
        lack = sum(part[1] for part in parts)
        moved = min(surplus, lack)
        cost = sum(part[2] for part in parts) + moved * Fraction(_depth(node), depth)
        return surplus - moved, lack - moved, cost

    return walk(tree)[2]


def _depth(node):
    return 0 if isinstance(node, int) else 1 + max(_depth(child) for child in node)
