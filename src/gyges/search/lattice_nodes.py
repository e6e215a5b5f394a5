"""The lattice of full-domain generalizations: every column at one level for the whole table.

A node is a tuple of levels, one for each quasi-identifier in the schema's order; 0 is the value
itself. A column without a hierarchy has two levels: the value itself, and `*` for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.cells import Cells
from gyges.errors import SchemaError
from gyges.utility.loss import ancestors

Levels: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Lattice:
    """Every node over a table's cells, with the labels of all levels in one flat array.

    The label of code x of column c at level v is `labels[at[c, v] + x]`, one of `widths[c, v]`.
    """

    cells: Cells
    top: Levels  # the highest level of each column
    labels: CodeArray
    at: IntArray  # columns × levels
    widths: IntArray  # columns × levels

    def __post_init__(self) -> None:
        frozen(self.labels, self.at, self.widths)

    @classmethod
    def of(cls, cells: Cells) -> Lattice:
        """The lattice over some cells."""
        if not cells.domains:
            raise SchemaError(
                "the table has no quasi-identifiers: there is nothing to generalize, "
                "so name them in the schema"
            )
        tables = [ancestors(domain) for domain in cells.domains]
        top = tuple(len(table) - 1 for table in tables)
        at = np.zeros((len(tables), max(top) + 1), dtype=np.int64)
        widths = np.ones_like(at)
        flat: list[IntArray] = []
        used = 0
        for column, table in enumerate(tables):
            for level, labels in enumerate(table):
                at[column, level] = used
                widths[column, level] = int(labels.max(initial=0)) + 1
                flat.append(labels)
                used += len(labels)
        return cls(cells, top, np.concatenate(flat).astype(np.int32), at, widths)

    @property
    def bottom(self) -> Levels:
        """Every column as it is."""
        return (0,) * len(self.top)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return math.prod(level + 1 for level in self.top)

    def named(self, levels: Levels) -> dict[str, int]:
        """A node as {column: level}."""
        return dict(zip(self.cells.columns, levels, strict=True))
