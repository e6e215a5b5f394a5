"""The worst case of k facts for a target in each group.

The facts may be about anyone in any group; only the target's group is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from gyges.adversaries.minimize import Placing, Row, find, least_probability
from gyges.arrays import FloatArray, IntArray, frozen
from gyges.kernels.atom_costs import fill_row
from gyges.kernels.dominating_groups import closures, cost_of_each
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@dataclass(frozen=True, eq=False)
class GroupDisclosure:
    """The worst case for each group: rounded for all, exact on demand."""

    groups: Groups
    reach: int  # atoms, target included, that are considered
    costs: FloatArray  # -log of the odds against the worst target of each group
    placing: Placing | None  # of all groups; None where everyone is exposed, or there is no one
    _known: dict[Row, Fraction] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        frozen(self.costs)

    def odds(self, group: int) -> Fraction:
        """The least odds against a target in the group, where they are neither 0 nor infinite."""
        row = np.empty(self.reach + 1, dtype=np.int64)
        row[0] = self.groups.sizes[group]
        start, stop = self.groups.starts[group : group + 2]
        fill_row(self.groups.value_counts, int(start), int(stop), row)
        key = tuple(row.tolist())
        if key not in self._known:
            self._known[key] = self._odds(key)
        return self._known[key]

    def _odds(self, row: Row) -> Fraction:
        """min_h n/s_1 · least(h) · star(K-h): h atoms in this group, the others at their best."""
        assert self.placing is not None
        return Fraction(row[0], row[1]) * min(
            least_probability(row, h)[0] * self.placing.probability(self.reach - h)
            for h in range(1, self.reach + 1)
        )


def group_disclosure(groups: Groups, k: int) -> GroupDisclosure:
    """The worst case of k implications for a target in each group."""
    dominating, _ = find(groups, k)
    if dominating.reach <= k or not len(dominating.rows):
        # Few atoms rule out all values of some group, so that one is left for any target.
        costs = np.where(groups.sizes > 0, np.inf, -np.inf)
        return GroupDisclosure(groups, dominating.reach, costs, None)
    star, _ = closures(dominating.costs)
    costs = cost_of_each(groups.sizes, groups.starts, groups.value_counts, star)
    return GroupDisclosure(groups, dominating.reach, costs, Placing(dominating))


def denied_shares(groups: Groups, k: int) -> tuple[IntArray, IntArray]:
    """The worst case of k negations for a target in each group: numerators, denominators."""
    rank = Ragged(groups.descending, groups.starts).place_in_segment
    ruled_out = np.where((rank >= 1) & (rank <= k), groups.descending, 0)
    return groups.most_frequent, groups.sizes - Ragged(ruled_out, groups.starts).sums()
