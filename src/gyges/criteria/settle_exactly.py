"""Which batches of groups may join others; the rule itself settles what rounding cannot tell."""

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

    `standing` is 1 where it does, -1 where it does not, 0 where that is unclear. Batches with the
    same key are the same to the rule: where a search has pushed every group to the threshold,
    thousands are.
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
