"""The array types of the experiments, and groups counted from arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import gyges as gy

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


def counted_groups(
    group: ArrayLike,
    value: ArrayLike,
    values: Sequence[Any],
    count: ArrayLike = 1,
    members: list[list[str]] | None = None,
) -> gy.Groups:
    """Return groups of people with one value each, from entries (group, value code, count).

    Groups are numbered 0, 1, …; without `count` each entry is one person.
    """
    group, value = np.asarray(group, dtype=np.int64), np.asarray(value, dtype=np.int32)
    counts = np.broadcast_to(np.asarray(count, dtype=np.int64), group.shape)
    return gy.Groups.from_entries(
        sizes=np.bincount(group, weights=counts).astype(np.int64),
        group_of_entry=group,
        value_codes=value,
        value_counts=counts,
        values=list(values),
        members=members,
    )
