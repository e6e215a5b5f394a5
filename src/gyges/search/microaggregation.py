"""Microaggregation: small groups of similar people, published by their centroids.

Groups have k to 2k-1 people: those of MDAV [DomingoFerrer2005], or tighter ones where the columns
are numbers (microaggregation_best.py). People with equal quasi-identifiers may be divided where a
group needs only part of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import BoundRule, Criterion, bind_all
from gyges.criteria.k_anonymity import KAnonymity
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.exact import whole
from gyges.release.groups import Groups
from gyges.release.partition_of_cells import Partition, Pieces
from gyges.search.batch import Counter
from gyges.search.centroids import Centroids, centroid_labels, centroids, locate, nearest_other
from gyges.search.microaggregation_best import Algorithm, clustered
from gyges.search.microaggregation_mdav import Shares
from gyges.search.mondrian import refuse_unsafe_whole

__all__ = ["Centroids", "centroid_labels", "centroids", "locate", "search"]


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    k: int | None = None,
    algorithm: Algorithm = "best",
) -> Partition:
    """Group k to 2k-1 similar people; groups that break another rule are merged with the nearest.

    Where people have several sensitive values a point is not divided, and groups may be larger.

    Args:
        k: people in a group; by default the k of k-anonymity.
        algorithm: "best" (the tightest groups of all below, improved by exchanges; MDAV where the
            others do not apply), "mdav", "v-mdav", "two-points" (two fixed reference points), or
            "optimal" (one column of numbers).
    """
    counter = Counter.of(cells)
    rules = bind_all(criteria, counter.everybody())
    asked = [k_asked for one in rules if (k_asked := one.rule.least_people) is not None]
    if k is None and not asked:
        raise RuleError(
            "microaggregation needs the size of its groups: add gy.KAnonymity(k) or give k"
        )
    size = max([*asked, whole(k, "k", least=1) if k is not None else 1])
    rules = [*rules, KAnonymity(size)]
    refuse_unsafe_whole(counter, rules)
    shares = clustered(cells, size, algorithm)
    return _mended(_partition(cells, shares), rules)


def _partition(cells: Cells, shares: Shares) -> Partition:
    """The partition of cells, or of people where cells are divided."""
    order = np.lexsort((shares.group, shares.cell))
    cell, group, count = shares.cell[order], shares.group[order], shares.count[order]
    n_groups = int(group.max(initial=-1)) + 1
    if len(cell) == len(cells):
        return Partition(cells, group, n_groups)
    first = np.searchsorted(cell, np.arange(len(cells)))
    pieces = _pieces(cells, Shares(cell, group, count), n_groups)
    return Partition(cells, group[first], n_groups, pieces=pieces)


def _pieces(cells: Cells, shares: Shares, n_groups: int) -> Pieces:
    """Spread the values of a divided cell evenly over its groups; `shares` are sorted by cell.

    A share of c people has the places (t + 1/2)/c along its cell, and the cell's people, sorted
    by value, fill the places in order. So every share gets a sample of all values.
    """
    share = np.repeat(np.arange(len(shares.count)), shares.count)
    before = np.cumsum(shares.count) - shares.count
    place = (np.arange(len(share)) - before[share] + 0.5) / shares.count[share]
    share = share[np.lexsort((place, shares.cell[share]))]
    entry = np.repeat(np.arange(len(cells.value_counts)), cells.value_counts)
    return _counted(entry, shares.group[share], np.ones(len(entry)), n_groups)


def _counted(entry: IntArray, group: IntArray, count: IntArray | FloatArray, n: int) -> Pieces:
    """Pieces of these entries in groups 0..n-1, each pair once."""
    keys, where = np.unique(entry * n + group, return_inverse=True)
    return Pieces(keys // n, keys % n, np.bincount(where, weights=count).astype(np.int64))


def _mended(found: Partition, rules: list[BoundRule[Any]]) -> Partition:
    """Merge groups that break a rule with the nearest group until every rule holds.

    At the latest this ends with one group of all people, which holds.
    """
    while (broken := np.flatnonzero(_breaks(found.groups, rules))).size:
        into = np.arange(found.n_groups)
        is_merged = np.zeros(found.n_groups, dtype=bool)
        nearest = nearest_other(centroids(found), broken)
        for group, other in zip(broken, nearest, strict=True):
            if not is_merged[group] and not is_merged[other]:
                into[group] = other
                is_merged[[group, other]] = True
        found = _renumbered(found, into)
    return found


def _breaks(groups: Groups, rules: list[BoundRule[Any]]) -> BoolArray:
    """Which groups break a rule; none if there is only one group."""
    broken = np.zeros(len(groups), dtype=bool)
    for rule in rules if len(groups) > 1 else []:
        broken |= ~rule.holds_each(groups)
    return broken


def _renumbered(found: Partition, into: IntArray) -> Partition:
    """The same partition with each group put into another, numbered from 0 without gaps."""
    kept, number = np.unique(into, return_inverse=True)
    pieces = found.pieces
    if pieces is not None:
        pieces = _counted(pieces.entry, number[pieces.group], pieces.count, len(kept))
    return Partition(found.cells, number[found.group_of_cell], len(kept), pieces=pieces)
