"""k-anonymity: every group has at least k people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gyges.arrays import IntArray
from gyges.criteria.base import Proposed, Reads, Risk
from gyges.criteria.worst_group import ByLeastCount
from gyges.exact import whole
from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True)
class KAnonymity(ByLeastCount):
    """Every group has at least `k` people [Sweeney2002].

    >>> from gyges.criteria.verdict import judge
    >>> judge(KAnonymity(2), Groups.from_lists([["Flu", "Gout"], ["Flu", "Flu"]])).safe
    True
    """

    k: int
    is_monotone: ClassVar[bool] = True
    reads: ClassVar[Reads] = "sizes"
    survives_growth: ClassVar[bool] = True
    is_about_concentration: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "k", least=1))

    @property
    def least_count(self) -> int:
        """k."""
        return self.k

    def count_each(self, groups: Groups) -> IntArray:
        """The size of each group."""
        return groups.sizes

    def most_of_a_value(self, people: int) -> int:
        """Everybody in a group of k people; nobody in a smaller one."""
        return people if people >= self.k else 0

    @property
    def least_people(self) -> int:
        """k."""
        return self.k

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The k that is reached."""
        if reached >= 1:
            yield f"k = {reached}", KAnonymity(int(reached))

    def __str__(self) -> str:
        return f"every group has at least {self.k} people"
