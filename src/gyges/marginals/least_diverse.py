"""The least diverse combination of a sensitive tree, by branch and bound from the root.

The paper's bottom-up algorithm is in elimination.py. Each partial combination has a vector of
expected counts. The factors of the remaining nodes lie between bounds that are known for each
block, so a partial combination whose worst completion passes is dropped; one that fails has a
failing completion [Kifer2006, Prop. 7.2], so a search for any failure may stop there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.diversity_measure import Measure
from gyges.marginals.sensitive_tree import SensitiveTree

SMALL_JOIN = 2_000_000  # entries (combinations × values): a smaller join is made whole
MOST_WORK = 200_000_000  # entries examined before the search gives up
PIECE = 1_000_000  # entries held at once


class TooLargeError(Exception):
    """A check would examine too many combinations; caught inside the room."""


@dataclass(frozen=True, slots=True)
class LeastDiverse:
    """The worst combination: its group in each node, its exact vector, whether it fails."""

    groups: tuple[int, ...]
    vector: list[Fraction]
    fails: bool
    is_worst: bool = True  # False: it passes or fails, but there may be a worse one
    is_certain: bool = True  # False: too close to the threshold to decide after pruning


def find_least_diverse(
    tree: SensitiveTree, measure: Measure, *, any_failure: bool = False
) -> LeastDiverse:
    """The combination with the largest value, or with `any_failure` the first that fails."""
    search = _BranchAndBound(tree, measure, any_failure)
    search.run()
    found = settle(tree, measure, search.best, search.best_value, search.close)
    return replace(found, is_worst=not any_failure)


def settle(
    tree: SensitiveTree,
    measure: Measure,
    best: IntArray,
    best_value: float,
    close: list[IntArray],
) -> LeastDiverse:
    """Decide without rounding: a clear failure, else the close calls one by one."""
    worst = tuple(int(group) for group in best)
    if best_value > measure.threshold + measure.margin or not close:
        return LeastDiverse(worst, tree.exact(worst), fails=best_value > measure.threshold)
    for groups in _alike_once(tree, np.concatenate(close)):
        candidate = tree.exact(groups)
        if measure.fails(candidate):
            return LeastDiverse(tuple(int(group) for group in groups), candidate, fails=True)
    return LeastDiverse(worst, tree.exact(worst), fails=False)


def _alike_once(tree: SensitiveTree, rows: IntArray) -> IntArray:
    """One of all combinations with the same counts in every node."""
    if len(rows) < 2:
        return rows
    parts = [node.counts[rows[:, place]] for place, node in enumerate(tree.nodes)]
    parts += [node.above[node.block[rows[:, place]]] for place, node in enumerate(tree.nodes)]
    _, first = np.unique(np.concatenate(parts, axis=1), axis=0, return_index=True)
    return rows[first]


@dataclass(slots=True, eq=False)
class _BranchAndBound:
    tree: SensitiveTree
    measure: Measure
    any_failure: bool
    best: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    best_value: float = -math.inf
    close: list[IntArray] = field(default_factory=list)
    work: int = 0
    ratios: list[FloatArray] = field(default_factory=list)
    bounds: list[tuple[FloatArray, FloatArray]] | None = None

    def run(self) -> None:
        self.ratios = [scaled(node.ratios) for node in self.tree.nodes]
        size = self.tree.join_size() * self.ratios[0].shape[1]
        if size > SMALL_JOIN:
            self.bounds = _block_bounds(self.tree, self.ratios)
        root = np.arange(len(self.ratios[0]))[:, None]
        if self.bounds is not None or self.any_failure:
            self._complete(root[[int(np.argmax(self.measure.values(self.ratios[0])))]])
        stack = [(root, self.ratios[0])]
        while stack and not self._is_done():
            groups, vectors = stack.pop()
            if groups.shape[1] == len(self.tree.nodes):
                self._look(groups, vectors)
                continue
            groups, vectors = self._promising(groups, vectors)
            stack += self._pieces(groups, vectors)

    def _is_done(self) -> bool:
        return self.any_failure and self.best_value > self.measure.threshold + self.measure.margin

    def _pieces(self, groups: IntArray, vectors: FloatArray) -> list[tuple[IntArray, FloatArray]]:
        """The join with the next node, or the rows in two halves where the join is too large."""
        halves = self.tree.halves(groups, PIECE)
        if len(halves) > 1:
            return [(groups[half], vectors[half]) for half in halves]
        return [self._joined(groups, vectors)] if len(groups) else []

    def _joined(self, groups: IntArray, vectors: FloatArray) -> tuple[IntArray, FloatArray]:
        place = groups.shape[1]
        came_from, added = self.tree.expand(place, groups)
        joined = vectors[came_from] * self.ratios[place][added]
        self.work += joined.size
        if self.work > MOST_WORK:
            raise TooLargeError
        some = joined.max(axis=1) > 0  # a combination that nobody can have does not count
        groups = np.column_stack([groups[came_from], added])[some]
        return groups, scaled(joined[some])

    def _promising(self, groups: IntArray, vectors: FloatArray) -> tuple[IntArray, FloatArray]:
        """Drop partial combinations that can become neither the worst nor a close call."""
        if self.any_failure and len(groups):
            values = self.measure.values(vectors)
            worst = int(np.argmax(values))
            if values[worst] > self.measure.threshold + self.measure.margin:
                self._complete(groups[[worst]], vectors[[worst]])
                return groups[:0], vectors[:0]
        if self.bounds is None:
            return groups, vectors
        low, high = vectors, vectors
        for place in range(groups.shape[1], len(self.tree.nodes)):
            node = self.tree.nodes[place]
            if node.parent < groups.shape[1]:
                block = node.block_of_parent[groups[:, node.parent]]
                low, high = low * self.bounds[place][0][block], high * self.bounds[place][1][block]
        kept = self.measure.ceiling(low, high) >= self._cutoff()
        return groups[kept], vectors[kept]

    def _cutoff(self) -> float:
        """Below this a combination is neither the worst nor too close to the threshold."""
        nearly = self.measure.threshold - self.measure.margin
        fails = self.best_value > self.measure.threshold + self.measure.margin
        if self.any_failure:
            return nearly
        return self.best_value if fails else min(self.best_value, nearly)

    def _look(self, groups: IntArray, vectors: FloatArray) -> None:
        """Note the worst of some whole combinations, and those too close to the threshold."""
        if len(groups) == 0:
            return
        values = self.measure.values(vectors)
        worst = _worst_row(values, vectors)
        if values[worst] > self.best_value:
            self.best_value, self.best = float(values[worst]), groups[worst]
        if self.measure.margin:
            near = np.abs(values - self.measure.threshold) <= self.measure.margin
            if near.any():
                self.close.append(groups[near])

    def _complete(self, groups: IntArray, vectors: FloatArray | None = None) -> None:
        """Follow the worst completion of one partial combination to its end."""
        vectors = self.ratios[0][groups[:, 0]] if vectors is None else vectors
        while groups.shape[1] < len(self.tree.nodes):
            groups, vectors = self._joined(groups, vectors)
            worst = [int(np.argmax(self.measure.values(vectors)))]
            groups, vectors = groups[worst], vectors[worst]
        self._look(groups, vectors)


def _worst_row(values: FloatArray, vectors: FloatArray) -> int:
    """The largest value; of several (infinite ones, say) the one with the fewest other values."""
    tied = np.flatnonzero(values == values.max())
    return int(tied[np.argmin(vectors[tied].sum(axis=1))])  # each vector's largest entry is 1


def scaled(vectors: FloatArray) -> FloatArray:
    """Each vector divided by its largest entry: no measure changes, and nothing underflows."""
    largest = vectors.max(axis=1, keepdims=True, initial=1e-300)
    return np.asarray(vectors / largest)


def _block_bounds(
    tree: SensitiveTree, ratios: list[FloatArray]
) -> list[tuple[FloatArray, FloatArray]]:
    """For each node and block, the least and largest factor that its whole subtree contributes."""
    nothing = np.zeros((0, 0))
    bounds = [(nothing, nothing)] * len(tree.nodes)
    for place in reversed(range(len(tree.nodes))):
        node, low, high = tree.nodes[place], ratios[place], ratios[place]
        for child in node.children:
            block = tree.nodes[child].block_of_parent
            low, high = low * bounds[child][0][block], high * bounds[child][1][block]
        bounds[place] = (node.groups.of(low).minima(), node.groups.of(high).maxima())
    return bounds
