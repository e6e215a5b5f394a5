"""The linear relaxation of the worlds of one part: counts need not be whole numbers.

Every world solves the relaxation, so what no solution reaches is in no world. A solver works with
rounded numbers and proves nothing by itself. But any prices y of the sums, rounded or not, give

    c·x  >=  b·y + Σ_u min { (c - Aᵀy)_u x_u : low_u <= x_u <= high_u }     for all x with A x = b

so the solver's prices are rounded to multiples of 2^-20 and the bound is computed in whole numbers
[NeumaierShcherbina2004]. A solution of whole numbers that reaches every sum exactly is a world of
the part: it shows values to be possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.arrays import IntArray

_SCALE = 1 << 20
_LARGEST = 1 << 36  # of prices times totals, all added up, so that sums stay far below 2^63
_NEARLY_WHOLE = 1e-6
_EACH_PROGRAM = 500  # what a program costs besides its unknowns


@dataclass(frozen=True, eq=False)
class PartProgram:
    """The sums of one part: A x = b, low <= x <= high."""

    part: IntArray  # the unknowns
    low: IntArray
    high: IntArray
    totals: IntArray  # b: what the unknowns of the part add up to, for each sum
    rows: IntArray  # entries of A, all 1
    columns: IntArray

    @classmethod
    def of(cls, counts: JointCounts, low: IntArray, high: IntArray, part: IntArray) -> PartProgram:
        """The program of a part; all its other unknowns in the same sums are fixed."""
        sums = counts.sums_of[part]
        columns, kind = np.nonzero((sums >= 0) & (counts.totals[sums] >= 0))
        used, rows = np.unique(sums[columns, kind], return_inverse=True)
        members = counts.sums.take(used)
        is_inside = np.isin(members.values, part)
        beside = np.where(is_inside, 0, low[members.values])
        reached = np.bincount(members.segment_of_value, beside, minlength=len(used))
        totals = counts.totals[used] - reached.astype(np.int64)
        return cls(part, low[part], high[part], totals, rows, columns)

    @property
    def cost(self) -> int:
        """How much work it is to solve, about: in unknowns."""
        return len(self.part) + _EACH_PROGRAM

    def most(self, place: int) -> tuple[int, IntArray | None]:
        """A proven upper bound of one unknown of the part, and a world where one was found."""
        bound, world = self._least(place, -1)
        own = int(self.high[place])
        return own if bound is None else min(own, -bound), world

    def least(self, place: int) -> int:
        """A proven lower bound of one unknown of the part."""
        bound, _ = self._least(place, 1)
        own = int(self.low[place])
        return own if bound is None else max(own, bound)

    def any_world(self) -> IntArray | None:
        """A world of the part, if the solver finds one that is exactly right."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        found = milp(
            np.zeros(len(self.part)),
            integrality=np.ones(len(self.part)),
            constraints=LinearConstraint(self._matrix, self.totals, self.totals),
            bounds=Bounds(self.low, self.high),
            options={"node_limit": 200, "time_limit": 2.0},
        )
        return self._as_world(found.x)

    def _least(self, place: int, sign: int) -> tuple[int | None, IntArray | None]:
        """A proven lower bound of this unknown times `sign`, and a world where one was found."""
        from scipy.optimize import linprog

        aim = np.zeros(len(self.part), dtype=np.int64)
        aim[place] = sign
        found = linprog(
            aim,
            A_eq=self._matrix,
            b_eq=self.totals,
            bounds=np.stack([self.low, self.high], axis=1),
            method="highs",
        )
        if found.x is None:
            return None, None
        return self._proven(aim, np.asarray(found.eqlin.marginals)), self._as_world(found.x)

    def _proven(self, aim: IntArray, prices: Any) -> int | None:
        """The bound that these prices prove, rounded up to the next whole number."""
        y = np.rint(prices * _SCALE)
        size = np.abs(y).max(initial=0) * max(self.totals.max(initial=1), self.high.max(initial=1))
        if not np.isfinite(size) or size * len(self.rows) > _LARGEST * _SCALE:
            return None
        whole = y.astype(np.int64)
        reduced = aim * _SCALE
        np.subtract.at(reduced, self.columns, whole[self.rows])
        at_least = int(whole @ self.totals) + int(
            np.minimum(reduced * self.low, reduced * self.high).sum()
        )
        return -(-at_least // _SCALE)

    def _as_world(self, found: Any) -> IntArray | None:
        """The whole numbers next to a solution, if these reach all sums exactly."""
        if found is None or np.abs(found - np.rint(found)).max(initial=0) > _NEARLY_WHOLE:
            return None
        world = np.rint(found).astype(np.int64)
        reached = np.bincount(self.rows, world[self.columns], minlength=len(self.totals))
        is_inside = (world >= self.low).all() and (world <= self.high).all()
        return world if is_inside and (reached == self.totals).all() else None

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csr_array

        shape = (len(self.totals), len(self.part))
        return csr_array((np.ones(len(self.rows)), (self.rows, self.columns)), shape=shape)


def find_worlds(programs: Sequence[PartProgram], known: IntArray, work: int) -> None:
    """Put a world of each part into `known` where none is, with this much work."""
    for program in programs:
        if known[program.part[0]] >= 0 or len(program.part) > work:
            continue
        work -= program.cost
        world = program.any_world()
        if world is not None:
            known[program.part] = world
