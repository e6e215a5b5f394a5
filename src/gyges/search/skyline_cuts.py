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
from gyges.kernels import judged_parts as parts
from gyges.kernels import log_ratios
from gyges.kernels.ordered_cuts import END, START, accept, propose, rank, tally_sides
from gyges.kernels.packed_items import NO_TREE, TREE
from gyges.search.acceptance import Acceptance
from gyges.search.items import Items
from gyges.search.levels import Least, Segments

ITEMS_WORTH_A_KERNEL = 1 << 14  # fewer are cut by kernels that run as written
_SIGNATURES_KEPT = 1 << 14
_MOST_ROWS = 10_000  # of all values: what is kept of each takes 256 bytes
_AT_ONCE = 2048  # cuts
_FEW_OCCURRENCES = 16
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
    minima: tuple[FloatArray, IntArray] = field(init=False)
    answers: IntArray = field(init=False)
    known: IntArray = field(init=False)  # signatures whose statistics are kept
    statistics: FloatArray = field(init=False)
    far: IntArray = field(init=False)
    n_answers: int = 0

    def __post_init__(self) -> None:
        self.answers = np.zeros((_FEW_ANSWERS, kernel.QUESTION + 1), dtype=np.int64)
        self.known = np.full((_SIGNATURES_KEPT, 4), -1, dtype=np.int64)
        self.statistics = np.empty((_SIGNATURES_KEPT, 5))
        self.far = np.full((len(self.rows.rows), _FEW_OCCURRENCES, 2), 2**61)

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
        self.minima = summary.least.copy(), summary.holders.copy()
        least_size = self.rows.least_people(int(level.totals.sum()))
        is_open = np.ones(len(level), dtype=np.int64)
        groups = np.stack([level.starts, level.ends, level.totals, is_open], axis=1)
        bounds, closed, closed_bounds = level.bounds.copy(), [groups[:0]], [level.bounds[:0]]
        while len(groups):
            parts, part_bounds = self._cut_level(groups, bounds, least_size)
            stays = groups[:, END] > groups[:, START]
            closed.append(groups[stays])
            closed_bounds.append(bounds[stays])
            groups, bounds = parts, part_bounds
        found = StatisticMinima(summary.watch, summary.kind, *self.minima)
        self.acceptance.summaries = [found]
        starts, ends, totals, _ = np.concatenate(closed).T.copy()
        return Segments(totals, np.concatenate(closed_bounds), starts, ends)

    def _cut_level(
        self, groups: IntArray, bounds: IntArray, least_size: int
    ) -> tuple[IntArray, IntArray]:
        """Cut each group in its widest column, else in the next; the parts and their bounds."""
        items, side = self.items, self.least.side
        order = np.empty((len(groups), bounds.shape[1] // 2), dtype=np.int64)
        rank(items.words, *items.layout, groups, bounds, order, 2 * max(side, least_size))
        near, loosest = np.empty_like(self.minima[0]), np.empty_like(self.minima[0])
        kernel.fill_bounds(*self.rows.classes, self.rows.rows, *self.minima, near, loosest)
        made, n_parts = np.empty((2 * len(groups), 4), dtype=np.int64), 0
        part_bounds = np.empty((2 * len(groups), bounds.shape[1]), dtype=np.int64)
        words, cuts = (items.words, items.layout.fields), np.empty((_AT_ONCE, 3), dtype=np.int64)
        for turn in range(order.shape[1]):
            g = 0
            while g < len(groups):
                n_cuts, past = propose(
                    *words, groups, bounds, order, turn, g, side, least_size, cuts
                )
                judged = self._judged(cuts, n_cuts, groups, near, loosest)
                question = np.zeros(kernel.QUESTION, dtype=np.int64)
                sides = groups, bounds, made, part_bounds, n_parts
                limits = self.rows.rows, self.rows.plan.log_limits
                decided = self.minima[0], self.minima[1], near, self.answers, question
                n_decided, n_parts = accept(
                    *words, self.spare, n_cuts, cuts, *judged, *limits, *decided, *sides
                )
                g = past if n_decided == n_cuts else int(cuts[n_decided, 0])
                if n_decided < n_cuts:
                    self._note(question)
        return made[:n_parts], part_bounds[:n_parts]

    def _judged(
        self, cuts: IntArray, n_cuts: int, groups: IntArray, near: FloatArray, loosest: FloatArray
    ) -> tuple[IntArray, ...]:
        """The sizes of all sides, how they stand, and the signatures that are near a minimum."""
        rows, n = self.rows, 2 * n_cuts
        n_values, fields = len(rows.class_of), self.items.layout.fields
        room = min(n * n_values, 2 * int((groups[:, END] - groups[:, START]).sum()))
        sizes, standing, is_divisible, n_worst = np.empty((4, n), dtype=np.int64)
        starts = np.zeros(n + 1, dtype=np.int64)
        codes, counts = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
        listed = sizes, starts, codes, counts
        d = len(self.items.layout.columns)
        tally_sides(self.items.words, fields, d, n_cuts, cuts, groups, n_values, *listed)
        worst, best = np.empty(room, dtype=np.int64), np.full(len(rows.class_rows), -1)
        top = np.zeros((n, rows.most + 1), dtype=np.int64)
        before = np.zeros((n, rows.most + 2), dtype=np.int64)
        described = *listed, top, before
        parts.describe(n, *listed[1:], rows.class_of, best, top, before, worst, n_worst)
        parts.list_divisible(
            n, sizes, top, before, rows.value_rows, rows.class_rows, rows.rows, is_divisible
        )
        limits, kept = (rows.rows, rows.plan.log_limits), (self.known, self.statistics)
        parts.judge_alone(
            n, *described, worst, n_worst, *rows.classes, *limits, loosest, *kept, standing
        )
        most_rows = int(np.diff(rows.value_rows).max(initial=1))
        found = np.empty((int(starts[n]) * most_rows, 4), dtype=np.int64)
        first = np.zeros(n_cuts + 1, dtype=np.int64)
        parts.list_near(
            n_cuts,
            *described,
            rows.value_rows,
            *limits,
            near,
            self.far,
            *kept,
            standing,
            found,
            first,
        )
        return sizes, standing, is_divisible, found, first

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    def classes(self) -> tuple[IntArray, IntArray, IntArray]:
        """The rows of each value, its class, and the rows of each class."""
        return self.value_rows, self.class_of, self.class_rows

    @property
    def most(self) -> int:
        """The largest l."""
        return int(self.rows[:, kernel.L].max(initial=0))

    def least_people(self, at_most: int) -> int:
        """A number of people below which no group of these values is safe; at most one more."""
        found = at_most + 1
        for value in np.unique(self.class_of, return_index=True)[1]:
            own = slice(int(self.value_rows[value]), int(self.value_rows[value + 1]))
            limits = self.plan.log_limits[own]
            n_values = len(self.class_of)
            found = parts.least_size_of_any(n_values, self.rows[own], limits, found - 1)
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
        if kind == kernel.IS_ABOVE_ALONE:
            ratio = exact(log_ratios.TOGETHER, one)
        elif kind == kernel.IS_ABOVE_WITH_KNOWN:
            ratio = exact(log_ratios.TARGET, one) * exact(log_ratios.RELATIVES_KNOWN, other)
        else:
            ratio = exact(log_ratios.TARGET_KNOWN, one) * exact(log_ratios.RELATIVES, other)
        return kernel.YES if limit < ratio else kernel.NO
