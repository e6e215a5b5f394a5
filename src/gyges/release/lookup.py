"""Finding many people in many groups at once: by labels through a trie, by exact values by keys.

The same answers as comparing every person with every group, at a cost that hardly grows with the
number of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    coded = np.stack([label_of_group for label_of_group, _ in columns], axis=1)
    sorted_groups = np.lexsort(coded.T[::-1])
    coded = np.ascontiguousarray(coded[sorted_groups])
    ends = run_ends(coded)
    top_starts, top_runs = _top(coded[:, 0], columns[0][1])
    sizes = [covered.size for _, covered in columns]
    place = find_groups(
        np.ascontiguousarray(people.cells.codes[:, order]),
        coded,
        ends,
        np.concatenate([covered.ravel() for _, covered in columns]),
        np.cumsum([0, *sizes[:-1]]),
        np.array([covered.shape[1] for _, covered in columns]),
        top_starts,
        top_runs,
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


def _column(labels: Sequence[str], domain: Domain) -> tuple[CodeArray, BoolArray]:
    """The label's code of each group, and which values each label covers: labels × values."""
    covered = covers_all(labels, domain)
    place = {label: code for code, label in enumerate(covered)}
    coded = np.array([place[label] for label in labels], dtype=np.int32)
    return coded, np.stack(list(covered.values()))


def _most_telling_first(columns: list[tuple[CodeArray, BoolArray]], codes: CodeArray) -> IntArray:
    """The columns by how few groups a person of the table fits on average."""
    fitting = []
    for j, (coded, covered) in enumerate(columns):
        n_groups = np.bincount(coded, minlength=len(covered)).astype(np.float32)
        fitting.append(float((n_groups @ covered.astype(np.float32))[codes[:, j]].mean()))
    return np.argsort(fitting, kind="stable")


def _top(labels: CodeArray, covered: BoolArray) -> tuple[IntArray, IntArray]:
    """For each code of the first column, where the runs of groups begin that cover it."""
    begins = np.flatnonzero(np.diff(labels, prepend=-1))
    code, run = np.nonzero(covered[labels[begins]].T)
    starts = np.searchsorted(code, np.arange(covered.shape[1] + 1))
    return starts.astype(np.int64), begins[run].astype(np.int64)


def _codes_of_text(column: pa.ChunkedArray, values: Sequence[Value]) -> CodeArray:
    raw, places = dictionary(column)
    place = {text_of(value): code for code, value in enumerate(values)}
    codes = np.array([place.get(str(text), -1) for text in raw] + [-1], dtype=np.int32)
    return codes[places]
