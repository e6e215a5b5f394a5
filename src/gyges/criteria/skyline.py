"""The skyline: for each value, how much an attacker may know without becoming too certain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from gyges.adversaries.dimension_statistics import (
    StatisticMinima,
    code_of,
    exact_ratio_of_target,
    listed_signatures,
    merged,
    statistic_minima,
)
from gyges.adversaries.dimensions import breach
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import (
    JudgesAll,
    Proposed,
    Reads,
    Risk,
    Rule,
    of_groups,
    refuse_other_values,
)
from gyges.criteria.nearest_passing_rule import decimals_above, number_text
from gyges.criteria.settle_exactly import settle
from gyges.criteria.skyline_points import (
    MOST_POINTS,
    OTHERS,
    Plan,
    Point,
    laid_out,
    read_points,
    undominated,
)
from gyges.criteria.verdict import Verdict, judge
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, sort_key, stated_text, text_of
from gyges.errors import RuleError
from gyges.exact import Number, readable_number
from gyges.kernels import log_ratios as kernel
from gyges.kernels.joint_effect import standings_together
from gyges.ragged import Ragged
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, slots=True)
class Skyline(Rule):
    """No attacker below the skyline predicts a value with its confidence [Chen2009, Def. 4].

    `{value: [(l, k, m, c), …]}`: an attacker who knows at most l values that the target does not
    have (set and multiset: l values correlated with this one), k other people and m relatives is
    less than c certain that the target has the value. `"*"` stands for every value of the release
    without an entry of its own. Points that another point implies are dropped; `notices` lists
    them.

    Merging groups never breaks it where each person has one value [Chen2009, Thm. 3]; where
    people have sets or multisets it may (`is_monotone_for`).

    >>> groups = Groups.from_lists([["AIDS", "Flu", "Flu", "AIDS"], ["Flu", "Gout", "Flu", "AIDS"]])
    >>> judge(Skyline({"AIDS": [(0, 0, 0, "0.6")], "*": [(0, 1, 0, "0.9")]}), groups).safe
    True
    """

    points: Mapping[str, tuple[Point, ...]]  # by the text of the value
    notices: tuple[str, ...] = field(init=False, compare=False)
    is_local: ClassVar[bool] = False  # a relative may sit in any group
    is_monotone: ClassVar[bool] = True  # for one value per person; see is_monotone_for
    bounds_each_person: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"

    def __init__(self, points: Mapping[Any, Iterable[Sequence[Number]]]) -> None:
        if not isinstance(points, Mapping) or not points:
            raise RuleError("give a skyline as {value: [(l, k, m, c), …]} with at least one value")
        kept: dict[str, tuple[Point, ...]] = {}
        notices: list[str] = []
        named: dict[str, list[Point]] = {}
        n_left = MOST_POINTS
        for stated, listed in points.items():  # 250 and "250" may both have an entry: both count
            value = stated_text(stated, "a value of the skyline")
            read = read_points(stated, listed, n_left)
            n_left -= len(read)
            named[value] = [*named.get(value, []), *read]
        for value, together in sorted(named.items(), key=_others_last):
            kept[value], dropped = undominated(together)
            notices += [
                f"{value}: {point} below {point.c} is dropped, {other} below {other.c} implies it"
                for point, other in dropped
            ]
        object.__setattr__(self, "points", kept)
        object.__setattr__(self, "notices", tuple(notices))

    def __hash__(self) -> int:
        return hash(frozenset(self.points.items()))

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Whether merging two groups of a safe release leaves it safe, for such data.

        Not for sets and multisets: with l = 1, a group of two people with one s, next to a group
        of one person with a and a, is at 1/2, and at 9/17 when both are merged.
        """
        return values_per_person == "one"

    def named(self) -> list[str]:
        """The values that have points of their own."""
        return [value for value in self.points if value != OTHERS]

    def bind(self, whole: Groups) -> BoundSkyline:
        """Lay the points out over the values of the table."""
        return BoundSkyline(self, laid_out(self.points, whole.values))

    def notices_on(self, values: list[Value]) -> list[str]:
        """Points that were dropped, and values of the skyline that nobody has."""
        absent = [
            f"{value}: no one in the release has this value, so its entry in the skyline has no "
            f"effect (is it spelled as in the data?)"
            for value in self.points
            if value != OTHERS and code_of(values, value) is None
        ]
        return [*self.notices, *absent]

    def __str__(self) -> str:
        parts = [
            f"below {point.c} for {_named(value)} at {point}"
            for value, points in self.points.items()
            for point in points
        ]
        more = [f"and {len(parts) - 6} more"] if len(parts) > 6 else []
        return f"the breach probability is {', '.join(parts[:6] + more) or 'not limited'}"


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundSkyline(JudgesAll[StatisticMinima]):
    """A skyline laid out over the values of one table."""

    rule: Skyline
    plan: Plan

    def summarize(self, groups: Groups) -> StatisticMinima:
        """Five minima for each value and point: one scan of the groups [Chen2009, Fig. 3]."""
        return statistic_minima(self._checked(groups), self.plan.watch)

    def merge(self, one: StatisticMinima, other: StatisticMinima) -> StatisticMinima:
        """The smaller of each two minima."""
        return merged(one, other)

    def risk(self, summary: StatisticMinima) -> Fraction:
        """The breach probability that is largest relative to its confidence."""
        worst = self._worst(summary)
        return Fraction(0) if worst is None else summary.breach(worst)

    def holds(self, summary: StatisticMinima) -> bool:
        """Every breach probability is below its confidence."""
        plan = self.plan
        standing = kernel.worst_standing(summary.least, plan.watch.m, plan.log_limits)
        return bool(standing > 0) if standing else not self._broken(summary)

    def risks(self, groups: Groups) -> FloatArray:
        """The largest breach probability (relative to its confidence) of each group's people."""
        judged = self._judged(groups)
        quotient, breach = judged.quotients[judged.pairs], judged.breaches[judged.pairs]
        by_group = Ragged(quotient, judged.starts)
        top = np.repeat(by_group.maxima(), by_group.lengths)
        return Ragged(np.where(quotient == top, breach, 0.0), judged.starts).maxima()

    def holds_each(self, groups: Groups) -> BoolArray:
        """In which groups no person's value can be predicted with its confidence."""
        judged = self._judged(groups)
        limits = self.plan.limits
        is_broken = judged.standing < 0
        for place in np.flatnonzero(judged.standing == 0):
            signature = judged.found[place]
            is_broken[place] = any(
                exact_ratio_of_target(judged.summary, row, signature[1:]) <= limits[row]
                for row in judged.summary.watch.rows_of_block(int(signature[0]))
            )
        return ~Ragged(is_broken[judged.pairs], judged.starts).maxima()

    def may_add(self, summary: StatisticMinima, groups: Groups, first: IntArray) -> BoolArray:
        """Which batches `first[p]:first[p+1]` of groups may join those of a summary that holds."""
        plan = self.plan
        found, pairs, starts = listed_signatures(self._checked(groups), plan.watch)
        standing = standings_together(
            summary.kind,
            found,
            pairs,
            starts,
            first,
            plan.watch.row_starts,
            plan.watch.k,
            plan.watch.m,
            summary.least,
            plan.log_limits,
        )
        bounds = starts[first]

        def key(p: int) -> frozenset[int]:
            return frozenset(pairs[bounds[p] : bounds[p + 1]].tolist())

        return settle(self, summary, groups, first, standing, key)

    def explain(self, summary: StatisticMinima) -> str:
        """Which value and which amount of knowledge break it most, in words."""
        broken = self._broken(summary)
        worst = self._worst(summary)
        if worst is None or not broken:
            return ""
        plan = self.plan
        value, point = plan.watch.values[plan.watch.codes[worst]], plan.points[worst]
        more = f"; {len(broken) - 1:,} more points fail" if len(broken) > 1 else ""
        breach = readable_number(summary.breach(worst))
        return f"{_named(value)} at {point} has {breach}, not below {point.c}{more}"

    def as_claimed(self, published: Groups) -> Skyline | None:
        """The same rule without the values that no published person has; None if none is left."""
        occurs = [
            value for value, n in zip(published.values, published.value_totals, strict=True) if n
        ]
        kept = {
            value: points
            for value, points in self.rule.points.items()
            if (occurs if value == OTHERS else code_of(occurs, value) is not None)
        }
        return Skyline(kept) if kept else None

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The same knowledge, with every confidence that is too low raised a little."""
        raised: dict[str, list[Point]] = {}
        changes = []
        for value, points in self.rule.points.items():
            raised[value] = []
            for point in points:
                worst = self._largest_breach(value, point, groups)
                if worst == 1 and point.c <= 1:
                    return
                c = point.c if worst < point.c else Fraction(next(decimals_above(worst)))
                raised[value].append(point._replace(c=c))
                if c != point.c:
                    changes.append(f"{number_text(c)} for {value} at {point}")
        if changes:
            shown = [*changes[:3], f"{len(changes) - 3} more"] if len(changes) > 3 else changes
            yield f"confidence = {', '.join(shown)}", Skyline(raised).bind(groups)

    def _largest_breach(self, value: str, point: Point, groups: Groups) -> Fraction:
        """The largest breach probability of the values that an entry of the skyline covers."""
        others = (one for one in groups.values if text_of(one) not in self.rule.points)
        values = others if value == OTHERS else [value]
        found = (breach(groups, one, l=point.l, k=point.k, m=point.m) for one in values)
        return max((one.probability for one in found), default=Fraction(0))

    def _checked(self, groups: Groups) -> Groups:
        refuse_other_values(groups, self.plan.watch.values)
        return groups

    def _broken(self, summary: StatisticMinima) -> list[int]:
        """The rows that do not hold, exactly."""
        plan = self.plan
        standing = kernel.standings(summary.least, plan.watch.m, plan.log_limits)
        broken: list[int] = np.flatnonzero(standing < 0).tolist()
        for row in np.flatnonzero(standing == 0).tolist():
            ratio = summary.ratio(row)
            if ratio is not None and ratio <= plan.limits[row]:
                broken.append(row)
        return broken

    def _worst(self, summary: StatisticMinima) -> int | None:
        """The row with the largest breach relative to its confidence, exactly."""
        plan = self.plan
        ratios = np.array([kernel.least_ratio(minima) for minima in summary.least])
        if not (ratios < math.inf).any():
            return None
        quotients = 1 / (1 + np.exp(np.minimum(ratios, 700.0))) / plan.confidences
        near = np.flatnonzero((quotients >= quotients.max() * (1 - 1e-8)) & (ratios < math.inf))
        alike: dict[tuple[Point, bytes], int] = {}
        for row in near.tolist():
            alike.setdefault((plan.points[row], summary.holders[row].tobytes()), row)
        if len(alike) == 1:
            return next(iter(alike.values()))
        breaches = {row: summary.breach(row) for row in alike.values()}
        return max(breaches, key=lambda row: (breaches[row] / plan.points[row].c, breaches[row]))

    def _judged(self, groups: Groups) -> _Judged:
        plan = self.plan
        summary = self.summarize(groups)
        found, pairs, starts = listed_signatures(self._checked(groups), plan.watch)
        quotients, breaches, standing = kernel.least_ratios(
            summary.kind,
            found,
            plan.watch.row_starts,
            plan.watch.k,
            plan.watch.m,
            summary.least,
            plan.confidences,
            plan.log_limits,
        )
        return _Judged(summary, found, pairs, starts, quotients, breaches, standing)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """Each distinct signature judged together with all groups, and which of them each group has."""

    summary: StatisticMinima
    found: IntArray  # signatures × (3 + width)
    pairs: IntArray  # the signature of each (entry, block), group after group
    starts: IntArray  # groups + 1: where each group's pairs begin
    quotients: FloatArray  # signatures: breach relative to the confidence
    breaches: FloatArray  # signatures
    standing: IntArray  # signatures: 1 below the confidence, -1 not, 0 too close to say


def _named(value: Value) -> str:
    """A value in a sentence: in quotes, so that it cannot be read as part of the sentence."""
    return "any other value" if value == OTHERS else repr(value)


def _others_last(entry: tuple[str, object]) -> tuple[bool, tuple[int, float, str]]:
    """Values in sorted order, so that the same policy always reads the same."""
    return entry[0] == OTHERS, sort_key(entry[0])


def skyline_check(
    groups: Groups, skyline: Skyline | Mapping[Value, Iterable[Sequence[Number]]]
) -> Verdict:
    """SkylineCheck: whether a release is safe under a skyline for each value [Chen2009, Fig. 3].

    >>> groups = Groups.from_lists([["AIDS", "Flu", "Flu", "AIDS"], ["Flu", "Gout", "Flu", "AIDS"]])
    >>> print(skyline_check(groups, {"AIDS": [(0, 1, 0, "0.6")]}))
    not safe
      fails: the breach probability is below 3/5 for 'AIDS' at (0, 1, 0) (worst case: 2/3, 0.667, \
in group 1; 'AIDS' at (0, 1, 0) has 2/3 (0.667), not below 3/5)
    """
    return judge(skyline if isinstance(skyline, Skyline) else Skyline(skyline), groups)
