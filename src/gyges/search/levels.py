"""Cutting many open groups at once, each in its best column that rules allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.kernels.level_cuts import cut_each, gains_each, narrow_each, rearrange, widths_each
from gyges.kernels.packed_items import WEIGHT, weigh
from gyges.kernels.threads import each_in_threads, lots_of
from gyges.ragged import Ragged, starts_of
from gyges.search.items import Items


class Least(NamedTuple):
    """How many people each side of a line needs, and each child of a tree that stands alone."""

    side: int
    child: int


class OpenGroups(Protocol):
    """Groups of a search, wherever their rows are: their people and the bounds of their codes."""

    @property
    def totals(self) -> IntArray:
        """How many people each group has."""

    @property
    def bounds(self) -> IntArray:
        """Groups × (least code of each column, then the greatest of each)."""

    def __len__(self) -> int: ...

    def take(self, chosen: IntArray | BoolArray) -> Self:
        """Some of the groups."""

    @classmethod
    def joined(cls, many: Sequence[Self]) -> Self:
        """All groups of several lots, at least one lot."""


Open = TypeVar("Open", bound=OpenGroups)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Segments:
    """Groups as stretches of items, with their people and the bounds of their codes."""

    starts: IntArray
    ends: IntArray
    totals: IntArray
    bounds: IntArray  # groups × (least code of each column, then the greatest of each)

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, chosen: IntArray | BoolArray) -> Segments:
        """Some of the groups."""
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return Segments(
            self.starts[places], self.ends[places], self.totals[places], self.bounds[places]
        )

    @classmethod
    def joined(cls, many: Sequence[Segments]) -> Segments:
        """All groups of several lots, at least one lot."""
        return cls(
            np.concatenate([segments.starts for segments in many]),
            np.concatenate([segments.ends for segments in many]),
            np.concatenate([segments.totals for segments in many]),
            np.concatenate([segments.bounds for segments in many]),
        )


joined = Segments.joined


# How many different values each group holds; then which, and how often, group after group.
Histograms: TypeAlias = tuple[IntArray, CodeArray, IntArray]
Counting: TypeAlias = Callable[[Items, IntArray, IntArray], Histograms]


def joined_histograms(lots: Sequence[Histograms]) -> Histograms:
    """The histograms of lots that follow each other, at least one."""
    lengths, codes, counts = map(np.concatenate, zip(*lots, strict=True))
    return lengths, codes, counts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cuts:
    """Cuts of some groups: cut c makes the parts `first[c]:first[c+1]` of `parts`."""

    group: IntArray  # cuts: which group of the level is cut
    first: IntArray  # cuts + 1
    parts: Segments
    held: Histograms | None = None  # what the parts hold, where they were counted on the way

    def __len__(self) -> int:
        return len(self.group)

    @property
    def n_parts(self) -> IntArray:
        """How many parts each cut makes."""
        return self.first[1:] - self.first[:-1]

    def of_parts(self, numbers: NDArray[Any]) -> Ragged:
        """A number for each part, cut by cut."""
        return Ragged(numbers, self.first)

    def take(self, chosen: BoolArray) -> Cuts:
        """Some of the cuts with their parts."""
        if chosen.all():
            return self
        parts = self.parts.take(np.repeat(chosen, self.n_parts))
        return Cuts(self.group[chosen], starts_of(self.n_parts[chosen]), parts)

    @classmethod
    def joined(cls, many: Sequence[Cuts]) -> Cuts:
        """All cuts of several lots in the order of their groups; at least one lot."""
        if len(many) == 1:
            return many[0]
        group = np.concatenate([cuts.group for cuts in many])
        lengths = np.concatenate([cuts.n_parts for cuts in many])
        of_part = np.repeat(group, lengths)
        parts = joined([cuts.parts for cuts in many]).take(np.argsort(of_part, kind="stable"))
        order = np.argsort(group, kind="stable")
        return cls(group[order], starts_of(lengths[order]), parts)


def whole(items: Items) -> Segments:
    """Everybody in one group."""
    fields, columns = items.layout.fields, items.layout.columns
    d, n_items = len(columns), len(items)
    bounds = np.concatenate([np.zeros(d, dtype=np.int64), columns[:, 2] - 1])[None, :]
    total = weigh(items.words, fields, d + WEIGHT, 0, n_items)
    return narrowed(items, Segments(np.array([0]), np.array([n_items]), np.array([total]), bounds))


def narrowed(items: Items, segments: Segments) -> Segments:
    """The same groups with the bounds that their own items have."""
    bounds = segments.bounds.copy()

    def narrow(lot: slice) -> None:
        starts, ends = segments.starts[lot], segments.ends[lot]
        narrow_each(items.words, items.layout.fields, starts, ends, bounds[lot])

    each_in_threads(narrow, lots_of(segments.ends - segments.starts))
    return replace(segments, bounds=bounds)


def by_width(items: Items, level: OpenGroups) -> IntArray:
    """Each group's columns from the widest down; -1 where no column is left [LeFevre2006]."""
    widths = widths_each(items.layout.columns, items.layout.places, items.layout.runs, level.bounds)
    order = np.argsort(-widths, axis=1, kind="stable")
    return np.where(np.take_along_axis(widths, order, axis=1) < 0, -1, order)


def by_gain(
    items: Items,
    spare: IntArray,
    level: Segments,
    *,
    least: Least,
    shares: FloatArray,
    n_targets: int,
) -> IntArray:
    """Each group's columns from the most informative cut down, the wider first of equals.

    Informative about the sensitive value [Chen2009, Sect. 8.4], or about the class whose shares
    in each cell are given [LeFevre2006W].
    """
    fields, columns, places, runs = items.layout
    gains = gains_each(
        items.words,
        fields,
        columns,
        runs,
        spare,
        level.starts,
        level.ends,
        level.totals,
        level.bounds,
        *least,
        shares,
        n_targets,
    )
    widths = widths_each(columns, places, runs, level.bounds)
    rounded = np.round(gains, 9)  # equally good cuts are told apart by width, not by rounding
    order = np.lexsort((-widths, -rounded), axis=1)
    return np.where(np.take_along_axis(gains, order, axis=1) < 0, -1, order)


def cut(
    items: Items,
    spare: IntArray,
    level: Segments,
    chosen: IntArray,
    cut_in: IntArray,
    least: Least,
    counting: Counting | None = None,
) -> Cuts:
    """Cut each chosen group in its column; groups that cannot be cut there are left out.

    The parts are counted, if asked, while the processor still has them at hand.
    """
    fields, columns, _, runs = items.layout

    def cut_lot(lot: slice) -> tuple[tuple[IntArray, ...], Histograms | None]:
        made: tuple[IntArray, ...] = cut_each(
            items.words,
            fields,
            columns,
            runs,
            spare,
            level.starts,
            level.ends,
            level.totals,
            level.bounds,
            chosen[lot],
            cut_in[lot],
            *least,
        )
        return made, None if counting is None else counting(items, made[1], made[2])

    lots = each_in_threads(cut_lot, lots_of(level.ends[chosen] - level.starts[chosen]))
    made = [lot for lot, _ in lots]
    n_parts, starts, ends, totals = map(np.concatenate, zip(*made, strict=True))
    held = [lot for _, lot in lots if lot is not None]
    bounds = np.repeat(level.bounds[chosen], n_parts, axis=0)
    first = starts_of(n_parts[n_parts > 0])
    parts = Segments(starts, ends, totals, bounds)
    return Cuts(chosen[n_parts > 0], first, parts, joined_histograms(held) if held else None)


def hold_together(items: Items, spare: IntArray, cuts: Cuts, held: BoolArray) -> Cuts:
    """Make one part of each cut's held parts, its last; some part of every cut is held."""
    of_cut = cuts.of_parts(held).segment_of_value
    order = np.lexsort((held, of_cut))
    parts, held = cuts.parts.take(order), held[order]
    lengths = parts.ends - parts.starts
    begin = cuts.of_parts(parts.starts).minima()[of_cut]
    before = np.cumsum(lengths) - lengths
    goals = begin + before - before[cuts.first[:-1]][of_cut]
    rearrange(items.words, spare, parts.starts, parts.ends, goals)
    is_new = ~held | np.append(True, ~held[:-1] | (of_cut[1:] != of_cut[:-1]))
    ends, totals = goals + lengths, parts.totals
    new = np.flatnonzero(is_new)
    bounds = np.append(new, len(is_new))
    merged = Segments(
        goals[new],
        Ragged(ends, bounds).maxima(),
        Ragged(totals, bounds).sums(),
        parts.bounds[new],
    )
    first = np.searchsorted(of_cut[new], np.arange(len(cuts) + 1))
    return Cuts(cuts.group, first, merged)
