"""Safety value by value: for each sensitive value, or class of them, a confidence and a number k.

Some values harm more than others: one confidence for all asks too little of HIV or too much of the
flu [Martin2007, Sect. 6 calls for cost-based disclosure]. adversaries/policy_odds.py computes the
worst facts about each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gyges.adversaries.asked_values import Each, OneOf
from gyges.adversaries.dimension_statistics import code_of
from gyges.adversaries.implications import MOST_FACTS
from gyges.arguments import items, mapping
from gyges.criteria.base import Reads, Rule, of_groups
from gyges.criteria.bound_policies import BoundPolicies, Covered, Policy
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, sort_key, stated_text, stated_value, text_of
from gyges.errors import RuleError
from gyges.exact import Number, probability, whole
from gyges.release.groups import Groups

OTHERS = "*"  # every value of the release without an entry of its own
MOST_POLICIES = 1_000
_FORM = "{value: (confidence, k)}, such as {'HIV': ('0.2', 3), '*': ('0.8', 1)}"


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

    policies: Mapping[str, Policy]  # by the text of the value
    classes: Mapping[str, tuple[Value, ...]] | None = None
    is_local: ClassVar[bool] = False  # facts may be about anyone
    is_monotone: ClassVar[bool] = True  # for one value per person; see is_monotone_for
    bounds_each_person: ClassVar[bool] = True
    reads: ClassVar[Reads] = "values"

    def __init__(
        self,
        policies: Mapping[Any, Sequence[Number]],  # by value
        classes: Mapping[str, Iterable[Value]] | None = None,
    ) -> None:
        stated = mapping(policies, "policies", _FORM)
        if not stated or len(stated) > MOST_POLICIES:
            raise RuleError(f"policies has {len(stated):,} entries: give 1 to {MOST_POLICIES:,}")
        named = {stated_text(name, "a value of policies"): one for name, one in stated.items()}
        if len(named) < len(stated):
            raise RuleError("policies has two entries for one value, such as 45 and '45': give one")
        ordered = sorted(named, key=lambda name: (name == OTHERS, sort_key(name)))
        read = {name: _policy(name, named[name]) for name in ordered}
        object.__setattr__(self, "policies", read)
        object.__setattr__(self, "classes", _classes(classes, set(read)))

    def __hash__(self) -> int:
        return hash(frozenset(self.policies.items()))

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Proven for one value per person, and for sets without classes (Safety)."""
        return values_per_person == "one" or (values_per_person == "set" and not self.classes)

    def bind(self, whole: Groups) -> BoundPolicies:
        """Find the values of the table that each policy is about."""
        values, classes = whole.values, self.classes or {}
        covered, left = [], set(range(len(values)))
        for name, policy in self.policies.items():  # the others come last
            listed: Sequence[Value] = classes.get(name, (name,))
            found = {code_of(values, value) for value in listed}
            codes = frozenset(code for code in found if code is not None)
            asked = Each(frozenset(left)) if name == OTHERS else OneOf(codes)
            shown = "another value" if name == OTHERS else repr(name)
            covered.append(Covered(shown, policy, asked))
            left -= codes if name not in classes else set()
        return BoundPolicies(self, values, tuple(covered))

    def claimed_of(self, there: Sequence[Value]) -> ValueSafety | None:
        """The policies about values that are among these; None if none is left."""
        had = {text_of(value) for value in there}
        classes = {
            name: [value for value in held if text_of(value) in had]
            for name, held in (self.classes or {}).items()
        }
        classes = {name: held for name, held in classes.items() if held}
        kept = {
            name: policy
            for name, policy in self.policies.items()
            if there and (name == OTHERS or name in had or name in classes)
        }
        return ValueSafety(kept, classes or None) if kept else None

    def named(self) -> list[str]:
        """Names of policies that are no classes: values, or general terms."""
        return [name for name in self.policies if name not in {*(self.classes or {}), OTHERS}]

    def with_classes(self, more: Mapping[str, Sequence[Value]]) -> ValueSafety:
        """The rule with the values of more classes."""
        return ValueSafety(self.policies, {**(self.classes or {}), **more} or None)

    def notices_on(self, values: list[Value]) -> list[str]:
        """Values that the rule names and nobody has."""
        classes = self.classes or {}
        entries = [name for name in self.policies if name not in classes and name != OTHERS]
        named: list[Value] = [*entries, *(value for held in classes.values() for value in held)]
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

    def _named(self, name: str) -> str:
        held = (self.classes or {}).get(name)
        if name == OTHERS:
            return "any other value"
        if held is None:
            return repr(name)
        listed = [repr(value) for value in held[:4]] + ["…"] * (len(held) > 4)
        return f"{name!r} ({', '.join(listed)})"


def _policy(name: str, stated: object) -> Policy:
    """A confidence and a number of facts; an error says what is wrong with them."""
    listed = items(stated, f"policies: {name!r}", "(confidence, k)")
    if len(listed) != 2:
        raise RuleError(f"policies: {name!r} needs (confidence, k), such as ('0.2', 3)")
    confidence = probability(listed[0], f"policies: the confidence of {name!r}")  # type: ignore[arg-type]
    return Policy(confidence, whole(listed[1], f"policies: k of {name!r}", most=MOST_FACTS))


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
        held = {text_of(value): value for value in (stated_value(v, name) for v in listed)}
        if not held or len(held) < len(listed):
            raise RuleError(f"classes.{name} is empty or lists a value twice")
        classes[name] = tuple(held[text] for text in sorted(held))
    return classes or None
