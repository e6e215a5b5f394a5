"""Membership tests: how much ε the mechanisms use at least, seen from outside.

An attacker is given one output of a mechanism and guesses which of two worst-case neighbours was
its input: with the person or without. From how often they are right follows a lower bound on ε
that holds with a stated probability [Jagielski2020]. A lower bound above the promise refutes it.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.stats import beta

from gyges.dp.mechanisms import Change, Price, add_noise, choose_best

DOUBT = 1e-6  # the probability that a bound is wrong


def least_epsilon(hits, trials, false_hits, false_trials, delta=0.0, doubt=DOUBT):
    """ε is at least log((TPR - δ)/FPR), by Clopper and Pearson's bounds on both shares."""
    low = beta.ppf(doubt / 2, hits, trials - hits + 1) if hits else 0.0
    high = beta.ppf(1 - doubt / 2, false_hits + 1, false_trials - false_hits)
    high = 1.0 if math.isnan(high) else high
    return math.log((low - delta) / high) if low > delta else -math.inf


def best_bound(with_person, without, delta=0.0):
    """The largest bound over all thresholds and both directions, paid for by the doubt.

    Outputs are numbers; a large one speaks for the person.
    """
    cuts = np.unique(np.concatenate([with_person, without]))
    cuts = cuts[:: max(1, len(cuts) // 40)]
    doubt = DOUBT / (2 * len(cuts))
    bounds = []
    for cut in cuts:
        hit, false = int((with_person >= cut).sum()), int((without >= cut).sum())
        n, m = len(with_person), len(without)
        bounds.append(least_epsilon(hit, n, false, m, delta, doubt))
        bounds.append(least_epsilon(m - false, m, n - hit, n, delta, doubt))
    return max(bounds)


def counts_with_noise(price, most_changed, n_runs):
    """A view of two cells where the person is alone in the first, or (if changed) in the second."""
    yes, no = np.array([1, 0]), np.array([0, 1 if most_changed == 2 else 0])
    together = np.tile(yes, n_runs), np.tile(no, n_runs)
    drawn = []
    for counts in together:  # one mechanism for many runs has the noise of one
        noisy, _ = add_noise(counts, price, change=Change(most_changed))
        drawn.append(noisy.reshape(-1, 2))
    score = [one[:, 0] - (one[:, 1] if most_changed == 2 else 0) for one in drawn]
    return score[0].astype(float), score[1].astype(float)


def choices(price, n_runs):
    """Two candidates that the person turns from (1, 0) into (0, 1)."""
    drawn = [
        np.array([choose_best(scores, price, most_changed=1) == 0 for _ in range(n_runs)])
        for scores in ([1, 0], [0, 1])
    ]
    return drawn[0].astype(float), drawn[1].astype(float)


def releases(publish, tables, statistic, n_runs):
    """The statistic of whole releases about both neighbours."""
    return tuple(
        np.array([statistic(publish(table)) for _ in range(n_runs)], dtype=float)
        for table in tables
    )


PRICES = {
    "Laplace": Price("epsilon", Fraction(1)),
    "Gauss": Price("rho", Fraction(1, 8)),
}
