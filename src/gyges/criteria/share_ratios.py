"""What rules share that compare a group's shares of values with the whole table's, as ratios."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from gyges.arrays import IntArray
from gyges.criteria.base import Reads, Rule
from gyges.criteria.worst_group import ByWorstGroup
from gyges.data.values import Value
from gyges.errors import RuleError
from gyges.release.groups import Groups

_MOST_OCCURRENCES = 2**30  # of values in a table: products of two counts stay below 2^63


class ComparesShares(Rule):
    """A rule about q_v / p_v: the share of value v in a group over its share in the whole table."""

    is_local: ClassVar[bool] = True
    is_monotone: ClassVar[bool] = True  # a merged group's shares lie between those of its parts
    reads: ClassVar[Reads] = "table"


@dataclass(frozen=True, slots=True, eq=False)
class BoundToShares(ByWorstGroup):
    """Such a rule with the shares of one table."""

    rule: Rule
    values: list[Value]
    totals: IntArray  # values: how often each occurs in the whole table

    @classmethod
    def of(cls, rule: Rule, whole: Groups) -> Self:
        """Compare with these people's values."""
        if int(whole.value_totals.sum()) > _MOST_OCCURRENCES:
            raise RuleError(
                "rules about ratios of shares count up to 2^30 values in a table: take a sample, "
                "or another rule"
            )
        return cls(rule, whole.values, whole.value_totals)

    def rebind(self, published: Groups) -> Self:
        """Compare with the values of the published people: a reader knows no others."""
        return replace(self, totals=published.value_totals)

    def ratios(self, groups: Groups) -> tuple[IntArray, IntArray]:
        """q/p of each value that occurs in a group, as numerators and denominators.

        q = n_v/n and p = N_v/N, so q/p = n_v·N / (n·N_v).
        """
        n = groups.n_occurrences[groups.group_of_entry]
        above = groups.value_counts * int(self.totals.sum())
        return above.astype(np.int64), (n * self.totals[groups.value_codes]).astype(np.int64)
