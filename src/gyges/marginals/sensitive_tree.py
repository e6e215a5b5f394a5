"""The views that show the sensitive column, as a junction tree of count matrices.

Views without the sensitive column change nothing in how sensitive values are distributed given
the rest [Kifer2006, Prop. 7.3], so every check of sensitive values uses this smaller tree. A
*group* of a node is a combination of its non-sensitive labels; a row of its matrix counts each
sensitive value in that group. Groups that agree on the separator form a *block*: exactly these
can be joined with the parent's groups that agree on it too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.errors import RuleError
from gyges.marginals.graph import ROOT, junction_tree
from gyges.marginals.induced import Resolution
from gyges.marginals.store import CountStore
from gyges.ragged import Ragged


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One view of the tree."""

    resolution: Resolution
    parent: int
    children: tuple[int, ...]
    codes: CodeArray  # groups × attributes
    counts: IntArray  # groups × sensitive values: T_E
    above: IntArray  # blocks × sensitive values: T_S of the separator; all ones for the root
    block: IntArray  # the block of each group
    groups: Ragged  # the groups of each block
    block_of_parent: IntArray  # for each group of the parent, the block it is joined with

    @property
    def ratios(self) -> FloatArray:
        """T_E / T_S of each group, 0/0 read as 0: what joining a group multiplies by."""
        above = self.above[self.block]
        return np.divide(self.counts, above, out=np.zeros(self.counts.shape), where=above > 0)


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveTree:
    """Nodes in a perfect sequence, the root first."""

    store: CountStore
    nodes: tuple[Node, ...]

    def join_size(self) -> float:
        """How many combinations the join of all nodes has."""
        n_below: list[FloatArray] = [np.ones(0)] * len(self.nodes)
        for place in reversed(range(len(self.nodes))):
            node = self.nodes[place]
            each = np.ones(len(node.counts))
            for child in node.children:
                each = each * n_below[child][self.nodes[child].block_of_parent]
            summed = np.bincount(node.block, weights=each, minlength=len(node.above))
            n_below[place] = np.asarray(summed, dtype=np.float64)
        return float(n_below[0].sum())

    def expand(self, place: int, groups: IntArray) -> tuple[IntArray, IntArray]:
        """Join partial combinations with one more node.

        `groups` holds the group chosen in each node so far (rows × nodes). Returns, for each
        row of the join, the row it came from and the group it adds.
        """
        node = self.nodes[place]
        block = node.block_of_parent[groups[:, node.parent]]
        added = node.groups.take(block)
        return added.segment_of_value, added.values

    def halves(self, groups: IntArray, most_entries: int) -> list[slice]:
        """The rows of partial combinations, in two halves where the next join is too large."""
        node, n_values = self.nodes[groups.shape[1]], self.nodes[0].counts.shape[1]
        block = node.block_of_parent[groups[:, node.parent]]
        size = int(node.groups.lengths[block].sum()) * n_values
        if len(groups) < 2 or size <= most_entries:
            return [slice(None)]
        half = len(groups) // 2
        return [slice(half, None), slice(half)]

    def exact(self, groups: Iterable[int]) -> list[Fraction]:
        """The expected count of each sensitive value in one combination, without rounding."""
        product = [Fraction(1)] * self.nodes[0].counts.shape[1]
        for node, group in zip(self.nodes, groups, strict=True):
            here, above = node.counts[group], node.above[node.block[group]]
            product = [
                p * Fraction(int(n), int(m)) if p and n else Fraction(0)
                for p, n, m in zip(product, here, above, strict=True)
            ]
        return product

    def combination(self, groups: Iterable[int]) -> dict[str, str]:
        """The labels of one combination, each column at the finest resolution that shows it."""
        finest: dict[str, tuple[int, str]] = {}
        for node, group in zip(self.nodes, groups, strict=True):
            for place, attribute in enumerate(self.store.attributes):
                r = node.resolution[place]
                if r > finest.get(attribute.name, (0, ""))[0] and not attribute.is_sensitive:
                    finest[attribute.name] = (r, attribute.labels[r][node.codes[group, place]])
        named = [a.name for a in self.store.attributes if a.name in finest]
        return {name: finest[name][1] for name in named}


def sensitive_tree(store: CountStore, cliques: Collection[Resolution]) -> SensitiveTree | None:
    """The tree of those views that show the sensitive column; None where no view does."""
    chosen = [clique for clique in cliques if store.is_sensitive(clique)]
    if not chosen:
        return None
    tree = junction_tree(chosen)
    if tree is None:
        raise RuleError("these views do not decompose: their junction tree does not exist")
    nodes = []
    for place, (clique, separator) in enumerate(zip(tree.cliques, tree.separators, strict=True)):
        codes, counts = store.matrix(clique)
        parent, n_values = tree.parents[place], counts.shape[1]
        blocks = store.blocks(clique, separator)
        if parent == ROOT:
            above, block_of_parent = np.ones((1, n_values), dtype=np.int64), np.zeros(0, np.int64)
        else:
            above = store.matrix(separator)[1]
            block_of_parent = store.blocks(tree.cliques[parent], separator).of_row
        nodes.append(
            Node(
                resolution=clique,
                parent=parent,
                children=tuple(tree.children(place)),
                codes=codes,
                counts=counts,
                above=above,
                block=blocks.of_row,
                groups=blocks.rows,
                block_of_parent=block_of_parent,
            )
        )
    return SensitiveTree(store, tuple(nodes))
