"""What a lattice search makes small: a loss of each label, averaged over people and columns.

Such a loss is known for every node before its groups are: without leaving people out it depends
on how many people have which label in each column alone. That is the bound that searches need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray, frozen
from gyges.errors import RuleError
from gyges.kernels.rollup import lost_by_leaving_out
from gyges.search.check import Finding
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.utility.loss import ancestors, label_losses, level_losses

NAMES = ("loss", "precision", "height")


@dataclass(frozen=True, eq=False)
class Objective:
    """The loss of a node: Σ over columns of the mean over people of its labels' losses.

    `steps[c][v]` is column c's part at level v. Whoever is left out loses `tops[c]` in column c
    instead of `losses[label_at[c, v] + label]`. All are scaled so that they add up.
    """

    lattice: Lattice
    steps: tuple[tuple[float, ...], ...]
    tops: FloatArray  # columns
    losses: FloatArray  # all labels of all levels
    label_at: IntArray  # columns × levels

    def __post_init__(self) -> None:
        for array in (self.tops, self.losses, self.label_at):
            frozen(array)

    def of_node(self, levels: Levels) -> float:
        """The loss if nobody is left out; leaving people out only adds to it."""
        return sum(parts[level] for parts, level in zip(self.steps, levels, strict=True))

    def left_out(self, levels: Levels, finding: Finding, out: BoolArray | None) -> float:
        """What leaving these groups of a node out adds to its loss; nothing for nobody."""
        if out is None or finding.first is None or finding.sizes is None:
            return 0.0
        lattice = self.lattice
        summed: float = lost_by_leaving_out(
            out.nonzero()[0],
            finding.first,
            finding.sizes,
            lattice.cells.codes,
            lattice.labels,
            lattice.at,
            np.array(levels),
            self.tops,
            self.losses,
            self.label_at,
        )
        return summed / max(lattice.cells.n_people, 1)


def make_objective(
    lattice: Lattice, utility: str = "loss", weights: Mapping[str, float] | None = None
) -> Objective:
    """A loss by name.

    Args:
        utility: "loss" (share of the values a label stands for, see `gyges.utility.loss`),
            "precision" (how far up its hierarchy a label stands, 1 - precision is made small) or
            "height" (the sum of the levels).
        weights: how much each column counts, 1 where nothing is said; not for "height".
    """
    domains, columns = lattice.cells.domains, lattice.cells.columns
    share = _shares(columns, weights)
    heights = [max(level, 1) for level in lattice.top]
    if utility == "loss":
        parts, steps = [label_losses(domain) for domain in domains], level_losses(lattice.cells)
    elif utility in NAMES:
        tables = [ancestors(domain) for domain in domains]
        parts = [
            [
                np.full(int(labels.max(initial=0)) + 1, level / height)
                for level, labels in enumerate(table)
            ]
            for table, height in zip(tables, heights, strict=True)
        ]
        steps = [np.arange(len(table)) / h for table, h in zip(tables, heights, strict=True)]
    else:
        raise RuleError(f"utility is {utility!r}: choose one of {', '.join(NAMES)}, or a function")
    if utility == "height":
        share = np.array(heights, dtype=np.float64)
    label_at = np.zeros_like(lattice.at)
    flat = []
    used = 0
    for column, table in enumerate(parts):
        for level, losses in enumerate(table):
            label_at[column, level] = used
            flat.append(losses * share[column])
            used += len(losses)
    scaled = tuple(tuple((part * w).tolist()) for part, w in zip(steps, share, strict=True))
    return Objective(lattice, scaled, share, np.concatenate(flat), label_at)


def _shares(columns: list[str], weights: Mapping[str, float] | None) -> FloatArray:
    """Each column's weight as a share of all."""
    given = dict(weights or {})
    for name, weight in given.items():
        if name not in columns:
            raise RuleError(f"weights names {name!r}, which is no quasi-identifier")
        if not weight >= 0:
            raise RuleError(f"the weight of {name!r} is {weight}: give a number, at least 0")
    share = np.array([float(given.get(name, 1.0)) for name in columns])
    if not share.sum() > 0:
        raise RuleError("every weight is 0: give at least one column a positive weight")
    return np.asarray(share / share.sum())
