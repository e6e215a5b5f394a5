"""Safety value by value: for each sensitive value, or class of them, a confidence and a number k.

Some values harm more than others: one confidence for all asks too little of HIV or too much of the
flu [Martin2007, Sect. 6 calls for cost-based disclosure]. adversaries/policy_odds.py computes the
worst facts about each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from gyges.adversaries.dimension_statistics import code_of
from gyges.adversaries.implications import MOST_FACTS
from gyges.adversaries.policy_odds import (
    PolicyOdds,
    TargetOdds,
    joined,
    row_of,
    share_of_odds,
    sources_of,
    target_odds,
)
from gyges.arguments import items, mapping
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import JudgesAll, Reads, Rule, of_groups, refuse_other_values
from gyges.criteria.settle_exactly import settle
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, check_value, sort_key, text_of
from gyges.errors import RuleError
from gyges.exact import Number, probability, readable_number, whole
from gyges.release.groups import Groups

OTHERS = "*"  # every value of the release without an entry of its own
MOST_POLICIES = 1_000
_FORM = "{value: (confidence, k)}, such as {'HIV': ('0.2', 3), '*': ('0.8', 1)}"


class Policy(NamedTuple):
    """The confidence that an attacker with any k facts must not reach."""

    confidence: Fraction
    k: int

    def __str__(self) -> str:
        facts = "any one fact" if self.k == 1 else f"any {self.k} facts" if self.k else "no facts"
        return f"{self.confidence} with {facts}"


class Covered(NamedTuple):
    """A policy and the codes of its values."""

    name: Value
    policy: Policy
    codes: frozenset[int]


@of_groups
@dataclass(frozen=True, slots=True)
class ValueSafety(Rule):
    """With any k implications known, each value or class stays below its own confidence.

    `policies` is {value: (confidence, k)}; `"*"` stands for every value of the release without an
    entry. A name may be that of a class: `classes` lists its values, and the attacker asks whether
    a person has any of them. In a project it may be a general term of the sensitive column's
    hierarchy. A value that costs ten times as much as another has a tenth of its confidence.

    >>> from gyges.criteria.verdict import judge
    >>> groups = Groups.from_lists([["Flu", "Flu", "Flu", "Gout", "Lung", "Skin"]])
    >>> rule = ValueSafety(
    ...     {"cancer": ("0.5", 1), "*": ("0.8", 1)}, classes={"cancer": ["Lung", "Skin"]}
    ... )
    >>> print(judge(rule, groups))
    not safe
      fails: with any implications known, the probability is below 1/2 with any one fact for \
'cancer' ('Lung', 'Skin'), below 4/5 with any one fact for any other value (worst case: 2/3, \
0.667, in group 1; 'cancer' reaches 2/3 (0.667), not below 1/2)
    """

    policies: Mapping[Value, Policy]
    classes: Mapping[str, tuple[Value, ...]] | None = None
    is_local: ClassVar[bool] = False  # facts may be about anyone
    is_monotone: ClassVar[bool] = True  # for one value per person; see is_monotone_for
    bounds_each_person: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"

    def __init__(
        self,
        policies: Mapping[Value, Sequence[Number]],
        classes: Mapping[str, Iterable[Value]] | None = None,
    ) -> None:
        stated = mapping(policies, "policies", _FORM)
        if not stated or len(stated) > MOST_POLICIES:
            raise RuleError(f"policies has {len(stated):,} entries: give 1 to {MOST_POLICIES:,}")
        named = {check_value(name, "a value of policies"): one for name, one in stated.items()}
        ordered = sorted(named, key=lambda name: (name == OTHERS, sort_key(name)))
        read = {name: _policy(name, named[name]) for name in ordered}
        object.__setattr__(self, "policies", read)
        object.__setattr__(self, "classes", _classes(classes, set(map(text_of, read))))

    def __hash__(self) -> int:
        return hash(frozenset(self.policies.items()))

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Proven for one value per person, and for sets without classes (Safety)."""
        return values_per_person == "one" or (values_per_person == "set" and not self.classes)

    def bind(self, whole: Groups) -> BoundValueSafety:
        """Find the values of the table that each policy is about."""
        values, classes = whole.values, self.classes or {}
        covered, left = [], set(range(len(values)))
        for name, policy in self.policies.items():  # the others come last
            listed = classes.get(text_of(name), (name,))
            found = {code_of(values, value) for value in listed}
            codes = frozenset(code for code in found if code is not None)
            covered.append(Covered(name, policy, frozenset(left) if name == OTHERS else codes))
            left -= codes if text_of(name) not in classes else set()
        return BoundValueSafety(self, values, tuple(covered))

    def terms(self, values: Sequence[Value]) -> list[str]:
        """Names of policies that are neither values nor classes: maybe terms of a hierarchy."""
        known = {*map(text_of, values), *(self.classes or {}), OTHERS}
        return [name for name in map(text_of, self.policies) if name not in known]

    def with_classes(self, more: Mapping[str, Sequence[Value]]) -> ValueSafety:
        """The rule with the values of more classes."""
        return ValueSafety(self.policies, {**(self.classes or {}), **more} or None)

    def notices_on(self, values: list[Value]) -> list[str]:
        """Values that the rule names and nobody has."""
        classes = self.classes or {}
        named = [name for name in self.policies if text_of(name) not in classes and name != OTHERS]
        named += [value for held in classes.values() for value in held]
        return [
            f"{value}: no one in the release has this value (is it spelled as in the data?)"
            for value in named
            if code_of(values, value) is None
        ]

    def __str__(self) -> str:
        parts = [
            f"below {policy} for {self._named(name)}" for name, policy in self.policies.items()
        ]
        more = [f"and {len(parts) - 6} more"] if len(parts) > 6 else []
        return f"with any implications known, the probability is {', '.join(parts[:6] + more)}"

    def _named(self, name: Value) -> str:
        held = (self.classes or {}).get(text_of(name))
        if name == OTHERS:
            return "any other value"
        if held is None:
            return repr(name)
        listed = [repr(value) for value in held[:4]] + ["…"] * (len(held) > 4)
        return f"{name!r} ({', '.join(listed)})"


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundValueSafety(JudgesAll[PolicyOdds]):
    """The policies for the values of one table."""

    rule: ValueSafety
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
        shown = "another value" if name == OTHERS else repr(name)
        more = f"; {len(broken) - 1:,} more fail" if len(broken) > 1 else ""
        share = readable_number(share_of_odds(summary.least(worst)))
        return f"{shown} reaches {share}, not below {policy.confidence}{more}"

    def as_claimed(self, published: Groups) -> ValueSafety | None:
        """The policies about values that somebody published has; None if none is left."""
        there = [published.values[code] for code in np.flatnonzero(published.value_totals)]
        had = {text_of(value) for value in there}
        classes = {
            name: [value for value in held if text_of(value) in had]
            for name, held in (self.rule.classes or {}).items()
        }
        classes = {name: held for name, held in classes.items() if held}
        kept = {
            name: policy
            for name, policy in self.rule.policies.items()
            if there and (name == OTHERS or text_of(name) in had or text_of(name) in classes)
        }
        return ValueSafety(kept, classes or None) if kept else None

    @property
    def _most(self) -> int:
        return max(one.policy.k for one in self.covered)

    def _rows(self, groups: Groups) -> list[tuple[int, ...]]:
        refuse_other_values(groups, self.values)
        return [row_of(groups, group, self._most) for group in range(len(groups))]

    def _targets(
        self, groups: Groups, rows: Sequence[tuple[int, ...]], policies: Iterable[int]
    ) -> Iterator[tuple[int, int, TargetOdds]]:
        """(policy, group, odds) of the target of each group that is most exposed to a policy."""
        for policy in policies:
            k = self.covered[policy].policy.k
            for group, row in enumerate(rows):
                codes = self._wanted(groups, group, policy)
                if codes:
                    yield policy, group, target_odds(groups, group, codes, k, row)

    def _wanted(self, groups: Groups, group: int, policy: int) -> list[int]:
        """The values that the attacker asks about in a group; of others the most frequent one."""
        name, _, codes = self.covered[policy]
        counts = groups.value_counts_in(group)
        found = [code for code in counts if code in codes]
        return [max(found, key=counts.__getitem__)] if found and name == OTHERS else found

    def _judged(self, groups: Groups) -> Iterator[tuple[int, Fraction, Fraction]]:
        """(group, probability, confidence) of the most exposed target for each policy."""
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


def _policy(name: Value, stated: object) -> Policy:
    """A confidence and a number of facts; an error says what is wrong with them."""
    listed = items(stated, f"the policy of {name!r}", "(confidence, k)")
    if len(listed) != 2:
        raise RuleError(f"the policy of {name!r}: give (confidence, k), such as ('0.2', 3)")
    confidence = probability(listed[0], f"the confidence of {name!r}")  # type: ignore[arg-type]
    return Policy(confidence, whole(listed[1], f"k of {name!r}", most=MOST_FACTS))


def _classes(given: object, names: set[str]) -> Mapping[str, tuple[Value, ...]] | None:
    """The classes by name, each with its values in order."""
    if given is None:
        return None
    stated = mapping(given, "classes", "{name: [values]}")
    classes: dict[str, tuple[Value, ...]] = {}
    for name in sorted(stated, key=str):
        if not isinstance(name, str) or name not in names or name == OTHERS:
            raise RuleError(f"classes has {name!r}, and policies has no entry of that name")
        listed = items(stated[name], f"classes.{name}", "values")
        held = {text_of(value): value for value in (check_value(v, name) for v in listed)}
        if not held or len(held) < len(listed):
            raise RuleError(f"classes.{name} is empty or lists a value twice")
        classes[name] = tuple(held[text] for text in sorted(held))
    return classes or None
