"""What a lattice search minimizes, and the bounds that let it skip nodes.

A loss of labels (share of values covered, level, entropy) depends, without suppression, only on
how many people have which label in each column. So it is known for every node before its groups
are counted. Losses that need the groups are in `lattice_group_costs.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from gyges.arguments import choice
from gyges.arrays import BoolArray, FloatArray, IntArray, frozen
from gyges.kernels.rollup import lost_by_suppression
from gyges.search.column_weights import column_weights
from gyges.search.lattice_boxes import Steps
from gyges.search.lattice_check import NodeFinding
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.search.lattice_steps import balanced_steps, entropy_steps
from gyges.utility.loss import ancestors, label_losses, level_averages

SuppressedAs: TypeAlias = Literal["lost", "published"]


class Objective(Protocol):
    """What a search minimizes."""

    @property
    def steps(self) -> Steps:
        """How much each level of each column adds, roughly: boxes of nodes are split by it."""
        ...

    def bound(self, levels: Levels, lost: float = 0.0) -> float:
        """No node at or above this one has a smaller loss, if `lost` is surely lost there."""
        ...

    def surely_lost(self, levels: Levels, finding: NodeFinding) -> float:
        """What `bound` must know about the people whom this node suppresses: every finer one does.

        A number that grows with them: what they cost more, or how many they are.
        """
        ...

    def loss(self, levels: Levels, finding: NodeFinding) -> float:
        """The loss of a safe node."""
        ...


def check_suppressed_as(suppressed_as: str) -> str:
    """Refuse a convention that does not exist."""
    return choice(suppressed_as, get_args(SuppressedAs), "suppressed_as")


@dataclass(frozen=True, eq=False, repr=False)
class LabelLoss:
    """Σ over columns of the mean over people of the losses of their labels.

    `parts[c][v]` is column c's part at level v. A suppressed person loses `tops[c]` in column c
    instead of `losses[label_at[c, v] + label]`. All are scaled so that they add up. Where all
    labels of a level lose as much, the level says what a suppressed person loses more.
    """

    lattice: Lattice
    suppressed_as: str
    is_by_level: bool  # whether all labels of a level lose as much
    steps: Steps
    parts: tuple[tuple[float, ...], ...]  # columns × levels
    tops: FloatArray  # columns
    losses: FloatArray  # all labels of all levels
    label_at: IntArray  # columns × levels

    def __post_init__(self) -> None:
        frozen(self.tops, self.losses, self.label_at)

    def bound(self, levels: Levels, lost: float = 0.0) -> float:
        """The loss without suppression, and what suppression adds to it at least."""
        plain = sum(parts[level] for parts, level in zip(self.parts, levels, strict=True))
        return plain + lost * (float(self.tops.sum()) - plain if self.is_by_level else 1)

    def surely_lost(self, levels: Levels, finding: NodeFinding) -> float:
        """What the people lose whom every finer node suppresses too; or which share they are."""
        out = finding.suppressed_below
        if not self.is_by_level:
            return self._added(levels, finding, out)
        if out is None or finding.sizes is None or self.suppressed_as == "published":
            return 0.0
        return int(finding.sizes @ out) / max(self.lattice.cells.n_people, 1)

    def loss(self, levels: Levels, finding: NodeFinding) -> float:
        """The loss of a node, suppressed people included."""
        return self.bound(levels) + self._added(levels, finding, finding.suppressed)

    def _added(self, levels: Levels, finding: NodeFinding, out: BoolArray | None) -> float:
        """What suppressing these groups of a node adds to its loss."""
        if self.suppressed_as == "published":
            return 0.0
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


def label_loss(
    lattice: Lattice,
    utility: str = "loss",
    weights: Mapping[str, float] | None = None,
    suppressed_as: str = "lost",
) -> LabelLoss:
    """A loss of labels by name.

    Args:
        utility: "loss" (share of the values that a label covers, see `gyges.utility.loss`),
            "precision" (how far up its hierarchy a label is; 1 - precision is minimized),
            "height" (the sum of the levels) or "non_uniform_entropy" (see the file of that name).
        weights: how much each column counts, by default 1; not for "height".
        suppressed_as: whether a suppressed person loses everything, or as much as if published.
    """
    cells = lattice.cells
    share = column_weights(cells.columns, weights)
    share /= share.sum()
    if utility == "height":
        share = np.maximum(lattice.top, 1).astype(np.float64)
    most = 1.0  # what a suppressed person loses in a column
    if utility == "non_uniform_entropy":
        share = share * (len(share) * cells.n_people)
        most = math.log2(max(cells.n_people, 1))
    by_label = BY_LABEL[utility](lattice)
    is_by_level = BY_LABEL[utility] is _label_heights
    averages = level_averages(cells, by_label)
    if is_by_level:
        averages = [np.array([one[0] for one in levels]) for levels in by_label]
    steps = [levels - levels[0] for levels in averages]
    label_at, used = np.zeros_like(lattice.at), 0
    for column, levels in enumerate(by_label):
        for level, losses in enumerate(levels):
            label_at[column, level] = used
            used += len(losses)
    flat = [losses * w for levels, w in zip(by_label, share, strict=True) for losses in levels]
    scaled = tuple(tuple((part * w).tolist()) for part, w in zip(steps, share, strict=True))
    to_split = _STEPS[utility](lattice) if utility in _STEPS else scaled
    return LabelLoss(
        lattice,
        suppressed_as,
        is_by_level,
        to_split,
        scaled,
        most * share,
        np.concatenate(flat),
        label_at,
    )


def _label_losses(lattice: Lattice) -> list[list[FloatArray]]:
    return [label_losses(domain) for domain in lattice.cells.domains]


def _label_heights(lattice: Lattice) -> list[list[FloatArray]]:
    """How far up its hierarchy each label is, from 0 to 1."""
    return [
        [np.full(lattice.widths[column, level], level / max(top, 1)) for level in range(top + 1)]
        for column, top in enumerate(lattice.top)
    ]


def _label_bits(lattice: Lattice) -> list[list[FloatArray]]:
    """log2 of how many people have each label: at level 0, what is known of a value anyway."""
    cells, bits = lattice.cells, []
    for column, domain in enumerate(cells.domains):
        people = np.bincount(cells.codes[:, column], weights=cells.people, minlength=len(domain))
        counted = [np.bincount(label, weights=people) for label in ancestors(domain)]
        bits.append([np.log2(np.maximum(count, 1.0)) for count in counted])
    return bits


BY_LABEL = {
    "loss": _label_losses,
    "precision": _label_heights,
    "height": _label_heights,
    "non_uniform_entropy": _label_bits,
}
_STEPS = {"precision": balanced_steps, "height": entropy_steps}  # for others, what they minimize
