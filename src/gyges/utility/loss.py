"""Loss: the share of a column's values that a label covers, as ARX defines it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gyges.arrays import FloatArray, IntArray, distinct_pairs
from gyges.data.cells import Cells, Domain
from gyges.ragged import Ragged
from gyges.release.labels import shows_nodes
from gyges.release.partition_of_cells import Labels
from gyges.utility.grouping import Grouping

_MOST_MARKS = 16  # of a table of groups and values, for each pair that is counted


def loss(grouping: Grouping) -> float:
    """The mean over people and columns of (leaves under the label - 1)/(all leaves - 1).

    0 where everything is published exactly, 1 where nothing is; a suppressed person loses 1 in
    each column. Labels are those that are published: nodes of a hierarchy (their leaves), ranges
    of numbers or dates (the domain's values within them) or sets of values.
    """
    return _mean_loss(grouping, None)


def loss_of_nodes(grouping: Grouping) -> float:
    """The same if every column with a hierarchy showed nodes of it, numbers and dates too."""
    return _mean_loss(grouping, "nodes")


def loss_of_sets(grouping: Grouping) -> float:
    """The same if every column showed the narrowest range, or the set of the group's values."""
    return _mean_loss(grouping, "sets")


def loss_by_weight(grouping: Grouping, group_of_row: IntArray, weights: FloatArray) -> float:
    """The loss with survey weights: the mean over the people of the population that rows stand for.

    `group_of_row` numbers the groups as the caller does; a negative one is suppressed. Rows that
    are not to be counted have no weight.
    """
    used, place = np.unique(group_of_row, return_inverse=True)
    of_group = np.bincount(np.asarray(place).ravel(), weights=weights, minlength=len(used))
    n_columns, total = len(grouping.cells.domains), float(of_group.sum())
    kept, out = of_group[used >= 0], float(of_group[used < 0].sum())
    lost = [float(column_loss(grouping, column) @ kept) + out for column in range(n_columns)]
    return sum(lost) / ((total or 1.0) * max(n_columns, 1))


def _mean_loss(grouping: Grouping, labels: Labels | None) -> float:
    lost = [
        float(column_loss(grouping, column, labels) @ grouping.sizes) + grouping.n_left_out
        for column in range(len(grouping.cells.domains))
    ]
    return sum(lost) / (max(grouping.n_people, 1) * max(len(lost), 1))


def column_loss(grouping: Grouping, column: int, labels: Labels | None = None) -> FloatArray:
    """The loss of each group's label in one column; of its own labels if no others are named."""
    is_own = labels is None or (labels == grouping.labels and grouping.levels is None)
    return grouping.once(_column_loss, column, None if is_own else labels)


def _column_loss(grouping: Grouping, column: int, labels: Labels | None) -> FloatArray:
    domain = grouping.cells.domains[column]
    if grouping.n_groups == 0:
        return np.zeros(0)
    if labels is None and grouping.levels is not None:
        level = grouping.levels.get(domain.name, 0)
        first = grouping.cells.codes[grouping.cell[grouping.starts[:-1]], column]
        by_label: FloatArray = label_losses(domain)[level]
        return np.asarray(by_label[ancestors(domain)[level][first]])
    shown = _covered(grouping, column, labels or grouping.labels)
    covered = np.where(grouping.hides(column), len(domain), shown)
    return np.asarray((covered - 1) / max(len(domain) - 1, 1))


def _covered(grouping: Grouping, column: int, labels: Labels) -> IntArray:
    """How many values of the domain the narrowest label of each group covers."""
    domain = grouping.cells.domains[column]
    codes = grouping.cells.codes[grouping.cell, column].astype(np.int64)
    if not shows_nodes(domain, labels) and domain.is_ordered:
        by_group = Ragged(codes, grouping.starts)
        return np.asarray(by_group.maxima() - by_group.minima() + 1)
    if not shows_nodes(domain, labels):
        return n_different(grouping.group, codes, grouping.n_groups, len(domain))
    assert domain.ladder is not None
    level, covered = grouping.common_level(column), np.ones(grouping.n_groups, dtype=np.int64)
    for height in range(1, domain.ladder.height + 1):
        at = level == height
        node = domain.ladder.ancestors[height][codes[grouping.starts[:-1][at]]]
        covered[at] = domain.ladder.leaves_under(height)[node]
    return covered


def n_different(group: IntArray, codes: IntArray, n_groups: int, n_values: int) -> IntArray:
    """How many different codes each group has.

    Each pair is marked in a table of groups and values, unless that is much larger than the pairs:
    `np.unique` on millions of pairs takes ten times as long.

    >>> n_different(np.array([0, 0, 2]), np.array([1, 1, 0]), 3, 2).tolist()
    [1, 0, 1]
    """
    if n_groups * n_values <= _MOST_MARKS * len(codes) + 1024:
        marked = np.zeros((n_groups, n_values), dtype=bool)
        marked[group, codes] = True
        found: IntArray = marked.sum(axis=1, dtype=np.int64)
        return found
    of_pair, _ = distinct_pairs(group, codes)
    return np.bincount(of_pair, minlength=n_groups)


def ancestors(domain: Domain) -> list[IntArray]:
    """The label of each value, level by level; without a hierarchy the value itself and `*`."""
    if domain.ladder is not None:
        return list(domain.ladder.ancestors)
    return [np.arange(len(domain)), np.zeros(len(domain), dtype=np.int64)]


def label_losses(domain: Domain) -> list[FloatArray]:
    """The loss of each label, level by level.

    >>> from gyges.data.encoding import make_coder
    >>> from gyges.data.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_tree({"lung": ["Flu", "Asthma"], "other": ["Gout"]})
    >>> domain = make_coder("disease", ["Flu"], hierarchy=tree).domain
    >>> [losses.tolist() for losses in label_losses(domain)]
    [[0.0, 0.0, 0.0], [0.5, 0.0], [1.0]]
    """
    others = max(len(domain) - 1, 1)
    return [(np.bincount(at_level) - 1) / others for at_level in ancestors(domain)]


def level_averages(cells: Cells, by_label: Sequence[Sequence[FloatArray]]) -> list[FloatArray]:
    """For each column the mean over all people at each level, for a loss given for each label."""
    people, codes = cells.people.astype(np.float64), cells.codes.T.astype(np.int64, order="C")
    averages = []
    for domain, at, levels in zip(cells.domains, codes, by_label, strict=True):
        share = np.bincount(at, weights=people, minlength=len(domain)) / max(cells.n_people, 1)
        labels = ancestors(domain)
        averages.append(
            np.array([one[label] @ share for one, label in zip(levels, labels, strict=True)])
        )
    return averages
