"""Differential and semantic privacy by their definitions, over tiny mechanisms given as tables.

A mechanism maps each database (a tuple) to a list of output probabilities.
"""

from __future__ import annotations

import math


def neighbours(databases):
    """Pairs that differ in one place."""
    for one in databases:
        for other in databases:
            if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
                yield one, other


def least_epsilon(mechanism):
    """The least ε of pure differential privacy; probabilities are positive."""
    return max(
        math.log(p / q)
        for one, other in neighbours(mechanism)
        for p, q in zip(mechanism[one], mechanism[other], strict=True)
    )


def least_delta(pairs, epsilon):
    """The least δ for which all pairs of distributions are (ε, δ)-indistinguishable."""
    return max(
        sum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(one, other, strict=True))
        for one, other in pairs
    )


def posterior(prior, likelihood):
    """Bayes' rule; None where the outcome is impossible."""
    joint = [b * p for b, p in zip(prior, likelihood, strict=True)]
    total = sum(joint)
    return [j / total for j in joint] if total > 0 else None


def difference(one, other):
    """Statistical difference; 1 where one of them is undefined."""
    if one is None or other is None:
        return 1.0
    return sum(abs(p - q) for p, q in zip(one, other, strict=True)) / 2


def largest_change(mechanism, prior, output, default=0):
    """max_i SD(b̂_0, b̂_i) for one output: how much any one person's data moves the belief."""
    databases = list(mechanism)
    real = posterior(prior, [mechanism[d][output] for d in databases])
    changes = []
    for i in range(len(databases[0])):
        without = [(*d[:i], default, *d[i + 1 :]) for d in databases]
        hidden = posterior(prior, [mechanism[d][output] for d in without])
        changes.append(difference(real, hidden))
    return max(changes)


def bad_outputs(one, other, epsilon, delta):
    """(mass under one, mass under other) of the t after which the X are told apart.

    `one[x][t]` and `other[x][t]` are joint probabilities.
    """
    masses = [0.0, 0.0]
    for t in range(len(one[0])):
        columns = [[row[t] for row in joint] for joint in (one, other)]
        totals = [sum(column) for column in columns]
        if min(totals) == 0:
            close = False
        else:
            given = [[p / s for p in c] for c, s in zip(columns, totals, strict=True)]
            pairs = [tuple(given), tuple(reversed(given))]
            close = least_delta(pairs, epsilon) <= delta + 1e-12
        if not close:
            masses = [m + s for m, s in zip(masses, totals, strict=True)]
    return masses


def divergence(one, other, order):
    """The Rényi divergence of an order above 1; both give every outcome some probability."""
    logs = [
        order * math.log(p) - (order - 1) * math.log(q) for p, q in zip(one, other, strict=True)
    ]
    most = max(logs)
    return (most + math.log(sum(math.exp(one - most) for one in logs))) / (order - 1)
