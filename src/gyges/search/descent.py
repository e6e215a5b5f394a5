"""From one group of everybody down to groups that no allowed cut can divide any further."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from gyges.arrays import BoolArray, IntArray, lengths_of
from gyges.kernels.items import TREE
from gyges.release.groups import Groups
from gyges.search.acceptance import Acceptance, Proposals
from gyges.search.batch import Counter
from gyges.search.items import Items
from gyges.search.levels import Cuts, Least, Segments, cut, hold_together, joined, narrowed, whole
from gyges.search.partition_relaxed import halve

Ranking: TypeAlias = "Callable[[Items, IntArray, Segments], IntArray]"

BLOCK = 1 << 19  # people of a group that is finished before the next one is begun


@dataclass
class Descent:
    """A search under way. `level` is open, `parts` were cut from it, `closed` stay as they are.

    1. Every open group proposes the cut in its best column; parts that a rule refuses for their
       own sake are mended (in a tree) or the proposal is dropped; what remains is accepted.
    2. Groups whose proposal was not accepted go on to their next column, until none is left.
    3. Parts are the groups of the next level.

    Where every rule judges a group for its own sake, groups do not wait for each other: in each
    step one is at its first column, another at its fourth. What comes of it is the same.

    Where rules judge all groups together, what one group takes another may no longer have: then
    the order matters, and it does not depend on memory. Groups of more than `block` people are
    cut level by level; the others are finished one after another, in the order in which they
    became small enough. A search that cannot hold the whole table follows the same order.
    """

    items: Items
    counter: Counter
    acceptance: Acceptance
    least: Least  # people that every group needs
    ranking: Ranking  # each group's columns, the best first, then -1
    is_relaxed: bool = False
    block: int = BLOCK
    spare: IntArray = field(init=False)
    level: Segments = field(init=False)
    parts: list[Segments] = field(default_factory=list)
    closed: list[Segments] = field(default_factory=list)
    divided: list[Segments] = field(default_factory=list)  # were cut on a guess

    def __post_init__(self) -> None:
        self.spare = np.empty(len(self.items), dtype=np.int64)
        self.level = whole(self.items)

    def run(self) -> Segments:
        """Cut until nothing can be cut.

        Under a rule that is not monotone, a cut that was refused may become safe when other
        groups have been cut: so all groups are tried again until a round changes nothing.
        """
        if self.acceptance.rules:
            self.acceptance.start(self._batch(self.level))
        if self.acceptance.is_in_order and not self.is_relaxed:
            blocks = self.cut_to_blocks()
            for block in range(len(blocks)):
                self.level = blocks.take(np.array([block]))
                self.finish()
            return joined(self.closed)
        while True:
            n_before = len(self.level)
            self.finish()
            everything = joined(self.closed)
            if not self.acceptance.is_afresh or len(everything) == n_before:
                return everything
            self.level, self.closed = everything, []

    def finish(self) -> None:
        """Cut the groups of the level, and all that comes of them, to the end."""
        if self.acceptance.together or self.is_relaxed:
            while len(self.level):
                self._cut_level()
        else:
            self._cut_each()

    def cut_to_blocks(self) -> Segments:
        """Cut level by level the groups that are too large; the others as they came up."""
        blocks = [self.level.take(np.zeros(0, dtype=np.int64))]
        while len(self.level):
            is_block = self._is_block(self.level)
            blocks.append(self.level.take(is_block))
            self.level = self.level.take(~is_block)
            if len(self.level):
                self._cut_level()
        return joined(blocks)

    def _is_block(self, level: Segments) -> BoolArray:
        return level.totals <= self.block

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
            parts = self._narrowed(cuts.parts)
            self.level = joined([self.level.take(stays), parts])
            order = np.concatenate([order[stays], self._ranked(parts)])
            tried = np.concatenate([tried[stays], np.zeros(len(parts), dtype=np.int64)])

    def _ranked(self, groups: Segments) -> IntArray:
        """Each group's columns, the best first, and -1 where they end."""
        order = self.ranking(self.items, self.spare, groups)
        return np.concatenate([order, np.full((len(order), 1), -1)], axis=1)

    def _cut_level(self) -> None:
        order = self.ranking(self.items, self.spare, self.level)
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
            self.parts.append(self._kept(cuts))
        self.closed.append(self.level.take(~is_cut))
        self._note_divided(is_cut)
        self.level = self._narrowed(joined([self.level.take(is_cut[:0]), *self.parts]))
        self.parts = []

    def _note_divided(self, is_cut: BoolArray) -> None:
        """Remember the groups that were cut, where their parts may have to be joined again."""
        if self.acceptance.guessed:
            self.divided.append(self.level.take(is_cut))

    def _kept(self, cuts: Cuts) -> Segments:
        """The parts of accepted cuts, as they are known from now on."""
        return cuts.parts

    def _narrowed(self, segments: Segments) -> Segments:
        return narrowed(self.items, segments)

    def _cut(self, chosen: IntArray, cut_in: IntArray) -> Cuts:
        on_tree = self.items.layout.columns[cut_in, TREE] >= 0
        if not self.is_relaxed or on_tree.all():
            return self._cut_items(self.level, chosen, cut_in)
        lines = chosen[~on_tree]
        self.items, shift, cuts = halve(self.items, self.level.take(lines), cut_in[~on_tree])
        self.spare = np.empty(len(self.items), dtype=np.int64)
        self.level = shift(self.level)
        self.parts = [shift(segments) for segments in self.parts]
        self.closed = [shift(segments) for segments in self.closed]
        cuts = replace(cuts, group=lines)
        trees = cut(
            self.items, self.spare, self.level, chosen[on_tree], cut_in[on_tree], self.least
        )
        return Cuts.joined([cuts, trees])

    def _cut_items(self, level: Segments, chosen: IntArray, cut_in: IntArray) -> Cuts:
        counting = self.counter.histograms_of_lot if self.acceptance.rules else None
        return cut(self.items, self.spare, level, chosen, cut_in, self.least, counting)

    def _mended(self, cuts: Cuts, column: IntArray) -> tuple[Cuts, Groups | None]:
        """The cuts all of whose parts may stand, after children of a tree were held together.

        Children that a rule refuses stay together; where they are refused even so, the smallest
        other child joins them, and so on while two parts remain.
        """
        if not self.acceptance.rules or len(cuts) == 0:
            return cuts, None
        counted = self.counter.batch(self.items, cuts.parts, cuts.held)
        parts: Groups | None = counted
        on_tree = self.items.layout.columns[column[cuts.group], TREE] >= 0
        good = self.acceptance.alone(counted, _bundles(cuts, on_tree))
        finished = []
        while True:
            n_bad = np.add.reduceat(~good, cuts.first[:-1])
            finished.append(cuts.take(n_bad == 0))
            n_parts = lengths_of(cuts.first)
            mendable = (n_bad > 0) & on_tree & (n_parts - np.maximum(n_bad, 2) >= 1)
            if not mendable.any():
                return Cuts.joined(finished), parts
            good = good[np.repeat(mendable, n_parts)]
            cuts, on_tree = cuts.take(mendable), on_tree[mendable]
            parts = None  # those that were counted are no more
            cuts = hold_together(self.items, self.spare, cuts, _held(cuts, good))
            last = cuts.first[1:] - 1
            good = np.ones(len(cuts.parts), dtype=bool)
            good[last] = self.acceptance.alone(self._batch(cuts.parts.take(last)))

    def _accepted(self, cuts: Cuts, parts: Groups | None, is_cut: BoolArray) -> BoolArray:
        """Which cuts the rules accept that judge all groups together; `parts` counted or not."""
        if not self.acceptance.together or len(cuts) == 0:
            return np.ones(len(cuts), dtype=bool)
        if parts is None or len(parts) != len(cuts.parts):
            parts = self._batch(cuts.parts)
        proposals = Proposals(parts, cuts.first)
        if not self.acceptance.is_afresh:
            return self.acceptance.one_after_another(proposals)
        stays = ~is_cut
        stays[cuts.group] = False
        others = joined([self.level.take(stays), *self.parts, *self.closed])
        parents = self._batch(self.level.take(cuts.group))
        return self.acceptance.afresh(proposals, parents, self._batch(others))

    def _batch(self, segments: Segments) -> Groups:
        return self.counter.batch(self.items, segments)


def _bundles(cuts: Cuts, on_tree: BoolArray) -> IntArray:
    """Where parts begin that stand or fall together: all of a cut on a line, each in a tree."""
    is_first = np.repeat(on_tree, lengths_of(cuts.first))
    is_first[cuts.first[:-1]] = True
    return np.append(np.flatnonzero(is_first), len(is_first))


def _held(cuts: Cuts, good: BoolArray) -> BoolArray:
    """The parts that are held together: all bad ones, and with a single bad one the smallest."""
    first, of_cut = cuts.first[:-1], np.repeat(np.arange(len(cuts)), lengths_of(cuts.first))
    held = ~good
    is_single = np.add.reduceat(held, first) == 1
    order = np.lexsort((cuts.parts.totals, held, of_cut))
    held[order[first][is_single]] = True
    return held
