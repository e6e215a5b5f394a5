"""Unknowns that are the same in all worlds, found through slices of the system.

Of the sums that an unknown is part of, take two kinds: cohorts and groups of one release, or groups
of two releases. Alone these make a flow problem: sums are places, unknowns are pipes between them,
bounds are capacities. Every world is a flow. All flows differ from one flow by circles of pipes
that can still take more or give back; a pipe whose ends are not on a common circle, that is, not in
one strongly connected part, carries the same in every flow and hence in every world.

The same idea finds forbidden edges of an all-different constraint from one matching.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.arrays import BoolArray, IntArray
from gyges.ragged import Ragged

_MOST_PIPES = 400_000  # for which a flow is sought
_MOST_ROUNDS = 20


def fix_by_slices(
    counts: JointCounts, low: IntArray, high: IntArray, world: IntArray | None
) -> BoolArray:
    """Tighten bounds in place by every pair of kinds of sums; return the sums without a solution.

    Args:
        world: counts that agree with all sums, which spares looking for flows.
    """
    broken = np.zeros(len(counts.totals), dtype=bool)
    for _ in range(_MOST_ROUNDS):
        n_free = int((low < high).sum())
        for pair in combinations(range(counts.sums_of.shape[1]), 2):
            fixed = _fix_by_slice(counts, low, high, world, pair, broken)
            broken |= counts.tighten(low, high, fixed)
            if broken.any():
                return broken
        if int((low < high).sum()) == n_free:
            break
    return broken


def _fix_by_slice(
    counts: JointCounts,
    low: IntArray,
    high: IntArray,
    world: IntArray | None,
    pair: tuple[int, int],
    broken: BoolArray,
) -> IntArray:
    """Fix unknowns in place by one pair of kinds of sums; return which."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    free = np.flatnonzero(low < high)
    if not len(free):
        return free
    places, ends = np.unique(counts.sums_of[free][:, pair], return_inverse=True)
    ends, n = ends.reshape(-1, 2), len(places)  # the sum -1 is the place outside
    keys, pipe = np.unique(ends[:, 0] * n + ends[:, 1], return_inverse=True)
    heads, tails = keys // n, keys % n
    room = np.bincount(pipe, (high - low)[free]).astype(np.int64)
    if world is not None:
        flow = np.bincount(pipe, (world - low)[free]).astype(np.int64)
    else:
        found = _flow(counts, low, places, heads, tails, room)
        if found is None:
            return free[:0]
        flow, is_broken = found
        broken[places[is_broken]] = True
        if is_broken.any():
            return free[:0]
    more, back = flow < room, flow > 0
    arrows = coo_array(
        (
            np.ones(int(more.sum() + back.sum())),
            (np.append(heads[more], tails[back]), np.append(tails[more], heads[back])),
        ),
        (n, n),
    )
    part = connected_components(arrows, connection="strong")[1]
    is_fixed = (part[heads] != part[tails])[pipe]
    settled = np.where(more[pipe], low[free], high[free])[is_fixed]
    fixed: IntArray = free[is_fixed]
    low[fixed] = high[fixed] = settled
    return fixed


def _flow(
    counts: JointCounts,
    low: IntArray,
    places: IntArray,
    heads: IntArray,
    tails: IntArray,
    room: IntArray,
) -> tuple[IntArray, BoolArray] | None:
    """A flow that reaches all sums, and the places that no flow can fill; None if too large."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    if len(heads) > _MOST_PIPES:
        return None
    n, is_sum = len(places), places >= 0
    reached = Ragged(low[counts.sums.values], counts.sums.starts).sums()
    wanted = np.where(is_sum, (counts.totals - reached)[places], 0)
    is_head = np.zeros(n, dtype=bool)
    is_head[heads] = True
    gives, takes = np.where(is_head & is_sum, wanted, 0), np.where(~is_head & is_sum, wanted, 0)
    surplus = int(gives.sum() - takes.sum())
    takes[~is_sum], gives[~is_sum] = max(surplus, 0), max(-surplus, 0)
    if max(gives.sum(), takes.sum(), room.max()) >= 2**31:
        return None
    source, sink, everywhere = n, n + 1, np.arange(n)
    above = np.concatenate([heads, np.full(n, source), everywhere])
    below = np.concatenate([tails, everywhere, np.full(n, sink)])
    capacity = np.concatenate([room, gives, takes]).astype(np.int32)
    network = csr_array((capacity, (above, below)), shape=(n + 2, n + 2))
    found = maximum_flow(network, source, sink).flow
    into, out_of = (np.asarray(found[[k], :].todense()).ravel()[:n] for k in (source, sink))
    is_broken = (into < gives) | (-out_of < takes)
    return np.asarray(found[heads, tails]).ravel().astype(np.int64), is_broken & is_sum
