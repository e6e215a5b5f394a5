"""The tables of whole numbers that have all published counts, found by integer programs.

A solver meets its constraints to a tolerance; a table counts only where it has every count in whole
numbers. Where the solver neither finds one nor proves that there is none, that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.marginals.support import incidence_matrix

_IMPOSSIBLE = 2  # SciPy's status of a program that has no solution


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The answer of one program: a table, the proof that there is none, or neither."""

    table: IntArray | None
    is_impossible: bool
    message: str  # the solver's


@dataclass(frozen=True, eq=False)
class TablesWithCounts:
    """All tables of cells that have the counts of some views."""

    rows: list[tuple[IntArray, IntArray]]  # for each view the place of each cell, and its counts
    n_cells: int

    @cached_property
    def _sums(self) -> Any:
        return incidence_matrix(self.rows)

    @cached_property
    def _counts(self) -> IntArray:
        return np.concatenate([people for _, people in self.rows])

    def least(self, weights: FloatArray, *, seconds: float) -> IntArray | None:
        """A table that is least by these weights; None where none was found in time."""
        return self._solve(weights, np.full(self.n_cells, np.inf), [], seconds).table

    def without(self, cell: int, *, seconds: float) -> Solved:
        """A table without people in a cell."""
        most = np.full(self.n_cells, np.inf)
        most[cell] = 0
        return self._solve(np.zeros(self.n_cells), most, [], seconds)

    def with_people(self, inside: BoolArray, least: int) -> Solved:
        """A table with at least this many people in some cells together."""
        from scipy.optimize import LinearConstraint

        enough = LinearConstraint(inside.astype(np.float64)[None, :], least, np.inf)
        solved = self._solve(np.zeros(self.n_cells), np.full(self.n_cells, np.inf), [enough], None)
        if solved.table is not None and solved.table[inside].sum() < least:
            return Solved(None, False, solved.message)
        return solved

    def _solve(
        self, weights: FloatArray, most: FloatArray, further: list[Any], seconds: float | None
    ) -> Solved:
        from scipy.optimize import Bounds, LinearConstraint, milp

        solved = milp(
            weights,
            integrality=np.ones(self.n_cells),
            bounds=Bounds(np.zeros(self.n_cells), most),
            constraints=[LinearConstraint(self._sums, self._counts, self._counts), *further],
            options={} if seconds is None else {"time_limit": seconds},
        )
        table = None if solved.x is None else np.asarray(np.rint(solved.x), dtype=np.int64)
        if table is not None and not self._has_all_counts(table):
            table = None
        return Solved(table, solved.x is None and solved.status == _IMPOSSIBLE, solved.message)

    def _has_all_counts(self, table: IntArray) -> bool:
        return bool((table >= 0).all()) and np.array_equal(self._sums @ table, self._counts)
