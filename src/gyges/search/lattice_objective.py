"""What a lattice search minimizes: a loss of each label, averaged over people and columns.

Without suppression such a loss depends only on how many people have which label in each column.
So it is known for every node before its groups are counted: the bound that searches need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gyges.arguments import mapping, shown
from gyges.arrays import BoolArray, FloatArray, IntArray, frozen
from gyges.errors import RuleError
from gyges.exact import fraction
from gyges.kernels.rollup import lost_by_suppression
from gyges.search.lattice_check import NodeFinding
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.utility.loss import label_losses, level_averages

NAMES = ("loss", "precision", "height")


@dataclass(frozen=True, eq=False, repr=False)
class Objective:
    """The loss of a node: Σ over columns of the mean over people of its labels' losses.

    `steps[c][v]` is column c's part at level v. A suppressed person loses `tops[c]` in column c
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
        """The loss without suppression, which only adds to it."""
        return sum(parts[level] for parts, level in zip(self.steps, levels, strict=True))

    def of_suppressed(self, levels: Levels, finding: NodeFinding, out: BoolArray | None) -> float:
        """What suppressing these groups of a node adds to its loss."""
        if out is None or finding.first is None or finding.sizes is None:
            return 0.0
        lattice = self.lattice
        summed: float = lost_by_suppression(
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
        utility: "loss" (share of the values that a label covers, see `gyges.utility.loss`),
            "precision" (how far up its hierarchy a label is; 1 - precision is minimized) or
            "height" (the sum of the levels).
        weights: how much each column counts, by default 1; not for "height".
    """
    if utility not in NAMES:
        raise RuleError(f"utility is {utility!r}: choose one of {', '.join(NAMES)}")
    cells = lattice.cells
    share = _shares(cells.columns, weights)
    if utility == "height":
        share = np.maximum(lattice.top, 1).astype(np.float64)
    by_label = _label_losses(lattice) if utility == "loss" else _label_heights(lattice)
    steps = level_averages(cells, by_label)
    label_at, used = np.zeros_like(lattice.at), 0
    for column, levels in enumerate(by_label):
        for level, losses in enumerate(levels):
            label_at[column, level] = used
            used += len(losses)
    flat = [losses * w for levels, w in zip(by_label, share, strict=True) for losses in levels]
    scaled = tuple(tuple((part * w).tolist()) for part, w in zip(steps, share, strict=True))
    return Objective(lattice, scaled, share, np.concatenate(flat), label_at)


def _label_losses(lattice: Lattice) -> list[list[FloatArray]]:
    return [label_losses(domain) for domain in lattice.cells.domains]


def _label_heights(lattice: Lattice) -> list[list[FloatArray]]:
    """How far up its hierarchy each label is, from 0 to 1."""
    return [
        [np.full(lattice.widths[column, level], level / max(top, 1)) for level in range(top + 1)]
        for column, top in enumerate(lattice.top)
    ]


def _shares(columns: list[str], weights: Mapping[str, float] | None) -> FloatArray:
    """Each column's weight as a share of all."""
    given = {} if weights is None else mapping(weights, "weights", "{column: number}")
    stated = {}
    for name, weight in given.items():
        if name not in columns:
            raise RuleError(f"weights names {shown(name)}, which is not a quasi-identifier")
        stated[name] = float(fraction(weight, f"weights: that of {name!r}"))  # type: ignore[arg-type]
        if stated[name] < 0:
            raise RuleError(f"weights: that of {name!r} is {weight}: give a number, at least 0")
    share = np.array([stated.get(name, 1.0) for name in columns])
    if not share.sum() > 0:
        raise RuleError("every weight is 0: give at least one column a positive weight")
    return np.asarray(share / share.sum())
