"""Mondrian for a table that does not fit into memory: the engine counts for the top cuts.

As in Rothko, the engine counts the groups at the top, and each part that fits is finished in
memory. The cuts are the same as in memory: a group's cut in a column needs only the number of
people by that column's code and value, and the code that cuts cells cuts these counts. Rules that
judge all groups together keep one summary, into which every part is merged in the order of
`Descent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray
from gyges.criteria.base import BoundRule, Criterion, Rule, bind_all, judging_all
from gyges.data.cells import Cells
from gyges.data.large_table import CodedColumns, LargeTable
from gyges.data.placement import Fork, Placement
from gyges.data.source import COUNT, GROUP_OF_ROW, VALUE_CODE, code_column
from gyges.data.tree_order import line_or_tree_ranks
from gyges.errors import RuleError
from gyges.exact import counted
from gyges.kernels.packed_items import get
from gyges.release.groups import Groups
from gyges.release.partition_of_cells import Partition
from gyges.search.acceptance import Acceptance, Proposals
from gyges.search.batch import Counter
from gyges.search.descent import BLOCK, Descent, InMemory, cut_items
from gyges.search.items import Items, items_of_cells, items_of_entries
from gyges.search.levels import Cuts, Least, OpenGroups, Segments, by_width
from gyges.search.mondrian import by_size_alone, numbered, refuse_unsafe_groups, sizes_asked
from gyges.search.skyline_cuts import SkylineCuts

if TYPE_CHECKING:
    import pyarrow as pa

_AFRESH = (
    "under a memory limit every rule that judges all groups together must be monotone: "
    "omit the limit"
)


def search(
    table: LargeTable,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    block: int = BLOCK,
) -> Iterator[Partition]:
    """The parts of a partition, one after another; each is a partition of some of the cells.

    Together they are what `mondrian.search` finds. The cells of a part are dropped with it.
    """
    top = cut_top(table, criteria, block=block)
    yield from top.closed()
    if len(top.nodes):
        sorted_out = table.coded.sorted_out(top.placement)
        for node in top.nodes.tolist():
            yield top.finisher.finish(sorted_out.take(node))


def cut_top(
    table: LargeTable,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    block: int = BLOCK,
) -> Top:
    """Cut by the engine's counts until every group fits or cannot be cut."""
    counter = _counter(table)
    everybody = counter.everybody(table.n_people)
    rules = bind_all(criteria, everybody)
    _refuse_block(table, rules, block)
    k, is_size_all = sizes_asked(rules)
    refuse_unsafe_groups(everybody, rules)
    acceptance = Acceptance.of([] if is_size_all else rules, counter.cells)
    if acceptance.is_afresh:
        raise RuleError(_AFRESH)
    acceptance.start(everybody)
    least = Least(side=k, child=k if is_size_all else 1)
    finisher = Finisher(table.columns, counter, acceptance, least, has_values=not is_size_all)
    outside = Outside(
        table=table,
        counter=counter,
        acceptance=acceptance,
        least=least,
        block=block,
        items=items_of_cells(counter.cells),
        has_values=not is_size_all,
    )
    descent = Descent(outside, acceptance, least)
    nodes = descent.cut_to_blocks().number
    closed = [node for found in descent.closed for node in found.number.tolist()]
    return Top(outside, closed, nodes, outside.placement(nodes), finisher)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Finisher:
    """Cuts one part to the end, where its rows are in memory: in this process or in another.

    Rules that judge all groups together keep their summary here, so they need one process.
    """

    columns: CodedColumns
    counter: Counter
    acceptance: Acceptance
    least: Least
    has_values: bool

    def finish(self, entries: pa.Table) -> Partition:
        """The partition of some distinct rows of codes."""
        cells = self.columns.cells(entries)
        if not self.has_values:
            return by_size_alone(cells, self.least.side)
        inside = InMemory(
            items=items_of_entries(cells),
            counter=replace(self.counter, cells=cells),
            acceptance=self.acceptance,
            least=self.least,
            ranking=lambda items, spare, level: by_width(items, level),
        )
        cuts = SkylineCuts.where_possible(inside.items, inside.spare, self.acceptance, self.least)
        at_once = None if cuts is None else cuts.finish
        descent = Descent(inside, self.acceptance, self.least, at_once=at_once)
        descent.finish()
        is_first = np.zeros(len(inside.items), dtype=bool)
        for segments in descent.closed:
            is_first[segments.starts] = True
        return numbered(cells, inside.items, is_first)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Top:
    """The cuts at the top: groups that are final, and parts to be finished."""

    outside: Outside
    closed_nodes: list[int]
    nodes: IntArray  # the parts
    placement: Placement  # of the rows in the parts
    finisher: Finisher

    def closed(self) -> Iterator[Partition]:
        """The groups that are final though they do not fit."""
        return map(self.outside.closed_group, self.closed_nodes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Nodes(OpenGroups):
    """Groups as nodes of a tree of forks."""

    number: IntArray


@dataclass
class Outside:
    """Rows that stay in their engine, which counts them: a group is a node of a tree of forks.

    For each column that is tried, `items` are the counts of the groups by that column's code (and
    by value). They are cut like rows, but only in that column.
    """

    table: LargeTable
    counter: Counter
    acceptance: Acceptance
    least: Least
    block: int
    items: Items
    has_values: bool
    spare: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    forks: dict[int, tuple[int, list[IntArray], list[int]]] = field(default_factory=dict)
    n_entries: dict[int, int] = field(default_factory=dict)
    n_nodes: int = 1

    def whole(self) -> Nodes:
        """All people in one group."""
        bounds = np.zeros((1, 2 * len(self.table.domains)), dtype=np.int64)
        root = Nodes(np.array([self.table.n_people]), bounds, np.zeros(1, dtype=np.int64))
        return self.narrowed(root)

    def ranked(self, groups: Nodes) -> IntArray:
        """Each group's columns, the widest first, then -1."""
        return by_width(self.items, groups)

    def placement(self, nodes: IntArray) -> Placement:
        """The forks that lead to some nodes, each group numbered as its node; -1 for others."""
        wanted = set(nodes.tolist())

        def below(node: int) -> Placement:
            if node in wanted or node not in self.forks:
                return node if node in wanted else -1
            column, codes, children = self.forks[node]
            branches = tuple(below(child) for child in children)
            if all(branch == -1 for branch in branches):
                return -1
            return Fork(column, tuple(part.tolist() for part in codes), branches)

        return below(0)

    def closed_group(self, node: int) -> Partition:
        """A group that is final though it does not fit: cells with its codes and values.

        They give the group's labels and counts, not its people one by one.
        """
        table, where = self.table, self.placement(np.array([node]))
        columns = []
        for j, domain in enumerate(table.domains):
            counted = table.coded.count_codes(where, [node], j, with_values=False)
            places = counted.column(code_column(j)).to_numpy()
            columns.append(np.argsort(line_or_tree_ranks(domain))[places])
        first = table.coded.count_codes(where, [node], 0, with_values=True)
        value, at = np.unique(first.column(VALUE_CODE).to_numpy(), return_inverse=True)
        counts = np.bincount(at, weights=first.column(COUNT).to_numpy()).astype(np.int64)
        return _group_of_codes(table, columns, value.astype(np.int32), counts)

    def is_small(self, groups: Nodes) -> BoolArray:
        """Groups that can be finished in memory; by people, where the order must be kept."""
        if self.acceptance.is_in_order:
            return groups.totals <= self.block
        entries = [self.n_entries[node] for node in groups.number.tolist()]
        return np.array(entries, dtype=np.int64) <= self.table.most_entries

    def cut(self, level: Nodes, chosen: IntArray, cut_in: IntArray) -> tuple[Cuts, None]:
        """Count the groups by the columns that they are cut in, and cut the counts."""
        nodes = level.number[chosen]
        counted = [
            (column, self._count(nodes[cut_in == column], column)) for column in np.unique(cut_in)
        ]
        cells, node_of_cell = _counted_cells(self.table, counted)
        self.items = (items_of_entries if self.has_values else items_of_cells)(cells)
        self.spare = np.empty(len(self.items), dtype=np.int64)
        starts = np.zeros(len(level), dtype=np.int64)
        ends = np.zeros(len(level), dtype=np.int64)
        starts[chosen] = np.searchsorted(node_of_cell, nodes, side="left")
        ends[chosen] = np.searchsorted(node_of_cell, nodes, side="right")
        segments = Segments(level.totals, level.bounds, starts, ends)
        return cut_items(self, segments, chosen, cut_in, self.acceptance, self.least), None

    def _count(self, nodes: IntArray, column: int) -> tuple[IntArray, ...]:
        """Node, code, value and people of every combination, for some nodes."""
        counted = self.table.coded.count_codes(
            self.placement(nodes), nodes.tolist(), int(column), with_values=self.has_values
        )
        code_of_place = np.argsort(line_or_tree_ranks(self.table.domains[column]))
        value = np.zeros(counted.num_rows, dtype=np.int64)
        if self.has_values:
            value = counted.column(VALUE_CODE).to_numpy().astype(np.int64)
        return (
            counted.column(GROUP_OF_ROW).to_numpy().astype(np.int64),
            code_of_place[counted.column(code_column(int(column))).to_numpy()],
            value,
            counted.column(COUNT).to_numpy().astype(np.int64),
        )

    def kept(self, level: Nodes, cuts: Cuts, cut_in: IntArray) -> Nodes:
        """Make nodes of the parts of accepted cuts; the items are about to change."""
        numbers = self.n_nodes + np.arange(len(cuts.parts))
        self.n_nodes += len(numbers)
        children = cuts.of_parts(numbers)
        for place, group in enumerate(cuts.group.tolist()):
            column = int(cut_in[group])
            parts = range(cuts.first[place], cuts.first[place + 1])
            codes = [self._codes(cuts.parts, part, column) for part in parts]
            self.forks[int(level.number[group])] = (column, codes, children[place].tolist())
        return Nodes(cuts.parts.totals, cuts.parts.bounds, numbers)

    def _codes(self, parts: Segments, part: int, column: int) -> IntArray:
        """The codes that occur in a part."""
        start, end = parts.starts[part], parts.ends[part]
        return np.unique(get(self.items.words, self.items.layout.fields, column, start, end))

    def narrowed(self, groups: Nodes) -> Nodes:
        """Ask the engine for the bounds and the number of distinct rows of each group."""
        if len(groups) == 0:
            return groups
        counted = self.table.coded.count_groups(self.placement(groups.number))
        nodes = counted.column(GROUP_OF_ROW).to_numpy()
        kept = np.flatnonzero(nodes >= 0)
        order = kept[np.argsort(nodes[kept])]
        row = order[np.searchsorted(nodes[order], groups.number)]
        entries = counted.column("entries").to_numpy()[row].tolist()
        self.n_entries |= dict(zip(groups.number.tolist(), entries, strict=True))
        d = len(self.table.domains)
        names = [f"low {j}" for j in range(d)] + [f"high {j}" for j in range(d)]
        bounds = [counted.column(name).to_numpy()[row].astype(np.int64) for name in names]
        return replace(groups, bounds=np.stack(bounds, axis=1))

    def judged_afresh(
        self, proposals: Proposals, parents: Nodes, others: Sequence[Nodes]
    ) -> BoolArray:
        """Refuse: that would count all groups again for every cut."""
        raise RuleError(_AFRESH)


def _no_cells(table: LargeTable) -> Cells:
    """Cells of a table's domains without any combination."""
    nothing = np.zeros(0, dtype=np.int64)
    return Cells(
        domains=tuple(table.domains),
        codes=np.zeros((0, len(table.domains)), dtype=np.int32),
        people=nothing,
        sensitive=table.sensitive,
        starts=np.zeros(1, dtype=np.int64),
        value_codes=nothing.astype(np.int32),
        value_counts=nothing,
        values_per_person="one" if table.schema.sensitive else "set",
    )


def _counted_cells(
    table: LargeTable, counted: list[tuple[int, tuple[IntArray, ...]]]
) -> tuple[Cells, IntArray]:
    """One cell for every count, sorted by node, and the node of each."""
    node, code, value, people = (
        np.concatenate([counts[field] for _, counts in counted]) for field in range(4)
    )
    column = np.repeat([column for column, _ in counted], [len(c[0]) for _, c in counted])
    order = np.lexsort((value, code, node))
    codes = np.zeros((len(order), len(table.domains)), dtype=np.int32)
    codes[np.arange(len(order)), column[order]] = code[order]
    cells = replace(
        _no_cells(table),
        codes=codes,
        people=people[order],
        starts=np.arange(len(order) + 1),
        value_codes=value[order].astype(np.int32),
        value_counts=people[order],
    )
    return cells, node[order]


def _group_of_codes(
    table: LargeTable, columns: list[IntArray], value: CodeArray, counts: IntArray
) -> Partition:
    """A group by the codes that occur in each column, and by its values; see `closed_group`."""
    n = max(map(len, columns))
    padded = [np.append(codes, np.repeat(codes[:1], n - len(codes))) for codes in columns]
    people = np.zeros(n, dtype=np.int64)
    people[0] = counts.sum()
    held = table.schema.sensitive is not None
    cells = replace(
        _no_cells(table),
        codes=np.stack(padded, axis=1).astype(np.int32),
        people=people,
        starts=np.append(0, np.full(n, len(value) if held else 0)),
        value_codes=value if held else value[:0],
        value_counts=counts if held else counts[:0],
    )
    return Partition(cells, np.zeros(n, dtype=np.int64), 1)


def whole_table(table: LargeTable) -> Groups:
    """All people of the table in one group, for rules to be bound to."""
    return _counter(table).everybody(table.n_people)


def _counter(table: LargeTable) -> Counter:
    values = list(table.sensitive.values)
    return Counter(_no_cells(table), values, table.table_counts, has_whole_cells=False)


def refuse_rules(rules: list[Rule]) -> None:
    """Refuse rules that need all cells at once."""
    strange = [rule for rule in rules if rule.reads == "cells"]
    if strange:
        raise RuleError(
            f"under a memory limit no rule may read single cells, as this one does: {strange[0]}"
        )


def _refuse_block(table: LargeTable, rules: list[BoundRule[Any]], block: int) -> None:
    if judging_all(rules) and table.most_entries < block:
        raise RuleError(
            f"with rules that judge all groups together, "
            f"{counted(block, 'person is', 'people are')} finished at a time, "
            f"and the memory limit has room for {table.most_entries:,}: raise it, or lower `block`"
        )
