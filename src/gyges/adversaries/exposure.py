"""How exposed each group is: the worst case of k facts if the target is one of its people.

The facts may be about anybody in any group; only the target's group is fixed.
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
class Exposure:
    """The worst case for each group: rounded for all, exact for those that are asked for."""

    groups: Groups
    reach: int  # atoms, target included, that are considered
    costs: FloatArray  # -log of the odds against the worst target of each group
    placing: Placing | None  # of all groups; None where everybody is exposed, or there is nobody
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
        """min_h n/s_1 · least(h) · star(K-h): some atoms here, the others where they do best."""
        assert self.placing is not None
        return Fraction(row[0], row[1]) * min(
            least_probability(row, h)[0] * self.placing.probability(self.reach - h)
            for h in range(1, self.reach + 1)
        )


def exposure(groups: Groups, k: int) -> Exposure:
    """The worst case of k implications for a target in each group."""
    decisive, _ = find(groups, k)
    if decisive.reach <= k or not len(decisive.rows):
        # So few atoms rule out all values of some group that one is left for any target.
        costs = np.where(groups.sizes > 0, np.inf, -np.inf)
        return Exposure(groups, decisive.reach, costs, None)
    star, _ = closures(decisive.costs)
    costs = cost_of_each(groups.sizes, groups.starts, groups.value_counts, star)
    return Exposure(groups, decisive.reach, costs, Placing(decisive))


def denied_shares(groups: Groups, k: int) -> tuple[IntArray, IntArray]:
    """The worst case of k negations for a target in each group: numerators, denominators."""
    rank = Ragged(groups.descending, groups.starts).place_in_segment
    ruled_out = np.where((rank >= 1) & (rank <= k), groups.descending, 0)
    return groups.most_frequent, groups.sizes - Ragged(ruled_out, groups.starts).sums()
