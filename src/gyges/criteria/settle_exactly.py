"""Which batches of groups may join others; where rounding leaves it open, the rule decides."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import JudgesAll
from gyges.release.groups import Groups


def settle(
    rule: JudgesAll[Any],
    summary: object,
    groups: Groups,
    first: IntArray,
    standing: IntArray,
    key: Callable[[int], Hashable],
) -> BoolArray:
    """Whether the rule holds with each batch `first[p]:first[p+1]` merged into the summary.

    `standing` is 1 where it does, -1 where it does not, 0 where that is unclear. The rule gives
    batches with the same key the same answer; thousands share a key where a search has brought
    every group close to the threshold.
    """
    holds: BoolArray = np.asarray(standing > 0)
    known: dict[Hashable, bool] = {}
    for p in np.flatnonzero(standing == 0).tolist():
        asked = key(p)
        if asked not in known:
            batch = groups.take(range(int(first[p]), int(first[p + 1])))
            known[asked] = rule.holds(rule.merge(summary, rule.summarize(batch)))
        holds[p] = known[asked]
    return holds
