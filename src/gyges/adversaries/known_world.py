"""A world in which some people have the values that are known of them, and the others any.

The publisher of a table knows the values of its people. The others of a group have what is left of
its counts; of people who are in groups of several releases, a program finds values.
"""

from __future__ import annotations

import numpy as np

from gyges.adversaries.joint_counts import JointCounts
from gyges.adversaries.joint_exchanges import agrees
from gyges.adversaries.joint_relaxation import PartProgram, find_worlds
from gyges.adversaries.joint_worlds import parts
from gyges.arrays import IntArray

_MOST_OF_PROGRAM, _IN_ALL = 5_000, 150_000  # unknowns of one part, and of all: a few seconds


def world_of(counts: JointCounts, cohort: IntArray, value: IntArray) -> IntArray | None:
    """A world in which people of these cohorts have these values; None if none was found.

    Returns:
        a count for each unknown that agrees with all sums.
    """
    known = _known(counts, cohort, value)
    if known is None:
        return None
    n_known = np.bincount(cohort, minlength=len(counts.people))
    low, high = known, known + (counts.people - n_known)[counts.cohort]
    if counts.tighten(low, high).any():
        return None
    left = parts(counts, low, high)
    if any(len(part) > _MOST_OF_PROGRAM for part in left):
        return None
    world = np.where(low == high, low, -1)
    find_worlds([PartProgram.of(counts, low, high, part) for part in left], world, _IN_ALL)
    return world if agrees(counts, world) else None


def _known(counts: JointCounts, cohort: IntArray, value: IntArray) -> IntArray | None:
    """How many people are known to have the value of each unknown; None if a value has none."""
    n_values = int(max(counts.value.max(initial=0), value.max(initial=0))) + 1
    keys = counts.cohort * n_values + counts.value
    is_in_sums = counts.totals[cohort] >= 0
    wanted = (cohort * n_values + value)[is_in_sums]
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if not len(keys) or (keys[at] != wanted).any():
        return None
    return np.bincount(at, minlength=len(keys)).astype(np.int64)
