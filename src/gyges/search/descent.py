"""From one group of all people down to groups that no allowed cut can divide any further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeAlias

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.kernels.packed_items import TREE
from gyges.release.groups import Groups
from gyges.search.acceptance import Acceptance, Proposals
from gyges.search.batch import Counter
from gyges.search.items import Items
from gyges.search.levels import (
    Cuts,
    Histograms,
    Least,
    Open,
    Segments,
    cut,
    hold_together,
    narrowed,
    whole,
)
from gyges.search.mondrian_relaxed import halve

Ranking: TypeAlias = "Callable[[Items, IntArray, Segments], IntArray]"

BLOCK = 1 << 19  # people of a group that is finished before the next one is begun


class Ground(Protocol[Open]):
    """Where the rows of a search are: in memory, or in an engine that counts them.

    A cut makes parts of `items`; until the next cut they are counted there.
    """

    items: Items
    spare: IntArray
    counter: Counter

    def whole(self) -> Open:
        """All people in one group."""

    def ranked(self, groups: Open) -> IntArray:
        """Each group's columns, the best first, then -1."""

    def cut(
        self, level: Open, chosen: IntArray, cut_in: IntArray
    ) -> tuple[Cuts, Callable[[Open], Open] | None]:
        """Cut each chosen group in its column; also return how other groups shift, if they do."""

    def kept(self, level: Open, cuts: Cuts, cut_in: IntArray) -> Open:
        """The parts of accepted cuts as groups; `cut_in` is each group's column."""

    def narrowed(self, groups: Open) -> Open:
        """The same groups with the bounds of their own codes."""

    def is_small(self, groups: Open) -> BoolArray:
        """Which groups are finished by themselves, where the order matters."""

    def judged_afresh(
        self, proposals: Proposals, parents: Open, others: Sequence[Open]
    ) -> BoolArray:
        """Which proposals are taken by rules that judge all groups and are not monotone."""


@dataclass
class InMemory:
    """All rows as items in memory, which cuts rearrange: a group is a segment of them."""

    items: Items
    counter: Counter
    acceptance: Acceptance
    least: Least
    ranking: Ranking
    is_relaxed: bool = False
    block: int = BLOCK
    spare: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.spare = np.empty(len(self.items), dtype=np.int64)

    def whole(self) -> Segments:
        """All people in one group."""
        return whole(self.items)

    def ranked(self, groups: Segments) -> IntArray:
        """Each group's columns, the best first, then -1."""
        return self.ranking(self.items, self.spare, groups)

    def narrowed(self, groups: Segments) -> Segments:
        """The same groups with the bounds of their own codes."""
        return narrowed(self.items, groups)

    def is_small(self, groups: Segments) -> BoolArray:
        """Groups of at most `block` people."""
        return groups.totals <= self.block

    def kept(self, level: Segments, cuts: Cuts, cut_in: IntArray) -> Segments:
        """The parts as they are."""
        return cuts.parts

    def cut(
        self, level: Segments, chosen: IntArray, cut_in: IntArray
    ) -> tuple[Cuts, Callable[[Segments], Segments] | None]:
        """Cut the items; relaxed cuts of a line divide some of them, and segments shift."""
        on_tree = self.items.layout.columns[cut_in, TREE] >= 0
        if not self.is_relaxed or on_tree.all():
            return cut_items(self, level, chosen, cut_in, self.acceptance, self.least), None
        lines = chosen[~on_tree]
        self.items, shift, cuts = halve(self.items, level.take(lines), cut_in[~on_tree])
        self.spare = np.empty(len(self.items), dtype=np.int64)
        cuts = replace(cuts, group=lines)
        trees = cut(
            self.items, self.spare, shift(level), chosen[on_tree], cut_in[on_tree], self.least
        )
        return Cuts.concatenated([cuts, trees]), shift

    def judged_afresh(
        self, proposals: Proposals, parents: Segments, others: Sequence[Segments]
    ) -> BoolArray:
        """Count the groups that would be cut, and all others."""
        return self.acceptance.afresh(
            proposals,
            self.counter.batch(self.items, parents),
            self.counter.batch(self.items, Segments.concatenated(others)),
        )


def cut_items(
    ground: Ground[Open],
    level: Segments,
    chosen: IntArray,
    cut_in: IntArray,
    acceptance: Acceptance,
    least: Least,
) -> Cuts:
    """Cut segments of a ground's items; parts are counted at once if there are rules."""
    counting = ground.counter.histograms_of_batch if acceptance.rules else None
    return cut(ground.items, ground.spare, level, chosen, cut_in, least, counting)


@dataclass
class Descent(Generic[Open]):
    """A running search. `level` is open, `parts` were cut from it, `closed` groups are final.

    1. Every open group proposes the cut in its best column. Parts that a rule refuses are merged
       (in a tree), or the proposal is dropped; what remains is accepted.
    2. Groups whose proposal was not accepted try their next column, until none is left.
    3. Parts are the groups of the next level.

    Where every rule judges each group by itself, groups do not wait for each other: in one step
    one group may be at its first column, another at its fourth. The result is the same.

    Where rules judge all groups together, one accepted cut may exclude another. So the order
    matters, and it does not depend on memory: groups that are not small (`Ground`) are cut level
    by level; the others are finished one after another, in the order in which they became small
    enough. A search that cannot hold the whole table follows the same order.
    """

    ground: Ground[Open]
    acceptance: Acceptance
    least: Least  # people that every group needs
    is_relaxed: bool = False
    at_once: Callable[[Open], Open] | None = None  # finishes groups as `finish` would, but sooner
    level: Open = field(init=False)
    parts: list[Open] = field(default_factory=list)
    closed: list[Open] = field(default_factory=list)
    divided: list[Open] = field(default_factory=list)  # were cut on a guess

    def __post_init__(self) -> None:
        self.level = self.ground.whole()

    @property
    def items(self) -> Items:
        """The items that groups and parts are counted from."""
        return self.ground.items

    @property
    def counter(self) -> Counter:
        """What counts them."""
        return self.ground.counter

    def run(self) -> Open:
        """Cut until nothing can be cut.

        Under a rule that is not monotone, a cut that was refused may become safe when other
        groups have been cut: so all groups are tried again until a round changes nothing.
        """
        if self.acceptance.rules:
            self.acceptance.start(self.counter.everybody())
        if self.acceptance.is_in_order and not self.is_relaxed:
            blocks = self.cut_to_blocks()
            for block in range(len(blocks)):
                self.level = blocks.take(np.array([block]))
                self.finish()
            return self._concatenated(self.closed)
        while True:
            n_before = len(self.level)
            self.finish()
            everything = self._concatenated(self.closed)
            if not self.acceptance.is_afresh or len(everything) == n_before:
                return everything
            self.level, self.closed = everything, []

    def finish(self) -> None:
        """Cut the groups of the level and all their parts to the end."""
        if self.at_once is not None and len(self.level):
            self.closed.append(self.at_once(self.level))
            self.level = self._none()
        elif self.acceptance.together or self.is_relaxed:
            while len(self.level):
                self._cut_level()
        else:
            self._cut_each()

    def cut_to_blocks(self) -> Open:
        """Cut level by level the groups that are too large; return the others in order."""
        blocks = [self._none()]
        while len(self.level):
            is_block = self.ground.is_small(self.level)
            blocks.append(self.level.take(is_block))
            self.level = self.level.take(~is_block)
            if len(self.level):
                self._cut_level()
        return self._concatenated(blocks)

    def _concatenated(self, many: Sequence[Open]) -> Open:
        return many[0].concatenated(many)

    def _none(self) -> Open:
        return self.level.take(np.zeros(0, dtype=np.int64))

    def _cut_each(self) -> None:
        """Cut every open group in its next column, step by step, until none is open."""
        order, tried = self._ranked(self.level), np.zeros(len(self.level), dtype=np.int64)
        while len(self.level):
            column = order[np.arange(len(order)), tried]
            is_open = (self.level.totals >= 2 * self.least.side) & (column >= 0)
            self.closed.append(self.level.take(~is_open))
            self.level = self.level.take(is_open)
            if len(self.level) == 0:
                return
            order, tried, column = order[is_open], tried[is_open] + 1, column[is_open]
            cuts, _ = self._mended(self._cut(np.arange(len(order)), column), column)
            stays = np.ones(len(order), dtype=bool)
            stays[cuts.group] = False
            self._note_divided(~stays)
            parts = self.ground.narrowed(self.ground.kept(self.level, cuts, column))
            self.level = self._concatenated([self.level.take(stays), parts])
            order = np.concatenate([order[stays], self._ranked(parts)])
            tried = np.concatenate([tried[stays], np.zeros(len(parts), dtype=np.int64)])

    def _ranked(self, groups: Open) -> IntArray:
        """Each group's columns, the best first, and -1 where they end."""
        order = self.ground.ranked(groups)
        return np.concatenate([order, np.full((len(order), 1), -1)], axis=1)

    def _cut_level(self) -> None:
        order = self.ground.ranked(self.level)
        is_open = self.level.totals >= 2 * self.least.side
        is_cut = np.zeros(len(self.level), dtype=bool)
        for rank in range(order.shape[1]):
            chosen = np.flatnonzero(is_open & (order[:, rank] >= 0))
            if len(chosen) == 0:
                break
            cuts, parts = self._mended(self._cut(chosen, order[chosen, rank]), order[:, rank])
            cuts = cuts.take(self._accepted(cuts, parts, is_cut))
            is_open[cuts.group] = False
            is_cut[cuts.group] = True
            self.parts.append(self.ground.kept(self.level, cuts, order[:, rank]))
        self.closed.append(self.level.take(~is_cut))
        self._note_divided(is_cut)
        self.level = self.ground.narrowed(self._concatenated([self._none(), *self.parts]))
        self.parts = []

    def _note_divided(self, is_cut: BoolArray) -> None:
        """Remember the groups that were cut, if their parts may have to be merged again."""
        if self.acceptance.guessed:
            self.divided.append(self.level.take(is_cut))

    def _cut(self, chosen: IntArray, cut_in: IntArray) -> Cuts:
        cuts, shift = self.ground.cut(self.level, chosen, cut_in)
        if shift is not None:
            self.level = shift(self.level)
            self.parts = [shift(groups) for groups in self.parts]
            self.closed = [shift(groups) for groups in self.closed]
        return cuts

    def _mended(self, cuts: Cuts, column: IntArray) -> tuple[Cuts, Groups | None]:
        """The cuts all of whose parts are accepted, after children of a tree were merged.

        Children that a rule refuses are merged; if they are still refused, the smallest other
        child joins them, and so on while two parts remain.
        """
        if not self.acceptance.rules or len(cuts) == 0:
            return cuts, None
        of_part = cuts.of_parts(cuts.parts.totals).segment_of_value
        counted = self.judged(cuts, cuts.parts, of_part, cuts.held)
        parts: Groups | None = counted
        on_tree = self.items.layout.columns[column[cuts.group], TREE] >= 0
        good = self.acceptance.alone(counted, _bundles(cuts, on_tree))
        finished = []
        while True:
            n_bad = cuts.of_parts(~good).sums()
            finished.append(cuts.take(n_bad == 0))
            mendable = (n_bad > 0) & on_tree & (cuts.n_parts - np.maximum(n_bad, 2) >= 1)
            if not mendable.any():
                return Cuts.concatenated(finished), parts
            good = good[np.repeat(mendable, cuts.n_parts)]
            cuts, on_tree = cuts.take(mendable), on_tree[mendable]
            parts = None  # the counted ones no longer exist
            cuts = hold_together(self.items, self.ground.spare, cuts, _held(cuts, good))
            last = cuts.first[1:] - 1
            good = np.ones(len(cuts.parts), dtype=bool)
            lasts = self.judged(cuts, cuts.parts.take(last), np.arange(len(cuts)))
            good[last] = self.acceptance.alone(lasts)

    def judged(
        self, cuts: Cuts, parts: Segments, cut_of_part: IntArray, held: Histograms | None = None
    ) -> Groups:
        """The groups that rules are asked about, one for each part: here the parts themselves."""
        return self.counter.batch(self.items, parts, held)

    def _accepted(self, cuts: Cuts, parts: Groups | None, is_cut: BoolArray) -> BoolArray:
        """Which cuts the rules accept that judge all groups together; `parts` counted or not."""
        if not self.acceptance.together or len(cuts) == 0:
            return np.ones(len(cuts), dtype=bool)
        if parts is None or len(parts) != len(cuts.parts):
            parts = self.counter.batch(self.items, cuts.parts)
        proposals = Proposals(parts, cuts.first)
        if not self.acceptance.is_afresh:
            return self.acceptance.one_after_another(proposals)
        stays = ~is_cut
        stays[cuts.group] = False
        others = [self.level.take(stays), *self.parts, *self.closed]
        return self.ground.judged_afresh(proposals, self.level.take(cuts.group), others)


def _bundles(cuts: Cuts, on_tree: BoolArray) -> IntArray:
    """Where bundles of parts begin: all parts of a cut on a line, each part of a tree."""
    is_first = np.repeat(on_tree, cuts.n_parts)
    is_first[cuts.first[:-1]] = True
    return np.append(np.flatnonzero(is_first), len(is_first))


def _held(cuts: Cuts, good: BoolArray) -> BoolArray:
    """The parts that are held together: all bad ones, and with a single bad one the smallest."""
    held = ~good
    by_cut = cuts.of_parts(held)
    is_single = by_cut.sums() == 1
    order = np.lexsort((cuts.parts.totals, held, by_cut.segment_of_value))
    held[order[cuts.first[:-1]][is_single]] = True
    return held
