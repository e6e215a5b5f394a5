"""How narrow a range or set can be that covers a cell and enough weight of its class.

A class is a set of cells that some group lies in (lattice_bounds.py). A group that weighs k and
varies in a column shows there a range, or a set of two values or more, which covers cells of the
class that weigh k.

Earned by ranges of 500 cells over 100 values: a hundredth of NumPy's time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled


class Narrow(NamedTuple):
    """Columns that show ranges or sets, and at which rows of a lattice their values vary."""

    price: FloatArray  # rows × columns: what a label there costs at least, 0 where nothing varies
    codes: IntArray  # columns × cells
    order: IntArray  # columns × cells, by their codes
    step: FloatArray  # columns: what each further value costs
    is_line: BoolArray  # columns: ranges, or sets


class Classes(NamedTuple):
    """Cells by class, for classes that are looked at closely."""

    slot: IntArray  # cells: the place of each cell's class
    mark: IntArray  # places: the newest node at which a class was looked at
    at: IntArray  # places: how many cells, then where the next one goes
    listed: IntArray  # the places of these classes
    ends: IntArray  # where the cells of each end


@compiled(error_model="numpy")
def narrowest_ranges(
    cells: IntArray, code: IntArray, weight: IntArray, k: int, width: IntArray
) -> None:
    """For each cell how far the narrowest range goes that covers it and a weight of k.

    `cells` ascend by code and weigh at least k. Range i begins at cell i and ends where it weighs
    enough. The best range that covers cell p begins at p or before: it ends there or later, and the
    narrowest of these is the first in a queue, or it is the last one that ends before, made longer.
    """
    n, n_ranges, end, total = len(cells), 0, -1, 0
    far, last = np.empty(n, np.int64), np.empty(n, np.int64)
    while n_ranges < n:
        while total < k and end + 1 < n:
            end += 1
            total += weight[cells[end]]
        if total < k:
            break
        last[n_ranges] = end
        far[n_ranges] = code[cells[end]] - code[cells[n_ranges]]
        total -= weight[cells[n_ranges]]
        n_ranges += 1
    queue, head, tail, ended = np.empty(n, np.int64), 0, 0, -1
    for p in range(n):
        if p < n_ranges:
            while tail > head and far[queue[tail - 1]] >= far[p]:
                tail -= 1
            queue[tail] = p
            tail += 1
        while ended + 1 < n_ranges and last[ended + 1] <= p:
            ended += 1
        while tail > head and last[queue[head]] < p:
            head += 1
        width[p] = np.iinfo(np.int64).max
        if tail > head:
            width[p] = far[queue[head]]
        if ended >= 0:
            width[p] = min(width[p], code[cells[p]] - code[cells[ended]])


@compiled(error_model="numpy")
def smallest_sets(
    cells: IntArray, code: IntArray, weight: IntArray, k: int, width: IntArray
) -> None:
    """For each cell how many further values the smallest set has that weighs k, at least one.

    `cells` ascend by code and weigh at least k.
    """
    n, n_values = len(cells), 0
    held = np.zeros(n, np.int64)
    for i in range(n):
        n_values += i == 0 or code[cells[i]] != code[cells[i - 1]]
        held[n_values - 1] += weight[cells[i]]
    largest, value = np.sort(held[:n_values])[::-1], -1
    for i in range(n):
        if i > 0 and code[cells[i]] == code[cells[i - 1]]:
            width[i] = width[i - 1]
            continue
        value += 1
        total, further, is_met = held[value], 0, False
        for other in largest:
            if other == held[value] and not is_met:
                is_met = True  # the value itself
            elif further == 0 or total < k:
                total += other
                further += 1
        width[i] = max(further, 1)


@compiled(error_model="numpy")
def look_at(classes: Classes, is_wanted: BoolArray, t: int) -> int:
    """List the classes with a wanted cell, and where their cells go; returns how many."""
    slot, mark, at = classes.slot, classes.mark, classes.at
    n_listed, used = 0, 0
    for c in range(len(slot)):
        if is_wanted[c] and mark[slot[c]] != t:
            mark[slot[c]], at[slot[c]] = t, 0
            classes.listed[n_listed] = slot[c]
            n_listed += 1
    for c in range(len(slot)):
        if n_listed and mark[slot[c]] == t:
            at[slot[c]] += 1
    for g in range(n_listed):
        size = at[classes.listed[g]]
        at[classes.listed[g]] = used
        used += size
        classes.ends[g] = used
    return n_listed


@compiled(error_model="numpy")
def raise_costs(
    narrow: Narrow,
    node: IntArray,
    weight: IntArray,
    k: int,
    classes: Classes,
    n_listed: int,
    t: int,
    cost: FloatArray,
) -> None:
    """Raise the cost of each cell of the listed classes, column by column, to that of its label."""
    n = len(weight)
    cells, width = np.empty(n, np.int64), np.empty(n, np.int64)
    slot, mark, at = classes.slot, classes.mark, classes.at
    for j in range(len(narrow.step)):
        least = 0.0
        for row in node:
            least += narrow.price[row, j]
        if least == 0.0:
            continue
        for c in narrow.order[j]:
            if mark[slot[c]] == t:
                cells[at[slot[c]]] = c
                at[slot[c]] += 1
        first = 0
        for g in range(n_listed):
            end = classes.ends[g]
            some, found = cells[first:end], width[first:end]
            if narrow.is_line[j]:
                narrowest_ranges(some, narrow.codes[j], weight, k, found)
            else:
                smallest_sets(some, narrow.codes[j], weight, k, found)
            at[classes.listed[g]], first = first, end
        for i in range(first):
            cost[cells[i]] += max(width[i] * narrow.step[j] * (1 - 1e-12) - least, 0.0)
