"""Iterative proportional fitting: the maximum entropy distribution of views that do not decompose.

The table of all combinations is kept in memory at the finest labels that any view shows; each
starts with a weight of the number of values that it stands for, so the fit is over real values and
not over the padded product of induced attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray, frozen
from gyges.errors import RuleError
from gyges.marginals.counts import ViewCounts, widths
from gyges.marginals.induced import Attribute, Resolution
from gyges.marginals.maxent import leaves_under, values_under
from gyges.marginals.support import possible_cells

LARGEST_TABLE = 2**25  # combinations; 8 bytes each, and a few arrays of that size
MOST_ROUNDS = 5_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit:
    """A fitted table: `shares` has one axis for each attribute, at its finest published labels."""

    attributes: tuple[Attribute, ...]
    finest: Resolution
    shares: FloatArray
    error: float  # the largest difference from a published count, as a share of all people
    rounds: int

    def __post_init__(self) -> None:
        frozen(self.shares)

    def probability(self, codes: CodeArray) -> FloatArray:
        """Look each row up, and spread its share over the values under its labels."""
        labels = tuple(
            attribute.codes[r][codes[:, place]]
            for place, (attribute, r) in enumerate(zip(self.attributes, self.finest, strict=True))
        )
        found: FloatArray = self.shares[labels]
        return found / leaves_under(codes, self.finest, self.attributes)

    def entropy(self) -> float:
        """-Σ q log(q / child), in nats."""
        spread = _weights(self.attributes, self.finest)
        there = self.shares > 0
        q = self.shares[there]
        return -float((q * np.log(q / spread[there])).sum())

    def sample(self, n: int, rng: np.random.Generator) -> CodeArray:
        """Draw cells of the table, then values under their labels."""
        flat = self.shares.ravel()
        drawn = np.searchsorted(np.cumsum(flat), rng.random(n) * flat.sum(), side="right")
        drawn = np.minimum(drawn, np.flatnonzero(flat)[-1])
        labels = np.column_stack(np.unravel_index(drawn, self.shares.shape)).astype(np.int32)
        return values_under(labels, self.finest, self.attributes, rng)


def fit(attributes: Sequence[Attribute], views: Sequence[ViewCounts], tolerance: float) -> Fit:
    """Scale the table to each view in turn until all agree [Kifer2006, Sect. 5.1, "iterative"].

    1. Start with weights even over values, 0 where no consistent table has anybody.
    2. For each view: multiply by (published count) / (fitted count), 0/0 read as 0.
    3. Stop when no fitted count differs by more than `tolerance` of all people.
    """
    attributes = tuple(attributes)
    finest = tuple(map(max, zip(*(view.resolution for view in views), strict=True)))
    refuse_large(attributes, finest)
    margins = [_Margin.of(view, finest, attributes) for view in views]
    table = _weights(attributes, finest)
    table[~possible_cells(attributes, finest, views)] = 0.0
    table /= table.sum()
    error = math.inf
    for rounds in range(1, MOST_ROUNDS + 1):
        error = max(margin.scale(table) for margin in margins)
        if error <= tolerance:
            return Fit(attributes, finest, table, error, rounds)
    raise RuleError(
        f"fitting the views stopped after {MOST_ROUNDS:,} rounds, {error:.2g} away from a "
        f"published share (tolerance: {tolerance:.2g}): drop a view so that the set decomposes, or "
        f"allow a larger tolerance"
    )


def refuse_large(attributes: Sequence[Attribute], finest: Resolution) -> None:
    """Refuse views that do not decompose and whose joint table does not fit into memory."""
    size = math.prod(widths(attributes, finest))
    if size > LARGEST_TABLE:
        raise RuleError(
            f"these views do not decompose, and fitting them needs a table of {size:,} "
            f"combinations (at most {LARGEST_TABLE:,}): drop a view or coarsen a column so that "
            f"they decompose"
        )


def _weights(attributes: Sequence[Attribute], finest: Resolution) -> FloatArray:
    """How many rows of values each combination of labels stands for."""
    product = np.ones((1,) * len(attributes))
    for place, (attribute, r) in enumerate(zip(attributes, finest, strict=True)):
        shape = [1] * len(attributes)
        shape[place] = -1
        product = product * attribute.leaves[r].astype(np.float64).reshape(shape)
    return product


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Margin:
    """One view as a small dense array, and how the table's axes shrink to it."""

    share: FloatArray
    maps: tuple[IntArray | None, ...]  # by axis: None keeps it, else the coarser label of each

    @classmethod
    def of(cls, view: ViewCounts, finest: Resolution, attributes: Sequence[Attribute]) -> _Margin:
        share = np.zeros(widths(attributes, view.resolution))
        share[tuple(view.codes.T)] = view.people / view.total
        maps = [
            None if r == top else attribute.coarsen(top, r)
            for attribute, r, top in zip(attributes, view.resolution, finest, strict=True)
        ]
        return cls(share, tuple(maps))

    def scale(self, table: FloatArray) -> float:
        """Scale the table to this view in place; return how far away it was."""
        fitted = self._sum(table)
        error = float(np.abs(fitted - self.share).max())
        factor = np.divide(self.share, fitted, out=np.zeros_like(fitted), where=fitted > 0)
        for axis, coarser in enumerate(self.maps):
            if coarser is not None and factor.shape[axis] > 1:
                factor = np.take(factor, coarser, axis=axis)
        table *= factor
        return error

    def _sum(self, table: FloatArray) -> FloatArray:
        summed = table
        away = tuple(
            axis
            for axis, coarser in enumerate(self.maps)
            if coarser is not None and self.share.shape[axis] == 1
        )
        if away:
            summed = summed.sum(axis=away, keepdims=True)
        for axis, coarser in enumerate(self.maps):
            if coarser is not None and self.share.shape[axis] > 1:
                order = np.argsort(coarser, kind="stable")
                starts = np.searchsorted(coarser[order], np.arange(self.share.shape[axis]))
                summed = np.add.reduceat(np.take(summed, order, axis=axis), starts, axis=axis)
        return summed
