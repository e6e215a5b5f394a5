"""Codes renumbered so that every node of a tree covers consecutive ones, which a search can cut."""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import Domain


def is_tree(domain: Domain) -> bool:
    """Whether a column is cut by its hierarchy; numbers and dates stay on their line."""
    return domain.ladder is not None and not domain.is_ordered


def tree_ranks(domain: Domain) -> IntArray:
    """The place of each code when leaves are sorted along the tree, from the top level down."""
    assert domain.ladder is not None
    rank = np.empty(len(domain), dtype=np.int64)
    rank[np.lexsort(domain.ladder.ancestors)] = np.arange(len(domain))
    return rank


def line_or_tree_ranks(domain: Domain) -> IntArray:
    """The place of each code along the tree; on a line every code has its own."""
    return tree_ranks(domain) if is_tree(domain) else np.arange(len(domain))
