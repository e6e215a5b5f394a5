"""The rules that Gyges knows, one line each: every other list of rules is made from this tuple.

The exports of `gyges`, the names in project files and certificates, and the help all come from it.
To add a rule, write its file (copy k_anonymity.py) and add its line here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gyges.criteria.base import Rule


class KnownRule(NamedTuple):
    """A rule by its names; its module is imported when the rule is first needed."""

    plain_name: str  # in a project file
    class_name: str
    home: str  # its module

    def load(self) -> type[Rule]:
        """The class itself."""
        kind: type[Rule] = vars(importlib.import_module(self.home))[self.class_name]
        return kind


RULES: tuple[KnownRule, ...] = (
    KnownRule("k-anonymity", "KAnonymity", "gyges.criteria.k_anonymity"),
    KnownRule("household anonymity", "HouseholdAnonymity", "gyges.criteria.household_anonymity"),
    KnownRule("distinct diversity", "DistinctDiversity", "gyges.criteria.distinct_diversity"),
    KnownRule("entropy diversity", "EntropyDiversity", "gyges.criteria.entropy_diversity"),
    KnownRule("recursive diversity", "RecursiveDiversity", "gyges.criteria.recursive_diversity"),
    KnownRule(
        "probabilistic diversity",
        "ProbabilisticDiversity",
        "gyges.criteria.probabilistic_diversity",
    ),
    KnownRule("t-closeness", "TCloseness", "gyges.criteria.t_closeness"),
    KnownRule("beta-likeness", "BetaLikeness", "gyges.criteria.beta_likeness"),
    KnownRule("delta-disclosure", "DeltaDisclosure", "gyges.criteria.delta_disclosure"),
    KnownRule("safety", "Safety", "gyges.criteria.safety"),
    KnownRule("value safety", "ValueSafety", "gyges.criteria.value_safety"),
    KnownRule("interval safety", "IntervalSafety", "gyges.criteria.interval_safety"),
    KnownRule("skyline", "Skyline", "gyges.criteria.skyline"),
    KnownRule("beliefs", "Beliefs", "gyges.criteria.belief"),
    KnownRule("m-invariance", "MInvariance", "gyges.criteria.m_invariance"),
    KnownRule("about", "About", "gyges.criteria.about"),
)


def rule_of_class(name: str) -> KnownRule | None:
    """The rule of this class name."""
    return next((known for known in RULES if known.class_name == name), None)


def rule_of_plain_name(name: str) -> KnownRule | None:
    """The rule of this name in a project file; "Entropy_Diversity" is "entropy diversity"."""
    plain = name.lower().replace("_", " ").replace("-diversity", " diversity")
    return next((known for known in RULES if known.plain_name == plain), None)


def is_about_values(rule: object) -> bool:
    """Whether a rule of RULES reads sensitive values; False for rules that are not in it."""
    known = _known(rule)
    return known is not None and known.reads != "sizes" and known.is_about_values


def reads_sizes_only(rule: object) -> bool:
    """Whether a rule of RULES reads how many people a group holds, and nothing else."""
    known = _known(rule)
    return known is not None and known.reads == "sizes"


def _known(rule: object) -> Any:
    """The class of a rule if it is in RULES."""
    known = rule_of_class(type(rule).__name__)
    return type(rule) if known is not None and known.load() is type(rule) else None
