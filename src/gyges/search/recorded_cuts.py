"""The decisions of a Mondrian search that depend on who has which sensitive value.

The search is run again, and every proposed cut is recorded. Parts of accepted cuts consist of whole
published groups. So they have the same values in every world that agrees with the release, and the
search accepts them in all of these. What it refused, and the children of a label that it merged,
may cross groups: these decisions differ from world to world.

Two worlds with the same release go through the same nodes: at each node, a cut whose parts cross
groups must be refused, or the release would be another one, and the first cut that is accepted has
parts of whole groups. Only where children of a hierarchy are merged can another sequence of cuts
lead to the same groups; then a condition's verdict is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gyges.adversaries.chosen_release import ChoiceCondition, CrossingPart, Verdict
from gyges.adversaries.settled_parts import PartTest, settled
from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import BoundRule, JudgesEach
from gyges.data.cells import Cells
from gyges.kernels.packed_items import TREE
from gyges.ragged import Ragged
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells, groups_of_cells
from gyges.search.descent import Descent
from gyges.search.levels import Cuts, Segments
from gyges.search.mondrian import descent

Children: TypeAlias = frozenset[int]  # of one cut, by their numbers
Outcome: TypeAlias = frozenset[Children] | None  # the parts of a cut, or None if it is refused
Satisfies: TypeAlias = Callable[[Children], bool]  # whether merged children satisfy the rules


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProposedCut:
    """The parts that a cut proposes, before any are merged: their cells and their people."""

    cells: list[IntArray]
    people: list[int]
    on_tree: bool


@dataclass(repr=False)
class RecordedDescent(Descent[Segments]):
    """A search that records the cuts it proposes."""

    proposed: list[ProposedCut] = field(default_factory=list)

    def _mended(self, cuts: Cuts, column: IntArray) -> tuple[Cuts, Groups | None]:
        if len(cuts):
            listed = self.counter.batch(self.items, cuts.parts).cells_by_group  # type: ignore[attr-defined]
            on_tree = self.items.layout.columns[column[cuts.group], TREE] >= 0
            for cut in range(len(cuts)):
                parts = range(int(cuts.first[cut]), int(cuts.first[cut + 1]))
                people = [int(cuts.parts.totals[p]) for p in parts]
                cells = [np.array(listed[p]) for p in parts]
                self.proposed.append(ProposedCut(cells, people, bool(on_tree[cut])))
        return super()._mended(cuts, column)


def why_not_recorded(rules: Sequence[BoundRule[Any]]) -> str:
    """Why the decisions of a search under these rules are not recorded; "" where they can be."""
    if not all(isinstance(rule, JudgesEach) and not rule.is_guess for rule in rules):
        return "a rule judges all groups together, or judges by estimates first"
    if any(rule.rule.reads == "cells" for rule in rules):
        return "a rule reads more than the values of a group"
    return ""


def recorded_choice(
    cells: Cells, rules: list[BoundRule[Any]]
) -> tuple[PlacedCells, list[ChoiceCondition]]:
    """The groups that the search finds, and its decisions that depend on the world."""
    plain = descent(cells, rules)
    search = RecordedDescent(plain.ground, plain.acceptance, plain.least)
    groups = search.run()
    of_group = search.counter.batch(search.items, groups).cells_by_group  # type: ignore[attr-defined]
    group_of_cell = np.empty(len(cells), dtype=np.int64)
    group_of_cell[of_group.values] = of_group.segment_of_value
    found = groups_of_cells(cells, group_of_cell, len(groups))
    test = part_test(rules)
    conditions = [_conditions(cuts, found, test) for cuts in _in_batches(search.proposed)]
    return found, [one for batch in conditions for one in batch if one is not None]


def part_test(rules: Sequence[BoundRule[Any]]) -> PartTest:
    """Whether parts satisfy all of these rules, each by itself."""

    def holds(groups: Groups) -> BoolArray:
        good = np.ones(len(groups), dtype=bool)
        for rule in rules:
            good &= rule.holds_each(groups)
        return good

    def most(people: int) -> int:
        limits = [one.rule.most_of_a_value(people) for one in rules]
        return min(limit for limit in limits if limit is not None)

    is_limit = all(one.rule.most_of_a_value(1) is not None for one in rules)
    least = max(max(one.rule.least_people or 1, one.least_values("one")) for one in rules)
    return PartTest(holds, least, most if is_limit else None)


_CELLS_AT_ONCE = 1 << 18


def _in_batches(cuts: Sequence[ProposedCut]) -> Iterator[list[ProposedCut]]:
    """The cuts, in batches of about this many cells."""
    batch, n_cells = [], 0
    for cut in cuts:
        batch.append(cut)
        n_cells += sum(map(len, cut.cells))
        if n_cells > _CELLS_AT_ONCE:
            yield batch
            batch, n_cells = [], 0
    if batch:
        yield batch


def _conditions(
    cuts: Sequence[ProposedCut], groups: PlacedCells, test: PartTest
) -> list[ChoiceCondition | None]:
    """The condition of each cut; the children of all are judged at once."""
    children = [cells for cut in cuts for cells in cut.cells]
    good = iter(test.holds(_as_groups(groups, children)).tolist())
    return [_condition(_Judge(cut, [next(good) for _ in cut.cells], groups, test)) for cut in cuts]


def _as_groups(groups: PlacedCells, parts: Sequence[IntArray]) -> Groups:
    """The people of some cells as a group, for each of these parts."""
    cells, listed = groups.cells, Ragged.from_parts(parts)
    entries = Ragged.ranges(cells.starts[listed.values], cells.starts[listed.values + 1])
    people = np.zeros(len(parts), dtype=np.int64)
    np.add.at(people, listed.segment_of_value, cells.people[listed.values])
    return Groups.from_entries(
        sizes=people,
        group_of_entry=listed.segment_of_value[entries.segment_of_value],
        value_codes=cells.value_codes[entries.values],
        value_counts=cells.value_counts[entries.values],
        values=groups.values,
    )


def _condition(judge: _Judge) -> ChoiceCondition | None:
    """The condition under which a cut ends as it did; None where it always does."""
    cut = judge.cut
    results = [judge.settled(part) for part in judge.singles]
    if not cut.on_tree and False in results:
        return None  # refused in every world
    ended, parts = judge.outcome(judge.holds_here), judge.open_parts()
    if parts is None:
        return ChoiceCondition(
            judge.crossing(p for p in judge.singles if judge.settled(p) is None), lambda _: None
        )
    if not parts:
        return None

    def verdict(flags: tuple[bool, ...]) -> Verdict:
        good = dict(zip(parts, flags, strict=True))
        now = judge.outcome(lambda part: good[part] if part in good else bool(judge.settled(part)))
        if now == ended:
            return True
        if now is None or all(map(judge.is_whole, now)):
            return None
        return False

    return ChoiceCondition(judge.crossing(parts), verdict)


_MOST_CHILDREN = 10  # open children of one cut whose merging is followed


@dataclass(slots=True, eq=False, repr=False)
class _Judge:
    """One proposed cut: what its children, merged or not, are made of, and how it ends."""

    cut: ProposedCut
    good: Sequence[bool]  # whether each child satisfies the rules in the actual table
    groups: PlacedCells
    test: PartTest
    results: dict[Children, bool | None] = field(default_factory=dict)

    @property
    def singles(self) -> list[Children]:
        """The children, each by itself."""
        return [frozenset([p]) for p in range(len(self.cut.cells))]

    def crossing(self, parts: Iterable[Children]) -> list[CrossingPart]:
        """Merged children as parts that cross groups."""
        return [CrossingPart(self.cells_of(part)) for part in parts]

    def cells_of(self, part: Children) -> IntArray:
        """The cells of merged children."""
        return np.concatenate([self.cut.cells[p] for p in sorted(part)])

    def is_whole(self, part: Children) -> bool:
        """Whether merged children consist of whole groups."""
        return _is_of_whole_groups(self.cells_of(part), self.groups)

    def settled(self, part: Children) -> bool | None:
        """Whether merged children satisfy the rules, where that is the same in every world."""
        if part not in self.results:
            is_whole = self.is_whole(part)
            cells = self.cells_of(part)
            result = self.holds_here(part) if is_whole else settled(self.groups, cells, self.test)
            self.results[part] = result
        return self.results[part]

    def holds_here(self, part: Children) -> bool:
        """Whether merged children satisfy the rules in the actual table."""
        if len(part) == 1:
            (child,) = part
            return self.good[child]
        return bool(self.test.holds(_as_groups(self.groups, [self.cells_of(part)]))[0])

    def outcome(self, asked: Satisfies) -> Outcome:
        """How the cut ends: the rule of `Descent._mended`."""
        parts = self.singles
        good = [asked(part) for part in parts]
        while not all(good):
            n_bad = good.count(False)
            if not self.cut.on_tree or len(parts) - max(n_bad, 2) < 1:
                return None
            held = [place for place, is_good in enumerate(good) if not is_good]
            if n_bad == 1:
                others = [place for place, is_good in enumerate(good) if is_good]
                held.append(min(others, key=lambda place: (self._people(parts[place]), place)))
            merged: Children = frozenset().union(*(parts[place] for place in held))
            parts = [*(part for place, part in enumerate(parts) if place not in held), merged]
            good = [True] * (len(parts) - 1) + [asked(merged)]
        return frozenset(parts)

    def _people(self, part: Children) -> int:
        return sum(self.cut.people[p] for p in part)

    def open_parts(self) -> list[Children] | None:
        """All parts that some world asks about and that are not settled; None if too many."""
        is_open = [part for part in self.singles if self.settled(part) is None]
        if len(is_open) > _MOST_CHILDREN:
            return None
        found: dict[Children, None] = dict.fromkeys(is_open)
        for pattern in np.ndindex(*[2] * len(is_open)) if self.cut.on_tree else ():
            good = dict(zip(is_open, map(bool, pattern), strict=True))
            self.outcome(partial(self._noted, good=good, found=found))
        return list(found)

    def _noted(
        self, part: Children, good: dict[Children, bool], found: dict[Children, None]
    ) -> bool:
        """The answer for a part in an imagined world; merged parts that are open fail there."""
        if part in good:
            return good[part]
        result = self.settled(part)
        if result is None:
            found[part] = None
        return bool(result)


def _is_of_whole_groups(cells: IntArray, groups: PlacedCells) -> bool:
    inside = np.bincount(groups.group_of_cell[cells])
    touched = np.flatnonzero(inside)
    return bool((inside[touched] == groups.cells_by_group.lengths[touched]).all())
