"""Counts of lattice nodes, each rolled up from the cheapest finer node that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.cells import Cells
from gyges.kernels.group_extents import join_extents
from gyges.kernels.rollup import join_groups, join_values
from gyges.search.lattice_nodes import Lattice, Levels

_SLOTS = 1024  # the most nodes that are remembered
_ROOM = 4  # together they weigh at most this many times what the cells weigh,
_ROOM_AT_LEAST = 4_000_000  # and this much more (some 90 MB)
_GROUPS_WORTH_A_DETOUR = 4096  # from here on a detour over a smaller node is faster
_FEWER = 8  # how many times fewer groups a detour must have
_NOWHERE = np.iinfo(np.int16).max  # the levels of an empty slot: below no node
_NEVER = np.iinfo(np.int64).max  # last use of a slot that is never forgotten


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NodeCounts:
    """The groups of one node: first cell and size of each, and how often each value occurs."""

    first: IntArray  # groups; the least cell of each, ascending
    sizes: IntArray  # groups
    starts: IntArray  # groups + 1
    value_codes: CodeArray  # entries
    value_counts: IntArray  # entries
    low: CodeArray  # groups × columns, or no columns: the least number of each group
    high: CodeArray  # the greatest

    def __post_init__(self) -> None:
        # Numba compiles anew for arrays that may be written to: here none ever may.
        frozen(self.first, self.sizes, self.starts, self.value_codes, self.value_counts)
        frozen(self.low, self.high)

    @property
    def weight(self) -> int:
        """What rolling up from here costs, roughly: groups, entries and extents."""
        return len(self.first) + len(self.value_codes) + self.low.size


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sizes:
    """The groups of one node before their values are added up."""

    levels: Levels
    source: NodeCounts
    place: CodeArray  # groups of the source; the group here
    first: IntArray
    sizes: IntArray

    def __post_init__(self) -> None:
        frozen(self.place, self.first, self.sizes)


class RollUps:
    """Counts by node, rolled up on demand; memory is bounded, the least recently used go first.

    With `numbers` (cells × columns) each group's least and greatest of them are known too.
    """

    def __init__(
        self, lattice: Lattice, with_values: bool, numbers: CodeArray | None = None
    ) -> None:
        self.lattice = lattice
        self.with_values = with_values
        self._slot: dict[Levels, int] = {}
        self._counts: dict[int, NodeCounts] = {}
        self._free = list(range(_SLOTS))[::-1]
        self._levels = np.full((len(lattice.top), _SLOTS), _NOWHERE, dtype=np.int16)
        self._weights = np.zeros(_SLOTS, dtype=np.int64)
        self._used = np.full(_SLOTS, _NEVER, dtype=np.int64)  # the cells stay
        self._clock = 0
        self._widths = [[int(width) for width in row] for row in lattice.widths]
        base = _base(lattice.cells, with_values, numbers)
        self._room = _ROOM * base.weight + _ROOM_AT_LEAST
        self._remember(lattice.bottom, base)

    def counts(self, levels: Levels) -> NodeCounts:
        """The groups of a node."""
        slot = self._slot.get(levels)
        return self.complete(self.begin(levels)) if slot is None else self._counts[slot]

    def sizes(self, levels: Levels) -> tuple[IntArray, IntArray]:
        """The first cell and the size of each group of a node."""
        if levels in self._slot or not self.with_values:
            counts = self.counts(levels)
            return counts.first, counts.sizes
        begun = self.begin(levels)
        return begun.first, begun.sizes

    def begin(self, levels: Levels) -> Sizes:
        """The groups of a node without their values: enough for some rules to refuse it."""
        source = self._cheapest(levels)
        via = self._detour(levels, len(source.first))
        if via != levels:
            source = self.counts(via)
        place, first, sizes = self._join(source, levels)
        return Sizes(levels, source, place, first, sizes)

    def complete(self, begun: Sizes) -> NodeCounts:
        """Add up the values too, and remember the node."""
        source = begun.source
        starts = np.zeros(len(begun.first) + 1, dtype=np.int64)
        codes, counts = source.value_codes, source.value_counts
        if self.with_values:
            n_values = len(self.lattice.cells.sensitive)
            starts, codes, counts = join_values(
                begun.place, len(begun.first), source.starts, codes, counts, n_values
            )
        low, high = source.low, source.high
        if low.size:
            low, high = join_extents(begun.place, len(begun.first), low, high)
        made = NodeCounts(begun.first, begun.sizes, starts, codes, counts, low, high)
        self._remember(begun.levels, made)
        return made

    def group_of_cell(self, levels: Levels) -> IntArray:
        """The group of each cell at a node."""
        base = self._counts[self._slot[self.lattice.bottom]]
        return np.asarray(self._join(base, levels)[0], dtype=np.int64)

    def _join(self, source: NodeCounts, levels: Levels) -> tuple[CodeArray, IntArray, IntArray]:
        lattice = self.lattice
        joined: tuple[CodeArray, IntArray, IntArray] = join_groups(
            source.first,
            source.sizes,
            lattice.cells.codes,
            lattice.labels,
            lattice.at,
            lattice.widths,
            np.array(levels),
        )
        return joined

    def _detour(self, levels: Levels, n_groups: int) -> Levels:
        """The finest node on the way that certainly has far fewer groups than its source.

        It costs hardly more than the node itself, and its neighbours can be made from it too.
        """
        if n_groups < _GROUPS_WORTH_A_DETOUR:
            return levels
        widths, via, most = self._widths, list(levels), n_groups // _FEWER
        space = math.prod(widths[c][level] for c, level in enumerate(via))
        while space <= most:
            finer = [
                (space // widths[c][level] * widths[c][level - 1], c)
                for c, level in enumerate(via)
                if level > 0
            ]
            space, column = min(finer, default=(most + 1, 0))
            if space <= most:
                via[column] -= 1
        return tuple(via)

    def _cheapest(self, levels: Levels) -> NodeCounts:
        """The known finer node with the fewest groups and entries; the cells are always known."""
        asked = np.array(levels, dtype=np.int16)
        below = np.logical_and.reduce(self._levels <= asked[:, None], axis=0)
        candidates = below.nonzero()[0]
        slot = int(candidates[self._weights[candidates].argmin()])
        if self._used[slot] != _NEVER:
            self._touch(slot)
        return self._counts[slot]

    def _remember(self, levels: Levels, made: NodeCounts) -> None:
        if levels in self._slot:
            return
        while not self._free or (len(self._slot) > 1 and self._weights.sum() > self._room):
            self._forget_oldest()
        slot = self._free.pop()
        self._slot[levels], self._counts[slot] = slot, made
        self._levels[:, slot], self._weights[slot] = levels, made.weight
        if len(self._slot) > 1:
            self._touch(slot)

    def _forget_oldest(self) -> None:
        slot = int(self._used.argmin())
        levels: Levels = tuple(int(level) for level in self._levels[:, slot])
        del self._slot[levels], self._counts[slot]
        self._levels[:, slot], self._weights[slot], self._used[slot] = _NOWHERE, 0, _NEVER
        self._free.append(slot)

    def _touch(self, slot: int) -> None:
        self._clock += 1
        self._used[slot] = self._clock


def _base(cells: Cells, with_values: bool, numbers: CodeArray | None) -> NodeCounts:
    """Every cell as a group of its own."""
    first = np.arange(len(cells))
    if numbers is None:
        numbers = np.empty((len(cells), 0), dtype=np.int32)
    if with_values:
        held = cells.starts, cells.value_codes, cells.value_counts
        return NodeCounts(first, cells.people, *held, numbers, numbers)
    no_starts, nothing = np.zeros(len(cells) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    held = no_starts, nothing.astype(np.int32), nothing
    return NodeCounts(first, cells.people, *held, numbers, numbers)
