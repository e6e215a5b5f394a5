"""Policies bound to a table: about what is asked, a confidence and a number of facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np

from gyges.adversaries.asked_values import Asked
from gyges.adversaries.policy_odds import (
    PolicyOdds,
    TargetOdds,
    joined,
    row_of,
    share_of_odds,
    sources_of,
    target_odds,
)
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import JudgesAll, Rule, of_groups, refuse_other_values
from gyges.criteria.settle_exactly import settle
from gyges.data.values import Value
from gyges.exact import readable_number
from gyges.release.groups import Groups


class Policy(NamedTuple):
    """The confidence that an attacker with any k facts must not reach."""

    confidence: Fraction
    k: int

    def __str__(self) -> str:
        return f"{self.confidence} with {self.facts}"

    @property
    def facts(self) -> str:
        """What the attacker knows, in words."""
        return "any one fact" if self.k == 1 else f"any {self.k} facts" if self.k else "no facts"


class Covered(NamedTuple):
    """A policy, and what the attacker asks that it is about."""

    name: str  # in a sentence
    policy: Policy
    asked: Asked


class PolicyRule(Protocol):
    """A rule of policies."""

    def claimed_of(self, there: Sequence[Value]) -> Rule | None:
        """The rule as it is claimed where these values occur; None if it requires nothing."""
        ...


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundPolicies(JudgesAll[PolicyOdds]):
    """Policies for the values of one table."""

    rule: Any  # a Rule and a PolicyRule
    values: list[Value]
    covered: tuple[Covered, ...]

    def summarize(self, groups: Groups) -> PolicyOdds:
        """The few targets and sources that decide."""
        rows = self._rows(groups)
        found = [
            tuple(target for _, _, target in self._targets(groups, rows, [policy]))
            for policy in range(len(self.covered))
        ]
        alone = PolicyOdds(tuple(found), sources_of(groups, rows, self._most))
        return joined([alone], len(self.covered), self._most)

    def merge(self, one: PolicyOdds, other: PolicyOdds) -> PolicyOdds:
        """Those of two batches that decide together."""
        return joined([one, other], len(self.covered), self._most)

    def risk(self, summary: PolicyOdds) -> Fraction:
        """The probability that is largest relative to its confidence."""
        worst = self._worst(summary)
        return Fraction(0) if worst is None else share_of_odds(summary.least(worst))

    def holds(self, summary: PolicyOdds) -> bool:
        """Every probability is strictly below its confidence."""
        return not self._broken(summary)

    def risks(self, groups: Groups) -> FloatArray:
        """The largest probability, relative to its confidence, for a target in each group."""
        worst = np.zeros((len(groups), 2))
        for group, share, confidence in self._judged(groups):
            relative = float(share / confidence) if confidence else np.inf
            if (relative, float(share)) > tuple(worst[group]):
                worst[group] = relative, float(share)
        return worst[:, 1]

    def holds_each(self, groups: Groups) -> BoolArray:
        """In which groups every probability stays below its confidence."""
        holds = np.ones(len(groups), dtype=bool)
        for group, share, confidence in self._judged(groups):
            holds[group] &= share < confidence
        return holds

    def may_add(self, summary: PolicyOdds, groups: Groups, first: IntArray) -> BoolArray:
        """Which batches `first[p]:first[p+1]` of groups may join those of a summary that holds."""
        unclear = np.zeros(len(first) - 1, dtype=np.int64)
        return settle(self, summary, groups, first, unclear, lambda p: p)

    def explain(self, summary: PolicyOdds) -> str:
        """Which value breaks it most, in words."""
        broken, worst = self._broken(summary), self._worst(summary)
        if not broken or worst is None:
            return ""
        name, policy, _ = self.covered[worst]
        more = f"; {len(broken) - 1:,} more fail" if len(broken) > 1 else ""
        share = readable_number(share_of_odds(summary.least(worst)))
        return f"{name} reaches {share}, not below {policy.confidence}{more}"

    def as_claimed(self, published: Groups) -> Rule | None:
        """The policies about values that somebody published has; None if none is left."""
        there = [published.values[code] for code in np.flatnonzero(published.value_totals)]
        rule: PolicyRule = self.rule
        return rule.claimed_of(there)

    @property
    def _most(self) -> int:
        return max(one.policy.k for one in self.covered)

    def _rows(self, groups: Groups) -> list[tuple[int, ...]]:
        refuse_other_values(groups, self.values)
        return [row_of(groups, group, self._most) for group in range(len(groups))]

    def _targets(
        self, groups: Groups, rows: Sequence[tuple[int, ...]], policies: Iterable[int]
    ) -> Iterator[tuple[int, int, TargetOdds]]:
        """(policy, group, odds) of the targets of each group that may be the worst."""
        for policy in policies:
            _, (_, k), asked = self.covered[policy]
            for group, row in enumerate(rows):
                for codes in asked.in_group(groups.value_counts_in(group)):
                    yield policy, group, target_odds(groups, group, codes, k, row)

    def _judged(self, groups: Groups) -> Iterator[tuple[int, Fraction, Fraction]]:
        """(group, probability, confidence) of the targets that may be the worst."""
        rows, summary = self._rows(groups), self.summarize(groups)
        for policy, group, target in self._targets(groups, rows, range(len(self.covered))):
            share = share_of_odds(summary.against(target))
            yield group, share, self.covered[policy].policy.confidence

    def _shares(self, summary: PolicyOdds) -> dict[int, Fraction]:
        """The largest probability for each policy about a value that somebody has."""
        least = {policy: summary.least(policy) for policy in range(len(self.covered))}
        return {policy: share_of_odds(odds) for policy, odds in least.items() if odds is not None}

    def _broken(self, summary: PolicyOdds) -> list[int]:
        shares = self._shares(summary).items()
        return [x for x, share in shares if share >= self.covered[x].policy.confidence]

    def _worst(self, summary: PolicyOdds) -> int | None:
        """The policy whose probability is largest relative to its confidence."""

        def relative(policy: int) -> tuple[bool, Fraction, Fraction]:
            confidence, share = self.covered[policy].policy.confidence, shares[policy]
            return (confidence == 0, share / confidence if confidence else share, share)

        shares = self._shares(summary)
        return max(shares, key=relative, default=None)
