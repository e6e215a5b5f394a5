"""A skyline's cuts in one go, where every column is a line and people have one value each.

The result is that of `Descent.finish` step by step: the same cuts are proposed in the same order,
and each is accepted exactly if all groups are safe with it. What rounding leaves open in the
kernel is settled here by fractions, and each question is asked once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np

from gyges.adversaries.dimension_formulas import Quotient, exact_statistic
from gyges.adversaries.dimension_statistics import StatisticMinima
from gyges.arrays import FloatArray, IntArray
from gyges.criteria.skyline import BoundSkyline
from gyges.criteria.skyline_points import Plan
from gyges.kernels import joining_minima as kernel
from gyges.kernels import log_ratios
from gyges.kernels.ordered_cuts import N_CLOSED, N_LEVEL, N_NUMBERS, cut_in_order
from gyges.kernels.packed_items import NO_TREE, TREE
from gyges.search.acceptance import Acceptance
from gyges.search.items import Items
from gyges.search.levels import Least, Segments

ITEMS_WORTH_A_KERNEL = 1 << 14  # fewer are cut by kernels that run as written
_SIGNATURES_KEPT = 1 << 14
_MOST_ROWS = 10_000  # of all values; the kernels take room for 8 KB for each
_FEW_ANSWERS = 1 << 8
_WHOLE = 2**31  # products of smaller numbers do not overflow


@dataclass(eq=False, repr=False)
class SkylineCuts:
    """Cuts groups of items to the end under one skyline, and under rules about sizes."""

    items: Items
    spare: IntArray
    acceptance: Acceptance
    least: Least
    rows: _Rows
    answers: IntArray = field(
        default_factory=lambda: np.zeros((_FEW_ANSWERS, kernel.QUESTION + 1), dtype=np.int64)
    )
    n_answers: int = 0

    @classmethod
    def where_possible(
        cls, items: Items, spare: IntArray, acceptance: Acceptance, least: Least
    ) -> SkylineCuts | None:
        """Cuts of these items under these rules; None where the search goes step by step."""
        skylines = [rule for rule in acceptance.together if isinstance(rule, BoundSkyline)]
        if (
            len(items) < ITEMS_WORTH_A_KERNEL
            or len(skylines) != 1
            or len(acceptance.together) != 1
            or any(rule.rule.least_people is None for rule in acceptance.each)
            or not acceptance.is_in_order
            or len(skylines[0].plan.watch) > _MOST_ROWS
            or (items.layout.columns[:, TREE] != NO_TREE).any()
        ):
            return None
        return cls(items, spare, acceptance, least, _Rows.of(skylines[0].plan))

    def finish(self, level: Segments) -> Segments:
        """The groups that no accepted cut divides any further; the acceptance remembers them."""
        [summary] = self.acceptance.summaries
        least, holders = summary.least.copy(), summary.holders.copy()
        n_people, rows = int(level.totals.sum()), self.rows
        least_people = rows.least_people(n_people)
        open_groups = _Level.of(level, max(least_people, self.least.side, 1))
        known = np.full((_SIGNATURES_KEPT, 4), -1, dtype=np.int64)
        statistics = np.empty((_SIGNATURES_KEPT, 5))
        question = np.zeros(kernel.QUESTION, dtype=np.int64)
        while not cut_in_order(
            self.items.words,
            *self.items.layout,
            self.spare,
            self.least.side,
            least_people,
            *rows.arrays,
            least,
            holders,
            known,
            statistics,
            self.answers,
            question,
            *open_groups.arrays,
        ):
            self._note(question)
        self.acceptance.summaries = [StatisticMinima(summary.watch, summary.kind, least, holders)]
        return open_groups.found()

    def _note(self, question: IntArray) -> None:
        """Answer a question, and keep the answer."""
        if 2 * self.n_answers >= len(self.answers):
            held = self.answers[self.answers[:, 0] > 0]
            self.answers = np.zeros((2 * len(self.answers), kernel.QUESTION + 1), dtype=np.int64)
            for row in held:
                self.answers[kernel.answer_place(row[:-1], self.answers)] = row
        place = kernel.answer_place(question, self.answers)
        self.answers[place] = [*question.tolist(), self.rows.answer(question.tolist())]
        self.n_answers += 1


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """A skyline as the kernels read it."""

    plan: Plan
    value_rows: IntArray  # values + 1: where each value's rows begin
    class_of: IntArray  # values: values of one class have the same points
    class_rows: IntArray  # classes: where the rows of its first value begin
    rows: IntArray  # rows × 6, see joining_minima.py
    points: list[tuple[int, int, Quotient]]  # k, m and the limit of each different point

    @classmethod
    def of(cls, plan: Plan) -> _Rows:
        """The rows of a plan."""
        watch = plan.watch
        numbers: dict[tuple[int, int, int, Fraction], int] = {}
        rows = np.zeros((len(watch), 6), dtype=np.int64)
        for row, point in enumerate(plan.points):
            key = int(watch.l[row]), int(watch.k[row]), int(watch.m[row]), point.c
            limit = (1 - point.c) / point.c
            is_short = max(limit.numerator, limit.denominator) < _WHOLE
            short = (limit.numerator, limit.denominator) if is_short else (0, 0)
            rows[row] = (*key[:3], numbers.setdefault(key, len(numbers)), *short)
        value_rows = watch.row_starts[watch.block_starts]
        classes: dict[tuple[int, ...], int] = {}
        class_of, class_rows = np.empty(len(watch.values), dtype=np.int64), []
        for value, (begin, end) in enumerate(pairwise(value_rows.tolist())):
            own = tuple(rows[begin:end, kernel.POINT].tolist())
            if own not in classes:
                class_rows.append(begin)
            class_of[value] = classes.setdefault(own, len(classes))
        points = [(k, m, Quotient.of((1 - c) / c)) for _, k, m, c in numbers]
        first = np.array(class_rows, dtype=np.int64)
        return cls(plan, value_rows, class_of, first, rows, points)

    @property
    def arrays(self) -> tuple[IntArray | FloatArray, ...]:
        """What the kernels take."""
        classes = self.class_of, self.class_rows
        return self.value_rows, *classes, self.rows, self.plan.log_limits

    def least_people(self, at_most: int) -> int:
        """A number of people below which no group of these values is safe; at most one more."""
        found = at_most + 1
        for value in np.unique(self.class_of, return_index=True)[1]:
            own = slice(int(self.value_rows[value]), int(self.value_rows[value + 1]))
            limits = self.plan.log_limits[own]
            n_values = len(self.class_of)
            found = kernel.least_people_of_any(n_values, self.rows[own], limits, found - 1)
        return found

    def answer(self, question: list[int]) -> int:
        """The answer to a question of the kernels, by fractions."""
        kind, point, *signatures = question
        k, m, limit = self.points[point]
        one, other = signatures[:3], signatures[3:]

        def exact(which: int, signature: list[int]) -> Quotient:
            return exact_statistic(log_ratios.ONE, which, signature, k, m)

        if kind in (kernel.ORDER, kernel.ORDER_KNOWN):
            is_known = kind == kernel.ORDER_KNOWN
            which = log_ratios.RELATIVES_KNOWN if is_known else log_ratios.RELATIVES
            here, there = exact(which, one), exact(which, other)
            return -1 if here < there else int(there < here)
        if kind == kernel.IS_SAFE_ALONE:
            ratio = exact(log_ratios.TOGETHER, one)
        elif kind == kernel.IS_SAFE_WITH_KNOWN:
            ratio = exact(log_ratios.TARGET, one) * exact(log_ratios.RELATIVES_KNOWN, other)
        else:
            ratio = exact(log_ratios.TARGET_KNOWN, one) * exact(log_ratios.RELATIVES, other)
        return kernel.YES if limit < ratio else kernel.NO


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Room for the groups of a level, for those of the next, and for final ones."""

    arrays: tuple[IntArray, ...]  # as the kernel takes them

    @classmethod
    def of(cls, level: Segments, least_people: int) -> _Level:
        """These groups, open; no part of them has fewer than this many people."""
        n, d = len(level), level.bounds.shape[1] // 2
        room = n + int(level.totals.sum()) // least_people
        groups = np.empty((2, room, 4), dtype=np.int64)
        bounds = np.empty((2, room, 2 * d), dtype=np.int64)
        groups[0, :n, :3] = np.stack([level.starts, level.ends, level.totals], axis=1)
        groups[0, :n, 3] = 1  # may be cut
        bounds[0, :n] = level.bounds
        order = np.empty((room, d), dtype=np.int64)
        closed = np.empty((room, 3), dtype=np.int64)
        at = np.zeros(N_NUMBERS, dtype=np.int64)
        at[N_LEVEL] = n
        return cls((groups, bounds, order, closed, np.empty_like(bounds[0]), at))

    def found(self) -> Segments:
        """The final groups."""
        *_, closed, bounds, at = self.arrays
        starts, ends, totals = closed[: at[N_CLOSED]].T.copy()
        return Segments(totals, bounds[: at[N_CLOSED]].copy(), starts, ends)
