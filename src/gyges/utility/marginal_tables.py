"""A table of counts (a marginal) before and after: of the original, and estimated from a release.

A reader of a release knows of each person a label in each quasi-identifier and, with one value per
person, the sensitive value. The estimate spreads each person evenly over the values that the
labels cover, column by column. Everything here that compares a release with its original means
this *spread table*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.errors import RuleError
from gyges.utility.grouping import Grouping
from gyges.utility.label_values import label_values

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_NUMBERS = 20  # with more values, numbers and dates are counted in so many intervals
MOST_CATEGORIES = 1000  # with more values, the rarest are counted as one
MOST_COUNTS = 1 << 22  # cells of a marginal
_ROUNDING = 1e-12  # below this, a distance is the rounding of equal shares


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Axis:
    """One column of a marginal: the bin of each value, and how labels spread over the bins."""

    name: str
    bin_of_code: IntArray
    n_bins: int
    n_values: int  # different values that occur: more than n_bins where some are counted together
    column: int | None  # None for the sensitive column, which is published as it is
    label_of_group: IntArray
    spread: csr_array  # labels × bins

    @property
    def as_counted(self) -> str:
        """The column, and how its values are counted where not each by itself."""
        if self.n_values <= self.n_bins:
            return self.name
        if self.n_bins == MOST_CATEGORIES:
            return f"{self.name} ({self.n_bins - 1:,} values, and all rarer ones as one)"
        return f"{self.name} (in {self.n_bins:,} intervals)"


def axes_of(grouping: Grouping, most_numbers: int = MOST_NUMBERS) -> dict[str, Axis]:
    """The columns that marginals can have: all quasi-identifiers, and one value per person."""
    from scipy.sparse import eye_array

    cells, axes = grouping.cells, {}
    for column, domain in enumerate(cells.domains):
        people = np.bincount(cells.codes[:, column], weights=cells.people, minlength=len(domain))
        bins = bins_of(domain, people, most_numbers)
        n_bins, labels = int(bins.max(initial=-1)) + 1, label_values(grouping, column)
        spread = labels.spread(bins, n_bins)
        held = int(domain.present.sum())
        axes[domain.name] = Axis(domain.name, bins, n_bins, held, column, labels.of_group, spread)
    if grouping.has_one_value_each and len(cells.sensitive):
        name, none = cells.sensitive.name, np.zeros(0, dtype=np.int64)
        bins = bins_of(cells.sensitive, cells.value_totals, most_numbers)
        n_bins = int(bins.max()) + 1
        held = int(cells.sensitive.present.sum())
        axes[name] = Axis(name, bins, n_bins, held, None, none, eye_array(n_bins, format="csr"))
    return axes


def bins_of(domain: Domain, people: FloatArray | IntArray, most_numbers: int) -> IntArray:
    """The bin of each value of a column: its own, unless there are too many values.

    Numbers and dates then fall into intervals with about as many people each, as in [Task2023].
    """
    n_people = people.sum()
    if domain.is_ordered and int(domain.present.sum()) > most_numbers and n_people:
        share = (np.cumsum(people) - people / 2) / n_people
        bins = np.minimum(share * most_numbers, most_numbers - 1).astype(np.int64)
        return np.unique(bins, return_inverse=True)[1].ravel()
    if len(domain) <= MOST_CATEGORIES:
        return np.arange(len(domain))
    rank = np.empty(len(domain), dtype=np.int64)
    rank[np.argsort(-people, kind="stable")] = np.arange(len(domain))
    return np.minimum(rank, MOST_CATEGORIES - 1)


def original_shares(grouping: Grouping, axes: Sequence[Axis]) -> FloatArray:
    """The share of all people in each cell of a marginal, cells in the order of the axes' bins."""
    counts = original_counts(grouping, axes)
    return counts / max(float(counts.sum()), 1.0)


def original_counts(grouping: Grouping, axes: Sequence[Axis]) -> FloatArray:
    """The same as numbers of people."""
    cells, has_values = grouping.cells, any(axis.column is None for axis in axes)
    at = cells.cell_of_entry if has_values else slice(None)
    key: IntArray = np.zeros(1, dtype=np.int64)
    for axis in axes:
        codes = cells.value_codes if axis.column is None else cells.codes[at, axis.column]
        key = key * axis.n_bins + axis.bin_of_code[codes]
    people = cells.value_counts if has_values else cells.people
    return np.bincount(key, weights=people, minlength=_n_counts(axes)).astype(np.float64)


def estimated_shares(grouping: Grouping, axes: Sequence[Axis]) -> FloatArray:
    """What a reader estimates for the published people; zeros where nobody is published."""
    if not grouping.n_groups:
        return np.zeros(_n_counts(axes))
    if not any(axis.column is None for axis in axes):
        mass, labels = grouping.sizes, [axis.label_of_group for axis in axes]
    else:
        groups = grouping.groups
        group, mass = groups.group_of_entry, groups.value_counts
        labels = [
            axis.bin_of_code[groups.value_codes]
            if axis.column is None
            else axis.label_of_group[group]
            for axis in axes
        ]
    spread = _spread(mass.astype(np.float64), labels, [axis.spread for axis in axes])
    return spread / max(float(mass.sum()), 1.0)


def _spread(mass: FloatArray, labels: list[IntArray], spreads: list[csr_array]) -> FloatArray:
    """Spread each unit's mass over the bins of every column, independently."""
    from scipy.sparse import coo_array

    first = spreads[0]
    if len(spreads) == 1:
        return np.asarray(np.bincount(labels[0], mass, minlength=first.shape[0]) @ first)
    if len(spreads) == 2:
        shape = first.shape[0], spreads[1].shape[0]
        joint = coo_array((mass, (labels[0], labels[1])), shape=shape).tocsr()
        return np.asarray((first.T @ (joint @ spreads[1])).toarray()).ravel()
    parts = []
    for shares in first.T.toarray():  # one bin of the first column after the other
        share = shares[labels[0]]
        kept = np.flatnonzero(share)
        rest = [one[kept] for one in labels[1:]]
        parts.append(_spread(mass[kept] * share[kept], rest, spreads[1:]))
    return np.concatenate(parts)


def variation(p: FloatArray, estimate: FloatArray) -> float:
    """½ Σ |p - p*| of two distributions: Σ max(p - p*, 0); rounding alone counts as 0."""
    moved = float(np.maximum(p - estimate, 0).sum())
    return 0.0 if moved < _ROUNDING else min(moved, 1.0)


def _n_counts(axes: Sequence[Axis]) -> int:
    n = math.prod(axis.n_bins for axis in axes)
    if n > MOST_COUNTS:
        names = ", ".join(axis.name for axis in axes)
        raise RuleError(
            f"the question about {names} has {n:,} counts: ask about at most {MOST_COUNTS:,}, "
            f"with fewer columns"
        )
    return n
