"""δ-disclosure privacy: each value is about as frequent in a group as in the whole table."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gyges.arguments import shown
from gyges.arrays import BoolArray, FloatArray
from gyges.criteria.base import Proposed, Risk, of_groups, refuse_other_values
from gyges.criteria.nearest_passing_rule import decimals_above, first_passing
from gyges.criteria.share_ratios import BoundToShares, ComparesShares
from gyges.criteria.worst_group import WorstGroup
from gyges.data.schema import ValuesPerPerson
from gyges.errors import RuleError
from gyges.exact import Number, exceeds_log, fraction
from gyges.ragged import Ragged
from gyges.release.groups import Groups

_CLOSE = 1e-9  # far above the rounding of a logarithm, far below what matters


@of_groups
@dataclass(frozen=True, slots=True)
class DeltaDisclosure(ComparesShares):
    """|ln(q/p)| < δ for every value of the table, in every group [Brickell2008].

    p is the value's share in the whole table, q in the group. A value that a group lacks has q = 0,
    so the logarithm is infinite: by the definition every group holds every value. Tools that skip
    absent values report less.
    """

    delta: Fraction

    def __init__(self, delta: Number) -> None:
        object.__setattr__(self, "delta", fraction(delta, "delta"))
        if self.delta <= 0:
            raise RuleError(f"delta is {shown(delta)}: a logarithm above 0 is needed")

    def bind(self, whole: Groups) -> BoundDeltaDisclosure:
        """Compare with these people's values."""
        return BoundDeltaDisclosure.of(self, whole)

    def __str__(self) -> str:
        return (
            f"in every group the share of each value differs from its share in the whole table by "
            f"a factor whose natural logarithm is below {self.delta}"
        )


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundDeltaDisclosure(BoundToShares):
    """δ-disclosure privacy with respect to one table."""

    rule: DeltaDisclosure

    def summarize(self, groups: Groups) -> WorstGroup:
        """The largest |ln(q/p)|, and whether it is too large."""
        largest = float(self.risks(groups).max(initial=0.0))
        return WorstGroup(largest, fails=not bool(self.holds_each(groups).all()))

    def risks(self, groups: Groups) -> FloatArray:
        """The largest |ln(q/p)| of each group; infinite where a value is absent."""
        return np.where(self._has_every_value(groups), self._largest(groups), np.inf)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups stay below δ."""
        above, below = self.ratios(groups)
        off = np.abs(np.log(above / below))
        fits: BoolArray = off < float(self.rule.delta)
        close = np.abs(off - float(self.rule.delta)) <= _CLOSE * (1 + off)
        for entry in np.flatnonzero(close).tolist():
            ratio = Fraction(int(above[entry]), int(below[entry]))
            fits[entry] = exceeds_log(self.rule.delta, max(ratio, 1 / ratio))
        all_fit = Ragged(fits, groups.starts).reduced(np.logical_and, True)
        return np.asarray(self._has_every_value(groups) & all_fit)

    def _largest(self, groups: Groups) -> FloatArray:
        above, below = self.ratios(groups)
        return np.asarray(Ragged(np.abs(np.log(above / below)), groups.starts).maxima())

    def _has_every_value(self, groups: Groups) -> BoolArray:
        refuse_other_values(groups, self.values)
        return np.asarray(groups.n_distinct == int((self.totals > 0).sum()))

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """Every value that occurs in the table."""
        return int((self.totals > 0).sum())

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The least δ in few decimals, where every group holds every value."""
        if math.isfinite(reached):
            yield from first_passing(
                decimals_above(reached),
                "delta",
                lambda delta: replace(self, rule=DeltaDisclosure(delta)),
                groups,
            )
