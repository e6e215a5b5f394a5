"""The distinct labels of a column and the values that each covers, without listing them twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray, distinct_pairs
from gyges.data.cells import Domain
from gyges.ragged import Ragged
from gyges.release.labels import shows_nodes
from gyges.utility.grouping import Grouping
from gyges.utility.loss import ancestors

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelValues:
    """Label l covers the codes `order[begins[l]:ends[l]]`; group g has the label `of_group[g]`.

    A range covers a run of the sorted values, a node a run of the leaves along its tree, and a
    set the values it lists. So many wide labels take no more room than narrow ones.
    """

    of_group: IntArray
    order: IntArray
    begins: IntArray
    ends: IntArray

    @property
    def lengths(self) -> IntArray:
        """How many values each label covers."""
        return self.ends - self.begins

    def covered(self, n_codes: int) -> BoolArray:
        """Which codes some label covers."""
        steps = np.bincount(self.begins, minlength=len(self.order) + 1)
        steps = steps - np.bincount(self.ends, minlength=len(self.order) + 1)
        found = np.zeros(n_codes, dtype=bool)
        found[self.order[np.cumsum(steps)[:-1] > 0]] = True
        return found

    def means(self, number_of_code: FloatArray) -> FloatArray:
        """The mean of a number over the values that each label covers; exact for one value."""
        along = number_of_code[self.order]
        summed = np.concatenate([[0], np.cumsum(along, dtype=np.longdouble)])
        mean = (summed[self.ends] - summed[self.begins]) / self.lengths
        first = along[self.begins] if len(self.begins) else np.zeros(0)
        return np.where(self.lengths == 1, first, mean.astype(np.float64))

    def extents(self) -> tuple[IntArray, IntArray]:
        """The least and the greatest code that each label covers."""
        if (np.diff(self.order) > 0).all():
            return self.order[self.begins], self.order[self.ends - 1]
        covered = Ragged.ranges(self.begins, self.ends).of(self.order)
        return covered.minima(), covered.maxima()

    def spread(self, bin_of_code: IntArray, n_bins: int) -> csr_array:
        """The share of each label's values that is in each bin: labels × bins."""
        from scipy.sparse import coo_array

        at = bin_of_code[self.order]
        first = np.flatnonzero(np.append(True, at[1:] != at[:-1]))  # of each run of one bin
        past = np.append(first[1:], len(at))
        runs = Ragged.ranges(
            np.searchsorted(first, self.begins, side="right") - 1,
            np.searchsorted(first, self.ends, side="left"),
        )
        label = runs.segment_of_value
        inside = np.minimum(past[runs.values], self.ends[label])
        inside = inside - np.maximum(first[runs.values], self.begins[label])
        cells = label, at[first[runs.values]]
        shape = len(self.begins), n_bins
        return coo_array((inside / self.lengths[label], cells), shape=shape).tocsr()


def label_values(grouping: Grouping, column: int) -> LabelValues:
    """The labels of a column as they are published: at one level, or each group's narrowest."""
    return grouping.once(_label_values, column)


def _label_values(grouping: Grouping, column: int) -> LabelValues:
    domain = grouping.cells.domains[column]
    codes = grouping.cells.codes[grouping.cell, column].astype(np.int64)
    if grouping.levels is not None:
        level = np.full(grouping.n_groups, grouping.levels.get(domain.name, 0))
        return _nodes(ancestors(domain), level, codes[grouping.starts[:-1]])
    if grouping.shown.hidden is not None:
        return _hidden(domain, codes[grouping.starts[:-1]], grouping.hides(column))
    if shows_nodes(domain, grouping.labels):
        level = grouping.common_level(column)
        return _nodes(ancestors(domain), level, codes[grouping.starts[:-1]])
    if domain.is_ordered:
        return _ranges(domain, Ragged(codes, grouping.starts))
    group, shown = distinct_pairs(grouping.group, codes)
    starts = np.searchsorted(group, np.arange(grouping.n_groups + 1))
    return LabelValues(np.arange(grouping.n_groups), shown, starts[:-1], starts[1:])


def _hidden(domain: Domain, value: IntArray, is_hidden: BoolArray) -> LabelValues:
    """The one value that each group shows, or all values in the data where it shows none."""
    present = np.flatnonzero(domain.present)
    place = np.searchsorted(present, value)
    begins = np.append(np.arange(len(present)), 0)
    ends = np.append(np.arange(1, len(present) + 1), len(present))
    return LabelValues(np.where(is_hidden, len(present), place), present, begins, ends)


def _ranges(domain: Domain, codes: Ragged) -> LabelValues:
    """From each group's least to its greatest value, of the values in the data."""
    present = np.flatnonzero(domain.present)
    low, high = (np.searchsorted(present, one) for one in (codes.minima(), codes.maxima()))
    distinct, of_group = np.unique(low * len(domain) + high, return_inverse=True)
    begins, last = np.divmod(distinct, max(len(domain), 1))
    return LabelValues(of_group.ravel(), present, begins, last + 1)


def _nodes(ancestors: list[IntArray], level: IntArray, first: IntArray) -> LabelValues:
    """The leaves under each group's node: that of its code `first` at its level."""
    order = np.lexsort(np.stack(ancestors)).astype(np.int64)
    n = len(order)
    node = np.stack(ancestors)[level, first]
    distinct, of_group = np.unique(level * n + node, return_inverse=True)
    begins, ends = np.empty_like(distinct), np.empty_like(distinct)
    for at in np.unique(distinct // n):
        along = ancestors[at][order]
        chosen = distinct // n == at
        starts = np.flatnonzero(np.append(True, along[1:] != along[:-1]))
        place = np.argsort(along[starts])
        found = place[np.searchsorted(along[starts], distinct[chosen] % n, sorter=place)]
        begins[chosen], ends[chosen] = starts[found], np.append(starts[1:], n)[found]
    return LabelValues(of_group.ravel(), order, begins, ends)
