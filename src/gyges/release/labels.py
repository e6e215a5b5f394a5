"""Labels: what is published in place of a quasi-identifier, for each group and column.

A label is true of everybody in the group: the value itself where all agree, a range of numbers
or dates, a node of the hierarchy, or a set of values (set_labels.py).
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.cells import Domain
from gyges.data.rules import TOP
from gyges.data.values import text_of
from gyges.release.partition import Partition
from gyges.release.range_ends import range_labels
from gyges.release.set_labels import set_label, value_label


def group_labels(partition: Partition) -> list[list[str]]:
    """For each quasi-identifier the label of each group: columns × groups."""
    cell, group = cells_by_group(partition)
    starts = np.searchsorted(group, np.arange(partition.n_groups))
    labels = []
    for column, domain in enumerate(partition.cells.domains):
        codes = partition.cells.codes[cell, column]
        level = None if partition.levels is None else partition.levels.get(domain.name, 0)
        if level is not None:
            labels.append(_at_level(domain, codes[starts], level))
        else:
            labels.append(_local(domain, codes, starts))
    return labels


def cells_by_group(partition: Partition) -> tuple[IntArray, IntArray]:
    """(cell, group) of everybody who is published, each pair once, sorted by group."""
    cell, group, _ = partition.members()
    order = np.lexsort((cell, group))
    return cell[order], group[order]


def _at_level(domain: Domain, codes: CodeArray, level: int) -> list[str]:
    if domain.ladder is None:
        return [_value(domain, code) if level == 0 else TOP for code in codes]
    if level == 0:
        return [text_of(domain.values[code]) for code in codes]
    names = domain.ladder.labels[level]
    return [names[ancestor] for ancestor in domain.ladder.ancestors[level][codes]]


def _local(domain: Domain, codes: CodeArray, starts: IntArray) -> list[str]:
    """The narrowest label of each group's codes (`codes[starts[g]:starts[g+1]]`)."""
    lowest = np.minimum.reduceat(codes, starts)
    highest = np.maximum.reduceat(codes, starts)
    if domain.is_ordered:
        return range_labels(domain, lowest.tolist(), highest.tolist())
    if domain.ladder is not None:
        return _common_ancestors(domain, codes, starts)
    ends = np.append(starts[1:], len(codes))
    return [
        _value(domain, low) if low == high else _set(domain, codes[start:end])
        for low, high, start, end in zip(lowest, highest, starts, ends, strict=True)
    ]


def _common_ancestors(domain: Domain, codes: CodeArray, starts: IntArray) -> list[str]:
    """The label of each group's lowest common ancestor."""
    ladder = domain.ladder
    assert ladder is not None
    labels = np.full(len(starts), TOP, dtype=object)
    open_groups = np.ones(len(starts), dtype=bool)
    for level in range(ladder.height + 1):
        ancestors = ladder.ancestors[level][codes]
        lowest = np.minimum.reduceat(ancestors, starts)
        agree = open_groups & (lowest == np.maximum.reduceat(ancestors, starts))
        labels[agree] = np.array(ladder.labels[level], dtype=object)[lowest[agree]]
        open_groups &= ~agree
    listed: list[str] = labels.tolist()
    return listed


def _value(domain: Domain, code: int) -> str:
    """The label of one value; numbers and dates never look like a set."""
    return value_label(text_of(domain.values[code]))


def _set(domain: Domain, codes: CodeArray) -> str:
    distinct = np.unique(codes)
    if len(distinct) == int(domain.present.sum()):
        return TOP
    return set_label(text_of(domain.values[code]) for code in distinct)
