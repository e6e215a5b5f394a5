"""A proven lower bound on the loss of every release whose groups have at least k people.

A person who shares a label with k - 1 others loses at least what the cheapest label costs that
covers them and k people. That is counted on a lattice of classes: a group of whatever label lies in
a class of it, and costs at least the class's price.

    nodes     the nodes of the hierarchy, at their loss
    numbers   windows of 2w values, in two grids; a range longer than the last w and at most this w
              lies in a window of one of the grids, and costs at least the last w + 1 steps
    sets      one value, or all: a set of two costs a step

A person who shares a label also loses at least what it costs to share one with the k-th nearest
person; and a label that covers m different rows costs at least `_boxes[m]`: the numbers of values
that it covers in each column have a product of at least m.

The bound is then raised as a solution of the dual of set partitioning (kernels/lattice_bounds.py).
It holds for people who share all their values but not a group, too, for people left out, who lose
everything, and for every further rule. Sums are rounded: 1e-9 is taken off.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.kernels.cell_labels import TREE, Columns
from gyges.kernels.lattice_bounds import least_prices, room_to_raise
from gyges.kernels.narrow_labels import Narrow
from gyges.kernels.nearest_cells import least_radii
from gyges.release.labels import shows_nodes
from gyges.search.least_loss_problem import FITS, Levels, LossProblem
from gyges.search.least_loss_start import Near

_ROUNDING = 1e-9
_LAST = 1e3  # more than other harms


def lower_bounds(
    problem: LossProblem, n_visits: int, n_passes: int, near: Near | None
) -> Iterator[float]:
    """Bounds that are ever higher: at first, and after each pass that raises them.

    Each takes about `n_visits` visits of a cell at a node. Distances are looked at if neighbours
    are known.
    """
    people = problem.columns.weight
    levels = _within(problem, max(1, n_visits // max(len(people), 1)))
    asked = levels.keys, levels.priced(), levels.nodes(people), people, problem.least
    y = np.full(len(people), float(len(problem.cells.domains)))
    least_prices(*asked, _narrow(problem, levels), y)
    if near is not None and near.is_exact:
        y = np.maximum(y, radii(problem, near))
    for done in range(n_passes + 1):
        yield max(float(y @ people) / problem.n_units - _ROUNDING, 0.0)
        if done < n_passes:
            room, everybody = np.full(len(y), np.inf), np.ones(len(y), dtype=bool)
            room_to_raise(*asked, np.argsort(-y, kind="stable"), y, everybody, room)
            y += np.maximum(room * (1 - 1e-12) - 1e-12, 0)


def radii(problem: LossProblem, near: Near) -> FloatArray:
    """What sharing a label costs each cell at least, by the distances to its neighbours."""
    columns, radius = problem.columns, np.empty(len(problem.order))
    order = np.argsort(near.apart, axis=1, kind="stable")
    cells, apart = (np.take_along_axis(of, order, axis=1) for of in (near.cells, near.apart))
    box = _boxes(columns, cells.shape[1] + 1)
    least_radii(cells, apart, columns.weight, problem.least, box, radius)
    return radius


def _boxes(columns: Columns, most: int) -> FloatArray:
    """For m up to `most`: the least cost of a label that covers at least m different cells."""
    wanted = np.arange(most + 1)
    best = np.where(wanted <= 1, 0.0, np.inf)
    for j, size in enumerate(columns.size):
        values = np.arange(1, min(int(size), most) + 1)
        costs = (values - 1) * columns.step[j]
        if columns.kind[j] == TREE:  # of a tall one, nodes cost at least what their values do
            costs = _node_costs(columns, j)[values - 1]
        rest = -(-wanted[:, None] // values)
        best = (best[rest] + costs).min(axis=1)
    return np.asarray(best * (1 - 1e-12))


def _node_costs(columns: Columns, j: int) -> FloatArray:
    """For m from 1: the least cost of a node that covers at least m values of a column."""
    size, place = int(columns.size[j]), int(columns.place[j])
    costs = columns.cost[place : place + size * size]
    covered = np.rint(costs / columns.step[j]).astype(np.int64) + 1
    least = np.full(size + 1, np.inf)
    np.minimum.at(least, covered, costs)
    return np.asarray(np.minimum.accumulate(least[::-1])[::-1][1:])


def _narrow(problem: LossProblem, levels: Levels) -> Narrow:
    """The columns that show ranges or sets, and what their labels cost at least at each row."""
    domains = problem.cells.domains
    chosen = [j for j, one in enumerate(domains) if not shows_nodes(one, problem.labels)]
    firsts = np.append(0, np.cumsum([len(rows[0]) for rows in levels.rows]))
    price = np.zeros((sum(map(len, levels.rows)), len(chosen)))
    parts = zip(firsts[:-1], levels.rows, strict=True)
    rows = [(first, row) for first, part in parts for row in part]
    for at, (first, row) in enumerate(rows):
        for column, j in enumerate(chosen):
            if first <= j < first + len(row):
                price[at, column] = levels.prices[j][row[j - first]].max(initial=0.0)
    codes = problem.cells.codes[problem.order][:, chosen].T.astype(np.int64, order="C")
    return Narrow(
        price=price,
        codes=codes,
        order=np.argsort(codes, axis=1, kind="stable"),
        step=np.array([1 / max(len(domains[j]) - 1, 1) for j in chosen]),
        is_line=np.array([domains[j].is_ordered for j in chosen], dtype=bool),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Band:
    """Labels of about one size in a column: each lies in a class of one of the grids."""

    grids: list[IntArray]  # the class of each cell
    price: FloatArray  # for each cell, what such a label costs at least


def _within(problem: LossProblem, n_nodes: int) -> Levels:
    """The classes of all columns, merged until there are few enough nodes."""
    codes = problem.cells.codes[problem.order]
    columns = [
        _bands(domain, codes[:, j], problem) for j, domain in enumerate(problem.cells.domains)
    ]
    keeps = [not shows_nodes(domain, problem.labels) for domain in problem.cells.domains]
    harms = [list(_harms(*of)) for of in zip(columns, keeps, strict=True)]
    while np.prod([float(_n_levels(bands)) for bands in columns]) > n_nodes:
        _, j, at = min((harm, j, at) for j, listed in enumerate(harms) for at, harm in listed)
        _drop(columns[j], at)
        harms[j] = list(_harms(columns[j], keeps[j]))
    while np.prod([float(_n_classes(bands)) for bands in columns]) > FITS:
        finest = columns[int(np.argmax([_n_classes(bands) for bands in columns]))]
        while len(finest) > 1:
            _drop(finest, 0)
    listed = [[(grid, band.price) for band in bands for grid in band.grids] for bands in columns]
    return Levels.of(listed, len(codes))


def _n_levels(bands: list[_Band]) -> int:
    return sum(len(band.grids) for band in bands)


def _n_classes(bands: list[_Band]) -> int:
    return max(int(grid.max(initial=0)) + 1 for band in bands for grid in band.grids)


def _harms(bands: list[_Band], keeps_exact: bool) -> Iterator[tuple[int, float]]:
    """For each band but the last: how much its loss would lower prices, for the nodes saved.

    Where a label's width is looked at, the first band goes last: it says whether values vary.
    """
    for at, (band, coarser) in enumerate(pairwise(bands)):
        lowered = float(np.maximum(coarser.price - band.price, 0).mean())
        left = 1 - len(band.grids) / _n_levels(bands)
        yield at, lowered / -math.log(left) + (_LAST if keeps_exact and at == 0 else 0)


def _drop(bands: list[_Band], at: int) -> None:
    """Drop a band: its labels lie in the next coarser one, which costs no more than it did."""
    coarser = bands[at + 1]
    bands[at + 1] = replace(coarser, price=np.minimum(bands[at].price, coarser.price))
    del bands[at]


def _bands(domain: Domain, codes: CodeArray, problem: LossProblem) -> list[_Band]:
    """The classes of a column, from fine to coarse; the last one is a single class."""
    step, n, at = 1 / max(len(domain) - 1, 1), len(domain), codes.astype(np.int64)
    everything = np.zeros(len(codes), dtype=np.int64)
    if shows_nodes(domain, problem.labels):
        assert domain.ladder is not None
        nodes = [np.asarray(level) for level in domain.ladder.ancestors]
        bands = [_Band([one[at]], (np.bincount(one)[one[at]] - 1) * step) for one in nodes]
        return [*bands, _Band([everything], np.ones(len(codes)))]
    bands, below = [_Band([at], np.zeros(len(codes)))], 0
    for width in [1 << i for i in range(n.bit_length() - 1)] if domain.is_ordered else []:
        grids = [(at + shift) // (2 * width) for shift in (0, width)]
        bands.append(_Band(grids, np.full(len(codes), (below + 1) * step)))
        below = width
    return [*bands, _Band([everything], np.full(len(codes), (below + 1) * step * (n > 1)))]
