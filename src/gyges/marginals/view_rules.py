"""The rules that a set of views is judged by, and a failure that names the breached combination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from gyges.criteria.base import Risk, Rule
from gyges.criteria.verdict import Failure, Verdict
from gyges.errors import RuleError
from gyges.exact import Number, fraction, number_aside, whole


@dataclass(frozen=True, slots=True)
class _LeastPeople:
    """A rule about the least number of people in a combination."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "k", least=1))


class KLink(_LeastPeople):
    """In every view each combination counts nobody or at least k people [Kifer2006, Def. 4.1]."""

    __slots__ = ()

    def __str__(self) -> str:
        return (
            f"in every view, each combination of quasi-identifiers has nobody or at least "
            f"{self.k} people"
        )


class KCombinatorial(_LeastPeople):
    """Nobody can prove that 1 to k-1 people have a combination [Kifer2006, Def. 4.2]."""

    __slots__ = ()

    def __str__(self) -> str:
        return (
            f"read together, the views allow nobody or at least {self.k} people in each combination"
        )


@dataclass(frozen=True, slots=True)
class MaxentDiversity:
    """The maximum entropy distribution of all views is diverse [Kifer2006, Def. 4.3]."""

    rule: Rule

    def __str__(self) -> str:
        return f"reconstructed from all views by maximum entropy, {self.rule}"


@dataclass(frozen=True, slots=True)
class RelaxedDiversity:
    """For each combination l values are at least (1-ε)^p times as frequent as the most frequent.

    p is the number of views with the sensitive column. The check is sound, not complete: it may
    fail where the rule holds [Kifer2006, Sect. 7, "relaxation parameter ε"].
    """

    l: int
    epsilon: Fraction

    def __init__(self, l: int, epsilon: Number) -> None:
        object.__setattr__(self, "l", whole(l, "l", least=1))
        object.__setattr__(self, "epsilon", fraction(epsilon, "epsilon"))
        if not 0 <= self.epsilon < 1:
            raise RuleError(f"epsilon is {epsilon}: give at least 0 and less than 1")

    def __str__(self) -> str:
        return (
            f"in every view at least {self.l} common sensitive values come within a factor "
            f"1 - {self.epsilon} of the most frequent"
        )


@dataclass(frozen=True, slots=True, eq=False)
class ViewsFailure(Failure):
    """A rule that a set of views breaks, and the combination of labels that shows it."""

    witness: Mapping[str, str] = field(default_factory=dict)
    view: int | None = None  # the place of the view that breaks it alone

    def __str__(self) -> str:
        where = f", for {describe(self.witness)}" if self.witness else ""
        which = f", in view {self.view + 1}" if self.view is not None else ""
        detail = f"; {self.detail}" if self.detail else ""
        return f"fails: {self.rule} (worst case: {number_aside(self.risk)}{where}{which}{detail})"


def describe(combination: Mapping[str, str]) -> str:
    """A combination in words: `zip 14850, age <40`."""
    return ", ".join(f"{name} {label}" for name, label in combination.items())


def passed(rule: object, risk: Risk) -> Verdict:
    """A verdict that one rule holds."""
    return Verdict(safe=True, risks={str(rule): risk})


def broken(
    rule: object,
    risk: Risk,
    witness: Mapping[str, str],
    *,
    view: int | None = None,
    detail: str = "",
) -> Verdict:
    """A verdict that one rule fails, with the combination that shows it."""
    nothing = np.zeros(0, dtype=np.int64)
    breach = ViewsFailure(rule, risk, nothing, nothing.astype(np.float64), detail, witness, view)
    return Verdict(safe=False, risks={str(rule): risk}, failures=(breach,))


def broken_too(rule: object, verdict: Verdict) -> Verdict:
    """The verdict that a rule fails where a weaker one does, for the same combination."""
    [breach] = verdict.failures
    assert isinstance(breach, ViewsFailure)
    return broken(rule, breach.risk, breach.witness)


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """All verdicts as one."""
    listed = list(verdicts)
    risks = {rule: risk for verdict in listed for rule, risk in verdict.risks.items()}
    failures = tuple(failure for verdict in listed for failure in verdict.failures)
    return Verdict(safe=not failures, risks=risks, failures=failures)
