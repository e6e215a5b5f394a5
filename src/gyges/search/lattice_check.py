"""Judge one node of a lattice: is it safe, whom must it suppress, do all finer nodes fail?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import BoundRule, judging_each
from gyges.criteria.implied_rules import necessary
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.search.lattice_rollup import NodeCounts, RollUps, Sizes

Rule: TypeAlias = BoundRule[Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NodeFinding:
    """What a check of one node found."""

    is_safe: bool
    is_hopeless: bool = False  # every finer node fails too
    first: IntArray | None = None  # the node's groups, where some are suppressed
    sizes: IntArray | None = None
    suppressed: BoolArray | None = None  # groups that are suppressed; None: no group
    suppressed_below: BoolArray | None = None  # those that every finer node suppresses too


SAFE = NodeFinding(is_safe=True)
UNSAFE = NodeFinding(is_safe=False)
HOPELESS = NodeFinding(is_safe=False, is_hopeless=True)


class Checker:
    """Rules over a lattice, and how many people may be suppressed."""

    def __init__(self, lattice: Lattice, rules: Sequence[Rule], allowed: int = 0) -> None:
        self.lattice = lattice
        self.rules = list(rules)
        self.allowed = allowed
        self.n_checked = 0
        self.rollups = RollUps(lattice, any(one.rule.reads != "sizes" for one in rules))
        kind = lattice.cells.values_per_person
        implied = _without_repeats([weaker for rule in rules for weaker in necessary(rule, kind)])
        self._on_sizes = [one for one in implied if one.rule.reads == "sizes"]
        self._growing = [one for one in implied if one.rule.reads != "sizes"]
        self._non_monotone = [one for one in rules if not one.rule.is_monotone_for(kind)]
        others = [*implied, *self._non_monotone]
        self._monotone = [rule for rule in rules if rule not in others]
        self._shrinking = [one for one in rules if not one.rule.survives_growth]
        self._values = list(lattice.cells.sensitive.values)

    @property
    def predicts_up(self) -> bool:
        """Whether every node above a safe one is safe."""
        return not self.unpredictable

    @property
    def unpredictable(self) -> list[Rule]:
        """The rules that may fail above a safe node or hold below an unsafe one."""
        return self._shrinking if self.allowed else self._non_monotone

    @property
    def least_size(self) -> int:
        """How many people every published group has at least."""
        return max((one.rule.least_people or 1 for one in self._on_sizes), default=1)

    def examine(self, levels: Levels) -> NodeFinding:
        """Check one node."""
        self.n_checked += 1
        begun = self.rollups.begin(levels)
        return self._some(begun) if self.allowed else self._all(begun)

    def groups(self, levels: Levels) -> Groups:
        """The groups of a node, without suppression."""
        return self._groups(levels, self.rollups.counts(levels))

    def _all(self, begun: Sizes) -> NodeFinding:
        """Every group must satisfy every rule."""
        bare = _bare(begun.sizes)
        if not all(rule.holds_each(bare).all() for rule in self._on_sizes):
            return HOPELESS
        groups = self._groups(begun.levels, self.rollups.complete(begun))
        if not all(rule.holds_on(groups) for rule in [*self._growing, *self._monotone]):
            return HOPELESS
        return SAFE if all(rule.holds_on(groups) for rule in self._non_monotone) else UNSAFE

    def _some(self, begun: Sizes) -> NodeFinding:
        """Groups that fail are suppressed, as long as they have few people."""
        bare, out = _bare(begun.sizes), np.zeros(len(begun.sizes), dtype=bool)
        for rule in self._on_sizes:
            out |= ~rule.holds_each(bare)
        if self._too_many(begun.sizes, out):
            return HOPELESS
        groups = self._groups(begun.levels, self.rollups.complete(begun))
        for rule in self._growing:
            out |= ~rule.holds_each(groups)
        if self._too_many(begun.sizes, out):
            return HOPELESS
        lost = out.copy()
        safe = self._settle(groups, out)
        return NodeFinding(safe, False, begun.first, begun.sizes, out if out.any() else None, lost)

    def _settle(self, groups: Groups, out: BoolArray) -> bool:
        """Suppress groups that fail (marked in `out`) until the rest holds; False if too many.

        First each local rule judges each group, as part of the whole table. Then the remaining
        groups are judged as a table of their own, and those that fail are suppressed too, until
        none fails. For rules about all groups together this may suppress more than necessary.
        """
        for rule in judging_each(self._shrinking):
            out |= ~rule.holds_each(groups)
        if self._too_many(groups.sizes, out):
            return False
        anew = [one for one in self._shrinking if not one.is_local or one.rule.reads != "values"]
        while anew and not out.all():
            kept = np.flatnonzero(~out)
            alone = groups.take(kept) if out.any() else groups
            rules = [rule.rebind(alone) for rule in anew]
            failed = np.zeros(len(kept), dtype=bool)
            for one in rules:
                if not one.holds_on(alone):
                    failed |= ~one.holds_each(alone)
            if not failed.any():
                return all(one.holds_on(alone) for one in rules)
            out[kept[failed]] = True
            if self._too_many(groups.sizes, out):
                return False
        return not out.all()

    def _too_many(self, sizes: IntArray, out: BoolArray) -> bool:
        return int(sizes @ out) > self.allowed

    def _groups(self, levels: Levels, counts: NodeCounts) -> Groups:
        cells = self.lattice.cells
        held = counts.sizes, counts.starts, counts.value_codes, counts.value_counts
        if all(one.rule.reads != "cells" for one in self.rules):
            return Groups(*held, self._values, cells.values_per_person)
        place = self.rollups.group_of_cell(levels)
        kind = cells.values_per_person
        return PlacedCells(*held, self._values, kind, cells=cells, group_of_cell=place)


def _bare(sizes: IntArray) -> Groups:
    """Groups without sensitive values, for rules on sizes."""
    nothing = np.zeros(0, dtype=np.int64)
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    return Groups(sizes, starts, nothing.astype(np.int32), nothing, [], "set")


def _without_repeats(rules: Sequence[Rule]) -> list[Rule]:
    """Each rule once: of two of a kind that differ, both stay."""
    kept: list[Rule] = []
    for rule in rules:
        if rule not in kept:
            kept.append(rule)
    return kept
