"""How well the majority of a group predicts a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.arrays import IntArray
from gyges.data.encoding import dictionary
from gyges.data.table import Table


@dataclass(frozen=True, slots=True)
class PredictionChange:
    """The share of people whose class is not the most frequent one among people who look alike."""

    column: str
    before: float  # alike in the original: with the same quasi-identifiers
    after: float  # alike in the release: in the same group; suppressed people count as wrong
    everyone: float  # always the most frequent class of the whole table


def prediction_change(table: Table, group_of_row: IntArray, column: str) -> PredictionChange:
    """The classification metric [Iyengar2002] of any published class, before and after."""
    classes, n_classes = class_of_row(table, column)
    first = table.is_first_row
    classes, n_people = classes[first], max(int(first.sum()), 1)

    def wrong(alike: IntArray) -> float:
        kept = alike >= 0
        keys = alike[kept] * n_classes + classes[kept]
        distinct, count = np.unique(keys, return_counts=True)
        right = np.zeros(int(alike.max(initial=0)) + 1, dtype=np.int64)
        np.maximum.at(right, distinct // n_classes, count)
        return 1 - int(right.sum()) / n_people

    everyone = np.zeros(len(classes), dtype=np.int64)
    before, after = table.cell_of_row[first], group_of_row[first]
    return PredictionChange(column, wrong(before), wrong(after), wrong(everyone))


def class_of_row(table: Table, column: str) -> tuple[IntArray, int]:
    """Each row's value of a column that is published, as a code; and how many codes there are."""
    cells = table.cells
    if column == table.schema.sensitive:
        return table.value_of_row.astype(np.int64), len(cells.sensitive)
    if column in cells.columns:
        place = cells.columns.index(column)
        return cells.codes[table.cell_of_row, place].astype(np.int64), len(cells.domains[place])
    _, codes = dictionary(table.fetch([column]).column(column), column)
    return codes.astype(np.int64), int(codes.max(initial=0)) + 1
