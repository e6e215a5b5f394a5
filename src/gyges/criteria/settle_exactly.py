"""Which lots of groups may join others; what rounding cannot tell is asked of the rule itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import Criterion
from gyges.release.groups import Groups


def settle(
    rule: Criterion[Any],
    summary: object,
    groups: Groups,
    first: IntArray,
    standing: IntArray,
    key: Callable[[int], Hashable],
) -> BoolArray:
    """Whether the rule holds with each lot `first[p]:first[p+1]` merged into the summary.

    `standing` is 1 where it does, -1 where it does not, 0 where that is unclear. Lots with the
    same key are the same to the rule: where a search has pushed every group to the threshold,
    thousands are.
    """
    holds: BoolArray = np.asarray(standing > 0)
    known: dict[Hashable, bool] = {}
    for p in np.flatnonzero(standing == 0).tolist():
        asked = key(p)
        if asked not in known:
            lot = groups.take(range(int(first[p]), int(first[p + 1])))
            known[asked] = rule.holds(rule.merge(summary, rule.summarize(lot)))
        holds[p] = known[asked]
    return holds
