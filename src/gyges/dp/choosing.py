"""Which views to publish, where none are given: a tree of pairs, each chosen with noise.

1. Every column alone is measured with a third of the price.
2. With another third, pairs are chosen one after another: the pair that is furthest from what its
   two columns alone suggest, less what noise will add, among the pairs that connect two trees. The
   result is a tree over the columns [McKenna2021].
3. The pairs are measured with the last third.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np

from gyges.arrays import IntArray
from gyges.dp.mechanisms import Price, choose_best
from gyges.dp.public_labels import MOST_CELLS
from gyges.dp.universe import Histogram


def choose_pairs(
    histogram: Histogram,
    alone: Mapping[str, IntArray],
    price: Price,
    *,
    most_changed: int,
    error: float,
) -> list[tuple[str, str]]:
    """A tree of the pairs that add most to their columns alone.

    Args:
        alone: the noisy counts of each column, already published.
        error: the mean absolute noise that a cell of a pair will get.
    """
    columns = histogram.universe.columns
    pairs = [
        pair
        for pair in itertools.combinations(columns, 2)
        if math.prod(histogram.universe.shape(pair)) <= MOST_CELLS
    ]
    scores = {pair: _score(histogram, alone, pair, error) for pair in pairs}
    tree_of = {column: place for place, column in enumerate(columns)}
    chosen: list[tuple[str, str]] = []
    while open_pairs := [pair for pair in pairs if tree_of[pair[0]] != tree_of[pair[1]]]:
        best = choose_best(
            [scores[pair] for pair in open_pairs],
            price.share(1, max(len(columns) - 1, 1)),
            most_changed=most_changed,
        )
        one, other = open_pairs[best]
        chosen.append((one, other))
        old, new = tree_of[other], tree_of[one]
        tree_of = {column: new if tree == old else tree for column, tree in tree_of.items()}
    return chosen


def _score(
    histogram: Histogram, alone: Mapping[str, IntArray], pair: tuple[str, str], error: float
) -> int:
    """Σ |count - what the columns alone suggest| - cells · error, as a whole number.

    What the columns suggest and the error are public, so one person moves the score by no more
    than they move the counts.
    """
    counts = histogram.of(pair)
    one, other = (np.maximum(alone[column], 0).astype(np.float64) for column in pair)
    total = max((one.sum() + other.sum()) / 2, 1.0)
    suggested = np.rint(np.outer(one, other) / total).astype(np.int64)
    return int(np.abs(counts - suggested).sum()) - round(counts.size * error)
