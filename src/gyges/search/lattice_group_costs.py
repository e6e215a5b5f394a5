"""Losses of a lattice node that need its groups: discernibility, group size, GCP, ambiguity.

Each is a sum over people of a cost that grows when groups are merged, and a suppressed person
costs at least as much as any published one. So for every node between `low` and `high`

    loss ≥ Σ_{G of low} cost(G) + Σ_{G of high, surely suppressed} (|G| · most - cost(G)),

since whom `high` must suppress, every finer node suppresses too. The average group size is a
quotient; it has a bound of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.tree_order import line_or_tree_ranks
from gyges.search.lattice_boxes import Steps
from gyges.search.lattice_check import Checker, NodeFinding
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.search.lattice_objective import Objective
from gyges.search.lattice_rollup import RollUps
from gyges.search.lattice_steps import balanced_steps, entropy_steps
from gyges.search.mondrian import sizes_asked
from gyges.utility.certainty_penalty import extent_penalty
from gyges.utility.loss import ancestors

# The cost of each group: of a node's levels, each group's first cell, and its size.
Costs: TypeAlias = Callable[[Levels, IntArray, IntArray], FloatArray | IntArray]


class GroupCosts:
    """Σ over published groups of their cost, and `most` for each suppressed person."""

    def __init__(
        self, rollups: RollUps, costs: Costs, most: float, steps: Steps, suppressed_as: str
    ) -> None:
        self.steps = steps
        self._sizes = rollups.sizes
        self._costs = costs
        self._most = most
        self._adds = suppressed_as == "lost"
        self._totals: dict[Levels, float] = {}
        self._newest: tuple[Levels, FloatArray | IntArray] | None = None

    def bound(self, levels: Levels, lost: float = 0.0) -> float:
        """The loss without suppression, and what suppression adds to it at least."""
        if levels not in self._totals:
            self._totals[levels] = float(self._of_groups(levels, *self._sizes(levels)).sum())
        return self._totals[levels] + lost

    def surely_lost(self, levels: Levels, finding: NodeFinding) -> float:
        """What the people cost whom every finer node suppresses too."""
        return self._added(levels, finding, finding.suppressed_below)

    def loss(self, levels: Levels, finding: NodeFinding) -> float:
        """The loss of a node, suppressed people included."""
        return self.bound(levels) + self._added(levels, finding, finding.suppressed)

    def _added(self, levels: Levels, finding: NodeFinding, out: BoolArray | None) -> float:
        """What suppressing these groups of a node adds to its loss."""
        if out is None or finding.first is None or finding.sizes is None or not self._adds:
            return 0.0
        costs = self._of_groups(levels, finding.first, finding.sizes)
        return self._most * int(finding.sizes @ out) - float(costs[out].sum())

    def _of_groups(self, levels: Levels, first: IntArray, sizes: IntArray) -> FloatArray | IntArray:
        """The cost of each group; those of the newest node are kept, as it is asked for thrice."""
        if self._newest is None or self._newest[0] != levels:
            self._newest = levels, self._costs(levels, first, sizes)
        return self._newest[1]


class AverageSize:
    """Published people per published group.

    A coarser node publishes all people but those who may be suppressed. Each of its groups has at
    least k people, so it holds a large group of this node, or k people from small ones who are not
    surely suppressed. Where rules are about sizes alone, the node suppresses people of small groups
    alone. It then publishes least per group if no other is suppressed than those who are left over
    when the small groups are divided by k.
    """

    def __init__(self, checker: Checker, suppressed_as: str) -> None:
        self.steps = entropy_steps(checker.lattice)
        self._sizes = checker.rollups.sizes
        self._n_people = checker.lattice.cells.n_people
        self._adds = suppressed_as == "lost"
        self._k = checker.least_size if self._adds else 1
        _, is_size_all = sizes_asked(checker.rules)
        self._others = checker.allowed if self._adds and not is_size_all else 0
        self._counted: dict[Levels, tuple[int, int]] = {}

    def bound(self, levels: Levels, lost: float = 0.0) -> float:
        """The fewest people who may be published, per group that there can be at most."""
        if levels not in self._counted:
            sizes = self._sizes(levels)[1]
            is_small = sizes < self._k
            self._counted[levels] = len(sizes) - int(is_small.sum()), int(sizes[is_small].sum())
        n_large, n_small = self._counted[levels]
        n_joined = (n_small - int(lost)) // self._k
        n_published = self._n_people - n_small + n_joined * self._k
        if self._others:
            n_published = self._n_people - self._others
        return n_published / max(n_large + n_joined, 1)

    def surely_lost(self, levels: Levels, finding: NodeFinding) -> float:
        """How many people of small groups every finer node suppresses.

        Others are not counted: suppressing a large group makes the average smaller.
        """
        if finding.sizes is None or not self._adds:
            return 0.0
        return int(finding.sizes[finding.sizes < self._k].sum())

    def loss(self, levels: Levels, finding: NodeFinding) -> float:
        """Published people per published group."""
        if finding.suppressed is None or finding.sizes is None or not self._adds:
            return self._n_people / max(len(self._sizes(levels)[1]), 1)
        published = finding.sizes[~finding.suppressed]
        return float(published.mean()) if len(published) else math.nan


def _discernibility(checker: Checker, suppressed_as: str) -> Objective:
    steps, most = entropy_steps(checker.lattice), checker.lattice.cells.n_people
    rollups = checker.rollups
    return GroupCosts(rollups, lambda _, first, sizes: sizes * sizes, most, steps, suppressed_as)


def _ambiguity(checker: Checker, suppressed_as: str) -> Objective:
    """Σ over people of how many combinations of values their labels cover."""
    lattice = checker.lattice
    codes, covered = lattice.cells.codes, covered_values(lattice)

    def costs(levels: Levels, first: IntArray, sizes: IntArray) -> FloatArray:
        product = sizes.astype(np.float64)
        for column, level in enumerate(levels):
            if level:
                product *= covered[column][level][codes[first, column]]
        return product

    most = math.prod(float(len(domain)) for domain in lattice.cells.domains)
    return GroupCosts(checker.rollups, costs, most, balanced_steps(lattice), suppressed_as)


def _gcp(checker: Checker, suppressed_as: str) -> Objective:
    """The certainty penalty of the narrowest labels, so of each group's extent in each column."""
    lattice = checker.lattice
    cells = lattice.cells
    ranks = [line_or_tree_ranks(domain) for domain in cells.domains]
    numbers = np.stack([one[cells.codes[:, c]] for c, one in enumerate(ranks)], axis=1)
    rollups = RollUps(lattice, with_values=False, numbers=numbers.astype(np.int32))
    if not checker.rollups.with_values:
        checker.rollups = rollups  # one node is counted once, for rules and for costs
    code_at = [np.argsort(one) for one in ranks]
    scale = len(ranks) * max(cells.n_people, 1)

    def costs(levels: Levels, _: IntArray, sizes: IntArray) -> FloatArray:
        counts, summed = rollups.counts(levels), np.zeros(len(sizes))
        for c, domain in enumerate(cells.domains):
            if levels[c]:
                ends = code_at[c][counts.low[:, c]], code_at[c][counts.high[:, c]]
                summed += extent_penalty(domain, *ends)
        return np.asarray(summed * sizes / scale)

    steps = entropy_steps(lattice)
    return GroupCosts(rollups, costs, len(ranks) / scale, steps, suppressed_as)


BY_GROUPS: Mapping[str, Callable[[Checker, str], Objective]] = {
    "discernibility": _discernibility,
    "average_group_size": AverageSize,
    "gcp": _gcp,
    "ambiguity": _ambiguity,
}


def covered_values(lattice: Lattice) -> list[list[FloatArray]]:
    """For each column, level and value, how many values the value's label covers."""
    labels = [ancestors(domain) for domain in lattice.cells.domains]
    return [[np.bincount(one)[one].astype(np.float64) for one in levels] for levels in labels]
