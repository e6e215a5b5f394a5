"""Weaker rules that a rule implies and that a group keeps when people join it.

If such a rule refuses a group at a coarse node of a lattice, every finer node has a failing group
with some of the same people. So one failing node rules out all finer ones, with suppression too.
Each rule states what it implies: `survives_growth` and `least_values`.
"""

from __future__ import annotations

from typing import Any

from gyges.criteria.base import BoundRule
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.data.schema import ValuesPerPerson


def necessary(rule: BoundRule[Any], values_per_person: ValuesPerPerson) -> list[BoundRule[Any]]:
    """Rules that survive growth and hold in every group of a release in which `rule` holds."""
    weaker = [rule] if rule.rule.survives_growth else []
    n_values = rule.least_values(values_per_person)
    if n_values > 1:
        weaker.append(DistinctDiversity(n_values))
        if values_per_person == "one":
            weaker.append(KAnonymity(n_values))  # n different values need n people
    return weaker
