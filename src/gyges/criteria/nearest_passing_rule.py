"""What would pass: for a rule that does not hold, the nearest one of its kind that does.

Every answer was judged on the groups it is about: it is never a guess from rounded numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import singledispatch
from typing import Any, TypeAlias, TypeVar

from gyges.adversaries.dimensions import breach
from gyges.criteria.base import Criterion, Risk
from gyges.criteria.belief import Beliefs
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.recursive_diversity import RecursiveDiversity
from gyges.criteria.safety import Safety
from gyges.criteria.skyline import Skyline
from gyges.criteria.skyline_points import OTHERS, Point
from gyges.criteria.t_closeness import TCloseness
from gyges.criteria.verdict import judge, show
from gyges.data.values import Value
from gyges.release.groups import Groups

Proposed: TypeAlias = Iterator[tuple[str, Criterion[Any]]]  # in words, and made
Number = TypeVar("Number", int, str)

_DECIMALS = range(2, 7)  # how many places a proposed threshold may have


@dataclass(frozen=True, slots=True)
class Nearest:
    """A rule that does not hold, what is reached instead, and what would pass."""

    rule: Criterion[Any]
    reached: Risk
    passing: tuple[Criterion[Any], ...]  # of the same kind, each with one number changed
    words: str  # the same for people: "k = 7"

    def __str__(self) -> str:
        would = f"would pass: {self.words}" if self.words else "nothing of its kind would pass"
        return f"{self.rule}: at best {show(self.reached)}; {would}"


def nearest(criteria: Iterable[Criterion[Any]], groups: Groups) -> tuple[Nearest, ...]:
    """For each rule that these groups break, the nearest rules of its kind that they satisfy.

    >>> groups = Groups.from_lists([["Flu", "Flu", "Gout"]])
    >>> print(*nearest([KAnonymity(5), Safety("0.5", 0)], groups), sep="\\n")
    every group has at least 5 people: at best 3; would pass: k = 3
    an attacker who knows any 0 implications is less than 1/2 sure of anybody's value: at best \
2/3 (0.667); would pass: confidence = 0.67
    """
    found = []
    for rule in criteria:
        summary = rule.summarize(groups)
        if not rule.holds(summary):
            reached = rule.risk(summary)
            proposed = {
                words: other
                for words, other in propose(rule, reached, groups)
                if judge(other, groups).safe
            }
            words = "; or ".join(proposed)
            found.append(Nearest(rule, reached, tuple(proposed.values()), words))
    return tuple(found)


@singledispatch
def propose(rule: object, reached: Risk, groups: Groups) -> Proposed:
    """Rules of the same kind that may pass, the nearest of each number; in words, and made."""
    return iter(())


@propose.register
def _(rule: KAnonymity, reached: int, groups: Groups) -> Proposed:
    if reached >= 1:
        yield f"k = {reached}", KAnonymity(reached)


@propose.register
def _(rule: DistinctDiversity, reached: int, groups: Groups) -> Proposed:
    if reached >= 1:
        yield f"l = {reached}", DistinctDiversity(reached)


@propose.register
def _(rule: EntropyDiversity, reached: Risk, groups: Groups) -> Proposed:
    if reached >= 1:
        yield from _first(_below(reached), "l", EntropyDiversity, groups)


@propose.register
def _(rule: ProbabilisticDiversity, reached: Risk, groups: Groups) -> Proposed:
    if reached > 0:
        exact = 1 / Fraction(reached)
        yield f"l = {_text(exact)}", ProbabilisticDiversity(exact)


@propose.register
def _(rule: RecursiveDiversity, reached: Risk, groups: Groups) -> Proposed:
    if math.isfinite(reached):
        enough = _above(reached) if rule.strict else [_text(Fraction(reached))]
        yield from _first(enough, "c", lambda c: RecursiveDiversity(c, rule.l, rule.strict), groups)
    fewer = range(rule.l - 1, 0, -1)
    yield from _first(fewer, "l", lambda l: RecursiveDiversity(rule.c, l, rule.strict), groups)


@propose.register
def _(rule: TCloseness, reached: Risk, groups: Groups) -> Proposed:
    exact = [_text(reached)] if isinstance(reached, Fraction) else _above(reached)
    yield from _first(exact, "t", lambda t: TCloseness(t, rule.ground), groups)


@propose.register
def _(rule: Beliefs, reached: Risk, groups: Groups) -> Proposed:
    yield from _first(_above(reached), "t", lambda t: _with_t(rule, t), groups)


def _with_t(rule: Beliefs, t: str) -> Beliefs:
    return Beliefs(
        rule.bandwidth,
        t,
        smoothing=rule.smoothing,
        kernel=rule.kernel,
        method=rule.method,
        distances=rule.distances,
    )


@propose.register
def _(rule: Safety, reached: Risk, groups: Groups) -> Proposed:
    if reached < 1:
        sure = _above(reached)
        yield from _first(sure, "confidence", lambda c: Safety(c, rule.k, rule.language), groups)
    fewer = range(rule.k - 1, -1, -1)
    yield from _first(fewer, "k", lambda k: Safety(rule.confidence, k, rule.language), groups)


@propose.register
def _(rule: Skyline, reached: Risk, groups: Groups) -> Proposed:
    """The same knowledge, with every confidence that is too low raised as little as possible."""
    raised: dict[Value, list[Point]] = {}
    changes = []
    for value, points in rule.points.items():
        raised[value] = []
        for point in points:
            worst = _largest_breach(_values(value, rule, groups), point, groups)
            if worst == 1 and point.c <= 1:
                return
            c = point.c if worst < point.c else Fraction(next(_above(worst)))
            raised[value].append(point._replace(c=c))
            if c != point.c:
                changes.append(f"{_text(c)} for {value} at {point}")
    if changes:
        shown = [*changes[:3], f"{len(changes) - 3} more"] if len(changes) > 3 else changes
        yield f"confidence = {', '.join(shown)}", Skyline(raised)


def _largest_breach(values: list[Value], point: Point, groups: Groups) -> Fraction:
    found = (breach(groups, one, l=point.l, k=point.k, m=point.m).probability for one in values)
    return max(found, default=Fraction(0))


def _values(value: Value, rule: Skyline, groups: Groups) -> list[Value]:
    """The values of the release that an entry of a skyline speaks of."""
    if value != OTHERS:
        return [value]
    return [one for one in groups.values if one not in rule.points]


def _first(
    numbers: Iterable[Number],
    name: str,
    make: Callable[[Number], Criterion[Any]],
    groups: Groups,
) -> Proposed:
    """The first number whose rule holds, if one does."""
    for number in numbers:
        rule = make(number)
        if judge(rule, groups).safe:
            yield f"{name} = {number}", rule
            return


def _above(reached: Risk) -> Iterator[str]:
    """The least decimals of 2, 3, … places above a number."""
    for places in _DECIMALS:
        scale = 10**places
        yield _text(Fraction(math.floor(Fraction(reached) * scale) + 1, scale))


def _below(reached: Risk) -> Iterator[str]:
    """The greatest decimals of 2, 3, … places not above a number, and the one before each."""
    for places in _DECIMALS:
        scale = 10**places
        for step in (0, 1):
            yield _text(Fraction(math.floor(Fraction(reached) * scale) - step, scale))


def _text(number: Risk) -> str:
    """A number as one writes it: 0.26 where it is a short decimal, else as a fraction."""
    exact = Fraction(number)
    scaled = exact * 10 ** max(_DECIMALS)
    if scaled.denominator == 1:
        decimal = Decimal(int(scaled)).scaleb(-max(_DECIMALS))
        return format(decimal.normalize(), "f")
    return str(exact)
