"""The distribution that noisy views suggest: consistent, without negative counts.

It is a log-linear model with a term λ for each cell of each view. The terms go towards the minimum
of

    N log Z(λ) - Σ λ·y + ½ Σ ρ λ²        with ρ = 0.3 σ²/(s² m),

which is convex: maximum entropy with counts y that are only known roughly [Dudik2007]. At the
minimum a fitted count μ differs from the noisy one by ρλ. m is the count that the columns alone
suggest, σ² the variance of the noise, and s² says how far a view's cells are from m beyond what
noise explains: an interaction that is lost in noise is drawn towards none.

The terms of one view are found while the others are fixed, view after view; beliefs pass along the
tree in between (iterative proportional fitting with junction-tree messages [Jirousek1995]). This
ends when hardly anything moves, or after a number of sweeps. Where noisy views disagree about the
columns that they share it ends long before the minimum: the duality gap, Σ (μ - y + ρλ)²/2ρ, then
shows nothing. The result is consistent and nearer to the truth than the noise, as the scores in
docs/differential_privacy.md show; it is not proven to be the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, FloatArray
from gyges.dp.elimination_tree import EliminationTree, elimination_tree
from gyges.dp.graphical_model import GraphicalModel, spread, summed

_LEAST_EFFECT = 0.05  # s: even a view that shows nothing beyond noise keeps a little
_LEAST_COUNT = 0.5  # m
_ALONE = 0.02  # ρ of a column alone, as a share of σ²/m
_CAUTION = 0.3  # below 1, because interactions are rarely spread evenly over the cells
_LEAST_RIDGE = 1e-6

Masks = Sequence[tuple[tuple[str, ...], BoolArray]]
Terms = Mapping[frozenset[str], tuple[tuple[str, ...], FloatArray]]


@dataclass(frozen=True, eq=False, repr=False)
class NoisyView:
    """A view's noisy counts, one axis a column, and the standard deviation of their noise."""

    columns: tuple[str, ...]
    counts: FloatArray
    deviation: float


@dataclass(frozen=True, eq=False, repr=False)
class FittedViews:
    """A fitted distribution, its terms (to start the next fit from), and how it went."""

    model: GraphicalModel
    total: float
    terms: Terms
    n_sweeps: int
    still_moving: float  # the share of people that the last sweep moved


@dataclass(slots=True)
class _View:
    """A view as it is fitted, with axes in the order of the tree."""

    columns: tuple[str, ...]
    counts: FloatArray
    ridge: FloatArray
    terms: FloatArray


def fit_views(
    sizes: Mapping[str, int],
    views: Sequence[NoisyView],
    total: float,
    *,
    masks: Masks = (),
    start: Terms | None = None,
    sweeps: int = 1000,
    tolerance: float = 1e-5,
) -> FittedViews:
    """FittedViews one distribution of `total` people to noisy views.

    Args:
        masks: which labels may occur together.
        start: the terms of an earlier fit to some of these views.
        tolerance: stop when a sweep moves no larger share of the people, on average over views.
    """
    measured = merged(views)
    tree = elimination_tree(sizes, [v.columns for v in measured] + [c for c, _ in masks])
    by_home: dict[str, list[_View]] = {column: [] for column in tree.order}
    for view in measured:
        prepared = _prepared(tree, view, measured, total, start or {})
        by_home[prepared.columns[-1]].append(prepared)
    beliefs = _Beliefs(tree, _logarithms(tree, by_home, masks), total)
    n_sweeps, moved = 0, np.inf
    while n_sweeps < sweeps and moved > tolerance * max(len(measured), 1):
        moved, n_sweeps = beliefs.sweep(by_home) / max(total, 1.0), n_sweeps + 1
    terms = {frozenset(v.columns): (v.columns, v.terms) for vs in by_home.values() for v in vs}
    return FittedViews(beliefs.model(), total, terms, n_sweeps, float(moved))


def merged(views: Sequence[NoisyView]) -> list[NoisyView]:
    """Views with the same columns as one, weighted by their precision."""
    groups: dict[frozenset[str], list[NoisyView]] = {}
    for view in views:
        groups.setdefault(frozenset(view.columns), []).append(view)
    found = []
    for same in groups.values():
        columns = same[0].columns
        weights = np.array([1 / view.deviation**2 for view in same])
        turned = [
            np.transpose(view.counts, [view.columns.index(column) for column in columns])
            for view in same
        ]
        counts = sum(w * c for w, c in zip(weights, turned, strict=True)) / weights.sum()
        found.append(NoisyView(columns, np.asarray(counts), float(weights.sum() ** -0.5)))
    return found


def _prepared(
    tree: EliminationTree,
    view: NoisyView,
    measured: Sequence[NoisyView],
    total: float,
    start: Terms,
) -> _View:
    axes = tree.sorted_axes(view.columns)
    turn = [view.columns.index(column) for column in axes]
    ridge = _ridge(view, _suggested(view, measured, total))
    known = start.get(frozenset(axes))
    terms = np.zeros(tree.shape(axes))
    if known is not None:
        terms = np.transpose(known[1], [known[0].index(column) for column in axes]).copy()
    return _View(axes, np.transpose(view.counts, turn), np.transpose(ridge, turn), terms)


def _suggested(view: NoisyView, measured: Sequence[NoisyView], total: float) -> FloatArray:
    """The counts that a view's columns alone suggest: N times the product of their shares."""
    found = np.array(total)
    for axis, column in enumerate(view.columns):
        alone = [one for one in measured if one.columns == (column,)]
        others = tuple(place for place in range(len(view.columns)) if place != axis)
        counts = alone[0].counts if alone else view.counts.sum(axis=others)
        shares = np.maximum(counts, 0) + _LEAST_COUNT
        found = np.multiply.outer(found, shares / shares.sum())
    return found


def _ridge(view: NoisyView, suggested: FloatArray) -> FloatArray:
    variance = view.deviation**2
    if len(view.columns) <= 1:
        near = np.maximum(view.counts, view.deviation / 2)
        return np.maximum(_ALONE * variance / np.maximum(near, _LEAST_COUNT), _LEAST_RIDGE)
    weights = 1 / (variance + suggested**2)
    beyond = float((((view.counts - suggested) ** 2 - variance) * weights).sum())
    effect = max(beyond / float((suggested**2 * weights).sum()), _LEAST_EFFECT**2)
    ridge = _CAUTION * variance / (effect * np.maximum(suggested, _LEAST_COUNT))
    return np.asarray(np.maximum(ridge, _LEAST_RIDGE))


def _logarithms(
    tree: EliminationTree, by_home: Mapping[str, Sequence[_View]], masks: Masks
) -> dict[str, FloatArray]:
    """The tables of the tree: the terms of their views, and -inf where labels exclude another."""
    tables = {column: np.zeros(tree.shape(tree.axes(column))) for column in tree.order}
    for columns, allowed in masks:
        axes = tree.sorted_axes(columns)
        mask = np.transpose(allowed, [columns.index(column) for column in axes])
        closed = np.where(mask, 0.0, -np.inf)
        tables[axes[-1]] = tables[axes[-1]] + spread(closed, axes, tree.axes(axes[-1]))
    for home, views in by_home.items():
        for view in views:
            tables[home] = tables[home] + spread(view.terms, view.columns, tree.axes(home))
    return tables


class _Beliefs:
    """The expected counts of every table of a tree, and of what neighbouring tables share."""

    def __init__(
        self, tree: EliminationTree, logarithms: Mapping[str, FloatArray], total: float
    ) -> None:
        self.tree, self.total = tree, total
        model = GraphicalModel.of(tree, logarithms)
        self.tables = {column: table * total for column, table in model.tables.items()}
        self.shared = {
            column: summed(self.tables[column], tree.axes(column), near)
            for column, near in tree.neighbours.items()
            if near
        }
        self.below: dict[str, list[str]] = {column: [] for column in tree.order}
        for column, near in tree.neighbours.items():
            if near:
                self.below[near[-1]].append(column)

    def sweep(self, views: Mapping[str, Sequence[_View]]) -> float:
        """FittedViews the terms of every view once; returns how many people were moved."""
        roots = [column for column in self.tree.order if not self.tree.neighbours[column]]
        return sum(self._visit(root, views) for root in roots)

    def _visit(self, column: str, views: Mapping[str, Sequence[_View]]) -> float:
        moved = sum(self._fit(column, view) for view in views[column])
        for lower in self.below[column]:
            self._pass(column, lower, lower)
            moved += self._visit(lower, views)
            self._pass(lower, column, lower)
        return moved

    def _pass(self, source: str, target: str, lower: str) -> None:
        """Let the target's table have the sums of the source's over what they share."""
        near = self.tree.neighbours[lower]
        sums = summed(self.tables[source], self.tree.axes(source), near)
        factor = _ratio(sums, self.shared[lower])
        self.tables[target] = self.tables[target] * spread(factor, near, self.tree.axes(target))
        self.shared[lower] = sums

    def _fit(self, column: str, view: _View) -> float:
        """Find the terms of one view: μ e^d + ρ(λ + d) = y in each cell, by Wright's ω."""
        from scipy.special import wrightomega

        axes = self.tree.axes(column)
        fitted = summed(self.tables[column], axes, view.columns)
        with np.errstate(divide="ignore"):
            level = view.counts / view.ridge - view.terms
            change = level - wrightomega(level + np.log(fitted / view.ridge))
        change = np.where(fitted > 0, change, 0.0)
        view.terms = view.terms + change
        factor = np.exp(np.minimum(change, 500.0))
        table = self.tables[column] * spread(factor, view.columns, axes)
        self.tables[column] = table * (self.total / table.sum())
        return float(np.abs(fitted * (factor - 1)).sum())

    def model(self) -> GraphicalModel:
        """The distribution of the beliefs."""
        for column in reversed(self.tree.order):
            for lower in self.below[column]:
                self._pass(column, lower, lower)
        conditionals = {}
        for column, table in self.tables.items():
            sums = table.sum(axis=-1, keepdims=True)
            conditionals[column] = _ratio(table, np.broadcast_to(sums, table.shape))
        return GraphicalModel(self.tree, conditionals, 0.0)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotient, 0 where nothing is divided."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
