"""Linear reconstruction: unknown counts from noisy sums of them [Dinur2003], [Dwork2007].

The attacker has sums of counts, and knows how far noise moves one at most. Linear programs find the
counts whose sums are nearest to the answers, and those that are positive whatever the noise was.
Counts are whole numbers; the programs allow fractions too, so what they call certain is certain,
and a range that they give is never too narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.marginals.support import incidence_matrix

_SLACK = 1e-4  # far above the tolerance of the solver, far below a person
_SECONDS = 20.0  # of one program


@dataclass(frozen=True, eq=False)
class NoisySums:
    """Sums of unknown counts, as in several histograms: each count is in one sum of each."""

    rows: list[tuple[IntArray, IntArray]]  # for each histogram, the sum of each count; the answers
    reach: list[int]  # how far the answers of each histogram are from the true sums, at most
    most: float = math.inf  # of one count

    def best_fit(self) -> FloatArray | None:
        """Counts with the least Σ |sum - answer|/reach, all within reach; None if none are."""
        return self._solved(np.zeros(self._sums.shape[1]), 1 / np.maximum(self._reach, 1))

    def least(self, weights: FloatArray) -> FloatArray | None:
        """Counts with the least weighted sum, all within reach; None where none were found."""
        return self._solved(weights, np.zeros(len(self._reach)))

    def range_of(self, chosen: BoolArray) -> tuple[int, float]:
        """The least and the largest sum of some counts, infinite where it was not found."""
        ones = chosen.astype(np.float64)
        low, high = self.least(ones), self.least(-ones)
        least = 0 if low is None else max(math.ceil(low[chosen].sum() - _SLACK), 0)
        return least, math.inf if high is None else math.floor(high[chosen].sum() + _SLACK)

    def positive(self, most: int) -> tuple[BoolArray, bool]:
        """Which counts are never 0 within reach, and whether that was decided for all of them.

        A count that is 0 in one solution is not, and one that is a sum by itself is decided by its
        answer. Of the others, `most` are made as small as possible, one after the other.
        """
        left = np.ones(self._sums.shape[1], dtype=bool)
        while left.any():  # a solution that is least for all of them excludes many at once
            found = self.least(left.astype(np.float64))
            if found is None:
                return np.zeros_like(left), False
            if (found[left] > _SLACK).all():
                break
            left &= found > _SLACK
        certain = np.zeros_like(left)
        for (sum_of, answers), reach in zip(self.rows, self.reach, strict=True):
            is_alone = np.bincount(sum_of, minlength=len(answers)) == 1
            certain |= left & (is_alone & (answers > reach))[sum_of]
        asked = np.flatnonzero(left & ~certain)[:most]
        is_complete = len(asked) == int((left & ~certain).sum())
        for place in asked.tolist():
            found = self.least((np.arange(len(left)) == place).astype(np.float64))
            certain[place] = found is not None and bool(found[place] > _SLACK)
            is_complete &= found is not None
        return certain, is_complete

    @cached_property
    def _sums(self) -> Any:
        return incidence_matrix(self.rows).astype(np.float64)

    @cached_property
    def _reach(self) -> FloatArray:
        sizes = [len(answers) for _, answers in self.rows]
        return np.repeat(np.array(self.reach, dtype=np.float64), sizes)

    def _solved(self, of_counts: FloatArray, of_errors: FloatArray) -> FloatArray | None:
        """Counts with the least costs of these and of their errors: |sum - answer| or more."""
        from scipy.optimize import linprog
        from scipy.sparse import bmat, identity

        n = len(of_counts)
        answers = np.concatenate([answers for _, answers in self.rows]).astype(np.float64)
        error = identity(len(answers))
        solved = linprog(
            np.concatenate([of_counts, of_errors]),
            A_ub=bmat([[self._sums, -error], [-self._sums, -error]]).tocsr(),
            b_ub=np.concatenate([answers, -answers]),
            bounds=[(0, self.most)] * n + [(0, far) for far in self._reach.tolist()],
            method="highs",
            options={"time_limit": _SECONDS},
        )
        return np.asarray(solved.x[:n]) if solved.status == 0 else None
