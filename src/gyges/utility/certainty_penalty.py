"""Normalized certainty penalty: how wide the labels are."""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray
from gyges.utility.grouping import Grouping


def column_penalty(grouping: Grouping, column: int) -> FloatArray:
    """NCP of each group in one column, between 0 (exact) and 1 [Xu2006].

    Numbers and dates: the group's range over the table's. Categories: 0 where all agree, else the
    leaves under the lowest common ancestor over all leaves; without a hierarchy 0 or 1.
    """
    domain = grouping.cells.domains[column]
    if domain.is_ordered:
        low, high = grouping.extent(column)
        return (high - low) / domain.range if domain.range > 0 else np.zeros(len(low))
    level = grouping.common_level(column)
    if domain.ladder is None:
        return (level > 0).astype(np.float64)
    first = grouping.cells.codes[grouping.cell[grouping.starts[:-1]], column]
    penalty = np.zeros(grouping.n_groups)
    for height in range(1, domain.ladder.height + 1):
        at = level == height
        under = domain.ladder.leaves_under(height)[domain.ladder.ancestors[height][first[at]]]
        penalty[at] = under / len(domain)
    return penalty


def column_penalties(grouping: Grouping) -> dict[str, float]:
    """The average NCP of each quasi-identifier over all people; 1 for those suppressed."""
    sizes, n = grouping.sizes, max(grouping.n_people, 1)
    return {
        domain.name: float((column_penalty(grouping, column) @ sizes + grouping.n_left_out) / n)
        for column, domain in enumerate(grouping.cells.domains)
    }


def gcp(grouping: Grouping) -> float:
    """Global certainty penalty Σ_G |G| NCP(G) / (d N), between 0 and 1 [Ghinita2007]."""
    penalties = column_penalties(grouping)
    return sum(penalties.values()) / len(penalties) if penalties else 0.0
