"""The loss of groups by its definition, and the least loss by trying every partition of people."""

from __future__ import annotations


def covered(kind, held, n, paths=None):
    """How many of n values the label of these values covers: a range, a set, or a node."""
    if kind == "line":
        return max(held) - min(held) + 1
    if kind == "set":
        return len(set(held))
    for level in range(len(paths[0])):
        tops = {paths[value][level] for value in held}
        if len(tops) == 1:
            return sum(path[level] in tops for path in paths)
    return n


def cost(members, columns):
    """What the label of these rows of codes costs; a column is (kind, number of values, paths)."""
    total = 0.0
    for j, (kind, n, paths) in enumerate(columns):
        held = [row[j] for row in members]
        total += (covered(kind, held, n, paths) - 1) / max(n - 1, 1)
    return total


def loss(groups, columns):
    """The mean over people and columns; a group lists the codes of its people."""
    n_people = sum(map(len, groups))
    return sum(cost(group, columns) * len(group) for group in groups) / (n_people * len(columns))


def partitions(n):
    """Every partition of 0..n-1 into groups."""
    if n == 0:
        yield []
        return
    for smaller in partitions(n - 1):
        for at in range(len(smaller)):
            yield [*smaller[:at], [*smaller[at], n - 1], *smaller[at + 1 :]]
        yield [*smaller, [n - 1]]


def optimum(people, columns, is_fine):
    """The least loss of any partition of people into groups that are all fine."""
    return min(
        loss([[people[i] for i in group] for group in found], columns)
        for found in partitions(len(people))
        if all(is_fine(group) for group in found)
    )
