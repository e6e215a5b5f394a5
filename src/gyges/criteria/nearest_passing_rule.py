"""For a rule that fails, the nearest rule of its kind that holds.

Each rule proposes others of its kind (`BoundRule.nearest`); this file has what they share. Every
proposal is judged on the groups before it is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

from gyges.criteria.base import BoundRule, Criterion, Proposed, Risk, Rule, bind_all
from gyges.exact import readable_number
from gyges.release.groups import Groups

Number = TypeVar("Number", int, str)

_DECIMALS = range(2, 7)  # how many places a proposed threshold may have


@dataclass(frozen=True, slots=True)
class Nearest:
    """A rule that fails, the number that was reached, and what would pass."""

    rule: Rule
    reached: Risk
    passing: tuple[Rule, ...]  # of the same kind, each with one number changed
    words: str  # the same as text: "k = 7"

    def __str__(self) -> str:
        would = f"would pass: {self.words}" if self.words else "no rule of its kind would pass"
        return f"{self.rule}: at best {readable_number(self.reached)}; {would}"


def nearest(criteria: Iterable[Criterion[Any]], groups: Groups) -> tuple[Nearest, ...]:
    """For each rule that these groups break, the nearest rules of its kind that they satisfy.

    >>> import gyges as gy
    >>> groups = Groups.from_lists([["Flu", "Flu", "Gout"]])
    >>> print(*nearest([gy.KAnonymity(5), gy.Safety("0.5", 0)], groups), sep="\\n")
    every group has at least 5 people: at best 3; would pass: k = 3
    an attacker who knows no facts is less than 1/2 certain of anyone's value: at best \
2/3 (0.667); would pass: confidence = 0.67
    """
    found = []
    for rule in bind_all(criteria, groups):
        summary = rule.summarize(groups)
        if not rule.holds(summary):
            reached = rule.risk(summary)
            proposed = {
                words: other.rule
                for words, other in rule.nearest(reached, groups)
                if other.holds(other.summarize(groups))
            }
            words = "; or ".join(proposed)
            found.append(Nearest(rule.rule, reached, tuple(proposed.values()), words))
    return tuple(found)


def first_passing(
    numbers: Iterable[Number],
    name: str,
    make: Callable[[Number], BoundRule[Any]],
    groups: Groups,
) -> Proposed:
    """The first number whose rule holds, if one does."""
    for number in numbers:
        rule = make(number)
        if rule.holds(rule.summarize(groups)):
            yield f"{name} = {number}", rule
            return


def decimals_above(reached: Risk) -> Iterator[str]:
    """The least decimals of 2, 3, … places above a number."""
    for places in _DECIMALS:
        scale = 10**places
        yield number_text(Fraction(math.floor(Fraction(reached) * scale) + 1, scale))


def decimals_below(reached: Risk) -> Iterator[str]:
    """The greatest decimals of 2, 3, … places not above a number, and the one before each."""
    for places in _DECIMALS:
        scale = 10**places
        for step in (0, 1):
            yield number_text(Fraction(math.floor(Fraction(reached) * scale) - step, scale))


def number_text(number: Risk) -> str:
    """A number as people write it: 0.26 where that is exact, else a fraction."""
    exact = Fraction(number)
    scaled = exact * 10 ** max(_DECIMALS)
    if scaled.denominator == 1:
        decimal = Decimal(int(scaled)).scaleb(-max(_DECIMALS))
        return format(decimal.normalize(), "f")
    return str(exact)
