"""Which proposed cuts are accepted: each by itself, or in order where rules judge all groups.

A proposal replaces one group by several parts. A local rule judges every part by itself. A global
rule judges the release as a whole, so proposals are taken one after another in a fixed order, each
if the release is still safe with it. Merging more in never repairs a summary. So a batch of
proposals that holds together would also have been taken one by one, and a batch that fails is
halved: the result is the same as that of the simple loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import BoundRule, JudgesAll, JudgesEach, judging_all, judging_each
from gyges.data.cells import Cells
from gyges.ragged import Ragged, starts_of
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import GroupsOfCells


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Proposals:
    """Proposal p is to replace a group by the parts `first[p]:first[p+1]` of `parts`."""

    parts: Groups
    first: IntArray  # proposals + 1

    def __len__(self) -> int:
        return len(self.first) - 1

    def take(self, chosen: IntArray) -> Proposals:
        """Some of the proposals."""
        return Proposals(self.parts_of(chosen), starts_of(np.diff(self.first)[chosen]))

    def parts_of(self, chosen: IntArray) -> Groups:
        """The parts of some proposals."""
        return self.parts.take(Ragged.ranges(self.first[chosen], self.first[chosen + 1]).values)


@dataclass
class Acceptance:
    """The rules of a search, and the summaries of all that it has accepted so far.

    For monotone rules the summaries of groups that were cut stay merged in: a group reveals no
    more than its parts [Chen2009, Theorem 4], so they change no decision. For a global rule that
    is not monotone they might, so every decision then judges the release afresh.
    """

    rules: Sequence[BoundRule[Any]]
    is_afresh: bool = False  # a global rule is not monotone: forget groups that were cut
    is_certain: bool = False  # accept no part on an estimate
    summaries: list[Any] = field(default_factory=list)
    refused: set[int] = field(default_factory=set)  # marks of groups whose estimate was wrong
    cell_marks: IntArray | None = None

    @classmethod
    def of(
        cls, rules: Sequence[BoundRule[Any]], cells: Cells, *, may_guess: bool = False
    ) -> Acceptance:
        """The rules of a search on these cells.

        A search that certifies its groups in the end (`certified.py`) may use estimates, unless a
        global rule must be asked before groups can be merged again.
        """
        kind = cells.values_per_person
        is_afresh = not all(one.rule.is_monotone_for(kind) for one in judging_all(rules))
        return cls(rules, is_afresh, is_certain=is_afresh or not may_guess)

    @cached_property
    def each(self) -> list[JudgesEach[Any]]:
        """The rules that judge each group by itself."""
        return judging_each(self.rules)

    @cached_property
    def together(self) -> list[JudgesAll[Any]]:
        """The rules that judge all groups together."""
        return judging_all(self.rules)

    @property
    def guessed(self) -> list[JudgesEach[Any]]:
        """The rules under which parts are accepted on an estimate."""
        return [rule for rule in self.each if rule.is_guess and not self.is_certain]

    @property
    def is_in_order(self) -> bool:
        """Whether decisions depend on earlier ones, so that the order of the search matters."""
        return bool(self.together) and not self.is_afresh

    def start(self, whole: Groups) -> None:
        """Begin with one group of all people."""
        self.summaries = [rule.summarize(whole) for rule in self.together]

    def alone(self, parts: Groups, first: IntArray | None = None) -> BoolArray:
        """Which parts no rule refuses, each by itself.

        With `first`, parts come in bundles `first[b]:first[b+1]`; if one part of a bundle is
        refused, others may be reported as refused too.
        """
        good = self._may_add(Proposals(parts, np.arange(len(parts) + 1)))
        for rule in self.each:
            good &= rule.may_hold(parts, first)
            if self.is_certain and rule.is_guess:
                seems = np.flatnonzero(good)
                good[seems] = rule.holds_each(parts.take(seems))
        if self.refused:
            good &= ~np.isin(self.marks_of(parts), list(self.refused))
        return good

    def marks_of(self, groups: Groups) -> IntArray:
        """A number for each group; groups of other cells share it with a probability of 2^-62."""
        assert isinstance(groups, GroupsOfCells)  # rules that estimate read cells
        if self.cell_marks is None:
            rng = np.random.default_rng(0)
            self.cell_marks = rng.integers(1 << 62, size=len(groups.cells))
        return groups.cells_by_group.of(self.cell_marks).sums()

    def _may_add(self, proposals: Proposals) -> BoolArray:
        """Which proposals no global rule refuses together with all that is accepted already.

        A rule that cannot judge many at once refuses none here; `one_after_another` judges them.
        """
        good = np.ones(len(proposals), dtype=bool)
        if not self.is_afresh:
            for rule, summary in zip(self.together, self.summaries, strict=True):
                good &= rule.may_add(summary, proposals.parts, proposals.first)
        return good

    def one_after_another(self, proposals: Proposals) -> BoolArray:
        """Which proposals are taken; every part is accepted by itself, and rules are monotone."""
        taken = np.zeros(len(proposals), dtype=bool)
        if not self.together:
            return ~taken
        waiting = [np.flatnonzero(self._may_add(proposals))]
        while waiting:
            batch = waiting.pop()
            if len(batch) == 0:
                continue
            merged = self._merged(self.summaries, proposals.parts_of(batch))
            if self._holds(merged):
                self.summaries = merged
                taken[batch] = True
            elif len(batch) > 1:
                batch = batch[self._may_add(proposals.take(batch))]
                half = (len(batch) + 1) // 2
                waiting += [batch[half:], batch[:half]]
        return taken

    def afresh(self, proposals: Proposals, parents: Groups, others: Groups) -> BoolArray:
        """Which proposals are taken, every step judged on the release as it would then be.

        That is `others`, the parts of what was taken, and the parents of what was not.
        """
        taken = np.zeros(len(proposals), dtype=bool)
        outside = [rule.summarize(others) for rule in self.together]
        if len(taken):
            self._decide(np.arange(len(taken)), proposals, parents, outside, taken)
        return taken

    def _decide(
        self,
        batch: IntArray,
        proposals: Proposals,
        parents: Groups,
        outside: list[Any],
        taken: BoolArray,
    ) -> None:
        """Take a whole batch, or decide its halves one after the other."""
        if self._holds(self._merged(outside, proposals.parts_of(batch))):
            taken[batch] = True
        elif len(batch) > 1:
            left, right = np.array_split(batch, 2)
            with_right = self._merged(outside, parents.take(right))
            self._decide(left, proposals, parents, with_right, taken)
            outside = self._merged(outside, proposals.parts_of(left[taken[left]]))
            outside = self._merged(outside, parents.take(left[~taken[left]]))
            self._decide(right, proposals, parents, outside, taken)

    def _merged(self, summaries: list[Any], groups: Groups) -> list[Any]:
        return [
            rule.merge(summary, rule.summarize(groups))
            for rule, summary in zip(self.together, summaries, strict=True)
        ]

    def _holds(self, summaries: list[Any]) -> bool:
        return all(map(lambda rule, summary: rule.holds(summary), self.together, summaries))
