"""Judging a release against rules: a verdict says which rule fails, where, by how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from gyges.arguments import items, shown
from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import VERBS, Criterion, Risk
from gyges.data.values import Value
from gyges.errors import RuleError
from gyges.exact import show as show
from gyges.exact import show_aside
from gyges.notebook import card, mark, table
from gyges.release.groups import Groups, check_groups


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """One rule that does not hold."""

    rule: object  # the criterion; its text says what it asks
    risk: Risk  # what the release has instead
    groups: IntArray  # the groups that break it, the worst first
    risks: FloatArray  # the risk of each of these groups
    detail: str = ""  # a witness or a hint, in words

    def __str__(self) -> str:
        where = f", in group {int(self.groups[0]) + 1}" if len(self.groups) else ""
        if len(self.groups) > 1:
            where += f"; {len(self.groups):,} groups fail"
        detail = f"; {self.detail}" if self.detail else ""
        return f"fails: {self.rule} (worst case: {show_aside(self.risk)}{where}{detail})"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Safe or not, the risk under each rule, and what fails; the answer of `judge`, made by it."""

    safe: bool
    risks: dict[str, Risk]  # by the rule's text
    failures: tuple[Failure, ...] = ()
    notices: tuple[str, ...] = ()  # what the rules want to be known, safe or not

    def __bool__(self) -> bool:
        return self.safe

    def __str__(self) -> str:
        if self.safe:
            lines = [
                f"  holds: {rule} (worst case: {show_aside(risk)})"
                for rule, risk in self.risks.items()
            ]
            return "\n".join(["safe", *lines, *self.notices])
        failed = (f"  {failure}" for failure in self.failures)
        return "\n".join(["not safe", *failed, *self.notices])

    def _repr_html_(self) -> str:
        failed = {str(failure.rule): failure for failure in self.failures}
        rows = [
            (rule, show(risk), mark(rule not in failed), _where(failed.get(rule)))
            for rule, risk in self.risks.items()
        ]
        return card(
            "safe" if self.safe else "not safe", table(rows, ("rule", "worst case", "holds", ""))
        )


def judge(criteria: Criterion[Any] | Iterable[Criterion[Any]], groups: Groups) -> Verdict:
    """Judge groups under one or several criteria.

    >>> from gyges.criteria.k_anonymity import KAnonymity
    >>> print(judge([KAnonymity(3)], Groups.from_lists([["Flu", "Gout", "Flu"], ["Flu", "Gout"]])))
    not safe
      fails: every group has at least 3 people (worst case: 2, in group 2)
    """
    rules = listed(criteria)
    check_groups(groups)
    risks: dict[str, Risk] = {}
    failures = []
    for rule in rules:
        summary = rule.summarize(groups)
        risks[str(rule)] = rule.risk(summary)
        if not rule.holds(summary):
            explain = getattr(rule, "explain", None)  # a rule may know what breaks it
            detail = explain(summary) if explain else ""
            failures.append(_failure(rule, groups, rule.risk(summary), detail))
    return Verdict(not failures, risks, tuple(failures), notices_of(rules, groups.values))


def notices_of(rules: Iterable[Criterion[Any]], values: list[Value]) -> tuple[str, ...]:
    """What rules want to be known of a release of these values (`notices_on`, if they have it)."""
    asked = [getattr(rule, "notices_on", None) for rule in rules]
    return tuple(notice for ask in asked if ask is not None for notice in ask(values))


def listed(criteria: Criterion[Any] | Iterable[Criterion[Any]]) -> list[Criterion[Any]]:
    """One criterion or several, as a list."""
    given = items(criteria, "criteria", "rules") if isinstance(criteria, Iterable) else [criteria]
    for rule in given:
        if isinstance(rule, type) or not all(hasattr(rule, verb) for verb in VERBS):
            raise RuleError(
                f"criteria holds {shown(rule)}, which is no rule: give rules such as "
                f"gy.KAnonymity(5)"
            )
    return cast("list[Criterion[Any]]", given)


def _where(failure: Failure | None) -> str:
    if failure is None or not len(failure.groups):
        return ""
    worst = f"worst in group {int(failure.groups[0]) + 1}"
    return f"{len(failure.groups):,} groups fail, {worst}" if len(failure.groups) > 1 else worst


def _failure(rule: Criterion[Any], groups: Groups, risk: Risk, detail: str) -> Failure:
    broken = np.flatnonzero(~rule.holds_each(groups))
    risks = rule.risks(groups.take(broken)) if rule.is_local else rule.risks(groups)[broken]
    better_is_larger = getattr(rule, "is_floor", False)
    worst_first = np.argsort(risks if better_is_larger else -risks, kind="stable")
    return Failure(rule, risk, broken[worst_first], risks[worst_first], detail)
