"""Generalization height and precision: how far up the hierarchies the labels are."""

from __future__ import annotations

from gyges.utility.grouping import Grouping


def generalization_height(grouping: Grouping) -> float:
    """The sum over columns of the average level of a person's label.

    For full-domain generalization this is the height of the node in the lattice. Without a
    hierarchy the level is 0 (exact) or 1. Suppressed people count at the top level.
    """
    return sum(_average_level(grouping, column) for column in range(len(grouping.cells.domains)))


def precision(grouping: Grouping) -> float:
    """1 - average of level/height over all cells of the table; 1 is exact [Sweeney2002]."""
    domains = grouping.cells.domains
    lost = [
        _average_level(grouping, column) / max(domain.height, 1)
        for column, domain in enumerate(domains)
    ]
    return 1.0 - sum(lost) / len(lost) if lost else 1.0


def _average_level(grouping: Grouping, column: int) -> float:
    domain = grouping.cells.domains[column]
    top = max(domain.height, 1)
    if grouping.levels is not None:
        level = grouping.levels.get(domain.name, 0)
        summed = level * int(grouping.sizes.sum())
    else:
        summed = int(grouping.common_level(column) @ grouping.sizes)
    return (summed + top * grouping.n_left_out) / max(grouping.n_people, 1)
