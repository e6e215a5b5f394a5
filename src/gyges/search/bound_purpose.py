"""A purpose bound to a table: what a search prefers where the rules leave it a choice.

A purpose never reaches a rule: it orders the cuts that a search tries, or the nodes that it
compares, and every one of them is judged as without a purpose.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from gyges.arguments import instance
from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Cells
from gyges.data.large_table import LargeTable
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.search.column_weights import column_weights
from gyges.utility.prediction import class_of_row
from gyges.utility.purpose import Purpose


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassCounts:
    """How many people of `cell[i]` have the class `value[i]`: `count[i]`."""

    cell: IntArray
    value: IntArray
    count: IntArray
    n_classes: int
    is_sensitive: bool  # the class is the sensitive value

    def by_cell(self, n_cells: int) -> FloatArray:
        """The counts as a dense array: cells × classes."""
        dense = np.zeros((n_cells, self.n_classes))
        np.add.at(dense, (self.cell, self.value), self.count)
        return dense

    def minority(self, group_of_cell: IntArray, n_groups: int) -> IntArray:
        """How many people of each group are not of its most frequent class."""
        keys = group_of_cell[self.cell] * self.n_classes + self.value
        distinct, where = np.unique(keys, return_inverse=True)
        counts = np.bincount(where.ravel(), weights=self.count).astype(np.int64)
        group, most = distinct // self.n_classes, np.zeros(n_groups, dtype=np.int64)
        np.maximum.at(most, group, counts)
        return np.bincount(group, weights=counts, minlength=n_groups).astype(np.int64) - most


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundPurpose:
    """A purpose in terms of a table's cells."""

    columns: list[str]
    weights: Mapping[str, float] | None = None  # of some quasi-identifiers; None if none are stated
    questions: tuple[tuple[int, ...], ...] = ()  # the quasi-identifiers of each question
    classes: ClassCounts | None = None

    @property
    def importance(self) -> FloatArray:
        """How much each quasi-identifier counts: its weight, times the questions that name it."""
        weights = column_weights(self.columns, self.weights)
        named = np.bincount(
            [column for question in self.questions for column in question],
            minlength=len(self.columns),
        )
        return weights * named if named.any() else weights


def options_for(
    purpose: Purpose,
    table: Table | LargeTable,
    method: str,
    takes: Collection[str],
    given: Collection[str],
) -> dict[str, object]:
    """The purpose as the option that a method takes: all of it, or the weights of columns.

    One seam for all methods: a search that can use a purpose has an option of that name.
    """
    instance(purpose, Purpose, "purpose", "give a gy.Purpose(...)")
    if "weights" in given:
        raise RuleError("weights are stated twice: give them in the purpose alone")
    if isinstance(table, LargeTable):
        raise RuleError("a purpose needs all cells of the table: omit it or raise the memory limit")
    if "purpose" in takes:
        return {"purpose": bind_purpose(purpose, table)}
    if "weights" in takes and not purpose.questions and purpose.predict is None:
        return {"weights": purpose.weights}
    raise RuleError(
        f"the method {method} cannot be optimized for this purpose: omit it, or choose the method "
        f"partition or lattice"
    )


def bind_purpose(purpose: Purpose, table: Table) -> BoundPurpose:
    """What a purpose means for a table; refuse columns that it does not have."""
    purpose.check(table)
    columns = table.cells.columns
    column_weights(columns, purpose.weights)
    questions = (
        tuple(columns.index(name) for name in question if name in columns)
        for question in purpose.asked
    )
    return BoundPurpose(
        columns=columns,
        weights=purpose.weights or None,
        questions=tuple(question for question in questions if question),
        classes=None if purpose.predict is None else class_counts(table, purpose.predict),
    )


def class_counts(table: Table, name: str) -> ClassCounts:
    """How many people of each cell have each value of a column that is published."""
    cells: Cells = table.searched_cells
    if name == table.schema.sensitive:
        entries = cells.cell_of_entry, cells.value_codes.astype(np.int64), cells.value_counts
        return ClassCounts(*entries, len(cells.sensitive), is_sensitive=True)
    if name in cells.columns:
        column = cells.columns.index(name)
        codes = cells.codes[:, column].astype(np.int64)
        n_classes = len(cells.domains[column])
        return ClassCounts(np.arange(len(cells)), codes, cells.people, n_classes, False)
    codes, n_classes = class_of_row(table, name)
    first = table.is_first_row
    keys = table.searched_cell_of_row[first] * n_classes + codes[first]
    distinct, count = np.unique(keys, return_counts=True)
    return ClassCounts(distinct // n_classes, distinct % n_classes, count, n_classes, False)
