"""β-likeness: no sensitive value is much more frequent in a group than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gyges.arguments import flag, shown
from gyges.arrays import BoolArray, FloatArray
from gyges.criteria.base import Proposed, Risk, of_groups, refuse_other_values
from gyges.criteria.nearest_passing_rule import number_text
from gyges.criteria.share_ratios import BoundToShares, ComparesShares
from gyges.criteria.worst_group import WorstGroup
from gyges.errors import RuleError
from gyges.exact import Number, compare, exceeds_log, fraction, largest_ratio
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class BetaLikeness(ComparesShares):
    """(q - p)/p <= β for every value of every group [Cao2012, basic β-likeness].

    p is the value's share in the whole table, q in the group; only values that become more frequent
    count. `enhanced` also asks (q - p)/p <= -ln p of each value, so that a frequent value cannot
    become certain [Cao2012, enhanced β-likeness].
    """

    beta: Fraction
    enhanced: bool = False

    def __init__(self, beta: Number, enhanced: bool = False) -> None:
        object.__setattr__(self, "beta", fraction(beta, "beta"))
        object.__setattr__(self, "enhanced", flag(enhanced, "enhanced"))
        if self.beta <= 0:
            raise RuleError(f"beta is {shown(beta)}: a relative gain above 0 is needed")

    def bind(self, whole: Groups) -> BoundBetaLikeness:
        """Compare with these people's values."""
        return BoundBetaLikeness.of(self, whole)

    def __str__(self) -> str:
        text = (
            f"in every group the share of each value exceeds its share p in the whole table by at "
            f"most {self.beta} times p"
        )
        return f"{text}, and by at most -ln p times p" if self.enhanced else text


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundBetaLikeness(BoundToShares):
    """β-likeness to one table."""

    rule: BetaLikeness

    def summarize(self, groups: Groups) -> WorstGroup:
        """The largest gain of a value in a group, and whether a gain is too large."""
        refuse_other_values(groups, self.values)
        above, below = self.ratios(groups)
        largest = largest_ratio(above, below)
        gain = Fraction(0) if largest is None else max(largest - 1, Fraction(0))
        return WorstGroup(gain, fails=not bool(self.holds_each(groups).all()))

    def risks(self, groups: Groups) -> FloatArray:
        """The largest gain of a value in each group."""
        refuse_other_values(groups, self.values)
        above, below = self.ratios(groups)
        largest = Ragged(above / below, groups.starts).reduced(np.maximum, 1.0)
        return np.asarray(np.maximum(largest - 1, 0.0))

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups have no gain above its limit."""
        refuse_other_values(groups, self.values)
        above, below = self.ratios(groups)
        fits = compare(above, below, self.rule.beta + 1) <= 0
        if self.rule.enhanced:
            fits &= self._below_own_limit(groups)
        return np.asarray(Ragged(fits, groups.starts).reduced(np.logical_and, True))

    def _below_own_limit(self, groups: Groups) -> BoolArray:
        """Whether q/p - 1 <= ln(1/p) for each value that occurs in a group, exactly."""
        above, below = self.ratios(groups)
        total = int(self.totals.sum())
        of_value = self.totals[groups.value_codes]
        with np.errstate(divide="ignore"):
            slack = np.log(total / of_value) - (above / below - 1)
        fits: BoolArray = slack > 0
        for entry in np.flatnonzero(np.abs(slack) <= 1e-9 * (1 + above / below)).tolist():
            gain = Fraction(int(above[entry]), int(below[entry])) - 1
            fits[entry] = not exceeds_log(gain, Fraction(total, int(of_value[entry])))
        return fits

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The β that is reached, exactly; with `enhanced` it may not be enough."""
        if reached > 0:
            rule = BetaLikeness(Fraction(reached), self.rule.enhanced)
            yield f"beta = {number_text(reached)}", replace(self, rule=rule)
