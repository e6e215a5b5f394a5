"""Raking by loops: multiply what shows one label by one number until every total is reached."""

from __future__ import annotations

import collections


def raked(rows, weights, columns, totals, rounds=3000):
    """The weight of each row; `rows` show labels, `columns` says which column is which place.

    `totals` gives for each column {label: total}. None where the totals are not reached.
    """
    weights = list(weights)
    for _ in range(rounds):
        for name, place in columns.items():
            sums = collections.Counter()
            for row, weight in zip(rows, weights, strict=True):
                sums[row[place]] += weight
            weights = [
                weight * totals[name][row[place]] / sums[row[place]]
                for row, weight in zip(rows, weights, strict=True)
            ]
    for name, place in columns.items():
        for label, total in totals[name].items():
            found = sum(w for row, w in zip(rows, weights, strict=True) if row[place] == label)
            if abs(found - total) > total / 20_000:
                return None
    return weights
