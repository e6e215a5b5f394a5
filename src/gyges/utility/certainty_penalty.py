"""Normalized certainty penalty: how wide the labels are."""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.tree_order import line_or_tree_ranks
from gyges.ragged import Ragged
from gyges.utility.grouping import Grouping


def column_penalty(grouping: Grouping, column: int) -> FloatArray:
    """NCP of each group in one column, between 0 (exact) and 1 [Xu2006].

    Numbers and dates: the group's range over the table's. Categories: 0 where all agree, else the
    leaves under the lowest common ancestor over all leaves; without a hierarchy 0 or 1. A cell
    that is suppressed has 1.
    """
    domain = grouping.cells.domains[column]
    rank = line_or_tree_ranks(domain)
    ranks = Ragged(rank[grouping.cells.codes[grouping.cell, column]], grouping.starts)
    code_at = np.argsort(rank)
    penalty = extent_penalty(domain, code_at[ranks.minima()], code_at[ranks.maxima()])
    return np.where(grouping.hides(column), 1.0, penalty)


def extent_penalty(domain: Domain, first: IntArray, last: IntArray) -> FloatArray:
    """The same for groups given by their first and last code on the column's line or tree."""
    if domain.is_ordered:
        width: FloatArray = domain.positions[last] - domain.positions[first]
        return width / domain.range if domain.range > 0 else np.zeros(len(first))
    if domain.ladder is None:
        return np.asarray(first != last, dtype=np.float64)
    ancestors, penalty = domain.ladder.ancestors, np.zeros(len(first))
    for height in range(1, domain.ladder.height + 1):
        apart = ancestors[height - 1][first] != ancestors[height - 1][last]
        under = domain.ladder.leaves_under(height)[ancestors[height][first[apart]]]
        penalty[apart] = under / len(domain)
    return penalty


def column_penalties(grouping: Grouping) -> dict[str, float]:
    """The average NCP of each quasi-identifier over all people; 1 for those suppressed."""
    return grouping.once(_column_penalties)


def _column_penalties(grouping: Grouping) -> dict[str, float]:
    sizes, n = grouping.sizes, max(grouping.n_people, 1)
    return {
        domain.name: float((column_penalty(grouping, column) @ sizes + grouping.n_left_out) / n)
        for column, domain in enumerate(grouping.cells.domains)
    }


def gcp(grouping: Grouping) -> float:
    """Global certainty penalty Σ_G |G| NCP(G) / (d N), between 0 and 1 [Ghinita2007]."""
    penalties = column_penalties(grouping)
    return sum(penalties.values()) / len(penalties) if penalties else 0.0
