"""Join a sensitive tree from the leaves up, and prune after each join [Kifer2006, Alg. 1].

A node's intermediate result has vectors over the sensitive values, one for each combination of
labels in the node's subtree that was not pruned. The checks differ in how two vectors combine and
which may be dropped:

| check | vectors | combine | drop (pruning.py) |
|---|---|---|---|
| maxent diversity | expected counts | product | what others span (`extreme_rays`) |
| the same with l values in all | expected counts | product | all but the largest quotients |
| relaxed diversity | marks | and | what another vector is below |
| k-combinatorial anonymity | bounds | minimum | the same, for each value that must stay |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.marginals.least_diverse import TooLargeError
from gyges.marginals.sensitive_tree import SensitiveTree
from gyges.ragged import Ragged

Combine: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
Prune: TypeAlias = Callable[[IntArray, FloatArray], IntArray]

LARGEST_JOIN = 50_000_000  # entries of one join, before pruning


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """An intermediate result I_v: vectors, and the group of each node that they came from."""

    vectors: FloatArray  # rows × sensitive values
    groups: IntArray  # rows × nodes; -1 for nodes outside the subtree


def eliminate(
    tree: SensitiveTree, vectors: Sequence[FloatArray], combine: Combine, prune: Prune
) -> Partial:
    """Join all nodes into the root; `vectors` are those of each node's groups.

    1. I_v starts as the node's own groups.
    2. For each child x: join I_v with I_x on their separator, and prune within the groups of v:
       all of v's non-sensitive attributes stay relevant, other children need them
       [Kifer2006, Alg. 1 line 8].
    3. Unless v is the root: prune within the blocks of v's separator. The paper prunes the last
       join there [Kifer2006, Alg. 1 line 14], which a leaf does not have; we prune I_v.
    """
    partial: dict[int, Partial] = {}
    for place in reversed(range(len(tree.nodes))):
        node = tree.nodes[place]
        groups = np.full((len(node.counts), len(tree.nodes)), -1, dtype=np.int64)
        groups[:, place] = np.arange(len(node.counts))
        here = Partial(vectors[place], groups)
        for child in node.children:
            here = _join(tree, here, place, partial.pop(child), child, combine)
            here = _kept(here, prune(here.groups[:, place], here.vectors))
        if place:
            here = _kept(here, prune(node.block[here.groups[:, place]], here.vectors))
        partial[place] = here
    return partial[0]


def _kept(partial: Partial, rows: IntArray) -> Partial:
    return Partial(partial.vectors[rows], partial.groups[rows])


def _join(
    tree: SensitiveTree, above: Partial, place: int, below: Partial, child: int, combine: Combine
) -> Partial:
    """Every row of the parent with every row of the child that agrees on the separator."""
    node = tree.nodes[child]
    block_below = node.block[below.groups[:, child]]
    rows = Ragged.group_by(block_below, len(node.above))
    block = node.block_of_parent[above.groups[:, place]]
    if int(rows.lengths[block].sum()) * above.vectors.shape[1] > LARGEST_JOIN:
        raise TooLargeError
    pairs = rows.take(block)
    one, other = pairs.segment_of_value, pairs.values
    vectors = combine(above.vectors[one], below.vectors[other])
    groups = np.maximum(above.groups[one], below.groups[other])
    return Partial(vectors, groups)
