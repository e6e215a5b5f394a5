"""How well each set of columns tells people apart: distinction and separation [Motwani2007].

Distinction is the share of different rows among all rows, separation the share of pairs of rows
that differ. A set of columns with a separation near 1 is a quasi-identifier, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from gyges.adversaries.minimal_uniques import DistinctRows
from gyges.arrays import IntArray
from gyges.data.cells import row_keys


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """One set of columns, and how well it distinguishes the people of a table."""

    columns: tuple[str, ...]
    distinction: Fraction  # different combinations of values per person
    separation: Fraction  # share of the pairs of people who differ; 0 of one person
    n_unique: int  # people who are alone with their values


def column_sets(table: DistinctRows, most: int) -> Iterator[ColumnSet]:
    """Every set of at least one and at most `most` columns, smallest first."""
    for size in range(1, min(most, len(table.names)) + 1):
        for columns in combinations(range(len(table.names)), size):
            yield column_set(table, columns)


def column_set(table: DistinctRows, columns: tuple[int, ...]) -> ColumnSet:
    """One set of columns; without columns all people are alike."""
    sizes = _sizes(table, columns)
    n, pairs = table.n_people, table.n_people * (table.n_people - 1)
    same = int((sizes * (sizes - 1)).sum())
    return ColumnSet(
        tuple(table.names[column] for column in columns),
        Fraction(len(sizes), max(n, 1)),
        1 - Fraction(same, pairs) if pairs else Fraction(0),
        int((sizes == 1).sum()),
    )


def _sizes(table: DistinctRows, columns: tuple[int, ...]) -> IntArray:
    """How many people share each combination of values that occurs."""
    if not columns:
        return np.array([table.n_people], dtype=np.int64)
    chosen = table.codes[:, list(columns)]
    keys = row_keys(chosen, [int(width) + 1 for width in chosen.max(axis=0, initial=0)])
    of_row = np.unique(keys, return_inverse=True)[1].reshape(-1)
    return np.bincount(of_row, weights=table.people).astype(np.int64)
