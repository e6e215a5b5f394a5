"""k-anonymity counted in households: every group has people of at least k households."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gyges.adversaries.member_groups import known_cells
from gyges.arrays import IntArray, distinct_pairs
from gyges.criteria.base import BoundRule, Needs, Proposed, Reads, Risk
from gyges.criteria.worst_group import ByLeastCount
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.exact import whole
from gyges.ragged import Ragged
from gyges.release.groups import Groups

_NO_HOUSEHOLDS = "k is counted in households, and no column of households is named: household='…'"


@dataclass(frozen=True, slots=True)
class HouseholdAnonymity(ByLeastCount):
    """Every group has people of at least `k` households.

    Where relatives fill a group, someone who knows them all recognizes each of its k people. With
    k households in a group, an attacker who knows all members of one still sees k - 1 others.

        | { household(p) : p in group } | >= k

    The files of a release do not show households, so only the original confirms it.
    """

    k: int
    is_monotone: ClassVar[bool] = True
    reads: ClassVar[Reads] = "cells"
    needs: ClassVar[Needs] = "original"
    survives_growth: ClassVar[bool] = True
    is_about_values: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "k", least=1))

    @property
    def least_count(self) -> int:
        """k."""
        return self.k

    def bind(self, whole: Groups) -> BoundRule[int]:
        """The rule as it is, if the table has a column of households."""
        _households(known_cells(whole).cells)
        return self

    def count_each(self, groups: Groups) -> IntArray:
        """The number of households in each group."""
        placed = known_cells(groups)
        homes, cells = _households(placed.cells), placed.cells_by_group
        held = homes.take(cells.values)
        group = cells.segment_of_value[held.segment_of_value]
        group, _ = distinct_pairs(group, held.values)
        return np.bincount(group, minlength=len(groups)).astype(np.int64)

    def why_not_judged(self, cells: Cells) -> str:
        """Why a table cannot decide the rule."""
        return "" if cells.households is not None else _NO_HOUSEHOLDS

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The k that is reached."""
        if reached >= 1:
            yield f"k = {reached}", HouseholdAnonymity(int(reached))

    def __str__(self) -> str:
        return f"every group has people of at least {self.k} households"


def _households(cells: Cells) -> Ragged:
    """The households of the people in each cell; an error where they are not known."""
    if cells.households is None:
        raise RuleError(_NO_HOUSEHOLDS)
    return cells.households
