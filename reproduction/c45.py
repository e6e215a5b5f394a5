"""A small C4.5 for categories: the decision tree of [Chen2009, Sect. 8.4], known as J48.

Splits into all values of the column with the largest gain ratio among those with at least the
average gain; at least two branches need two people; pruned where a leaf's pessimistic error
(confidence 0.25) is not larger than the subtree's. Subtree raising is left out. The definitions
are those of C4.5 release 8 from memory: they serve to compare releases with each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaincinv

from reproduction.arrays import IntArray

_LEAST, _CONFIDENCE = 2, 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A leaf, or a column and a branch for each of its values."""

    label: int
    errors: float  # of the people in it, pessimistic
    column: int = -1
    branches: Mapping[int, Node] = field(default_factory=dict)


def grow(x: IntArray, y: IntArray) -> Node:
    """A pruned tree from codes (people × columns) and classes."""
    n_classes = int(y.max(initial=0)) + 1
    return _grow(x, y, tuple(range(x.shape[1])), n_classes)


def predict(tree: Node, x: IntArray) -> IntArray:
    """The class of each row; a value that a node has not seen gets the node's own class."""
    found = np.empty(len(x), dtype=np.int64)
    _predict(tree, x, np.arange(len(x)), found)
    return found


def _grow(x: IntArray, y: IntArray, columns: tuple[int, ...], n_classes: int) -> Node:
    counts = np.bincount(y, minlength=n_classes)
    label, wrong = int(counts.argmax()), int(len(y) - counts.max())
    leaf = Node(label, wrong + _more_errors(len(y), wrong))
    if wrong == 0 or len(y) < 2 * _LEAST:
        return leaf
    column = _best(x, y, columns, n_classes)
    if column < 0:
        return leaf
    rest = tuple(other for other in columns if other != column)
    branches = {
        int(value): _grow(x[inside], y[inside], rest, n_classes)
        for value in np.unique(x[:, column])
        for inside in [x[:, column] == value]
    }
    errors = sum(branch.errors for branch in branches.values())
    return leaf if leaf.errors <= errors + 0.1 else Node(label, errors, column, branches)


def _best(x: IntArray, y: IntArray, columns: tuple[int, ...], n_classes: int) -> int:
    scores = [(column, *_gain(x[:, column], y, n_classes)) for column in columns]
    useful = [score for score in scores if score[1] > 1e-9]
    if not useful:
        return -1
    average = sum(gain for _, gain, _ in useful) / len(useful)
    good = [(gain / split, column) for column, gain, split in useful if gain >= average - 1e-3]
    return max(good, key=lambda pair: pair[0])[1] if good else -1


def _gain(values: IntArray, y: IntArray, n_classes: int) -> tuple[float, float]:
    """Information gain and split information; no gain where fewer than two branches are filled."""
    table = np.bincount(values * n_classes + y, minlength=(int(values.max()) + 1) * n_classes)
    table = table.reshape(-1, n_classes)
    sizes = table.sum(axis=1)
    if (sizes >= _LEAST).sum() < 2:
        return 0.0, 1.0
    inside = (_bits(table) * sizes).sum() / len(y)
    return float(_bits(table.sum(axis=0)[None])[0] - inside), float(_bits(sizes[None])[0])


def _bits(counts: IntArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The entropy of each row."""
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1))


def _more_errors(n: int, wrong: int) -> float:
    """How many more errors to expect: the upper end of a one-sided interval."""
    if n == 0:
        return 0.0
    if wrong == 0:
        return float(n * (1 - _CONFIDENCE ** (1 / n)))
    upper = betaincinv(wrong + 1, n - wrong, 1 - _CONFIDENCE) if wrong < n else 1.0
    return float(n * upper - wrong)


def _predict(tree: Node, x: IntArray, rows: IntArray, found: IntArray) -> None:
    found[rows] = tree.label
    for value, branch in tree.branches.items():
        _predict(branch, x, rows[x[rows, tree.column] == value], found)
