"""Safety of numbers: no interval of some width may hold anyone's number with much certainty.

To be 90 % certain of an income within 5,000 may be as bad as to know it. adversaries/policy_odds.py
computes the worst facts for each interval, as for a class of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from gyges.adversaries.asked_values import Interval, width_of
from gyges.adversaries.implications import MOST_FACTS
from gyges.criteria.base import Reads, Rule, of_groups
from gyges.criteria.bound_policies import BoundPolicies, Covered, Policy
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value
from gyges.exact import Number, probability, text_of_fraction, whole
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class IntervalSafety(Rule):
    """With any k implications known, no interval of a width has anyone's number with confidence c.

    The ends of an interval belong to it, so that width 0 is about single numbers. Values that are
    no numbers are in no interval: another rule must protect them.

    >>> from gyges.criteria.verdict import judge
    >>> groups = Groups.from_lists([[12_000, 15_000, 40_000, 70_000], [20_000, 50_000, 90_000]])
    >>> judge(IntervalSafety(5_000, "0.5", k=0), groups).safe
    False
    >>> judge(IntervalSafety(5_000, "0.8", k=1), groups).safe
    True
    """

    width: Fraction
    confidence: Fraction
    k: int
    is_local: ClassVar[bool] = False  # facts may be about anyone
    is_monotone: ClassVar[bool] = True  # for one value per person; see is_monotone_for
    bounds_each_person: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"

    def __init__(self, width: Number, confidence: Number, k: int) -> None:
        object.__setattr__(self, "width", width_of(width))
        object.__setattr__(self, "confidence", probability(confidence))
        object.__setattr__(self, "k", whole(k, "k", most=MOST_FACTS))

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Proven for one value per person, as for any class of values."""
        return values_per_person == "one"

    def bind(self, whole: Groups) -> BoundPolicies:
        """Find the numbers among the values of the table."""
        asked = Interval.of(whole.values, self.width)
        covered = Covered("an interval", Policy(self.confidence, self.k), asked)
        return BoundPolicies(self, whole.values, (covered,))

    def claimed_of(self, there: Sequence[Value]) -> IntervalSafety | None:
        """The rule itself, unless nobody has a number."""
        return self if Interval.of(there, self.width).numbers else None

    def notices_on(self, values: list[Value]) -> list[str]:
        """Values that are in no interval."""
        n_others = len(values) - len(Interval.of(values, self.width).numbers)
        if not n_others:
            return []
        return [
            f"{n_others:,} of {len(values):,} sensitive values are no numbers: the rule about "
            f"intervals does not protect them"
        ]

    def __str__(self) -> str:
        facts = Policy(self.confidence, self.k).facts
        return (
            f"an attacker who knows {facts} is less than {self.confidence} certain that anyone's "
            f"number is in an interval of width {text_of_fraction(self.width)}"
        )
