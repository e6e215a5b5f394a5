"""Lower bounds for partitions of weighted cells whose groups each weigh at least k.

A node of a lattice of coarser codes (peeling.py) makes some cells equal: a class. Every group is
inside a class in which each of its cells c has a price L(c) of at most the group's cost. Let y be a
number for each cell, with

    Σ_S y ≤ |S| · cost(S)   for every possible group S, |S| being its weight.

Then the mean of y is a lower bound on the mean cost of all partitions: y is a solution of the dual
of set partitioning. One is the least price of each cell in a class that weighs at least k
(`least_prices`). If y is one, so is a y that is raised within `room_to_raise`: in a class of S the
k largest y then add up to at most k · max_S L, unless nothing of S is raised.

Earned by 256 nodes over 500 cells in four columns: a twelfth of NumPy's time.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.cell_labels import NONE
from gyges.kernels.compiled import compiled
from gyges.kernels.narrow_labels import Classes, Narrow, look_at, raise_costs
from gyges.kernels.peeling import bits_for, sum_keys, weigh_classes


@compiled(error_model="numpy", forceinline=True)
def _sum_prices(price: FloatArray, node: IntArray, total: FloatArray) -> None:
    """The price of each cell at a node."""
    total[:] = price[node[0]]
    for part in range(1, len(node)):
        row = price[node[part]]
        for c in range(len(total)):
            total[c] += row[c]


@compiled(error_model="numpy")
def least_prices(
    keys: WordArray,
    price: FloatArray,
    nodes: IntArray,
    weight: IntArray,
    k: int,
    narrow: Narrow,
    least: FloatArray,
) -> None:
    """Lower `least[c]` to the price of c's class at each node where it weighs at least k.

    Where a column shows ranges or sets, the price is that of one that covers a weight of k of the
    class (narrow_labels.py). A node at which no price would be lower is not counted.
    """
    n, bits = len(weight), bits_for(len(weight))
    known, weights = np.empty(1 << bits, np.uint64), np.empty(1 << bits, np.int64)
    stamp, slot, cells = np.full(1 << bits, NONE, np.int64), np.empty(n, np.int64), np.arange(n)
    total, cost, is_wanted = np.empty(n, np.uint64), np.empty(n), np.empty(n, np.bool_)
    mark, at = np.full(1 << bits, NONE, np.int64), np.empty(1 << bits, np.int64)
    classes = Classes(slot, mark, at, np.empty(n, np.int64), np.empty(n, np.int64))
    for t in range(len(nodes)):
        _sum_prices(price, nodes[t], cost)
        if not (cost < least).any():
            continue
        sum_keys(keys, nodes[t], cells, n, total)
        weigh_classes(total, weight, cells, cells, n, bits, known, weights, stamp, t, slot)
        for c in range(n):
            is_wanted[c] = weights[slot[c]] >= k and cost[c] < least[c]
        if len(narrow.step):
            n_listed = look_at(classes, is_wanted, t)
            raise_costs(narrow, nodes[t], weight, k, classes, n_listed, t, cost)
        for c in range(n):
            if is_wanted[c]:
                least[c] = min(least[c], cost[c])


@compiled(error_model="numpy")
def room_to_raise(
    keys: WordArray,
    price: FloatArray,
    nodes: IntArray,
    weight: IntArray,
    k: int,
    order: IntArray,
    y: FloatArray,
    is_chosen: BoolArray,
    room: FloatArray,
) -> None:
    """Lower `room[c]` to how much a chosen cell may be raised together with all chosen ones.

    `order` lists the cells by falling y. If cells of weight r of a class are raised, each by at
    most (k L - the sum of the k largest y) / min(k, r), these add up to at most k L afterwards.
    """
    n, bits = len(weight), bits_for(len(weight))
    known, weights = np.empty(1 << bits, np.uint64), np.empty(1 << bits, np.int64)
    stamp, slot = np.full(1 << bits, NONE, np.int64), np.empty(n, np.int64)
    taken, summed = np.empty(1 << bits, np.int64), np.empty(1 << bits)
    raised, everything = np.empty(1 << bits, np.int64), np.arange(n)
    total, cost = np.empty(n, np.uint64), np.empty(n)
    for t in range(len(nodes)):
        _sum_prices(price, nodes[t], cost)
        sum_keys(keys, nodes[t], order, n, total)
        weigh_classes(total, weight, order, everything, n, bits, known, weights, stamp, t, slot)
        for i in range(n):
            taken[slot[i]], summed[slot[i]], raised[slot[i]] = 0, 0.0, 0
        for i in range(n):
            h, c = slot[i], order[i]
            part = min(weight[c], k - taken[h])
            taken[h] += part
            summed[h] += part * y[c]
            if is_chosen[c]:
                raised[h] += weight[c]
        for i in range(n):
            h, c = slot[i], order[i]
            if is_chosen[c] and weights[h] >= k:
                room[c] = min(room[c], (k * cost[c] - summed[h]) / min(k, raised[h]))
