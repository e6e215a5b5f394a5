"""Finding many people in many groups at once: by labels through a trie, by exact values by keys.

The same answers as comparing every person with every group, at a cost that hardly grows with the
number of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray
from gyges.data.cells import Domain, row_keys
from gyges.data.encoding import dictionary
from gyges.data.table import Table
from gyges.data.values import Value, text_of
from gyges.kernels.label_trie import find_groups, run_ends
from gyges.release.locating import GROUP, NOWHERE, SEVERAL, covers_all

if TYPE_CHECKING:
    import pyarrow as pa


def locate_by_labels(labels: Sequence[Sequence[str]], people: Table) -> IntArray:
    """The group of each row of `people`, where every label of the group covers their value.

    `labels` has one list a quasi-identifier of `people`, in its order, with one label a group.
    NOWHERE where no group fits, SEVERAL where more than one does.
    """
    if not labels:
        return np.zeros(people.n_rows, dtype=np.int64)
    columns = [_column(*pair) for pair in zip(labels, people.cells.domains, strict=True)]
    order = _most_telling_first(columns, people.cells.codes)
    columns = [columns[j] for j in order]
    coded = np.stack([column.label_of_group for column in columns], axis=1)
    sorted_groups = np.lexsort(coded.T[::-1])
    coded = np.asfortranarray(coded[sorted_groups])
    lengths = np.concatenate([column.n_covering for column in columns])
    place = find_groups(
        np.ascontiguousarray(people.cells.codes[:, order]),
        coded,
        run_ends(coded),
        np.concatenate([column.covers.ravel() for column in columns]),
        np.cumsum([0, *(column.covers.size for column in columns[:-1])]),
        np.array([column.covers.shape[1] for column in columns]),
        np.cumsum([0, *(column.covers.shape[1] for column in columns[:-1])]),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([column.covering for column in columns]),
    )
    group_of_cell = np.where(place >= 0, sorted_groups[place], place)
    return np.asarray(group_of_cell[people.cell_of_row], dtype=np.int64)


def locate_exactly(published: pa.Table, people: Table) -> IntArray:
    """The group of each row of `people` where quasi-identifiers are published as they are."""
    domains = people.cells.domains
    codes = np.stack(
        [_codes_of_text(published.column(domain.name), domain.values) for domain in domains], axis=1
    )
    known = (codes >= 0).all(axis=1)  # the others have a value that nobody asked for has
    groups = published.column(GROUP).cast("int64").to_numpy()[known] - 1
    widths = [len(domain) for domain in domains]
    keys = row_keys(np.concatenate([codes[known], people.cells.codes]), widths)
    theirs, asked = keys[: len(groups)], keys[len(groups) :]
    order = np.argsort(theirs, kind="stable")
    theirs, groups = theirs[order], groups[order]
    distinct, starts = np.unique(theirs, return_index=True)
    if not len(distinct):
        return np.full(people.n_rows, NOWHERE, dtype=np.int64)
    least, most = np.minimum.reduceat(groups, starts), np.maximum.reduceat(groups, starts)
    only = np.where(least == most, least, SEVERAL)
    at = np.minimum(np.searchsorted(distinct, asked), len(distinct) - 1)
    group_of_cell = np.where(distinct[at] == asked, only[at], NOWHERE)
    return np.asarray(group_of_cell[people.cell_of_row], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One column's labels: which group has which, and which values each covers."""

    label_of_group: CodeArray
    covers: BoolArray  # labels × values
    n_covering: IntArray  # values: how many labels cover each
    covering: CodeArray  # which ones, value after value
    n_fitting: IntArray  # values: how many groups cover each


def _column(labels: Sequence[str], domain: Domain) -> _Column:
    covered = covers_all(labels, domain)
    place = {label: code for code, label in enumerate(covered)}
    coded = np.array([place[label] for label in labels], dtype=np.int32)
    covers = np.stack(list(covered.values()))
    value, label = np.nonzero(covers.T)
    n_groups = np.bincount(coded, minlength=len(covers))
    fitting = np.bincount(value, weights=n_groups[label], minlength=len(domain))
    return _Column(
        coded,
        covers,
        np.bincount(value, minlength=len(domain)),
        label.astype(np.int32),
        fitting.astype(np.int64),
    )


def _most_telling_first(columns: list[_Column], codes: CodeArray) -> IntArray:
    """The columns by how few groups a person of the table fits on average."""
    means = [column.n_fitting[codes[:, j]].mean() for j, column in enumerate(columns)]
    return np.argsort(means, kind="stable")


def _codes_of_text(column: pa.ChunkedArray, values: Sequence[Value]) -> CodeArray:
    raw, places = dictionary(column)
    place = {text_of(value): code for code, value in enumerate(values)}
    codes = np.array([place.get(str(text), -1) for text in raw] + [-1], dtype=np.int32)
    return codes[places]
