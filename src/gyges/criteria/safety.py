"""(c,k)-safety: an attacker who knows any k facts is not too certain of anyone's value.

Where people have sets or multisets of values, each value of a group is judged as a group of its own
by the skyline of the worst k facts (adversaries/independent_values.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np

from gyges.adversaries import minimize, negations
from gyges.adversaries.dimension_statistics import StatisticMinima
from gyges.adversaries.group_disclosure import denied_shares, group_disclosure
from gyges.adversaries.implications import MOST_FACTS, check, share_of
from gyges.adversaries.independent_values import ANY, by_value, others_and_relatives
from gyges.adversaries.minimize import DominatingRows, Placing
from gyges.adversaries.witness import Language
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import JudgesAll, Proposed, Reads, Risk, Unprepared, of_groups
from gyges.criteria.nearest_passing_rule import decimals_above, first_passing
from gyges.criteria.settle_exactly import settle
from gyges.criteria.skyline import BoundSkyline, Skyline
from gyges.data.schema import ValuesPerPerson
from gyges.exact import Number, compare, probability, whole
from gyges.kernels.atom_costs import margin
from gyges.kernels.dominating_groups import closures
from gyges.kernels.joint_effect import costs_together, rows_of
from gyges.ragged import Ragged
from gyges.release.groups import Groups

_FORMS = {"implications": '"if A has x, then B has y"', "negations": '"A does not have x"'}

# For implications; for negations the largest share; for several values per person.
Summary: TypeAlias = DominatingRows | Fraction | StatisticMinima
_OF_ANY = Groups.from_lists([[ANY]])

_LEAST = Fraction(1, 2**64)  # less than any probability of a value that somebody may have
_CLOSE = 1e-9  # costs nearer to the limit than this are decided exactly; rounding is far below


@of_groups
@dataclass(frozen=True, slots=True)
class Safety(Unprepared, JudgesAll[Summary]):
    """With any k implications known every probability is below c [Martin2007, Def. 13].

    `confidence` is c; with `language="negations"` the attacker knows k negations instead, as in
    l-diversity. The summary is the few histograms that decide the worst case: `merge` keeps, for
    every number of atoms, the least product with and without the target. So adding groups to a
    judged release costs those groups only.

    >>> from gyges.criteria.verdict import judge
    >>> groups = Groups.from_lists([["Flu", "Flu", "Gout", "Gout", "Mumps"]])
    >>> judge(Safety("2/3", k=1), groups).safe, judge(Safety("0.67", k=1), groups).safe
    (False, True)
    """

    confidence: Fraction
    k: int
    language: Language = "implications"
    _limit: float = field(default=0.0, repr=False, compare=False)  # log of the odds of c
    is_monotone: ClassVar[bool] = True  # [Martin2007, Theorem 14]
    bounds_each_person: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"

    def __init__(self, confidence: Number, k: int, language: Language = "implications") -> None:
        object.__setattr__(self, "confidence", probability(confidence))
        object.__setattr__(self, "k", whole(k, "k", most=MOST_FACTS))
        object.__setattr__(self, "language", language)
        object.__setattr__(self, "_limit", _log_odds(self.confidence))
        check(language)

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """For sets docs/attackers/implications.md proves it; for multisets nobody has."""
        return values_per_person != "multiset"

    def summarize(self, groups: Groups) -> Summary:
        """The few histograms that decide; for negations the largest share."""
        if groups.values_per_person != "one":
            return self._by_value.summarize(by_value(groups))
        if self.language == "negations":
            shares, _ = negations.curve(groups, self.k)
            return shares[-1] if len(shares) > self.k else Fraction(1)
        return minimize.find(groups, self.k)[0]

    def merge(self, one: Summary, other: Summary) -> Summary:
        """Those of two batches that decide together."""
        if isinstance(one, DominatingRows) and isinstance(other, DominatingRows):
            return minimize.merged(one, other)
        if isinstance(one, StatisticMinima) and isinstance(other, StatisticMinima):
            return self._by_value.merge(one, other)
        assert isinstance(one, Fraction) and isinstance(other, Fraction)
        return max(one, other)

    def risk(self, summary: Summary) -> Fraction:
        """The largest probability that k facts can give to anyone's value."""
        if isinstance(summary, Fraction):
            return summary
        if isinstance(summary, StatisticMinima):
            return self._by_value.risk(summary)
        if not len(summary.rows):
            return Fraction(0)
        return share_of(Placing(summary).odds(summary.reach))

    def holds(self, summary: Summary) -> bool:
        """Strictly below the confidence: rounded costs decide unless they are close to it."""
        if isinstance(summary, StatisticMinima):
            return self._by_value.holds(summary)
        if isinstance(summary, DominatingRows):
            distance = summary.cost - self._limit
            if not abs(distance) <= self._close(summary.reach):  # infinite, or both are: NaN
                return distance < 0
        return self.risk(summary) < self.confidence

    def risks(self, groups: Groups) -> FloatArray:
        """The largest probability for a target in each group; the facts may be about anyone."""
        if groups.values_per_person != "one":
            by_part = Ragged(self._by_value.risks(by_value(groups)), groups.starts)
            return np.asarray(by_part.maxima())
        if self.language == "negations":
            top, people = denied_shares(groups, self.k)
            return top / np.maximum(people, 1)
        return np.asarray(1.0 / (1.0 + np.exp(-group_disclosure(groups, self.k).costs)))

    def holds_each(self, groups: Groups) -> BoolArray:
        """In which groups every probability stays below the confidence."""
        if groups.values_per_person != "one":
            by_part = Ragged(self._by_value.holds_each(by_value(groups)), groups.starts)
            return np.asarray(by_part.reduced(np.logical_and, True))
        if self.language == "negations":
            top, people = denied_shares(groups, self.k)
            return compare(top, np.maximum(people, 1), self.confidence) < 0
        exposed = group_disclosure(groups, self.k)
        with np.errstate(invalid="ignore"):  # both infinite: certain, and c is 1
            distance = exposed.costs - self._limit
        holds: BoolArray = distance < 0
        for group in np.flatnonzero(np.abs(distance) <= self._close(exposed.reach)):
            holds[group] = share_of(exposed.odds(int(group))) < self.confidence
        return holds

    def may_add(self, summary: Summary, groups: Groups, first: IntArray) -> BoolArray:
        """Which batches `first[p]:first[p+1]` of groups may join those of a summary that holds."""
        if isinstance(summary, StatisticMinima):
            return self._by_value.may_add(summary, by_value(groups), groups.starts[first])
        if not isinstance(summary, DominatingRows):
            return Ragged(self.holds_each(groups), first).reduced(np.logical_and, True)
        if not len(summary.rows) or summary.reach <= self.k:
            unclear = np.zeros(len(first) - 1, dtype=np.int64)
            return settle(self, summary, groups, first, unclear, lambda p: p)
        costs = costs_together(
            groups.sizes, groups.starts, groups.value_counts, first, *closures(summary.costs)
        )
        with np.errstate(invalid="ignore"):  # both infinite: certain, and c is 1
            distance = costs - self._limit
        is_close = ~(np.abs(distance) > self._close(summary.reach))
        standing = np.where(is_close, 0, -np.sign(np.nan_to_num(distance))).astype(np.int64)
        rows = np.asarray(rows_of(groups.sizes, groups.starts, groups.value_counts, summary.reach))

        def key(p: int) -> bytes:
            return rows[first[p] : first[p + 1]].tobytes()

        return settle(self, summary, groups, first, standing, key)

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """k facts rule out all but one of k + 1 values, where nobody has several."""
        return self.k + 2 if values_per_person == "one" else 0

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The least confidence in few decimals, or the largest k."""
        if reached < 1:
            yield from first_passing(
                decimals_above(reached),
                "confidence",
                lambda c: Safety(c, self.k, self.language),
                groups,
            )
        fewer = range(self.k - 1, -1, -1)
        yield from first_passing(
            fewer, "k", lambda k: Safety(self.confidence, k, self.language), groups
        )

    @property
    def _by_value(self) -> BoundSkyline:
        """The skyline of the worst k facts, for groups of one value each."""
        amounts = (0, *others_and_relatives(self.k, self.language))
        point = (*amounts, max(self.confidence, _LEAST))
        return Skyline({ANY: [point]}).bind(_OF_ANY)

    def _close(self, reach: int) -> float:
        scale = max(1.0, abs(self._limit)) if math.isfinite(self._limit) else 1.0
        return _CLOSE * scale + float(margin(reach))

    def __str__(self) -> str:
        known = f"any {self.k} facts" if self.k > 1 else "any one fact"
        known = f"knows {known} of the form {_FORMS[self.language]}" if self.k else "knows no facts"
        return f"an attacker who {known} is less than {self.confidence} certain of anyone's value"


def _log_odds(share: Fraction) -> float:
    """log c/(1-c), for integers of any length."""
    if share in (0, 1):
        return math.inf if share == 1 else -math.inf
    return math.log(share.numerator) - math.log(share.denominator - share.numerator)
