"""What a rule implies: weaker rules that a group never loses when people join it.

A finer node leaves at least those people in a bad group whom such a rule refuses at a coarser one,
so these rules tell early that a part of the lattice is hopeless, people left out or not.
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
