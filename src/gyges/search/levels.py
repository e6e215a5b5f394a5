"""Cut many open groups at once, each in one column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.kernels.level_cuts import cut_each, gains_each, narrow_each, rearrange, widths_each
from gyges.kernels.packed_items import WEIGHT, weigh
from gyges.kernels.threads import batches_of, each_in_threads
from gyges.ragged import Ragged, starts_of
from gyges.search.items import Items


class Least(NamedTuple):
    """How many people each side of a cut line needs, and each child of a tree."""

    side: int
    child: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenGroups:
    """Groups of a search, wherever their rows are: parallel arrays, one entry per group."""

    totals: IntArray  # people
    bounds: IntArray  # groups × (least code of each column, then the greatest of each)

    def __len__(self) -> int:
        return len(self.totals)

    def take(self, chosen: IntArray | BoolArray) -> Self:
        """Some of the groups."""
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return type(self)(*(array[places] for array in self._arrays))

    @classmethod
    def concatenated(cls, many: Sequence[Self]) -> Self:
        """All groups of several batches, at least one batch."""
        return cls(*map(np.concatenate, zip(*(groups._arrays for groups in many), strict=True)))

    @property
    def _arrays(self) -> tuple[IntArray, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)


Open = TypeVar("Open", bound=OpenGroups)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Segments(OpenGroups):
    """Groups as segments of items."""

    starts: IntArray
    ends: IntArray


# How many different values each group holds; then which, and how often, group after group.
Histograms: TypeAlias = tuple[IntArray, CodeArray, IntArray]
Counting: TypeAlias = Callable[[Items, IntArray, IntArray], Histograms]


def concatenated_histograms(batches: Sequence[Histograms]) -> Histograms:
    """The histograms of consecutive batches, at least one."""
    lengths, codes, counts = map(np.concatenate, zip(*batches, strict=True))
    return lengths, codes, counts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cuts:
    """Cuts of some groups: cut c makes the parts `first[c]:first[c+1]` of `parts`."""

    group: IntArray  # cuts: which group of the level is cut
    first: IntArray  # cuts + 1
    parts: Segments
    held: Histograms | None = None  # the values of the parts, if they were counted with the cut

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
    def concatenated(cls, many: Sequence[Cuts]) -> Cuts:
        """All cuts of several batches in the order of their groups; at least one batch."""
        if len(many) == 1:
            return many[0]
        group = np.concatenate([cuts.group for cuts in many])
        lengths = np.concatenate([cuts.n_parts for cuts in many])
        of_part = np.repeat(group, lengths)
        parts = Segments.concatenated([cuts.parts for cuts in many]).take(
            np.argsort(of_part, kind="stable")
        )
        order = np.argsort(group, kind="stable")
        return cls(group[order], starts_of(lengths[order]), parts)


def whole(items: Items) -> Segments:
    """All people in one group."""
    fields, columns = items.layout.fields, items.layout.columns
    d, n_items = len(columns), len(items)
    bounds = np.concatenate([np.zeros(d, dtype=np.int64), columns[:, 2] - 1])[None, :]
    total = weigh(items.words, fields, d + WEIGHT, 0, n_items)
    return narrowed(items, Segments(np.array([total]), bounds, np.array([0]), np.array([n_items])))


def narrowed(items: Items, segments: Segments) -> Segments:
    """The same groups with the bounds that their own items have."""
    bounds = segments.bounds.copy()

    def narrow(batch: slice) -> None:
        starts, ends = segments.starts[batch], segments.ends[batch]
        narrow_each(items.words, items.layout.fields, starts, ends, bounds[batch])

    each_in_threads(narrow, batches_of(segments.ends - segments.starts))
    return replace(segments, bounds=bounds)


def by_width(items: Items, level: OpenGroups, importance: FloatArray | None = None) -> IntArray:
    """Each group's columns from the widest down; -1 where no column is left [LeFevre2006].

    With the importance of columns, width counts that much; of equals, the wider first.
    """
    widths = _widths(items, level)
    order = np.argsort(-widths, axis=1, kind="stable")
    if importance is not None:
        order = np.lexsort((-widths, -widths * importance), axis=1)
    return np.where(np.take_along_axis(widths, order, axis=1) < 0, -1, order)


def _widths(items: Items, level: OpenGroups) -> FloatArray:
    _, columns, places, runs = items.layout
    return np.asarray(widths_each(columns, places, runs, level.bounds))


def _kernel_arrays(items: Items, spare: IntArray, level: Segments) -> tuple[IntArray, ...]:
    """The arrays that every kernel of a cut takes first."""
    fields, columns, _, runs = items.layout
    groups = level.starts, level.ends, level.totals, level.bounds
    return items.words, fields, columns, runs, spare, *groups


def by_gain(
    items: Items,
    spare: IntArray,
    level: Segments,
    *,
    least: Least,
    shares: FloatArray,
    n_targets: int,
    importance: FloatArray | None = None,
) -> IntArray:
    """Each group's columns from the most informative cut down, the wider first of equals.

    Information gain about the sensitive value [Chen2009, Sect. 8.4], or about the class whose
    shares in each cell are given [LeFevre2006W].
    """
    gains = gains_each(*_kernel_arrays(items, spare, level), *least, shares, n_targets)
    widths = _widths(items, level)
    rounded = np.round(gains, 9)  # among equally good cuts width decides, not rounding
    counts = widths if importance is None else widths * importance
    order = np.lexsort((-widths, -counts, -rounded), axis=1)
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
    """Cut each chosen group in its column; groups that cannot be cut there are dropped.

    With `counting` the parts are counted at once, while they are in the processor's cache.
    """
    arrays = _kernel_arrays(items, spare, level)

    def cut_batch(batch: slice) -> tuple[tuple[IntArray, ...], Histograms | None]:
        made: tuple[IntArray, ...] = cut_each(*arrays, chosen[batch], cut_in[batch], *least)
        return made, None if counting is None else counting(items, made[1], made[2])

    batches = each_in_threads(cut_batch, batches_of(level.ends[chosen] - level.starts[chosen]))
    made = [batch for batch, _ in batches]
    n_parts, starts, ends, totals = map(np.concatenate, zip(*made, strict=True))
    held = [batch for _, batch in batches if batch is not None]
    bounds = np.repeat(level.bounds[chosen], n_parts, axis=0)
    first = starts_of(n_parts[n_parts > 0])
    parts = Segments(totals, bounds, starts, ends)
    return Cuts(chosen[n_parts > 0], first, parts, concatenated_histograms(held) if held else None)


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
        totals=Ragged(totals, bounds).sums(),
        bounds=parts.bounds[new],
        starts=goals[new],
        ends=Ragged(ends, bounds).maxima(),
    )
    first = np.searchsorted(of_cut[new], np.arange(len(cuts) + 1))
    return Cuts(cuts.group, first, merged)
