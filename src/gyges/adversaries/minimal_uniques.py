"""Minimal sample uniques: the smallest sets of columns that single a person out [Elliot2005].

A person is unique on a set of columns if no one else in the table has the same values there. Such a
set is minimal if the person is unique on none of its proper subsets. Someone with many small
minimal sets is at risk whatever an attacker happens to know. The columns that occur in most sets
are worth coarsening first.

Level by level: a set is minimal for those who are unique on it, but on none of the sets with one
column less. Rows that look alike in all columns are one row with a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.data.cells import row_keys


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """The distinct rows that a table shows, as codes, and how many people have each."""

    names: tuple[str, ...]
    codes: CodeArray  # rows × columns
    people: IntArray

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return int(self.people.sum())

    def is_unique(self, columns: Sequence[int]) -> BoolArray:
        """Which rows are of the only person with their values in these columns."""
        chosen = self.codes[:, list(columns)]
        widths = [int(width) + 1 for width in chosen.max(axis=0, initial=0)]
        keys = row_keys(chosen, widths)
        if prod(widths) > 4 * len(keys) + 1024:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
        return np.asarray(np.bincount(keys, weights=self.people)[keys] == 1)


@dataclass(frozen=True, slots=True, eq=False)
class MinimalUniques:
    """The minimal sets of everyone who is unique, up to a size."""

    columns: tuple[str, ...]
    most: int  # columns in a set
    sets: tuple[tuple[int, ...], ...]  # those that are minimal for someone, smallest first
    rows: tuple[IntArray, ...]  # the rows (of one person each) for which each is minimal

    def scores(self, n_rows: int) -> FloatArray:
        """SUDA's score of each row: Π_{i=k}^{M-1} (c - i) summed over its minimal sets of size k.

        c is the number of columns, M the largest size that was searched: the number of ways in
        which a set of k columns grows to one of M, one column after another.
        """
        found = np.zeros(n_rows)
        for columns, rows in zip(self.sets, self.rows, strict=True):
            found[rows] += weight(len(columns), self.most, len(self.columns))
        return found

    def shares(self) -> FloatArray:
        """The share of all scores that sets with each column contribute."""
        of_column, total = np.zeros(len(self.columns)), 0.0
        for columns, rows in zip(self.sets, self.rows, strict=True):
            score = weight(len(columns), self.most, len(self.columns)) * len(rows)
            of_column[list(columns)] += score
            total += score
        return of_column / total if total else of_column

    def n_people(self, largest: int) -> int:
        """How many people are unique on a set of at most this many columns."""
        small = [r for s, r in zip(self.sets, self.rows, strict=True) if len(s) <= largest]
        return len(np.unique(np.concatenate(small))) if small else 0


def weight(size: int, most: int, n_columns: int) -> int:
    """The score of one minimal set.

    >>> weight(1, 3, 4), weight(3, 3, 4)
    (6, 1)
    """
    return prod(n_columns - i for i in range(size, most))


def minimal_uniques(table: DistinctRows, most: int) -> MinimalUniques:
    """Find every minimal set of at most `most` columns; nobody needs one where there is one person.

    That person is unique on the empty set.
    """
    alone = np.flatnonzero(table.people == 1)
    n_columns = len(table.names)
    most = min(most, n_columns)
    if table.n_people == 1:
        return MinimalUniques(table.names, most, ((),), (alone,))
    before: dict[tuple[int, ...], BoolArray] = {(): np.zeros(len(alone), dtype=bool)}
    sets, where = [], []
    for size in range(1, most + 1):
        now: dict[tuple[int, ...], BoolArray] = {}
        for columns in combinations(range(n_columns), size):
            known = np.logical_or.reduce([before[rest] for rest in _one_less(columns)])
            unique = known if known.all() else known | table.is_unique(columns)[alone]
            now[columns] = unique
            new = np.flatnonzero(unique & ~known)
            if len(new):
                sets.append(columns)
                where.append(alone[new])
        before = now
    return MinimalUniques(table.names, most, tuple(sets), tuple(where))


def _one_less(columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    yield from combinations(columns, len(columns) - 1)
