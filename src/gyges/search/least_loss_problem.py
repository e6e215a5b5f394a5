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
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.cell_labels import LINE, SET, TALL, TREE, Columns
from gyges.release.labels import shows_nodes
from gyges.release.partition_of_cells import Labels
from gyges.search.mondrian import sizes_asked

_MOST_LEAVES = 1024  # of a tree whose costs are a table
_MOST_VISITS = 1 << 29  # a lattice of more nodes × cells is not peeled; twice as many with a line
_MOST_ENTRIES = 1 << 24  # nor one whose levels take more memory
_MOST_ROWS, _MOST_KEYS = 64, 1 << 22  # of a part, and of all parts: rows × cells
_WIDER = 2**0.5  # how much further each range of a line may reach
_SPREAD = 11400714819323198485  # an odd number: its multiples mod 2 ** 64 differ in the first bits
FITS = 2.0**62  # combinations of codes have numbers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Line:
    """A column of numbers whose labels may begin anywhere, and how far they may reach."""

    column: int
    codes: IntArray  # of the cells
    widths: list[int]

    def levels(self, step: float) -> list[tuple[IntArray, FloatArray]]:
        """A level for each width: every cell has the same code, and labels cost the same."""
        same = np.zeros(len(self.codes), dtype=np.int64)
        return [(same, np.full(len(same), width * step)) for width in self.widths]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Levels:
    """Coarser codes of each cell and what they cost, as the kernels want them (peeling.py).

    Columns are taken together in parts; a row is a level of each column of a part, and a node is a
    row of each part. The levels of one column, the line, are not coarser codes: they say how far a
    label may reach on it.
    """

    prices: list[FloatArray]  # of each column: levels × cells
    rows: list[list[tuple[int, ...]]]  # of each part: levels of its columns
    keys: WordArray  # rows × cells
    reach: IntArray  # rows: how far a label may reach on the line
    line: IntArray  # the code of each cell on the line; empty if there is none

    @classmethod
    def of(
        cls,
        columns: list[list[tuple[IntArray, FloatArray]]],
        n_cells: int,
        line: _Line | None = None,
    ) -> Levels:
        """From each column's levels: the coarser code and the price of each cell."""
        parts = _parts([len(levels) for levels in columns], n_cells)
        factors = _factors([max(int(c.max(initial=0)) for c, _ in levels) for levels in columns])
        rows = [list(product(*(range(len(columns[j])) for j in part))) for part in parts]
        keys = np.zeros((sum(map(len, rows)), n_cells), dtype=np.uint64)
        reach, at = np.zeros(len(keys), dtype=np.int64), 0
        for part, listed in zip(parts, rows, strict=True):
            for row in listed:
                for j, level in zip(part, row, strict=True):
                    keys[at] += columns[j][level][0].astype(np.uint64) * factors[j]
                    if line is not None and j == line.column:
                        reach[at] = line.widths[level]
                at += 1
        prices = [np.stack([price for _, price in levels]) for levels in columns]
        codes = np.empty(0, dtype=np.int64) if line is None else line.codes
        return cls(prices, rows, keys, reach, codes)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(np.prod([float(len(rows)) for rows in self.rows]))

    def nodes(self, weight: IntArray, power: float = 1.0) -> IntArray:
        """All nodes, in the order of the mean of (price in each column) ** power: nodes × parts."""
        means = [prices**power @ weight for prices in self.prices]
        score = self._sums(means)
        ends = np.cumsum([len(rows) for rows in self.rows])
        axes = [np.arange(end - len(rows), end) for end, rows in zip(ends, self.rows, strict=True)]
        nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        return np.asarray(nodes[np.argsort(score[nodes].sum(axis=1), kind="stable")])

    def priced(self, power: float = 1.0) -> FloatArray:
        """The sum of (price in each column) ** power: rows × cells."""
        return self._sums([prices**power for prices in self.prices])

    def _sums(self, of_column: list[FloatArray]) -> FloatArray:
        """The sum, over the columns of each row, of what is given of each column's level."""
        sums, first = [], 0
        for rows in self.rows:
            part = of_column[first : first + len(rows[0])]
            sums += [sum(one[level] for one, level in zip(part, row, strict=True)) for row in rows]
            first += len(part)
        return np.array(sums)


def _parts(n_levels: list[int], n_cells: int) -> list[range]:
    """Columns that are taken together: few parts, and not too many rows."""
    most = min(_MOST_ROWS, max(_MOST_KEYS // max(n_cells * len(n_levels), 1), 1))
    parts, first = [], 0
    for last in range(1, len(n_levels) + 1):
        if last == len(n_levels) or np.prod(n_levels[first : last + 1], dtype=float) > most:
            parts.append(range(first, last))
            first = last
    return parts


def _factors(most: list[int]) -> list[np.uint64]:
    """A factor for the codes of each column, so that sums over columns differ as the codes do.

    Where there are too many combinations for 64 bits, sums differ almost certainly.
    """
    if np.prod([float(code + 1) for code in most]) > FITS:
        return list(np.random.default_rng(0).integers(0, 1 << 63, len(most), dtype=np.uint64) | 1)
    below = np.cumprod([1, *(code + 1 for code in most[:-1])], dtype=np.uint64)
    return [np.uint64(int(factor) * _SPREAD % (1 << 64)) for factor in below]


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
        line = self._line(_WIDER)
        if not self._is_small(line):
            line = self._line(2.0)
        if not self._is_small(line):
            return None
        codes = self.cells.codes[self.order].astype(np.int64)
        columns = [list(_steps(domain, codes[:, j])) for j, domain in enumerate(domains)]
        if line is not None:
            columns[line.column] = line.levels(_step(domains[line.column]))
        return Levels.of(columns, len(self.order), line)

    def _is_small(self, line: _Line | None) -> bool:
        """Whether the lattice can be walked over."""
        heights, most = [_height(domain) + 1 for domain in self.cells.domains], _MOST_VISITS
        if line is not None:
            heights[line.column], most = len(line.widths), 2 * _MOST_VISITS  # half as many walks
        n_entries = len(heights) * max(heights) * len(self.order)
        n_visits = np.prod(heights, dtype=float) * len(self.order)
        return bool(n_visits <= most and n_entries <= _MOST_ENTRIES)

    def _line(self, wider: float) -> _Line | None:
        """The column of ranges with the most values; each width is `wider` times the last one."""
        domains = self.cells.domains
        sizes = [
            len(domain) if domain.is_ordered and not shows_nodes(domain, self.labels) else 0
            for domain in domains
        ]
        at = int(np.argmax(sizes))
        if sizes[at] < 2:
            return None
        codes = self.cells.codes[self.order, at].astype(np.int64)
        return _Line(at, codes, _widths(sizes[at], wider))

    @cached_property
    def is_by_nodes(self) -> bool:
        """Whether every column shows nodes of a hierarchy."""
        return bool(np.isin(self.columns.kind, (TREE, TALL)).all())

    @cached_property
    def by_cell(self) -> tuple[WordArray, FloatArray]:
        """Keys and prices of the levels, cell by cell: cells × rows."""
        assert self.levels is not None
        rows = self.levels.keys, self.levels.priced()
        return np.ascontiguousarray(rows[0].T), np.ascontiguousarray(rows[1].T)

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


def _widths(n_values: int, wider: float) -> list[int]:
    """How far ranges of a column may reach: each about so many times as far as the one before."""
    widths = {0, n_values - 1}
    width = 1.0
    while width < n_values - 1:
        widths.add(int(width))
        width *= wider
    return sorted(widths)


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
