"""Cell suppression by trying everything. Never imports gyges.

A table is a dict from combinations of values to the sensitive values of the people who have them.
A choice hides a set of columns for each combination; rows that then show the same are a group.
"""

from __future__ import annotations

from itertools import combinations, product


def masks(n_columns):
    """Every set of columns."""
    return [set(one) for n in range(n_columns + 1) for one in combinations(range(n_columns), n)]


def shown(combination, hidden):
    """What a published row shows; None stands for a suppressed cell."""
    return tuple(None if j in hidden else value for j, value in enumerate(combination))


def groups_of(table, choice):
    """The sensitive values of each group, by what its rows show."""
    groups = {}
    for (combination, values), hidden in zip(table.items(), choice, strict=True):
        groups.setdefault(shown(combination, hidden), []).extend(values)
    return groups


def cost(table, choice, weights):
    """The summed weights of all suppressed cells."""
    return sum(
        len(values) * sum(weights[j] for j in hidden)
        for values, hidden in zip(table.values(), choice, strict=True)
    )


def least_cost(table, weights, holds):
    """The least cost of any choice whose groups hold; None if there is none."""
    best = None
    for choice in product(masks(len(weights)), repeat=len(table)):
        spent = cost(table, choice, weights)
        if (best is None or spent < best) and holds(list(groups_of(table, choice).values())):
            best = spent
    return best


def rows_that_agree(row, rows):
    """How many rows agree with a row where neither is suppressed (a missing value fits all)."""
    return sum(
        all(a is None or b is None or a == b for a, b in zip(row, other, strict=True))
        for other in rows
    )


def rows_that_fit(person, rows):
    """How many rows somebody with these values can have: their value or `*` in every column."""
    return sum(
        all(value is None or value == own for own, value in zip(person, row, strict=True))
        for row in rows
    )
