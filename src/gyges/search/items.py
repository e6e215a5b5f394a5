"""Pack cells into items for cutting; each column is a line or a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.cells import Cells, Domain
from gyges.data.hierarchy import Ladder
from gyges.data.tree_order import is_tree, tree_ranks
from gyges.kernels.packed_items import COUNT, FIRST, NO_TREE, PAST, VALUE, WEIGHT, pack, put
from gyges.kernels.threads import each_in_threads, stretches_of

_WORD = 63  # bits of a word that leave it positive


class ItemLayout(NamedTuple):
    """How items are encoded: see kernels/packed_items.py, whose functions take these one by one."""

    fields: IntArray  # fields × 3
    columns: IntArray  # columns × 3
    places: FloatArray
    runs: IntArray  # 2 × trees × levels × codes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Items:
    """Cells, or the values in each cell, as packed words that a search rearranges."""

    words: IntArray  # word after word, each of all items
    layout: ItemLayout
    n_items: int

    def __len__(self) -> int:
        return self.n_items


def items_of_cells(cells: Cells) -> Items:
    """One item per cell: enough where only the number of people counts."""
    return _packed(cells, np.zeros(0, dtype=np.int64), cells.people)


def items_of_entries(cells: Cells) -> Items:
    """One item for each value that occurs in a cell, so that values move with their people.

    With one value per person an item's weight is its count. Otherwise the first item of a cell
    carries the cell's people, and a cell without values has one item with a count of 0.
    """
    cell, value, count = cells.cell_of_entry, cells.value_codes, cells.value_counts
    empty = np.flatnonzero(np.diff(cells.starts) == 0)
    if len(empty):
        order = np.argsort(np.concatenate([cell, empty]), kind="stable")
        nothing = np.zeros(len(empty), dtype=np.int64)
        cell = np.concatenate([cell, empty])[order]
        value = np.concatenate([value, nothing.astype(np.int32)])[order]
        count = np.concatenate([count, nothing])[order]
    if cells.values_per_person == "one":
        return _packed(cells, cell, count, value)
    is_first = np.append(True, cell[1:] != cell[:-1])
    return _packed(cells, cell, np.where(is_first, cells.people[cell], 0), value, count)


def _packed(
    cells: Cells,
    cell: IntArray,
    weight: IntArray,
    value: CodeArray | None = None,
    count: IntArray | None = None,
) -> Items:
    """Items of these cells (of all, one each, if none are given); the count may be the weight."""
    d, n_items = len(cells.domains), len(weight)
    sizes = [len(domain) for domain in cells.domains]
    sizes += [int(weight.max(initial=0)) + 1, len(cells)]
    sizes += [len(cells.sensitive)] if value is not None else [1]
    sizes += [int(count.max(initial=0)) + 1] if count is not None else []
    fields = _fields([max(size - 1, 0).bit_length() for size in sizes], n_items)
    if count is None:
        fields = np.append(fields, fields[[d + WEIGHT]], axis=0)
    words = np.zeros(int(fields[:, 0].max()) + n_items, dtype=np.int64)
    ranks, rank_starts = _ranks(cells.domains)

    def write(run: slice) -> None:
        codes = cells.codes, ranks, rank_starts
        pack(words, fields, *codes, cell, weight, run.start, run.stop)

    each_in_threads(write, stretches_of(n_items))
    if value is not None:
        put(words, fields, d + VALUE, value.astype(np.int64))
    if count is not None:
        put(words, fields, d + COUNT, count)
    return Items(words, ItemLayout(fields, *_columns(cells.domains)), n_items)


def _fields(bits: Sequence[int], n_items: int) -> IntArray:
    """Base, shift and mask of each field; a field that does not fit begins the next word."""
    fields, base, used = [], 0, 0
    for n_bits in bits:
        if used + n_bits > _WORD:
            base, used = base + n_items, 0
        fields.append((base, used, (1 << n_bits) - 1))
        used += n_bits
    return np.array(fields, dtype=np.int64).reshape(len(bits), 3)


def _columns(domains: Sequence[Domain]) -> tuple[IntArray, FloatArray, IntArray]:
    """The arrays `columns`, `places` and `runs` of kernels/packed_items.py."""
    trees = np.cumsum([is_tree(domain) for domain in domains]) - 1
    places = [np.zeros(0) if is_tree(domain) else _places(domain) for domain in domains]
    starts = np.cumsum([0, *map(len, places)])[:-1]
    columns = [
        (tree if is_tree(domain) else NO_TREE, start, len(domain))
        for domain, tree, start in zip(domains, trees, starts, strict=True)
    ]
    return (
        np.array(columns, dtype=np.int64).reshape(len(domains), 3),
        np.concatenate([*places, np.zeros(0)]),
        _runs([domain.ladder for domain in domains if is_tree(domain) and domain.ladder]),
    )


def _places(domain: Domain) -> FloatArray:
    """The length of a line and the positions of its codes; categories are in sorted order.

    The length is the range of the domain: of the hierarchy's leaves, if there are any.
    """
    length = float(np.ptp(domain.positions)) if len(domain) else 0.0
    return np.append(length, domain.positions)


def _ranks(domains: Sequence[Domain]) -> tuple[IntArray, IntArray]:
    """The tree columns' codes renumbered along the trees; where each column's begin, or -1."""
    ranks: list[IntArray] = []
    starts, length = [], 0
    for domain in domains:
        starts.append(length if is_tree(domain) else -1)
        if is_tree(domain):
            ranks.append(tree_ranks(domain))
            length += len(domain)
    return np.concatenate([*ranks, np.zeros(0, dtype=np.int64)]), np.array(starts, dtype=np.int64)


def _runs(ladders: Sequence[Ladder]) -> IntArray:
    """For each tree, level and leaf (along the tree) the run of leaves under its ancestor."""
    n_levels = max((ladder.height + 1 for ladder in ladders), default=0)
    n_codes = max((ladder.ancestors.shape[1] for ladder in ladders), default=0)
    runs = np.zeros((2, len(ladders), n_levels, n_codes), dtype=np.int64)
    for tree, ladder in enumerate(ladders):
        leaves = np.lexsort(ladder.ancestors)
        for level, ancestors in enumerate(ladder.ancestors[:, leaves]):
            begins = np.append(True, ancestors[1:] != ancestors[:-1])
            first, run = np.flatnonzero(begins), np.cumsum(begins) - 1
            runs[FIRST, tree, level, : len(leaves)] = first[run]
            runs[PAST, tree, level, : len(leaves)] = np.append(first[1:], len(leaves))[run]
    return runs
