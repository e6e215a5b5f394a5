"""Singling out by predicates: conditions on columns that select one row of a table.

The attacker has the released table. A predicate that selects one of its rows may select one person
of the original: then that person is singled out, although nobody was named [WP29].
Predicates about one column are all tried. Of those about several columns, some are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gyges.adversaries.compared_rows import ComparedColumn, ComparedRows
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.ragged import Ragged

Sign: TypeAlias = Literal["is", "at most", "at least"]
Condition: TypeAlias = tuple[int, Sign, int]  # a column, a sign and a code
_TRIES = 4  # rows drawn for each predicate that is wanted: many are like others


@dataclass(frozen=True, slots=True)
class Predicate:
    """Conditions on different columns that a row meets."""

    conditions: tuple[Condition, ...]

    def text(self, columns: Sequence[ComparedColumn]) -> str:
        """The conditions in words."""
        return " and ".join(
            f"{columns[column].name} {sign} {columns[column].values[code]}"
            for column, sign, code in self.conditions
        )


@dataclass(frozen=True, slots=True, eq=False)
class SortedColumns:
    """The rows of a table in the order of each column, so that a condition is a run of rows."""

    rows: ComparedRows
    by_column: IntArray  # the codes, columns × rows
    orders: IntArray  # rows by code, for each column
    starts: tuple[IntArray, ...]  # where the rows of each code start in that order
    covers: tuple[BoolArray | None, ...]  # of a column in which conditions are about labels

    @classmethod
    def of(cls, rows: ComparedRows, shown: Sequence[ComparedColumn] = ()) -> SortedColumns:
        """Sort the rows by each column; conditions are about the `shown` columns, or their own."""
        codes = np.ascontiguousarray(rows.codes.T)
        counts = [
            np.bincount(own, minlength=len(column.values))
            for column, own in zip(rows.columns, codes, strict=True)
        ]
        starts = tuple(np.concatenate([[0], np.cumsum(own)]) for own in counts)
        covers = [None if one.labels is None else one.labels.covers for one in shown]
        orders = np.argsort(codes, axis=1, kind="stable")
        return cls(rows, codes, orders, starts, tuple(covers or [None] * len(codes)))

    def select(self, predicate: Predicate) -> IntArray:
        """The rows that meet all conditions: those of the rarest one, tried with the others.

        A missing value is neither at most nor at least another one.
        """
        runs = {condition: self._run(condition) for condition in predicate.conditions}
        rarest, *others = sorted(runs, key=lambda condition: len(runs[condition]))
        rows = runs[rarest]
        for condition in others:
            rows = self.meeting(rows, condition)
        return rows

    def meeting(self, rows: IntArray, condition: Condition) -> IntArray:
        """Those of some rows that meet a condition."""
        codes = self.by_column[condition[0]][rows]
        covers = self.covers[condition[0]]
        if covers is not None:
            return np.asarray(rows[covers[condition[2]][codes]])
        low, high = self._codes(condition)
        return np.asarray(rows[(codes >= low) & (codes < high)])

    def _run(self, condition: Condition) -> IntArray:
        column, covers = condition[0], self.covers[condition[0]]
        starts, order = self.starts[column], self.orders[column]
        if covers is not None:
            codes = np.flatnonzero(covers[condition[2]])
            return np.asarray(order[Ragged.ranges(starts[codes], starts[codes + 1]).values])
        low, high = self._codes(condition)
        return np.asarray(order[starts[low] : starts[high]])

    def _codes(self, condition: Condition) -> tuple[int, int]:
        """The codes that meet a condition: from, and up to before."""
        column, sign, code = condition
        if sign == "is":
            return code, code + 1
        return (0, code + 1) if sign == "at most" else (code, self.rows.columns[column].n_known)


def about_one_column(released: ComparedRows) -> list[Predicate]:
    """All predicates about one column that select one row of the released table.

    A value that occurs once, and the least and the greatest value of a line.
    """
    found: list[Condition] = []
    for place, column in enumerate(released.columns):
        counts = np.bincount(released.codes[:, place], minlength=len(column.values))
        found += [(place, "is", int(code)) for code in np.flatnonzero(counts == 1)]
        there = np.flatnonzero(counts[: column.n_known])
        if column.is_ordered and len(there):
            ends: tuple[Condition, ...] = (
                (place, "at most", int(there[0])),
                (place, "at least", int(there[-1])),
            )
            found += [end for end in ends if counts[end[2]] == 1]
    return [Predicate((condition,)) for condition in found]


def about_several_columns(
    released: SortedColumns, n_columns: int, n_wanted: int, rng: np.random.Generator
) -> list[Predicate]:
    """Predicates about columns of a random row that select no other row, each once.

    A number below the middle of its column is taken with "at most", one above with "at least".
    Conditions on `n_columns` columns drawn at random come first. While several rows meet them, a
    condition on one more column is added.
    """
    rows, found = released.rows, dict[Predicate, None]()
    middles = np.median(rows.codes, axis=0) if len(rows) else np.zeros(0)
    tries = _TRIES * n_wanted if len(rows) else 0
    for row in rows.codes[rng.integers(max(len(rows), 1), size=tries)]:
        if len(found) == n_wanted:
            break
        conditions: list[Condition] = [
            (column, _sign(rows.columns[column], row[column], middles[column]), int(row[column]))
            for column in rng.permutation(len(rows.columns)).tolist()
        ]
        used = min(n_columns, len(conditions))
        selected = released.select(Predicate(tuple(conditions[:used])))
        while len(selected) > 1 and used < len(conditions):
            selected = released.meeting(selected, conditions[used])
            used += 1
        if len(selected) == 1:
            found[Predicate(tuple(sorted(conditions[:used])))] = None
    return list(found)


def _sign(column: ComparedColumn, code: int, middle: float) -> Sign:
    if not column.is_ordered or code >= column.n_known:
        return "is"
    return "at least" if code >= middle else "at most"


@dataclass(frozen=True, slots=True, eq=False)
class SelectedPeople:
    """How often predicates select one person of a table."""

    chances: FloatArray  # of each predicate
    n_independent: float  # how many independent predicates would vary as much with the people


def singled_out(
    predicates: Sequence[Predicate], rows: SortedColumns, n_drawn: int
) -> SelectedPeople:
    """For each predicate, the probability that it selects one of `n_drawn` rows drawn at random.

    So a larger table is compared at the size of a smaller one: of c rows that meet a predicate
    among n, exactly one is among m drawn rows with probability c C(n-c, m-1) / C(n, m).

    Many predicates may hold for the same person, so they are not independent attempts. Leaving out
    person i changes the chance of predicate j by d_ij; the design effect is Σ_i (Σ_j d_ij)² over
    Σ_i Σ_j d_ij², which is 1 where no two predicates hold for the same person.
    """
    n = len(rows.rows)
    chances, change, alone = np.zeros(len(predicates)), np.zeros(n), 0.0
    for place, one in enumerate(predicates):
        selected = rows.select(one)
        chances[place] = _exactly_one(len(selected), n, n_drawn)
        if len(selected):
            difference = _exactly_one(len(selected) - 1, n, n_drawn) - chances[place]
            change[selected] += difference
            alone += len(selected) * difference**2
    design_effect = max(float(change @ change) / alone, 1.0) if alone else 1.0
    return SelectedPeople(chances, float(max(len(predicates) / design_effect, 1.0)))


def _exactly_one(count: int, n: int, drawn: int) -> float:
    """m c/n · Π_{i < c-1} (n-m-i)/(n-1-i): one of the c rows is drawn, the others are not."""
    chance = drawn * count / n
    for i in range(count - 1):
        chance *= max(n - drawn - i, 0) / (n - 1 - i)
        if not chance:
            break
    return min(chance, 1.0)
