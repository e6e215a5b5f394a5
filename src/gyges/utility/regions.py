"""What a label says: the values of a column that a person of the group might have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray, lengths_of, starts_of
from gyges.utility.grouping import Grouping


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Region:
    """For each group the codes `codes[starts[g]:starts[g+1]]` that its label covers."""

    codes: IntArray
    starts: IntArray

    def share(self, wanted: FloatArray | BoolArray) -> FloatArray:
        """The average of `wanted` (a number a code) over each group's codes.

        For a set of wanted codes this is the chance that a person of the group is in it, if all
        that is known is the label.
        """
        summed = np.add.reduceat(wanted[self.codes].astype(np.float64), self.starts[:-1])
        return np.asarray(summed / lengths_of(self.starts), dtype=np.float64)


def region(grouping: Grouping, column: int) -> Region:
    """The region of each group: a range of values present, a node's leaves, or a set of values."""
    domain = grouping.cells.domains[column]
    codes = grouping.cells.codes[grouping.cell, column].astype(np.int64)
    if domain.is_ordered:
        present = np.flatnonzero(domain.present)
        low = np.searchsorted(present, np.minimum.reduceat(codes, grouping.starts[:-1]))
        high = np.searchsorted(present, np.maximum.reduceat(codes, grouping.starts[:-1]))
        return _expanded(present, low, high + 1)
    if domain.ladder is None:
        keys = np.unique(grouping.group * len(domain) + codes)
        starts = np.searchsorted(keys, np.arange(grouping.n_groups + 1) * len(domain))
        return Region(keys % len(domain), starts.astype(np.int64))
    level = grouping.common_level(column)
    first = codes[grouping.starts[:-1]]
    return _leaves(domain.ladder.ancestors, level, first)


def _leaves(ancestors: IntArray, level: IntArray, first: IntArray) -> Region:
    """The leaves under each group's common ancestor: of code `first` at `level`."""
    nodes, where = np.unique(
        np.stack([level, ancestors[level, first]]), axis=1, return_inverse=True
    )
    members = [np.flatnonzero(ancestors[at] == node) for at, node in nodes.T]
    chosen = [members[i] for i in where.ravel()]
    starts = starts_of([len(codes) for codes in chosen])
    return Region(np.concatenate(chosen).astype(np.int64), starts.astype(np.int64))


def _expanded(present: IntArray, low: IntArray, high: IntArray) -> Region:
    lengths = high - low
    starts = starts_of(lengths)
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    return Region(present[np.repeat(low, lengths) + within].astype(np.int64), starts)
