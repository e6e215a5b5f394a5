"""What a purpose costs at a node of the lattice, with bounds.

Each part is between 0 and 1 for a person and grows when labels and groups grow, so the bounds of
`lattice_group_costs.py` hold. A suppressed person costs 1 in every part. The parts that are
stated count equally; the loss of all columns counts a little beside them and settles ties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.search.bound_purpose import BoundPurpose, ClassCounts
from gyges.search.column_weights import column_weights
from gyges.search.lattice_check import Checker
from gyges.search.lattice_group_costs import GroupCosts, covered_values
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.search.lattice_objective import Objective, label_loss
from gyges.search.lattice_steps import entropy_steps
from gyges.utility.loss import ancestors, label_losses

# What a person of each group costs: of a node's levels, each group's first cell, and its size.
Part: TypeAlias = Callable[[Levels, IntArray, IntArray], FloatArray]

TIE = 1e-3  # what the loss of all columns counts, beside 1 for what the purpose states


def purpose_objective(checker: Checker, purpose: BoundPurpose, suppressed_as: str) -> Objective:
    """The mean over people, and over what the purpose states, of what is lost for it."""
    lattice = checker.lattice
    if not purpose.questions and purpose.classes is None:
        return label_loss(lattice, "loss", purpose.weights, suppressed_as)
    parts: list[Part] = []
    if purpose.weights is not None:
        parts.append(_weighted_loss(lattice, purpose.weights))
    if purpose.questions:
        parts.append(_misplaced(lattice, purpose.questions))
    if purpose.classes is not None:
        parts.append(_not_of_majority(checker, purpose.classes))
    shares = [*([1 / len(parts)] * len(parts)), TIE]
    parts.append(_weighted_loss(lattice, None))
    n = max(lattice.cells.n_people, 1)

    def costs(levels: Levels, first: IntArray, sizes: IntArray) -> FloatArray:
        summed = np.zeros(len(sizes))
        for part, share in zip(parts, shares, strict=True):
            summed += share * part(levels, first, sizes)
        return summed * sizes / n

    steps = entropy_steps(lattice)
    return GroupCosts(checker.rollups, costs, sum(shares) / n, steps, suppressed_as)


def _weighted_loss(lattice: Lattice, stated: Mapping[str, float] | None) -> Part:
    """The weighted mean over columns of the loss of a person's labels."""
    domains, codes = lattice.cells.domains, lattice.cells.codes
    weights = column_weights(lattice.cells.columns, stated)
    lost = [
        [one[label] for one, label in zip(label_losses(domain), ancestors(domain), strict=True)]
        for domain in domains
    ]

    def part(levels: Levels, first: IntArray, sizes: IntArray) -> FloatArray:
        summed = np.zeros(len(sizes))
        for column, level in enumerate(levels):
            summed += weights[column] * lost[column][level][codes[first, column]]
        return np.asarray(summed / weights.sum())

    return part


def _misplaced(lattice: Lattice, questions: Sequence[tuple[int, ...]]) -> Part:
    """The mean over questions of 1 - Π 1/(values that the label covers), over its columns.

    That is the chance that a reader who spreads people evenly counts a person in a wrong cell. Its
    mean over people is at least the error of the question (`Question error` in docs/methods.md).
    """
    codes, covered = lattice.cells.codes, covered_values(lattice)

    def part(levels: Levels, first: IntArray, sizes: IntArray) -> FloatArray:
        right = np.zeros(len(sizes))
        for question in questions:
            chance = np.ones(len(sizes))
            for column in question:
                chance /= covered[column][levels[column]][codes[first, column]]
            right += chance
        return 1 - right / len(questions)

    return part


def _not_of_majority(checker: Checker, classes: ClassCounts) -> Part:
    """The share of a group that is not of its most frequent class [Iyengar2002]."""

    def part(levels: Levels, first: IntArray, sizes: IntArray) -> FloatArray:
        group = checker.rollups.group_of_cell(levels)
        return np.asarray(classes.minority(group, len(sizes)) / sizes)

    return part
