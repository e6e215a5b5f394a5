"""Labels: what is published in place of a quasi-identifier, for each group and column.

A label is true of everyone in the group: the value itself where all agree, a range of numbers
or dates, a node of the hierarchy, or a set of values (set_labels.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np

from gyges.arrays import BoolArray, CodeArray
from gyges.data.cells import Domain
from gyges.data.hierarchy_rules import TOP
from gyges.data.values import text_of
from gyges.ragged import Ragged
from gyges.release.missing_labels import with_missing
from gyges.release.partition_of_cells import Labels, Partition
from gyges.release.range_ends import range_labels
from gyges.release.set_labels import set_label, value_label

_MOST_BITS = 62  # of a number that holds a set of codes


def group_labels(partition: Partition) -> list[list[str]]:
    """For each quasi-identifier the label of each group: columns × groups."""
    if partition.sought is not None:
        return [
            with_missing(labels, partition.lacking[:, column])
            for column, labels in enumerate(group_labels(partition.sought))
        ]
    cells = cells_by_group(partition)
    labels = []
    for column, domain in enumerate(partition.cells.domains):
        codes = cells.of(partition.cells.codes[:, column])
        if partition.hidden is not None:
            labels.append(_or_hidden(domain, codes, partition.hidden[:, column]))
            continue
        level = None if partition.levels is None else partition.levels.get(domain.name, 0)
        if level is not None:
            labels.append(node_labels(domain, codes.values[codes.starts[:-1]], level))
        else:
            labels.append(local_labels(domain, codes, partition.labels))
    return labels


def shows_nodes(domain: Domain, labels: Labels) -> bool:
    """Whether groups show nodes of a column's hierarchy."""
    if domain.ladder is None or labels == "sets":
        return False
    return labels == "nodes" or not domain.is_ordered


def cells_by_group(partition: Partition) -> Ragged:
    """The cells of everybody who is published, group by group, each once in a group."""
    cell, group, _ = partition.members()
    order = np.argsort(cell, kind="stable")
    return Ragged.group_by(group[order], partition.n_groups).of(cell[order])


def node_labels(domain: Domain, codes: CodeArray, level: int) -> list[str]:
    """The label of each code at a level of its column."""
    if domain.ladder is None:
        return [_value(domain, code) if level == 0 else TOP for code in codes]
    if level == 0:
        return [text_of(domain.values[code]) for code in codes]
    names = domain.ladder.labels[level]
    return [names[ancestor] for ancestor in domain.ladder.ancestors[level][codes]]


def _or_hidden(domain: Domain, codes: Ragged, hidden: BoolArray) -> list[str]:
    """`*` where a group hides the column, else the value that all its people share.

    A value `*` of the data is written as a set of one, so that it never looks suppressed.
    """
    first = codes.values[codes.starts[:-1]]
    return [TOP if out else _value(domain, code) for out, code in zip(hidden, first, strict=True)]


def local_labels(domain: Domain, codes: Ragged, labels: Labels) -> list[str]:
    """The narrowest label of each group's codes."""
    if shows_nodes(domain, labels):
        return _common_ancestors(domain, codes)
    if domain.is_ordered:
        return range_labels(domain, codes.minima(), codes.maxima())
    return _sets(domain, codes)


def _common_ancestors(domain: Domain, codes: Ragged) -> list[str]:
    """The label of each group's lowest common ancestor."""
    ladder = domain.ladder
    assert ladder is not None
    labels = np.full(len(codes), TOP, dtype=object)
    open_groups = np.ones(len(codes), dtype=bool)
    for level in range(ladder.height + 1):
        ancestors = codes.of(ladder.ancestors[level])
        lowest = ancestors.minima()
        agree = open_groups & (lowest == ancestors.maxima())
        labels[agree] = np.array(ladder.labels[level], dtype=object)[lowest[agree]]
        open_groups &= ~agree
    listed: list[str] = labels.tolist()
    return listed


def _value(domain: Domain, code: int) -> str:
    """The label of one value; numbers and dates never look like a set."""
    return value_label(text_of(domain.values[code]))


def _sets(domain: Domain, codes: Ragged) -> list[str]:
    """The set of each group's values, or the one value; each written once."""
    if len(domain) > _MOST_BITS:
        listed = codes.values.tolist()
        bounds = pairwise(codes.starts.tolist())
        sets = [tuple(sorted(set(listed[first:last]))) for first, last in bounds]
        return [*map(_set_writer(domain), sets)]
    bits = Ragged(np.left_shift(1, codes.values.astype(np.int64)), codes.starts)
    masks, where = np.unique(bits.reduced(np.bitwise_or, 0), return_inverse=True)
    held = (
        (tuple(code for code in range(len(domain)) if mask >> code & 1)) for mask in masks.tolist()
    )
    labels = [*map(_set_writer(domain), held)]
    return [labels[place] for place in where.ravel().tolist()]


def _set_writer(domain: Domain) -> Callable[[tuple[int, ...]], str]:
    """A function that writes a set of codes, each set once."""
    n_present = int(domain.present.sum())

    @cache
    def written(distinct: tuple[int, ...]) -> str:
        if len(distinct) == 1:
            return _value(domain, distinct[0])
        if len(distinct) == n_present:
            return TOP
        return set_label(text_of(domain.values[code]) for code in distinct)

    return written
