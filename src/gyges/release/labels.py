"""Labels: what is published in place of a quasi-identifier, for each group and column.

A label is true of everyone in the group: the value itself where all agree, a range of numbers
or dates, a node of the hierarchy, or a set of values (set_labels.py).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray, distinct_pairs
from gyges.data.cells import Domain, distinct_rows
from gyges.data.hierarchy_rules import TOP
from gyges.data.values import text_of
from gyges.ragged import Ragged
from gyges.release.coded_labels import CodedLabels
from gyges.release.missing_labels import with_missing
from gyges.release.partition_of_cells import Labels, Partition
from gyges.release.range_ends import range_labels
from gyges.release.set_labels import set_label, value_label

_MOST_BITS = 62  # of a number that holds a set of codes


def group_labels(partition: Partition) -> list[CodedLabels]:
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
    if partition.pieces is not None:
        order = np.argsort(cell, kind="stable")
        cell, group = cell[order], group[order]
    return Ragged.group_by(group, partition.n_groups).of(cell)


def node_labels(domain: Domain, codes: CodeArray, level: int) -> CodedLabels:
    """The label of each code at a level of its column."""
    ladder = domain.ladder
    if ladder is None:
        return _values_or_top(domain, codes, np.full(len(codes), level > 0))
    if level == 0:
        return CodedLabels.of([text_of(value) for value in domain.values], codes)
    return CodedLabels.of(ladder.labels[level], ladder.ancestors[level][codes])


def _or_hidden(domain: Domain, codes: Ragged, hidden: BoolArray) -> CodedLabels:
    """`*` where a group hides the column, else the value that all its people share.

    A value `*` of the data is written as a set of one, so that it never looks suppressed.
    """
    return _values_or_top(domain, codes.values[codes.starts[:-1]], hidden)


def _values_or_top(domain: Domain, codes: CodeArray, is_top: BoolArray) -> CodedLabels:
    texts = [_value(domain, code) for code in range(len(domain))]
    return CodedLabels.of([*texts, TOP], np.where(is_top, len(texts), codes))


def local_labels(domain: Domain, codes: Ragged, labels: Labels) -> CodedLabels:
    """The narrowest label of each group's codes."""
    if shows_nodes(domain, labels):
        return _common_ancestors(domain, codes)
    if domain.is_ordered:
        return range_labels(domain, codes.minima(), codes.maxima())
    return _sets(domain, codes)


def _common_ancestors(domain: Domain, codes: Ragged) -> CodedLabels:
    """The label of each group's lowest common ancestor."""
    ladder = domain.ladder
    assert ladder is not None
    texts = [TOP]
    place = np.zeros(len(codes), dtype=np.int64)
    open_groups = np.ones(len(codes), dtype=bool)
    for level in range(ladder.height + 1):
        ancestors = codes.of(ladder.ancestors[level])
        lowest = ancestors.minima()
        agree = open_groups & (lowest == ancestors.maxima())
        place[agree] = len(texts) + lowest[agree]
        texts += ladder.labels[level]
        open_groups &= ~agree
    return CodedLabels.of(texts, place)


def _value(domain: Domain, code: int) -> str:
    """The label of one value; numbers and dates never look like a set."""
    return value_label(text_of(domain.values[code]))


def _sets(domain: Domain, codes: Ragged) -> CodedLabels:
    """The set of each group's values, or the one value; each written once."""
    written = _set_writer(domain)
    if len(domain) > _MOST_BITS:
        sets, where = _distinct_sets(codes, len(domain))
        return CodedLabels.of([*map(written, sets)], where)
    bits = Ragged(np.left_shift(1, codes.values.astype(np.int64)), codes.starts)
    masks, where = np.unique(bits.reduced(np.bitwise_or, 0), return_inverse=True)
    held = (
        tuple(code for code in range(len(domain)) if mask >> code & 1) for mask in masks.tolist()
    )
    return CodedLabels.of([*map(written, held)], where.ravel())


def _distinct_sets(codes: Ragged, n_codes: int) -> tuple[list[tuple[int, ...]], IntArray]:
    """The different sets of codes of the groups, and which one each group has.

    Groups with equally many different codes are compared as rows of a table.
    """
    group, code = distinct_pairs(codes.segment_of_value, codes.values)
    held = Ragged.from_lengths(code, np.bincount(group, minlength=len(codes)))
    sets: list[tuple[int, ...]] = []
    where = np.zeros(len(codes), dtype=np.int64)
    for length in np.unique(held.lengths).tolist():
        alike = np.flatnonzero(held.lengths == length)
        rows = held.take(alike).values.reshape(len(alike), length)
        found, place = distinct_rows(rows.astype(np.int32), [n_codes] * length)
        where[alike] = len(sets) + place
        sets += map(tuple, found.tolist())
    return sets, where


def _set_writer(domain: Domain) -> Callable[[tuple[int, ...]], str]:
    """A function that writes a set of codes."""
    n_present = int(domain.present.sum())
    texts = [text_of(value) for value in domain.values]

    def written(distinct: tuple[int, ...]) -> str:
        if len(distinct) == 1:
            return value_label(texts[distinct[0]])
        if len(distinct) == n_present:
            return TOP
        return set_label(texts[code] for code in distinct)

    return written
