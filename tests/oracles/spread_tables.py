"""What a reader makes of labels, as loops over the people of a tiny table.

`covered[group][column]` is the set of values that a group's label covers. A reader spreads each
person evenly over these values, in each column by itself.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb


def spread(group_of_row, covered, columns, bins, exact=None):
    """{cell: share of the published people}; `exact[c]` says that a column shows its own value."""
    table, n = {}, sum(group >= 0 for group in group_of_row)
    for row, group in enumerate(group_of_row):
        if group < 0:
            continue
        choices = [
            [columns[c][row]] if exact and exact[c] else sorted(covered[group][c])
            for c in range(len(columns))
        ]
        combinations_of_values = list(product(*choices))
        for values in combinations_of_values:
            cell = tuple(bins[c][value] for c, value in enumerate(values))
            part = Fraction(1, n * len(combinations_of_values))
            table[cell] = table.get(cell, 0) + part
    return table


def shares(columns, bins):
    table, n = {}, len(columns[0])
    for row in range(n):
        cell = tuple(bins[c][column[row]] for c, column in enumerate(columns))
        table[cell] = table.get(cell, 0) + Fraction(1, n)
    return table


def distance(one, other):
    if not other:
        return Fraction(1)
    return sum(abs(one.get(c, 0) - other.get(c, 0)) for c in {*one, *other}) / 2


def own_bins(columns):
    return [{value: value for value in column} for column in columns]


def equal_weight_bins(column, values, most):
    """The bin of each value: that of the middle of its people when all stand in a row."""
    n, ordered = len(column), sorted(values)
    if len(set(column)) <= most:
        return {value: value for value in ordered}
    return {
        value: min(
            int(Fraction(2 * sum(v < value for v in column) + column.count(value), 2 * n) * most),
            most - 1,
        )
        for value in ordered
    }


def k_marginal(group_of_row, covered, columns, bins, exact, k):
    distances = []
    for chosen in combinations(range(len(columns)), min(k, len(columns))):
        part = [columns[c] for c in chosen]
        part_bins = [bins[c] for c in chosen]
        labels = {g: [sets[c] for c in chosen] for g, sets in covered.items()}
        after = spread(group_of_row, labels, part, part_bins, [exact[c] for c in chosen])
        distances.append(distance(shares(part, part_bins), after))
    return 1000 * (1 - sum(distances) / len(distances))


def expected_sample_score(columns, m, k):
    """The mean score of every sample of m rows."""
    n, total = len(columns[0]), Fraction(0)
    for chosen in combinations(range(n), m):
        sample = [[column[row] for row in chosen] for column in columns]
        lost = Fraction(0)
        pairs = list(combinations(range(len(columns)), min(k, len(columns))))
        for pair in pairs:
            one = [columns[c] for c in pair]
            other = [sample[c] for c in pair]
            lost += distance(shares(one, own_bins(one)), shares(other, own_bins(one)))
        total += 1000 * (1 - lost / len(pairs))
    return total / comb(n, m)


def misplaced(group_of_row, covered):
    """How much of each person is spread into other cells, on average."""
    total = Fraction(0)
    for group in group_of_row:
        right = Fraction(1)
        for values in covered.get(group, ()):
            right /= len(values)
        total += 1 if group < 0 else 1 - right
    return total / len(group_of_row)


def spread_people(group_of_row, covered, columns, exact):
    """(weight, values) of the spread table, for statistics."""
    units = []
    for row, group in enumerate(group_of_row):
        if group < 0:
            continue
        choices = [
            [columns[c][row]] if exact[c] else sorted(covered[group][c])
            for c in range(len(columns))
        ]
        every = list(product(*choices))
        units += [(Fraction(1, len(every)), values) for values in every]
    return units


def correlation(units, one, other):
    """Pearson's correlation; None where a column does not vary."""
    n = sum(weight for weight, _ in units)
    mean = [sum(w * Fraction(v[c]) for w, v in units) / n for c in (one, other)]
    moments = [
        sum(w * (Fraction(v[a]) - mean[i]) * (Fraction(v[b]) - mean[j]) for w, v in units)
        for a, b, i, j in ((one, one, 0, 0), (other, other, 1, 1), (one, other, 0, 1))
    ]
    if not moments[0] or not moments[1]:
        return None
    return float(moments[2]) / (float(moments[0]) * float(moments[1])) ** 0.5


def wrong_by_majority(alike, classes):
    """The share of people who are not of the most frequent class among those who look alike."""
    right = 0
    for key in {one for one in alike if one is not None}:
        held = [c for c, one in zip(classes, alike, strict=True) if one == key]
        right += max(held.count(c) for c in held)
    return 1 - Fraction(right, len(classes))
