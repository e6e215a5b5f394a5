"""Parts of groups that satisfy the rules in every world, or in none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import PlacedCells

Limit: TypeAlias = Callable[[int], int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartTest:
    """Whether parts satisfy every rule.

    `most` is given where the rules ask nothing else than that no value of a part of n people
    occurs more than `most(n)` times: then values that are too rare to matter are counted together.
    """

    holds: Callable[[Groups], BoolArray]
    least: int = 1  # people that every part needs
    most: Limit | None = None


def settled(groups: PlacedCells, cells: IntArray, test: PartTest) -> bool | None:
    """The result of the test of a part, where it is the same in every world; None where not.

    In a part with i of a group's n people, a value that h of them have occurs at least i + h - n
    and at most min(i, h) times.
    """
    people = groups.cells.people[cells]
    size = int(people.sum())
    if size < test.least:
        return False
    if test.most is None:
        return None
    of_cell, limit = groups.group_of_cell[cells], test.most(size)
    touched, where = np.unique(of_cell, return_inverse=True)
    inside = np.bincount(where, people).astype(np.int64)[:, None]
    counts = dense_counts(groups, touched)
    if (np.minimum(counts, inside).sum(axis=0) <= limit).all():
        return True
    least = np.maximum(inside + counts - groups.sizes[touched][:, None], 0)
    return False if (least.sum(axis=0) > limit).any() else None


def dense_counts(groups: Groups, chosen: IntArray) -> IntArray:
    """How often each value occurs in each of these groups: groups × values."""
    counts = np.zeros((len(chosen), len(groups.values)), dtype=np.int64)
    for place, g in enumerate(chosen.tolist()):
        entries = slice(groups.starts[g], groups.starts[g + 1])
        counts[place, groups.value_codes[entries]] = groups.value_counts[entries]
    return counts
