"""A tree of tables for views that share columns: where marginals of one distribution are computed.

Columns are eliminated one after another, each time the one whose table is smallest [Dechter1999].
The table of a column has the column itself and its neighbours, which are eliminated later. The
axes of every table are sorted from the column eliminated last to the one eliminated first, so a
table's own column is always its last axis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BYTES = 8  # of a cell


@dataclass(frozen=True, slots=True)
class EliminationTree:
    """The order of elimination, and for each column the later columns that its table has."""

    sizes: Mapping[str, int]  # values of each column, in the order of the table
    order: tuple[str, ...]  # of elimination
    neighbours: Mapping[str, tuple[str, ...]]  # of each column, last eliminated first

    def axes(self, column: str) -> tuple[str, ...]:
        """The axes of a column's table."""
        return (*self.neighbours[column], column)

    def shape(self, columns: Sequence[str]) -> tuple[int, ...]:
        """How many values each column has."""
        return tuple(self.sizes[column] for column in columns)

    def sorted_axes(self, view: Sequence[str]) -> tuple[str, ...]:
        """The columns of a view in the order that tables have them."""
        return tuple(sorted(view, key=self.order.index, reverse=True))

    def home(self, view: Sequence[str]) -> str | None:
        """The column whose table has all columns of a view; None if no table has."""
        first = self.sorted_axes(view)[-1]
        return first if set(view) <= set(self.axes(first)) else None

    @property
    def n_cells(self) -> int:
        """The cells of all tables."""
        return sum(math.prod(self.shape(self.axes(column))) for column in self.order)


def elimination_tree(sizes: Mapping[str, int], views: Sequence[Sequence[str]]) -> EliminationTree:
    """The tree that a greedy order gives: next is the column whose table has fewest cells."""
    adjacent: dict[str, set[str]] = {column: set() for column in sizes}
    for view in views:
        for column in view:
            adjacent[column] |= set(view) - {column}
    order: list[str] = []
    found: dict[str, set[str]] = {}
    while adjacent:
        column = min(adjacent, key=lambda c: _table_cells(sizes, c, adjacent[c]))
        near = found[column] = adjacent.pop(column)
        for other in near:
            adjacent[other] |= near - {other}
            adjacent[other].discard(column)
        order.append(column)
    place = {column: i for i, column in enumerate(order)}
    neighbours = {
        column: tuple(sorted(near, key=place.__getitem__, reverse=True))
        for column, near in found.items()
    }
    return EliminationTree(dict(sizes), tuple(order), neighbours)


def model_cells(sizes: Mapping[str, int], views: Sequence[Sequence[str]]) -> int:
    """How many cells a model of these views has: known before anything is spent."""
    return elimination_tree(sizes, views).n_cells


def _table_cells(sizes: Mapping[str, int], column: str, near: set[str]) -> int:
    return sizes[column] * math.prod(sizes[other] for other in near)
