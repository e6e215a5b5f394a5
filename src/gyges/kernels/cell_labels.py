"""Labels that cover coded rows ("cells"), and what they cost.

A label is kept column by column. On a line and in a tree (leaves in tree order, so that a node is a
run of leaves) it is the least and the greatest code it covers, `low` and `high`; a set of codes is
kept as bits. A column costs

    line   step · (high - low)
    tree   (leaves under the lowest node that covers low and high - 1) · step
    set    step · (codes in the set - 1)

and a label costs the sum over its columns. A label of nothing costs 0.

Earned together with annealing.py, whose time is spent here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.kernels.bit_sets import WordArray, ones
from gyges.kernels.compiled import compiled

SET, LINE, TREE, TALL = 0, 1, 2, 3  # a tall tree has no table of its costs: too many leaves
NONE, NOTHING, FAR = -1, 1 << 40, 1e18
_ONE = np.uint64(1)


class Columns(NamedTuple):
    """Cells, and what a label costs in each column."""

    codes: IntArray  # cells × columns
    weight: IntArray  # cells
    kind: IntArray  # SET, LINE, TREE or TALL
    step: FloatArray  # the cost of one more code
    word: IntArray  # where the column's bits begin; columns + 1
    place: IntArray  # where the tree begins in `cost`, or the tall one in `above`
    size: IntArray  # codes of the column
    cost: FloatArray  # of every (low, high) of a tree, one table after another
    above: IntArray  # nodes over each leaf of tall trees, level after level
    under: IntArray  # how many leaves are under each of these nodes


@compiled(error_model="numpy", forceinline=True)
def span(columns: Columns, j: int, low: int, high: int) -> float:
    """The cost of a range or node from `low` to `high`; of nothing, 0."""
    if high < low:
        return 0.0
    if columns.kind[j] == LINE:
        return (high - low) * columns.step[j]
    if columns.kind[j] == TREE:
        return columns.cost[columns.place[j] + low * columns.size[j] + high]
    at = columns.place[j]  # the root covers everything, so that the loop ends
    while columns.above[at + low] != columns.above[at + high]:
        at += columns.size[j]
    return (columns.under[at + low] - 1) * columns.step[j]


@compiled(error_model="numpy", forceinline=True)
def has(columns: Columns, bits: WordArray, j: int, code: int) -> bool:
    """Whether a set holds a code."""
    return (bits[columns.word[j] + (code >> 6)] >> np.uint64(code & 63)) & _ONE != 0


@compiled(error_model="numpy", forceinline=True)
def clear(low: IntArray, high: IntArray, bits: WordArray) -> None:
    """Make a label that covers nothing."""
    low[:], high[:], bits[:] = NOTHING, NONE, 0


@compiled(error_model="numpy", forceinline=True)
def cover(columns: Columns, low: IntArray, high: IntArray, bits: WordArray, cell: int) -> None:
    """Widen a label so that it covers a cell."""
    for j in range(len(columns.kind)):
        code = columns.codes[cell, j]
        if columns.kind[j] == SET:
            bits[columns.word[j] + (code >> 6)] |= _ONE << np.uint64(code & 63)
        else:
            low[j], high[j] = min(low[j], code), max(high[j], code)


@compiled(error_model="numpy", forceinline=True)
def label_cost(columns: Columns, low: IntArray, high: IntArray, bits: WordArray) -> float:
    """The cost of a label."""
    x = 0.0
    for j in range(len(columns.kind)):
        if columns.kind[j] == SET:
            n = 0
            for w in range(columns.word[j], columns.word[j + 1]):
                n += ones(bits[w])
            x += max(n - 1, 0) * columns.step[j]
        else:
            x += span(columns, j, low[j], high[j])
    return x


@compiled(error_model="numpy", forceinline=True)
def widened_cost(
    columns: Columns, cost: float, low: IntArray, high: IntArray, bits: WordArray, cell: int
) -> float:
    """The cost of a label that covers something and costs `cost`, once it covers a cell too."""
    x = cost
    for j in range(len(columns.kind)):
        code = columns.codes[cell, j]
        if columns.kind[j] == SET:
            if not has(columns, bits, j, code):
                x += columns.step[j]
        elif code < low[j] or code > high[j]:
            x += span(columns, j, min(code, low[j]), max(code, high[j]))
            x -= span(columns, j, low[j], high[j])
    return x


@compiled(error_model="numpy", forceinline=True)
def pair_cost(columns: Columns, a: int, b: int, first: int, last: int, stop: float) -> float:
    """The cost of one label for two cells, over columns first:last; no less than `stop` at once."""
    x = 0.0
    for j in range(first, last):
        u, v = columns.codes[a, j], columns.codes[b, j]
        if u != v:
            if columns.kind[j] == SET:
                x += columns.step[j]
            else:
                x += span(columns, j, min(u, v), max(u, v))
            if x >= stop:
                return x
    return x
