"""Sampled worlds: mean counts where there are too many worlds to count, with their error.

From one world, values are exchanged along circles of groups at random
(kernels/circle_exchanges.py): two values at a time, so that every published count stays. Of all
worlds that such exchanges reach, each is equally likely in the long run. Worlds that differ by
three values at once may not be reached, and successive worlds resemble each other. So a mean is an
estimate: its interval is 95% by the spread of the means of batches of worlds [Geyer1992], and at
least 3 in the number of worlds drawn. It proves nothing and decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.adversaries.joint_exchanges import places_of
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.circle_exchanges import exchange_along_circles
from gyges.ragged import Ragged

N_BATCHES, _PER_BATCH = 20, 25
_T = 2.093  # the 97.5% quantile of Student's distribution with 19 degrees of freedom
_MOST_WALKED = 60_000_000  # arrows in all: about 10 s
MOST_ITEMS = 5_000_000  # people of a part whose worlds are sampled
_SEED = 20_260  # the same releases give the same estimates


@dataclass(frozen=True, eq=False)
class SampledMeans:
    """The mean of some unknowns over sampled worlds, and half the width of its interval."""

    unknowns: IntArray
    means: FloatArray
    errors: FloatArray
    n_worlds: int


def sampled_means(counts: JointCounts, world: IntArray, is_open: BoolArray) -> SampledMeans:
    """Sample worlds that differ in these unknowns.

    Args:
        world: a count for each unknown that agrees with all sums.
        is_open: the unknowns to sample: whole parts, without people who fit several groups.
    """
    unknowns = np.flatnonzero(is_open)
    items = np.repeat(unknowns, world[unknowns])
    cohort, value = counts.cohort[items], counts.value[items].astype(np.int64)
    n_values = int(counts.value.max(initial=0)) + 1
    keys = counts.cohort[unknowns] * n_values + counts.value[unknowns]
    sides = _sides(counts, cohort)
    each = max(len(items), 1)
    most = max(_MOST_WALKED // (N_BATCHES * _PER_BATCH * len(sides)), 1)
    sums, squares = np.zeros(len(unknowns)), np.zeros(len(unknowns))
    for batch in range(-2, N_BATCHES):
        total = np.zeros(len(unknowns))
        for turn in range(_PER_BATCH):
            for number, side in enumerate(sides):
                seed = _SEED + ((batch + 2) * _PER_BATCH + turn) * len(sides) + number
                exchange_along_circles(value, *side, each, most, seed)
            places = np.searchsorted(keys, cohort * n_values + value)
            total += np.bincount(places, minlength=len(unknowns))
        if batch >= 0:  # the first worlds still resemble the one that was given
            sums += total / _PER_BATCH
            squares += (total / _PER_BATCH) ** 2
    means = sums / N_BATCHES
    variance = np.maximum(squares / N_BATCHES - means**2, 0) * N_BATCHES / (N_BATCHES - 1)
    n_worlds = N_BATCHES * _PER_BATCH
    errors = np.maximum(_T * np.sqrt(variance / N_BATCHES), 3 / n_worlds)
    return SampledMeans(unknowns, means, errors, n_worlds)


def _sides(counts: JointCounts, cohort: IntArray) -> list[tuple[IntArray, int, IntArray, IntArray]]:
    """For each way to take one release as the left side: ends, left places, items by place."""
    n_releases, found = counts.groups.shape[1], []
    for j in range(n_releases if n_releases > 2 else 1):
        left, right = places_of(counts.groups[cohort], j)
        used, left = np.unique(np.append(0, left), return_inverse=True)
        n_left = len(used) - 1
        used, right = np.unique(np.append(0, right), return_inverse=True)
        ends = np.stack([left[1:], np.where(right[1:] > 0, right[1:] + n_left, 0)])
        is_half_out = (ends == 0).sum(axis=0) == 1
        place = np.concatenate([np.where(ends > 0, ends, -1).ravel(), np.where(is_half_out, 0, -1)])
        listed = Ragged.group_by(place, n_left + len(used))
        items = listed.values % max(len(cohort), 1)
        found.append((ends.astype(np.int64), n_left, listed.starts, items))
    return found
