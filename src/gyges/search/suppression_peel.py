"""Accept groups of rows by the columns that they hide; join those that no group takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import BoundRule, judging_all, judging_each
from gyges.data.cells import Cells, distinct_rows, row_keys
from gyges.ragged import Ragged
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search.acceptance import Acceptance, Proposals

NOWHERE = -1  # the group of a cell that no group has taken yet


@dataclass(frozen=True, eq=False, repr=False)
class Hiding:
    """The group of each cell, and the columns that each group hides.

    The cells of a group agree in all other columns, and no two groups show the same.
    """

    cells: Cells
    group_of_cell: IntArray
    hidden: BoolArray  # groups × columns

    @cached_property
    def sizes(self) -> IntArray:
        """How many people each group has."""
        inside = self.group_of_cell != NOWHERE
        group, people = self.group_of_cell[inside], self.cells.people[inside]
        counted = np.bincount(group, weights=people, minlength=len(self.hidden))
        return counted.astype(np.int64)

    @property
    def is_complete(self) -> bool:
        """Whether every cell is in a group."""
        return not (self.group_of_cell == NOWHERE).any()

    def cost(self, costs: FloatArray) -> float:
        """The sum of the weights of all suppressed cells."""
        return float(self.sizes @ (self.hidden @ costs))

    @cached_property
    def first(self) -> IntArray:
        """One cell of each group."""
        return self.members.values[self.members.starts[:-1]]

    @property
    def groups(self) -> Groups:
        """The people and values of each group."""
        return groups_of_cells(self.cells, self.group_of_cell, len(self.hidden))

    @cached_property
    def members(self) -> Ragged:
        """The cells of each group."""
        return Ragged.group_by(self.group_of_cell, len(self.hidden))

    def differ(self) -> BoolArray:
        """In which columns the cells of each group differ: groups × columns."""
        codes = [self.members.of(column) for column in self.cells.codes.T]
        return np.stack([of_group.minima() != of_group.maxima() for of_group in codes], axis=1)

    def tightened(self) -> Hiding:
        """The same groups, each showing what all its cells agree in, unless another shows that."""
        tight = self.differ()
        new, old = self._shown(tight), self._shown(self.hidden)
        both, place = distinct_rows(np.concatenate([new, old]), new.max(axis=0, initial=0) + 1)
        users = np.zeros(len(both), dtype=np.int64)
        for labels in (place[: len(new)], place[len(new) :]):
            np.add.at(users, labels, 1)
        is_own = (users[place[: len(new)]] == 1) & (self.hidden != tight).any(axis=1)
        return replace(self, hidden=np.where(is_own[:, np.newaxis], tight, self.hidden))

    def _shown(self, hidden: BoolArray) -> IntArray:
        """What each group shows: 0 for a hidden column, else the code and 1."""
        shown = self.cells.codes[self.first].astype(np.int64) + 1
        return np.where(hidden, 0, shown)


def peel(cells: Cells, k: int, acceptance: Acceptance, masks: Iterable[BoolArray]) -> Hiding:
    """For each mask in turn, accept every group of the cells left that agree in what it shows.

    A group is accepted if it has k people and satisfies the rules, together with all groups
    accepted before.
    """
    widths = np.array([len(domain) for domain in cells.domains])
    group_of_cell = np.full(len(cells), NOWHERE, dtype=np.int64)
    left, n_groups, hidden = np.arange(len(cells)), 0, []
    for mask in masks:
        if len(left) == 0:
            break
        keys = row_keys(cells.codes[left][:, ~mask], widths[~mask].tolist())
        _, part = np.unique(keys, return_inverse=True)
        is_taken = np.bincount(part, weights=cells.people[left]) >= k
        is_taken[is_taken] = _accepted(cells, acceptance, left, part, is_taken)
        place = n_groups + np.cumsum(is_taken) - 1
        inside = is_taken[part]
        group_of_cell[left[inside]] = place[part[inside]]
        left = left[~inside]
        n_groups += int(is_taken.sum())
        hidden += [mask] * int(is_taken.sum())
    return Hiding(cells, group_of_cell, np.array(hidden, dtype=bool).reshape(-1, len(widths)))


def nothing_accepted(cells: Cells, rules: list[BoundRule[Any]]) -> Acceptance:
    """The rules, before any group is accepted; groups are never cut, so summaries only grow."""
    nothing = groups_of_cells(cells, np.full(len(cells), NOWHERE, dtype=np.int64), 0)
    summaries = [rule.summarize(nothing) for rule in judging_all(rules)]
    return Acceptance(rules, is_certain=True, summaries=summaries)


def _accepted(
    cells: Cells, acceptance: Acceptance, left: IntArray, part: IntArray, is_large: BoolArray
) -> BoolArray:
    """Which of the large parts of the cells left are accepted."""
    number = np.where(is_large, np.cumsum(is_large) - 1, NOWHERE)
    group_of_cell = np.full(len(cells), NOWHERE, dtype=np.int64)
    group_of_cell[left] = number[part]
    n_large = int(is_large.sum())
    if not acceptance.rules:
        return np.ones(n_large, dtype=bool)
    return accepted(acceptance, groups_of_cells(cells, group_of_cell, n_large))


def accepted(acceptance: Acceptance, parts: Groups) -> BoolArray:
    """Which groups satisfy every rule, one after another."""
    if not acceptance.rules or len(parts) == 0:
        return np.ones(len(parts), dtype=bool)
    good = acceptance.alone(parts)
    chosen = np.flatnonzero(good)
    single = Proposals(parts.take(chosen), np.arange(len(chosen) + 1))
    good[chosen] = acceptance.one_after_another(single)
    return good


def completed(found: Hiding, rules: list[BoundRule[Any]], costs: FloatArray) -> Hiding:
    """Put the cells that are in no group into one, with as many groups as it needs to be safe.

    Those that cost least to join come first, at every step twice as many as before. At the latest
    this ends with one group of all people, which is safe.
    """
    n_joined = 1
    is_rest = found.group_of_cell == NOWHERE
    while is_rest.any():
        found = _with_rest(found, is_rest)
        rest = len(found.hidden) - 1
        if rest == 0 or _is_safe(found.groups, rest, rules):
            return found
        added = _added_costs(found, costs)
        joined = np.argsort(added[:rest], kind="stable")[:n_joined]
        is_rest = np.isin(found.group_of_cell, [rest, *joined])
        n_joined *= 2
    return found


def _with_rest(found: Hiding, is_rest: BoolArray) -> Hiding:
    """These cells as the last group, which hides what they differ in, and the other groups.

    A group that would show the same joins them: its rows would look alike.
    """
    codes = found.cells.codes[is_rest]
    differ = (codes != codes[0]).any(axis=0)
    kept = np.unique(found.group_of_cell[~is_rest])
    place = np.full(len(found.hidden) + 1, NOWHERE, dtype=np.int64)  # the last serves NOWHERE
    first = found.cells.codes[found.first]
    same = (found.hidden == differ).all(axis=1) & ((first == codes[0]) | differ).all(axis=1)
    kept = kept[~same[kept]]
    place[kept] = np.arange(len(kept))
    group_of_cell = np.where(is_rest, NOWHERE, place[found.group_of_cell])
    group_of_cell[group_of_cell == NOWHERE] = len(kept)
    return Hiding(found.cells, group_of_cell, np.vstack([found.hidden[kept], differ]))


def _is_safe(groups: Groups, rest: int, rules: list[BoundRule[Any]]) -> bool:
    """Whether the last group is safe, the others being so, and all of them together."""
    last = groups.take([rest])
    alone = all(rule.holds_each(last).all() for rule in judging_each(rules))
    return alone and all(rule.holds_on(groups) for rule in judging_all(rules))


def _added_costs(found: Hiding, costs: FloatArray) -> FloatArray:
    """What joining each group with the last one would add to the cost."""
    first = found.cells.codes[found.first]
    hidden = found.hidden | found.hidden[-1] | (first != first[-1])
    each = found.hidden @ costs
    together = (found.sizes + found.sizes[-1]) * (hidden @ costs)
    return np.asarray(together - found.sizes * each - found.sizes[-1] * each[-1])
