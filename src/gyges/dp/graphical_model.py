"""A distribution over all columns that is a product of small tables: its marginals, and rows.

The tables are those of an elimination tree. From their logarithms, one pass from the leaves gives
each column's distribution given its neighbours, and one pass back gives all marginals
[Lauritzen1988].
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.dp.elimination_tree import EliminationTree


@dataclass(frozen=True, eq=False, repr=False)
class GraphicalModel:
    """A distribution, as each column's distribution given its neighbours in the tree."""

    tree: EliminationTree
    conditionals: Mapping[str, FloatArray]  # the last axis of each adds up to 1
    log_sum: float  # of the tables as they were given

    @classmethod
    def of(cls, tree: EliminationTree, logarithms: Mapping[str, FloatArray]) -> GraphicalModel:
        """The normalized product of tables, given by logarithms; -inf is impossible."""
        waiting: dict[str, list[tuple[tuple[str, ...], FloatArray]]] = {c: [] for c in tree.order}
        conditionals, log_sum = {}, 0.0
        for column in tree.order:
            axes, near = tree.axes(column), tree.neighbours[column]
            table = logarithms[column]
            for names, message in waiting[column]:
                table = table + spread(message, names, axes)
            conditionals[column], message = _conditional(table)
            if near:
                waiting[near[-1]].append((near, message))
            else:
                log_sum += float(message)
        return cls(tree, conditionals, log_sum)

    @cached_property
    def tables(self) -> dict[str, FloatArray]:
        """The probabilities of each column's table."""
        found: dict[str, FloatArray] = {}
        for column in reversed(self.tree.order):
            near = self.tree.neighbours[column]
            conditional = self.conditionals[column]
            if near:
                parent = near[-1]
                shares = summed(found[parent], self.tree.axes(parent), near)
                conditional = conditional * shares[..., np.newaxis]
            found[column] = conditional
        return found

    def marginal(self, view: Sequence[str]) -> FloatArray:
        """The probabilities of any columns, axes in the order of the view."""
        if not view:
            return np.array(1.0)
        home = self.tree.home(view)
        if home is not None:
            ordered = self.tree.sorted_axes(view)
            table = summed(self.tables[home], self.tree.axes(home), ordered)
            return np.transpose(table, [ordered.index(column) for column in view])
        return self._contracted(view)

    def _contracted(self, view: Sequence[str]) -> FloatArray:
        """A marginal that no table has: sum the product of the conditionals it depends on."""
        needed = set(view)
        for column in self.tree.order:
            if column in needed:
                needed |= set(self.tree.neighbours[column])
        letter = dict(zip(self.tree.order, string.ascii_letters, strict=False))
        parts = [column for column in self.tree.order if column in needed]
        subscripts = ",".join(
            "".join(letter[axis] for axis in self.tree.axes(column)) for column in parts
        )
        wanted = "".join(letter[column] for column in view)
        arrays = [self.conditionals[column] for column in parts]
        found: FloatArray = np.einsum(f"{subscripts}->{wanted}", *arrays, optimize="greedy")
        return found

    def rows(self, n_rows: int, rng: np.random.Generator) -> dict[str, IntArray]:
        """Rows whose counts are near the model's: of each group, as many as expected.

        A column is drawn given its neighbours. Within a group of rows with the same neighbours,
        the draws are spread evenly over the distribution (stratified), not independent.
        """
        drawn: dict[str, IntArray] = {}
        for column in reversed(self.tree.order):
            near = self.tree.neighbours[column]
            conditional = self.conditionals[column]
            group: IntArray = np.zeros(n_rows, dtype=np.int64)
            if near:
                places = tuple(drawn[name] for name in near)
                group = np.ravel_multi_index(places, conditional.shape[:-1])
            drawn[column] = _stratified(conditional.reshape(-1, conditional.shape[-1]), group, rng)
        return {column: drawn[column] for column in self.tree.sizes}


def spread(table: FloatArray, axes: Sequence[str], onto: Sequence[str]) -> FloatArray:
    """A view of a table that can be added to a table with more axes in the same order."""
    lengths = dict(zip(axes, table.shape, strict=True))
    return table.reshape([lengths.get(name, 1) for name in onto])


def summed(table: FloatArray, axes: Sequence[str], kept: Sequence[str]) -> FloatArray:
    """The sums of a table over the axes that are not kept."""
    gone = tuple(place for place, name in enumerate(axes) if name not in kept)
    return np.asarray(table.sum(axis=gone)) if gone else table


def _conditional(logarithms: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distribution along the last axis, and the logarithm of its sum."""
    most = logarithms.max(axis=-1, keepdims=True)
    finite = np.where(np.isfinite(most), most, 0.0)
    table = np.exp(logarithms - finite)
    total = table.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        message = np.log(total) + finite
    table /= np.where(total > 0, total, 1.0)
    return table, message[..., 0]


def _stratified(shares: FloatArray, group: IntArray, rng: np.random.Generator) -> IntArray:
    """One value for each row by the distribution of its group, as evenly as can be."""
    met, at, n_rows = np.unique(group, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(group))
    by_group = shuffled[np.argsort(at[shuffled], kind="stable")]
    first = np.concatenate([[0], np.cumsum(n_rows)[:-1]])
    rank = np.empty(len(group))
    rank[by_group] = np.arange(len(group)) - first[at[by_group]]
    shift = rng.random(len(met))  # one for each group: every count is the expected one, rounded
    position = (rank + shift[at]) / n_rows[at]
    reached = np.cumsum(shares[met], axis=1)
    reached /= reached[:, -1:]
    reached[:, -1] = 1.0
    ends = (reached + np.arange(len(met))[:, np.newaxis]).ravel()
    found = np.searchsorted(ends, position + at, side="right")
    return np.asarray(np.minimum(found - at * shares.shape[1], shares.shape[1] - 1))
