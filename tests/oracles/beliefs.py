"""Kernel beliefs as double loops and enumerated arrangements, straight from the definitions."""

from __future__ import annotations

import itertools
import math
from collections import Counter


def epanechnikov(distance, bandwidth):
    x = distance / bandwidth
    return 3 / (4 * bandwidth) * (1 - x * x) if abs(x) < 1 else 0.0


def uniform(distance, bandwidth):
    return 1.0 if distance <= bandwidth else 0.0


def priors(rows, values, domain, distances, bandwidths, kernel=epanechnikov):
    """For each row the weighted shares of the values among all rows.

    `distances[i](x, y)` measures column i; rows are tuples.
    """
    beliefs = []
    for q in rows:
        weights = [
            math.prod(
                kernel(d(a, b), width)
                for d, a, b, width in zip(distances, q, row, bandwidths, strict=True)
            )
            for row in rows
        ]
        shares = [
            sum(w for w, value in zip(weights, values, strict=True) if value == s) for s in domain
        ]
        beliefs.append([share / sum(weights) for share in shares])
    return beliefs


def posterior(prior, values):
    """P(j has s) over all distinct ways to give the values to the people; None if impossible.

    `prior[j][s]` are numbers of any kind, `values` the codes that occur in the group.
    """
    total, found = 0, [[0] * len(row) for row in prior]
    for arrangement in set(itertools.permutations(values)):
        weight = math.prod(prior[j][s] for j, s in enumerate(arrangement))
        total += weight
        for j, s in enumerate(arrangement):
            found[j][s] += weight
    if total == 0:
        return None
    return [[weight / total for weight in row] for row in found]


def omega(prior, values):
    """The Ω-estimate: each value's occurrences shared out by prior, then each row made to be 1."""
    counts = Counter(values)
    columns = [sum(row[s] for row in prior) for s in range(len(prior[0]))]
    found = []
    for row in prior:
        shares = [counts[s] * row[s] / columns[s] if counts[s] else 0 for s in range(len(row))]
        found.append([share / sum(shares) for share in shares])
    return found


def smoothed(p, distances, bandwidth):
    """Nadaraya-Watson over the values, without making the result add up to 1."""
    out = []
    for row in distances:
        weights = [epanechnikov(d, bandwidth) for d in row]
        out.append(sum(w * x for w, x in zip(weights, p, strict=True)) / sum(weights))
    return out


def jensen_shannon(p, q, base=2):
    def kl(one, other):
        return sum(a * math.log(a / b, base) for a, b in zip(one, other, strict=True) if a > 0)

    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (kl(p, middle) + kl(q, middle)) / 2
