"""Which criteria can be asked of a set of views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from gyges.arguments import items
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.recursive_diversity import RecursiveDiversity
from gyges.errors import RuleError
from gyges.marginals.measures import Diversity

SetRule: TypeAlias = KAnonymity | Diversity


def split_rules(criteria: SetRule | Iterable[SetRule]) -> tuple[list[int], list[Diversity]]:
    """The k of each KAnonymity, and the diversity criteria; refuse what is not defined here."""
    rules = items(criteria, "criteria", "rules") if isinstance(criteria, Iterable) else [criteria]
    ks: list[int] = []
    diversities: list[Diversity] = []
    for rule in rules:
        if isinstance(rule, KAnonymity):
            ks.append(rule.k)
        elif isinstance(
            rule, (RecursiveDiversity, EntropyDiversity, DistinctDiversity, ProbabilisticDiversity)
        ):
            diversities.append(rule)
        else:
            raise RuleError(
                f"a rule of the criteria, {type(rule).__name__}, is not defined for marginals: "
                f"use KAnonymity, "
                f"RecursiveDiversity, EntropyDiversity, DistinctDiversity or "
                f"ProbabilisticDiversity (what other attackers learn from several views "
                f"together is not known)"
            )
    return ks, diversities
