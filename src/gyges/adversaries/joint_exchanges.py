"""Other worlds from one world: exchanges of two values along a circle of groups.

Take one release as the left side, what all others say together as the right side. In a world, draw
an arrow for each person: from their left group to their right one if they have value v, back if
they have w. A circle of arrows visits each group once, by one arrow in and one out, so exchanging v
and w for everyone on it leaves every published count as it is. An arrow lies on a circle exactly if
its two ends are in one strongly connected part. Who is not in a release has a common place outside,
where nothing is counted.

This shows values to be possible. It rules nothing out: worlds may also differ by three values at
once.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.arrays import BoolArray, IntArray
from gyges.data.cells import distinct_rows
from gyges.ragged import Ragged

_MOST_ARROWS = 40_000_000  # drawn for all pairs of values together


def agrees(counts: JointCounts, world: IntArray) -> bool:
    """Whether these counts of the unknowns have all the sums that were published."""
    sums = Ragged(world[counts.sums.values], counts.sums.starts).sums()
    used = counts.totals >= 0
    return bool((world >= 0).all() and (sums[used] == counts.totals[used]).all())


def shown_by_exchanges(counts: JointCounts, world: IntArray, is_free: BoolArray) -> BoolArray:
    """The unknowns that are at least 1 in this world or in one that is an exchange away from it.

    Args:
        world: a count for each unknown; it must agree with all sums.
        is_free: the unknowns that may take part; no exchange changes one that is fixed.
    """
    is_placed = ~counts.is_loose[counts.cohort]  # of others, a world may be in conflict with places
    shown = (world > 0) & is_placed
    arrows = np.flatnonzero(shown & is_free)
    wanted = np.flatnonzero(~shown & is_free & is_placed)
    n_releases = counts.groups.shape[1]
    for j in range(n_releases if n_releases > 2 else 1):
        if len(arrows) * len(np.unique(counts.value[arrows])) > _MOST_ARROWS:
            break
        ends = places_of(counts.groups, j)
        for v, w in combinations(np.unique(counts.value[arrows]).tolist(), 2):
            _exchange(counts, ends, arrows, wanted, (v, w), shown)
    return shown


def places_of(groups: IntArray, left: int) -> IntArray:
    """The place of each cohort on the left and on the right, as numbers of one range; 0 is outside.

    `groups` is cohorts × releases; the right side is the combination of all releases but `left`.
    """
    others = np.delete(groups, left, axis=1) + 1
    widths = [int(column.max(initial=0)) + 1 for column in others.T]
    combined, right = distinct_rows(others.astype(np.int32), widths)
    outside, n_left = 0, int(groups[:, left].max(initial=0)) + 1
    is_outside = (combined == 0).all(axis=1)[right]
    return np.stack([groups[:, left] + 1, np.where(is_outside, outside, 1 + n_left + right)])


def _exchange(
    counts: JointCounts,
    ends: IntArray,
    arrows: IntArray,
    wanted: IntArray,
    pair: tuple[int, int],
    shown: BoolArray,
) -> None:
    """Mark the unknowns of these two values that an exchange of them makes at least 1."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    there, back = (arrows[counts.value[arrows] == value] for value in pair)
    if not len(there) or not len(back):
        return
    heads = np.concatenate([ends[0, counts.cohort[there]], ends[1, counts.cohort[back]]])
    tails = np.concatenate([ends[1, counts.cohort[there]], ends[0, counts.cohort[back]]])
    used, place = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    n = len(used)
    drawn = coo_array((np.ones(len(heads)), (place[: len(heads)], place[len(heads) :])), (n, n))
    part = connected_components(drawn, connection="strong")[1]
    on_circle = part[place[: len(heads)]] == part[place[len(heads) :]]
    for value, held, circles in (
        (pair[1], there, on_circle[: len(there)]),
        (pair[0], back, on_circle[len(there) :]),
    ):
        is_moved = np.zeros(len(counts.people), dtype=bool)
        is_moved[counts.cohort[held[circles]]] = True
        shown[wanted[(counts.value[wanted] == value) & is_moved[counts.cohort[wanted]]]] = True
