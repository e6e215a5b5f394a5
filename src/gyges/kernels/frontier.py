"""Where an attacker's knowledge becomes too much: two small loops of the walk along the border."""

from __future__ import annotations

import math

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.breach import RELATIVES, least_ratio, log_five, stands
from gyges.kernels.compiled import compiled


@compiled()
def undominated(found: IntArray) -> IntArray:
    """The signatures (block, n, s, tops…) to which no other is worse, whatever k and m.

    One is worse with at most as many people, at least as many occurrences and tops at least as
    large: then every statistic is at most as large. Needs signatures of one block, sorted by
    rising n and falling rest, so that whatever is worse comes first.
    """
    kept = np.empty_like(found)
    n_kept = 0
    for i in range(len(found)):
        is_dominated = False
        for j in range(n_kept):
            is_worse = True
            for column in range(2, found.shape[1]):
                is_worse &= kept[j, column] >= found[i, column]
            is_dominated |= is_worse
        if not is_dominated:
            for column in range(found.shape[1]):
                kept[n_kept, column] = found[i, column]
            n_kept += 1
    return kept[:n_kept].copy()


@compiled()
def standing_at(kind: int, found: IntArray, k: int, m: int, log_limit: float) -> int:
    """Whether the least ratio is above the limit (1), not (-1), or too close to say (0)."""
    five = np.empty(5)
    least = np.empty(5)
    for which in range(5):
        least[which] = math.inf if which < RELATIVES else 0.0
    for i in range(len(found)):
        log_five(kind, found[i], k, m, five)
        for which in range(5):
            least[which] = min(least[which], five[which])
        if least[0] == -math.inf:
            return -1  # a breach of 1 is never safe
    return int(stands(least_ratio(least), m, log_limit))
