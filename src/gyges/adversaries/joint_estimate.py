"""Mean counts over all worlds: exact where they were counted, sampled or fitted elsewhere.

The fit is for parts of which no world is known. It scales the unknowns of each kind of sums in turn
until all sums nearly hold, as matrix scaling does, and stays within the proven bounds. It is an
estimate without a stated error: it decides nothing.
"""

from __future__ import annotations

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.adversaries.joint_solution import JointSolution
from gyges.arrays import FloatArray

_ROUNDS = 100


def fitted(counts: JointCounts, solution: JointSolution) -> FloatArray:
    """The mean of each unknown."""
    means = solution.low.astype(np.float64)
    for u, mean in solution.means.items():
        means[u] = float(mean)
    is_left = ~solution.is_counted
    if is_left.any() and solution.sampled is not None:
        means[solution.sampled.unknowns] = solution.sampled.means
        is_left[solution.sampled.unknowns] = False
    free = np.flatnonzero(is_left)
    if not len(free):
        return means
    low, high = solution.low[free], solution.high[free]
    guess = (low + high) / 2
    means[free] = 0.0
    known = np.zeros(len(counts.totals) + 1)
    sums, unknown = counts.sums_of.T.ravel(), np.tile(means, counts.sums_of.shape[1])
    np.add.at(known, sums, unknown)
    wanted = counts.totals - known[:-1]
    for _ in range(_ROUNDS):
        for column in counts.sums_of[free].T:
            used = column >= 0
            reached = np.bincount(column[used], guess[used], minlength=len(wanted))
            factor = np.divide(wanted, reached, out=np.ones_like(wanted), where=reached > 0)
            guess[used] *= factor[column[used]]
            np.clip(guess, low, high, out=guess)
    means[free] = guess
    return means
