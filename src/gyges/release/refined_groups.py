"""Refined groups: columns published unchanged divide a group.

Each row of a release shows its group's labels and its own values of the published columns. An
attacker who knows these values of their target considers only the rows that have them. So what
protects the target is not the group but the part of it that looks the same: the refined group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import row_keys
from gyges.data.encoding import dictionary

if TYPE_CHECKING:
    import pyarrow as pa


def refine(group_of_row: IntArray, shown: pa.Table) -> tuple[IntArray, IntArray]:
    """The refined group of each published row, and the group of each refined group.

    Rows of a group share a refined group if they agree in every column of `shown`; two missing
    values agree. Refined groups are numbered by their group, then by their first row.

    >>> import pyarrow as pa
    >>> ward = pa.table({"ward": ["north", "south", "north", "south"]})
    >>> refine(np.array([0, 0, 0, 1]), ward)
    (array([0, 1, 0, 2]), array([0, 0, 1]))
    """
    columns = [dictionary(shown.column(name)) for name in shown.column_names]
    codes = np.stack([group_of_row, *(places for _, places in columns)], axis=1).astype(np.int32)
    widths = [int(group_of_row.max(initial=-1)) + 1, *(len(raw) + 1 for raw, _ in columns)]
    keys = row_keys(codes, widths)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort((first, group_of_row[first]))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[place.ravel()], np.asarray(group_of_row[first][order], dtype=np.int64)


def alike(rows: pa.Table, columns: Sequence[str]) -> IntArray:
    """For each row the number of its class: the rows that agree with it in some columns."""
    return refine(np.zeros(rows.num_rows, dtype=np.int64), rows.select(list(columns)))[0]
