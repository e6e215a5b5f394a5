"""Which rules apply to a set of views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from gyges.arguments import either
from gyges.criteria.base import Rule, listed
from gyges.criteria.diversity_measure import Measure
from gyges.criteria.rules import RULES
from gyges.errors import RuleError

SetRule: TypeAlias = Rule


def split_rules(criteria: SetRule | Iterable[SetRule]) -> tuple[list[int], list[Rule]]:
    """The k of each rule about sizes, and the diversities; refuse what is not defined here."""
    ks: list[int] = []
    diversities: list[Rule] = []
    for rule in listed(criteria):
        if rule.least_people is not None:
            ks.append(rule.least_people)
        else:
            measure_of(rule)
            diversities.append(rule)
    return ks, diversities


def measure_of(rule: Rule) -> Measure:
    """The measure behind a diversity; refuse a rule that is not defined for marginals."""
    measure = rule.measure()
    if measure is None:
        raise RuleError(
            f"{type(rule.as_given()).__name__} is not defined for marginals: use {_defined()} "
            f"(what other attackers learn from several views together is unknown)"
        )
    return measure


def _defined() -> str:
    """The names of the rules that are defined for marginals."""
    kinds = [known.load() for known in RULES]
    asked = (Rule.measure, Rule.least_people)
    names = [kind.__name__ for kind in kinds if (kind.measure, kind.least_people) != asked]
    return either(names)
