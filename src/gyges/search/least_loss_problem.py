"""The cells of a table as the search for the least loss sees them: what labels cost, and levels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import BoundRule
from gyges.data.cells import Cells, Domain
from gyges.kernels.cell_labels import LINE, SET, TALL, TREE, Columns
from gyges.release.labels import shows_nodes
from gyges.release.partition_of_cells import Labels
from gyges.search.mondrian import sizes_asked

_MOST_LEAVES = 1024  # of a tree whose costs are a table
_MOST_VISITS = 1 << 29  # a lattice of more nodes × cells is not peeled
_MOST_ENTRIES = 1 << 24  # nor one whose levels take more memory


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Levels:
    """Coarser codes of each cell, and what each costs: columns × levels × cells."""

    above: IntArray
    price: FloatArray
    heights: tuple[int, ...]

    @classmethod
    def of(cls, columns: list[list[tuple[IntArray, FloatArray]]], n_cells: int) -> Levels:
        """From each column's levels: the coarser code and the price of each cell."""
        most = max(map(len, columns), default=1)
        above = np.zeros((len(columns), most, n_cells), dtype=np.int64)
        price = np.zeros(above.shape)
        for j, levels in enumerate(columns):
            for level, (codes, prices) in enumerate(levels):
                above[j, level], price[j, level] = codes, prices
        return cls(above, price, tuple(len(levels) - 1 for levels in columns))

    @property
    def radix(self) -> IntArray:
        """The number of codes of each column."""
        return np.asarray(self.above.max(axis=(1, 2), initial=0) + 1)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(np.prod([float(height + 1) for height in self.heights]))

    def nodes(self, weight: IntArray, power: float = 1.0) -> IntArray:
        """All nodes, in the order of the mean of (price in each column) ** power."""
        mean = (self.price**power) @ weight
        nodes = np.array(list(product(*(range(height + 1) for height in self.heights))))
        score = sum(mean[j][nodes[:, j]] for j in range(len(self.heights)))
        return np.asarray(nodes[np.argsort(score, kind="stable")])


@dataclass(frozen=True, eq=False, repr=False)
class LossProblem:
    """Cells in an order in which neighbours are found quickly, and what is asked of groups."""

    cells: Cells
    labels: Labels
    rules: list[BoundRule[Any]]  # all of them
    order: IntArray  # cell `order[i]` of the table is cell i here
    columns: Columns
    least: int  # people that each group needs

    @classmethod
    def of(cls, cells: Cells, rules: list[BoundRule[Any]], labels: Labels) -> LossProblem:
        """Bring cells, labels and bound rules into the form of the kernels."""
        least, _ = sizes_asked(rules)
        if cells.values_per_person == "one":  # each person brings one value
            least = max([least, *(rule.least_values("one") for rule in rules)])
        parts = [_part_of(domain, labels) for domain in cells.domains]
        dearest = np.argsort([-part.least_cost for part in parts], kind="stable")
        codes = np.column_stack([parts[j].code[cells.codes[:, j]] for j in dearest])
        order = np.lexsort(codes.T[::-1])
        columns = _columns([parts[j] for j in dearest], codes[order], cells.people[order])
        return cls(cells, labels, rules, order, columns, least)

    @property
    def is_size_all(self) -> bool:
        """Whether groups need to be large enough and nothing else."""
        return sizes_asked(self.rules)[1]

    @property
    def n_units(self) -> int:
        """People × columns: what the loss is a mean over."""
        return max(self.cells.n_people * len(self.cells.domains), 1)

    @cached_property
    def levels(self) -> Levels | None:
        """The levels of the hierarchies, if groups show their nodes and the lattice is small."""
        domains = self.cells.domains
        if not any(shows_nodes(domain, self.labels) for domain in domains):
            return None
        heights = [_height(domain) + 1 for domain in domains]
        n_entries = len(domains) * max(heights) * len(self.order)
        n_visits = np.prod(heights, dtype=float) * len(self.order)
        if n_visits > _MOST_VISITS or n_entries > _MOST_ENTRIES:
            return None
        codes = self.cells.codes[self.order].astype(np.int64)
        columns = [list(_steps(domain, codes[:, j])) for j, domain in enumerate(domains)]
        return Levels.of(columns, len(self.order))

    def of_cells(self, group: IntArray) -> IntArray:
        """The group of each cell of the table, numbered from 0, from those of the cells here."""
        numbered = np.empty(len(group), dtype=np.int64)
        numbered[self.order] = np.unique(group, return_inverse=True)[1].ravel()
        return numbered


def _height(domain: Domain) -> int:
    if domain.ladder is not None:
        return domain.ladder.height
    return max(len(domain) - 1, 1).bit_length() if domain.is_ordered else 1


def _steps(domain: Domain, codes: IntArray) -> list[tuple[IntArray, FloatArray]]:
    """The coarser code of each cell and the loss of its label, level by level.

    Without a hierarchy, numbers are halved again and again, and categories are all or nothing.
    """
    plain = np.arange(len(domain))
    levels: list[IntArray]
    if domain.ladder is not None:
        levels = [np.asarray(level, dtype=np.int64) for level in domain.ladder.ancestors]
    elif domain.is_ordered:
        levels = [plain >> level for level in range(_height(domain) + 1)]
    else:
        levels = [plain, np.zeros_like(plain)]
    losses = [(_leaves(level) - 1) / max(len(domain) - 1, 1) for level in levels]
    return [(level[codes], loss[codes]) for level, loss in zip(levels, losses, strict=True)]


def _leaves(level: IntArray) -> IntArray:
    """How many values share each value's label."""
    return np.asarray(np.bincount(level)[level])


def _step(domain: Domain) -> float:
    return 1 / max(len(domain) - 1, 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Part:
    """One column: the code of each value, and what labels cost."""

    kind: int
    code: IntArray
    step: float
    least_cost: float  # of a label that is not exact
    table: FloatArray  # of a tree: the cost of (low, high)
    above: IntArray  # of a tall tree: levels × leaves
    under: IntArray


_NO_TABLE, _NO_LEVELS = np.zeros((0, 0)), np.zeros((0, 0), dtype=np.int64)


def _part_of(domain: Domain, labels: Labels) -> _Part:
    step, plain = _step(domain), np.arange(len(domain))
    if not shows_nodes(domain, labels):
        kind = LINE if domain.is_ordered else SET
        return _Part(kind, plain, step, step, _NO_TABLE, _NO_LEVELS, _NO_LEVELS)
    assert domain.ladder is not None
    above = np.asarray(domain.ladder.ancestors, dtype=np.int64)
    above = np.vstack([above, np.zeros_like(above[:1])])  # everything has a common ancestor
    by_tree = np.lexsort(above)
    code = np.empty(len(domain), dtype=np.int64)
    code[by_tree] = plain
    above = above[:, by_tree]
    under = np.stack([_leaves(level) for level in above])
    least = float(step * (under[under > 1].min(initial=len(domain)) - 1))
    if len(domain) > _MOST_LEAVES:
        return _Part(TALL, code, step, least, _NO_TABLE, above, under)
    table = np.ones((len(domain), len(domain)))
    for level, leaves in zip(above[::-1], under[::-1], strict=True):
        table = np.where(level[:, None] == level, (leaves[:, None] - 1) * step, table)
    return _Part(TREE, code, step, least, table, _NO_LEVELS, _NO_LEVELS)


def _columns(parts: list[_Part], codes: IntArray, people: IntArray) -> Columns:
    size = np.array([len(part.code) for part in parts])
    kind = np.array([part.kind for part in parts])
    word = np.append(0, np.cumsum(np.where(kind == SET, (size + 63) // 64, 0)))
    tables = np.append(0, np.cumsum([part.table.size for part in parts]))[:-1]
    talls = np.append(0, np.cumsum([part.above.size for part in parts]))[:-1]
    return Columns(
        codes=np.ascontiguousarray(codes, dtype=np.int64),
        weight=np.ascontiguousarray(people),
        kind=kind,
        step=np.array([part.step for part in parts]),
        word=word,
        place=np.where(kind == TALL, talls, tables),
        size=size,
        cost=np.concatenate([part.table.ravel() for part in parts]),
        above=np.concatenate([part.above.ravel() for part in parts]),
        under=np.concatenate([part.under.ravel() for part in parts]),
    )
