"""The values of a column that a label covers: those that a person of the group may have."""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.ragged import Ragged
from gyges.utility.grouping import Grouping
from gyges.utility.label_values import label_values


def share(codes: Ragged, wanted: FloatArray | BoolArray) -> FloatArray:
    """The average of `wanted` (one number per code) over each group's codes.

    For a set of wanted codes this is the probability that a person of the group is in it, given
    only the label.
    """
    return np.asarray(codes.of(wanted.astype(np.float64)).sums() / codes.lengths)


def people_covered(grouping: Grouping, column: int, people: FloatArray) -> FloatArray:
    """How many people have a value that each group's label covers; `people` has one entry per code.

    A difference of running totals along the labels' order: half a million values in 100,000 groups
    would be billions of pairs.
    """
    shown = label_values(grouping, column)
    running = np.concatenate([[0.0], np.cumsum(people[shown.order])])
    return np.asarray((running[shown.ends] - running[shown.begins])[shown.of_group])


def region(grouping: Grouping, column: int) -> Ragged:
    """The codes that each group's label covers: values of a range, a node's leaves, a set.

    A cell that is suppressed may be any value of the data.
    """
    hidden = grouping.hides(column)
    if not hidden.any():
        return _narrowest(grouping, column)
    present = np.flatnonzero(grouping.cells.domains[column].present)
    narrow = _narrowest(grouping, column)
    parts = [present if out else narrow[g] for g, out in enumerate(hidden)]
    return Ragged.from_parts(parts)


def _narrowest(grouping: Grouping, column: int) -> Ragged:
    """The same for the narrowest label of each group's values."""
    domain = grouping.cells.domains[column]
    codes = grouping.cells.codes[grouping.cell, column].astype(np.int64)
    if domain.is_ordered:
        present = np.flatnonzero(domain.present)
        by_group = Ragged(codes, grouping.starts)
        low = np.searchsorted(present, by_group.minima())
        high = np.searchsorted(present, by_group.maxima())
        return Ragged.ranges(low, high + 1).of(present)
    if domain.ladder is None:
        keys = np.unique(grouping.group * len(domain) + codes)
        starts = np.searchsorted(keys, np.arange(grouping.n_groups + 1) * len(domain))
        return Ragged(keys % len(domain), starts.astype(np.int64))
    level = grouping.common_level(column)
    first = codes[grouping.starts[:-1]]
    return _leaves(domain.ladder.ancestors, level, first)


def _leaves(ancestors: IntArray, level: IntArray, first: IntArray) -> Ragged:
    """The leaves under each group's common ancestor: of code `first` at `level`."""
    nodes, where = np.unique(
        np.stack([level, ancestors[level, first]]), axis=1, return_inverse=True
    )
    members = [np.flatnonzero(ancestors[at] == node) for at, node in nodes.T]
    return Ragged.from_parts(members).take(where.ravel())
