"""Singling out by predicates: conditions on columns that select one row of a table.

The attacker has the released table. A predicate that selects one of its rows may select one person
of the original: then that person is singled out, although nobody was named (WP29, Opinion 05/2014).
Predicates about one column are all tried. Of those about several columns, some are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gyges.adversaries.compared_rows import ComparedColumn, ComparedRows
from gyges.arrays import BoolArray

Sign: TypeAlias = Literal["is", "at most", "at least"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """Conditions that a row meets: for each column a sign and a code."""

    columns: tuple[int, ...]
    signs: tuple[Sign, ...]
    codes: tuple[int, ...]

    def selects(self, rows: ComparedRows) -> BoolArray:
        """Which rows meet all conditions; a missing value is neither at most nor at least one."""
        met = np.ones(len(rows), dtype=bool)
        for column, sign, code in zip(self.columns, self.signs, self.codes, strict=True):
            met &= _meeting(rows.columns[column], sign, code)[rows.codes[:, column]]
        return met

    def text(self, columns: Sequence[ComparedColumn]) -> str:
        """The conditions in words."""
        return " and ".join(
            f"{columns[column].name} {sign} {columns[column].values[code]}"
            for column, sign, code in zip(self.columns, self.signs, self.codes, strict=True)
        )


def _meeting(column: ComparedColumn, sign: Sign, code: int) -> BoolArray:
    """Which values of a column meet a condition."""
    codes = np.arange(len(column.values))
    if sign == "is" or column.places is None:
        return np.asarray(codes == code)
    is_there = ~np.isnan(column.places)
    return np.asarray(is_there & ((codes <= code) if sign == "at most" else (codes >= code)))


def about_one_column(released: ComparedRows) -> list[Predicate]:
    """All predicates about one column that select one row of the released table.

    A value that occurs once, and the least and the greatest value of a line.
    """
    found: list[Predicate] = []
    for place, column in enumerate(released.columns):
        counts = np.bincount(released.codes[:, place], minlength=len(column.values))
        found += [Predicate((place,), ("is",), (int(c),)) for c in np.flatnonzero(counts == 1)]
        if column.places is None:
            continue
        there = np.flatnonzero((counts > 0) & ~np.isnan(column.places))
        signs: tuple[tuple[Sign, int], ...] = (("at most", 0), ("at least", -1))
        for sign, end in signs:
            if len(there) and counts[there[end]] == 1:
                found.append(Predicate((place,), (sign,), (int(there[end]),)))
    return found


def about_several_columns(
    released: ComparedRows, n_columns: int, n_wanted: int, rng: np.random.Generator
) -> list[Predicate]:
    """Predicates about some columns of a random row that select no other row, each once.

    A number below the middle of its column is taken with "at most", one above with "at least".
    """
    found: dict[Predicate, None] = {}
    n_columns = min(n_columns, len(released.columns))
    middles = np.median(released.codes, axis=0) if len(released) else np.zeros(0)
    for _ in range(10 * n_wanted):
        if len(found) == n_wanted or not len(released):
            break
        columns = np.sort(rng.choice(len(released.columns), n_columns, replace=False))
        row = released.codes[rng.integers(len(released))]
        one = Predicate(
            tuple(columns.tolist()),
            tuple(_sign(released.columns[c], int(row[c]), middles[c]) for c in columns),
            tuple(int(row[c]) for c in columns),
        )
        if one not in found and int(one.selects(released).sum()) == 1:
            found[one] = None
    return list(found)


def _sign(column: ComparedColumn, code: int, middle: float) -> Sign:
    if column.places is None or np.isnan(column.places[code]):
        return "is"
    return "at least" if code >= middle else "at most"


def singled_out(predicates: Sequence[Predicate], rows: ComparedRows, n_drawn: int) -> list[float]:
    """For each predicate, the probability that it selects one of `n_drawn` rows drawn at random.

    Tables of different sizes are compared at the size of the smaller one: of c rows that meet a
    predicate among n, exactly one is drawn with probability c C(n-c, m-1) / C(n, m).
    """
    counts = [int(one.selects(rows).sum()) for one in predicates]
    return [_exactly_one(count, len(rows), n_drawn) for count in counts]


def _exactly_one(count: int, n: int, drawn: int) -> float:
    """m c/n · Π_{i < m-1} (n-c-i)/(n-1-i), written over the c - 1 rows that are not drawn."""
    if count == 0 or n - count < drawn - 1:
        return 0.0
    chance = drawn * count / n
    for i in range(count - 1):  # C(n-c, m-1)/C(n-1, m-1) = Π (n-m-i)/(n-1-i)
        chance *= max(n - drawn - i, 0) / (n - 1 - i)
        if not chance:
            break
    return min(chance, 1.0)
