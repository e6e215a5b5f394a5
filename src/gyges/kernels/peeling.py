"""Peel coded rows ("cells") off node by node of a lattice of coarser codes.

A node of the lattice is a row of `keys` for each part of the columns: at a node, two cells are
equal if the sums of their keys are. At each node, every class of the rest with enough weight is
taken off; what is left goes on. If there is a column of numbers, the line, a node also says how far
a label may reach on it: then a class is taken off in runs of neighbours on the line.

Most nodes take nothing. So weights are first added up in buckets of keys that are not looked at
closely; only cells in a bucket that weighs enough are counted by their classes.

Earned by 256 nodes over 2,000 cells in four columns: a thirtieth of NumPy's time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.kernels.bit_sets import WordArray
from gyges.kernels.cell_labels import NONE, NOTHING
from gyges.kernels.compiled import compiled

_KEPT = 0.7  # where less than this share of the cells is left, their keys move together


@compiled(error_model="numpy", forceinline=True)
def bits_for(n: int) -> int:
    """A table for n keys has 2 ** bits places, at least 2 n."""
    bits = 1
    while (1 << bits) < 2 * n:
        bits += 1
    return bits


@compiled(error_model="numpy")
def _keys_of(keys: WordArray, cells: IntArray, n: int) -> WordArray:
    """The keys of the first n of these cells, side by side."""
    chosen = np.empty((len(keys), n), np.uint64)
    for row in range(len(keys)):
        for i in range(n):
            chosen[row, i] = keys[row, cells[i]]
    return chosen


@compiled(error_model="numpy", forceinline=True)
def sum_keys(keys: WordArray, node: IntArray, cells: IntArray, n: int, total: WordArray) -> None:
    """The key of each of the first n cells at a node."""
    row = keys[node[0]]
    for i in range(n):
        total[i] = row[cells[i]]
    for part in range(1, len(node)):
        row = keys[node[part]]
        for i in range(n):
            total[i] += row[cells[i]]


@compiled(error_model="numpy")
def in_heavy_buckets(
    total: WordArray,
    weight: IntArray,
    cells: IntArray,
    n: int,
    least: int,
    bits: int,
    bucket: IntArray,
    found: IntArray,
) -> int:
    """Which of the first n cells share a bucket of enough weight: their places are `found`.

    `bucket` is all zeros, before and after. Returns how many there are.
    """
    drop, n_found = np.uint64(64 - bits), 0
    for i in range(n):
        bucket[total[i] >> drop] += weight[cells[i]]
    for i in range(n):
        found[n_found] = i
        n_found += bucket[total[i] >> drop] >= least
    for i in range(n):
        bucket[total[i] >> drop] = 0
    return n_found


@compiled(error_model="numpy")
def weigh_classes(
    total: WordArray,
    weight: IntArray,
    cells: IntArray,
    found: IntArray,
    n_found: int,
    bits: int,
    keys: WordArray,
    weights: IntArray,
    stamp: IntArray,
    mark: int,
    slot: IntArray,
) -> int:
    """Weigh the class of each cell found; `slot[x]` is its place. Returns the greatest weight."""
    drop, mask, most = np.uint64(64 - bits), (1 << bits) - 1, 0
    for x in range(n_found):
        key = total[found[x]]
        h = np.int64(key >> drop)
        while stamp[h] == mark and keys[h] != key:
            h = (h + 1) & mask
        if stamp[h] != mark:
            stamp[h], keys[h], weights[h] = mark, key, 0
        weights[h] += weight[cells[found[x]]]
        most = max(most, weights[h])
        slot[x] = h
    return most


class Runs(NamedTuple):
    """For each class the cells that wait for neighbours, and the last run that was taken."""

    first: IntArray  # classes: the cell that waits longest, NONE if none does
    last: IntArray
    weight: IntArray  # of all that wait
    number: IntArray  # the group of the last run, NONE before it
    begin: IntArray  # where that run begins on the line
    after: IntArray  # cells: the one that waits next


@compiled(error_model="numpy", forceinline=True)
def _leave(
    runs: Runs, h: int, until: int, reach: int, line: IntArray, weight: IntArray, group: IntArray
) -> None:
    """Cells before `until` wait no longer: they join the last run if its label may reach them."""
    cell = runs.first[h]
    while cell >= 0 and line[cell] < until:
        if runs.number[h] >= 0 and line[cell] - runs.begin[h] <= reach:
            group[cell] = runs.number[h]
        runs.weight[h] -= weight[cell]
        cell = runs.after[cell]
    runs.first[h] = cell


@compiled(error_model="numpy")
def take_runs(
    runs: Runs,
    cells: IntArray,
    slot: IntArray,
    weights: IntArray,
    reach: int,
    line: IntArray,
    weight: IntArray,
    least: int,
    group: IntArray,
    n_groups: int,
) -> int:
    """Take runs of enough weight off each class: cells of codes at most `reach` apart.

    `cells` ascend on the line, `slot` is the class of each. Returns the number of groups so far.
    """
    for x in range(len(cells)):
        runs.first[slot[x]], runs.weight[slot[x]], runs.number[slot[x]] = NONE, 0, NONE
    for x in range(len(cells)):
        h, cell = slot[x], cells[x]
        if weights[h] < least:
            continue
        _leave(runs, h, line[cell] - reach, reach, line, weight, group)
        if runs.first[h] < 0:
            runs.first[h] = cell
        else:
            runs.after[runs.last[h]] = cell
        runs.last[h], runs.after[cell] = cell, NONE
        runs.weight[h] += weight[cell]
        if runs.weight[h] >= least:
            runs.begin[h], runs.number[h], cell = line[runs.first[h]], n_groups, runs.first[h]
            while cell >= 0:
                group[cell], cell = n_groups, runs.after[cell]
            runs.first[h], runs.weight[h] = NONE, 0
            n_groups += 1
    for x in range(len(cells)):
        if weights[slot[x]] >= least:
            _leave(runs, slot[x], NOTHING, reach, line, weight, group)
    return n_groups


@compiled(error_model="numpy")
def _no_runs(n_cells: int, bits: int) -> Runs:
    """Room for the runs of a table of classes; none where there is no line."""
    n = (1 << bits) if n_cells else 0
    return Runs(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n_cells, np.int64),
    )


@compiled(error_model="numpy")
def _take_classes(
    cells: IntArray,
    slot: IntArray,
    weights: IntArray,
    number: IntArray,
    least: int,
    group: IntArray,
    n_groups: int,
) -> int:
    """Take classes of enough weight; returns the number of groups so far."""
    for h in slot[: len(cells)]:
        number[h] = NONE
    for x in range(len(cells)):
        h = slot[x]
        if weights[h] >= least:
            if number[h] < 0:
                number[h], n_groups = n_groups, n_groups + 1
            group[cells[x]] = number[h]
    return n_groups


@compiled(error_model="numpy")
def _kept(
    rest: IntArray, n: int, place: IntArray, weight: IntArray, group: IntArray
) -> tuple[int, int]:
    """Move those of the first n cells to the front that no group has; their number and weight."""
    kept, left = 0, 0
    for i in range(n):
        rest[kept] = rest[i]
        if group[place[rest[i]]] < 0:
            left += weight[rest[i]]
            kept += 1
    return kept, left


@compiled(error_model="numpy")
def peel(
    keys: WordArray,
    nodes: IntArray,
    reach: IntArray,
    line: IntArray,
    weight: IntArray,
    least: int,
    group: IntArray,
    is_used: BoolArray,
) -> int:
    """Take classes of at least the least weight off at each node; returns how many.

    `group[i]` becomes the number of the group of cell i, NONE for what is left; `is_used` says at
    which nodes something was taken. `line` are the cells' codes on the line, empty if there is
    none; a node reaches as far as its rows do together.
    """
    n, n_groups, left = len(weight), 0, weight.sum()
    at, place, heavy, bits = keys, np.arange(n), weight, bits_for(n)
    if len(line):
        place = np.argsort(line, kind="mergesort")
        at, heavy = _keys_of(keys, place, n), weight[place]
    rest, total = np.arange(n), np.empty(n, np.uint64)
    found, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    bucket, known = np.zeros(1 << bits, np.int64), np.empty(1 << bits, np.uint64)
    weights, number = np.empty(1 << bits, np.int64), np.empty(1 << bits, np.int64)
    stamp, runs = np.full(1 << bits, NONE, np.int64), _no_runs(len(line), bits)
    group[:], is_used[:] = NONE, False
    for t in range(len(nodes)):
        if left < least:
            break
        sum_keys(at, nodes[t], rest, n, total)
        n_found = in_heavy_buckets(total, heavy, rest, n, least, bits, bucket, found)
        if n_found == 0:
            continue
        most = weigh_classes(
            total, heavy, rest, found, n_found, bits, known, weights, stamp, t, slot
        )
        if most < least:
            continue
        cells, before = place[rest[found[:n_found]]], n_groups
        if len(line):
            far = reach[nodes[t]].sum()
            n_groups = take_runs(
                runs, cells, slot, weights, far, line, weight, least, group, n_groups
            )
        else:
            n_groups = _take_classes(cells, slot, weights, number, least, group, n_groups)
        is_used[t] = n_groups > before
        if n_groups == before:
            continue
        n, left = _kept(rest, n, place, heavy, group)
        if n < _KEPT * at.shape[1]:
            at, place, heavy = _keys_of(at, rest, n), place[rest[:n]], heavy[rest[:n]]
            rest = np.arange(n)
    return n_groups
