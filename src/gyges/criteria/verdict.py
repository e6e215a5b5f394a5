"""Judge groups under rules: a verdict states which rule fails, where, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import BoundRule, Criterion, Risk, bind_all
from gyges.data.values import Value
from gyges.exact import counted, number_aside, readable_number
from gyges.notebook import card, mark, table
from gyges.release.groups import Groups, check_groups


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """One rule that does not hold."""

    rule: object  # the criterion; its text says what it asks
    risk: Risk  # the number that was reached
    groups: IntArray  # the groups that break it, the worst first
    risks: FloatArray  # the risk of each of these groups
    detail: str = ""  # a witness or a hint, in words

    def __repr__(self) -> str:
        return f"<Failure: {self}>"

    def __str__(self) -> str:
        where = f", in group {int(self.groups[0]) + 1}" if len(self.groups) else ""
        if len(self.groups) > 1:
            where += f"; {counted(len(self.groups), 'group')} fail"
        detail = f"; {self.detail}" if self.detail else ""
        return f"fails: {self.rule} (worst case: {number_aside(self.risk)}{where}{detail})"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Safe or not, the risk under each rule, and what fails: the answer of `judge`."""

    safe: bool
    risks: dict[str, Risk]  # by the rule's text
    failures: tuple[Failure, ...] = ()
    notices: tuple[str, ...] = ()  # what a reader should know about the rules, safe or not

    def __bool__(self) -> bool:
        return self.safe

    def __repr__(self) -> str:
        return f"<Verdict: {self}>"  # a risk may have more digits than Python writes

    def __str__(self) -> str:
        if self.safe:
            lines = [
                f"  holds: {rule} (worst case: {number_aside(risk)})"
                for rule, risk in self.risks.items()
            ]
            return "\n".join(["safe", *lines, *self.notices])
        failed = (f"  {failure}" for failure in self.failures)
        return "\n".join(["not safe", *failed, *self.notices])

    def _repr_html_(self) -> str:
        failed = {str(failure.rule): failure for failure in self.failures}
        rows = [
            (rule, readable_number(risk), mark(rule not in failed), _where(failed.get(rule)))
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
    return judged(bind_all(criteria, check_groups(groups)), groups)


def judged(rules: Sequence[BoundRule[Any]], groups: Groups) -> Verdict:
    """Judge groups under rules that are bound to their table."""
    risks = []
    failures = []
    for rule in rules:
        summary = rule.summarize(groups)
        risks.append(rule.risk(summary))
        if not rule.holds(summary):
            failures.append(_failure(rule, groups, rule.risk(summary), rule.explain(summary)))
    named = risks_by_text(rules, risks)
    return Verdict(not failures, named, tuple(failures), notices_of(rules, groups.values))


def risks_by_text(rules: Sequence[BoundRule[Any]], risks: Iterable[Risk]) -> dict[str, Risk]:
    """One risk for each rule, by its text; the words of long rules are shortened and may repeat."""
    named: dict[str, Risk] = {}
    for number, (rule, risk) in enumerate(zip(rules, risks, strict=True), start=1):
        text = str(rule.rule)
        named[f"{text} (rule {number})" if text in named else text] = risk
    return named


def notices_of(rules: Iterable[BoundRule[Any]], values: list[Value]) -> tuple[str, ...]:
    """What a reader of a release of these values should know about the rules."""
    return tuple(notice for rule in rules for notice in rule.rule.notices_on(values))


def _where(failure: Failure | None) -> str:
    if failure is None or not len(failure.groups):
        return ""
    worst = f"worst in group {int(failure.groups[0]) + 1}"
    return (
        f"{counted(len(failure.groups), 'group')} fail, {worst}"
        if len(failure.groups) > 1
        else worst
    )


def _failure(rule: BoundRule[Any], groups: Groups, risk: Risk, detail: str) -> Failure:
    """The groups that break a rule, the worst first: those whose risk is nearest to the worst."""
    broken = np.flatnonzero(~rule.holds_each(groups))
    risks = rule.risks(groups.take(broken)) if rule.is_local else rule.risks(groups)[broken]
    least, most = float(risks.min(initial=math.inf)), float(risks.max(initial=-math.inf))
    larger_is_better = abs(least - float(risk)) < abs(most - float(risk))
    worst_first = np.argsort(risks if larger_is_better else -risks, kind="stable")
    given = rule.rule.as_given()
    return Failure(given, risk, broken[worst_first], risks[worst_first], detail)
