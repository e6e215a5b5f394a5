"""The labels that a noisy release may show, coarser columns, and what cannot occur together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.errors import RuleError

MOST_CELLS = 2_000_000  # of one view; OpenDP draws about 100,000 numbers a second


@dataclass(frozen=True, slots=True)
class Coarser:
    """A column that shows another one coarsely: each label of that one belongs to one of its own.

    It is public like the labels, and lets a view of many columns have few cells.
    """

    name: str
    of: str  # a column of the table, or a coarser one stated before
    labels: tuple[str, ...]
    part_of: tuple[int, ...]  # for each label of `of`, the place of its own label


@dataclass(frozen=True, slots=True)
class Impossible:
    """Combinations that cannot occur, known without the data: any of these labels together."""

    columns: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]  # of labels, for each column


@dataclass(frozen=True, slots=True)
class Universe:
    """The columns of a noisy release, their possible labels, and what cannot occur together."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    coarser: tuple[Coarser, ...] = ()
    impossible: tuple[Impossible, ...] = ()

    def labels_of(self, column: str) -> tuple[str, ...]:
        """The labels of a column, also of a coarser one."""
        if column in self.columns:
            return self.labels[self.columns.index(column)]
        return next(one.labels for one in self.coarser if one.name == column)

    def shape(self, view: Sequence[str]) -> tuple[int, ...]:
        """How many labels each column of a view has."""
        return tuple(len(self.labels_of(column)) for column in view)

    def base(self, column: str) -> str:
        """The column of the table that a column is, or shows coarsely."""
        for one in reversed(self.coarser):
            column = one.of if one.name == column else column
        return column

    def parts(self, column: str) -> IntArray:
        """For each label of the column of the table, the place of the label that shows it."""
        base = self.base(column)
        places: IntArray = np.arange(len(self.labels_of(base)))
        at = base
        for one in self.coarser:
            if at != column and one.of == at and base == self.base(column):
                places, at = np.array(one.part_of)[places], one.name
        return places

    def described(self, views: Sequence[Sequence[str]]) -> list[str]:
        """The columns that views describe, with those that lie between them and the table's."""
        found: set[str] = set()
        for column in {column for view in views for column in view}:
            chain = self.chain(self.base(column))
            found |= set(chain[: chain.index(column) + 1])
        return [c for c in (*self.columns, *(one.name for one in self.coarser)) if c in found]

    def chain(self, base: str) -> list[str]:
        """A column of the table and those that show it ever more coarsely."""
        return [base, *(one.name for one in self.coarser if self.base(one.name) == base)]

    def sizes(self, columns: Sequence[str]) -> dict[str, int]:
        """How many labels each column has."""
        return {column: len(self.labels_of(column)) for column in columns}

    def masks(self, columns: Sequence[str]) -> list[tuple[tuple[str, ...], BoolArray]]:
        """Which labels may occur together, among some columns."""
        return [(names, mask) for names, mask in self.allowed if set(names) <= set(columns)]

    def only(self, views: Sequence[Sequence[str]]) -> Universe:
        """The universe without the coarser columns that no view needs."""
        kept = self.described(views)
        coarser = tuple(one for one in self.coarser if one.name in kept)
        return Universe(self.columns, self.labels, coarser, self.impossible)

    @property
    def allowed(self) -> list[tuple[tuple[str, ...], BoolArray]]:
        """Which labels may occur together, for each list of columns that restricts it."""
        masks: list[tuple[tuple[str, ...], BoolArray]] = []
        for one in self.coarser:
            shows = np.array(one.part_of)[:, np.newaxis] == np.arange(len(one.labels))
            masks.append(((one.of, one.name), shows))
        for zero in self.impossible:
            mask = np.ones(self.shape(zero.columns), dtype=bool)
            mask[np.ix_(*zero.places)] = False
            masks.append((zero.columns, mask))
        return masks

    def check(self, view: Sequence[str]) -> tuple[str, ...]:
        """Read a view: known columns, each once, not too many cells."""
        unknown = [column for column in view if column not in self.columns]
        if unknown:
            raise RuleError(
                f"a view names the column {unknown[0]!r}; there are: {', '.join(self.columns)}"
            )
        if len(set(view)) < len(view):
            raise RuleError("a view names a column twice")
        cells = math.prod(self.shape(view))
        if cells > MOST_CELLS:
            raise RuleError(
                f"the view of {', '.join(view)} has {cells:,} cells, more than {MOST_CELLS:,}: "
                f"remove a column, or generalize one with `levels`"
            )
        return tuple(view)
