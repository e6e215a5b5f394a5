"""Boxes of lattice nodes, and what checks of some nodes imply for others."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from gyges.search.lattice_nodes import Levels

Steps: TypeAlias = tuple[tuple[float, ...], ...]  # columns × levels: each level's part of the loss

_REMEMBERED = 4096  # the newest nodes that are compared


class Box(NamedTuple):
    """All nodes from `low` to `high`, both included."""

    low: Levels
    high: Levels

    @property
    def n_nodes(self) -> int:
        """How many nodes the box holds."""
        return math.prod(b - a + 1 for a, b in zip(self.low, self.high, strict=True))


def split(box: Box, steps: Steps) -> tuple[Box, Box]:
    """Cut a box of several nodes where one level costs most: the finer half, the coarser half.

    The finer half's highest node is then much finer, so its failure rules out much; the coarser
    half's lowest node costs much more, so it may wait. Among equal steps the middle one is cut.
    """
    column, cut, largest = -1, 0, (-1.0, 0)
    for c, (low, high) in enumerate(zip(box.low, box.high, strict=True)):
        parts = steps[c]
        for level in range(low, high):
            weight = (parts[level + 1] - parts[level], min(level - low, high - 1 - level))
            if weight > largest:
                column, cut, largest = c, level, weight
    finer = (*box.high[:column], cut, *box.high[column + 1 :])
    coarser = (*box.low[:column], cut + 1, *box.low[column + 1 :])
    return Box(box.low, finer), Box(coarser, box.high)


class KnownNodes:
    """Checked nodes that decide others: all below a hopeless one, or all above a safe one."""

    def __init__(self, n_columns: int, *, covers_finer: bool) -> None:
        self._covers_finer = covers_finer
        nowhere = -1 if covers_finer else np.iinfo(np.int16).max
        self._levels = np.full((n_columns, 64), nowhere, dtype=np.int16)
        self._nowhere = nowhere
        self._n = 0

    def add(self, levels: Levels) -> None:
        """Remember a node."""
        n_columns, room = self._levels.shape
        if self._n >= room and room < _REMEMBERED:
            more = np.full((n_columns, room), self._nowhere, dtype=np.int16)
            self._levels = np.concatenate([self._levels, more], axis=1)
            room *= 2
        self._levels[:, self._n % room] = levels
        self._n += 1

    def covers(self, levels: Levels) -> bool:
        """Whether a remembered node is this one or above it (below it, for safe nodes)."""
        if self._n == 0:
            return False
        asked = np.array(levels, dtype=np.int16)[:, None]
        known = self._levels >= asked if self._covers_finer else self._levels <= asked
        return bool(np.logical_and.reduce(known, axis=0).any())
