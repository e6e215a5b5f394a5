"""Losses as double loops over the rows of a tiny table."""

from __future__ import annotations

import math
from collections import Counter


def members(group_of_row):
    groups = {}
    for row, group in enumerate(group_of_row):
        if group >= 0:
            groups.setdefault(group, []).append(row)
    return groups


def discernibility(group_of_row):
    cost = 0
    for group in group_of_row:
        cost += len(group_of_row) if group < 0 else group_of_row.count(group)
    return cost


def average_group_size(group_of_row):
    groups = members(group_of_row)
    return sum(len(rows) for rows in groups.values()) / len(groups)


def ncp_number(column, rows, everybody):
    width = max(everybody) - min(everybody)
    held = [column[row] for row in rows]
    return (max(held) - min(held)) / width if width else 0.0


def ncp_category(column, rows, chains):
    """`chains[leaf]` lists the leaf and its ancestors; siblings share an ancestor's name."""
    held = {column[row] for row in rows}
    if len(held) == 1:
        return 0.0
    for level in range(len(next(iter(chains.values())))):
        if len({chains[value][level] for value in held}) == 1:
            top = chains[next(iter(held))][level]
            return sum(chain[level] == top for chain in chains.values()) / len(chains)
    raise AssertionError("no common ancestor")


def covered_number(column, rows, everybody):
    """The table's values in the group's range."""
    held = [column[row] for row in rows]
    return {value for value in everybody if min(held) <= value <= max(held)}


def covered_category(column, rows, chains):
    """The leaves under the group's lowest common ancestor."""
    held = {column[row] for row in rows}
    for level in range(len(next(iter(chains.values())))):
        tops = {chains[value][level] for value in held}
        if len(tops) == 1:
            return {leaf for leaf, chain in chains.items() if chain[level] in tops}
    raise AssertionError("no common ancestor")


def ambiguity(group_of_row, covered, sizes):
    """`covered` gives each group's covered values by column; `sizes` the columns' domain sizes."""
    return sum(
        math.prod(sizes) if group < 0 else math.prod(len(one) for one in covered[group])
        for group in group_of_row
    )


def non_uniform_entropy(group_of_row, covered, columns):
    bits = 0.0
    for row, group in enumerate(group_of_row):
        for number, column in enumerate(columns):
            under = [v for v in column if group < 0 or v in covered[group][number]]
            bits -= math.log2(column.count(column[row]) / len(under))
    return bits


def kl_divergence(keys, values, group_of_row):
    """Σ p(x,s) ln p/p* over published rows, with p*(x,s) summed over groups."""
    kept = [row for row, group in enumerate(group_of_row) if group >= 0]
    n = len(kept)
    joint = Counter((keys[row], values[row]) for row in kept)
    groups = members(group_of_row)
    total = 0.0
    for (x, s), count in joint.items():
        estimate = 0.0
        for rows in groups.values():
            with_x = sum(keys[row] == x for row in rows)
            with_s = sum(values[row] == s for row in rows)
            estimate += with_x / n * with_s / len(rows)
        total += count / n * math.log(count / n / estimate)
    return total


def classification_metric(values, group_of_row):
    groups = members(group_of_row)
    wrong = sum(group < 0 for group in group_of_row)
    for rows in groups.values():
        counts = Counter(values[row] for row in rows)
        wrong += len(rows) - max(counts.values())
    return wrong / len(group_of_row)
