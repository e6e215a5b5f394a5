"""What a rule implies: weaker rules that a group never loses when people join it.

A finer node leaves at least those people in a bad group whom such a rule refuses at a coarser one,
so these rules tell early that a part of the lattice is hopeless, people left out or not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gyges.criteria.base import Criterion, survives_growth
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.recursive_diversity import RecursiveDiversity
from gyges.criteria.t_closeness import TCloseness
from gyges.data.cells import Cells


def necessary(rule: Criterion[Any], cells: Cells) -> list[Criterion[Any]]:
    """Rules that survive growth and hold in every group of a release in which `rule` holds."""
    weaker: list[Criterion[Any]] = [rule] if survives_growth(rule) else []
    n_values = _least_distinct(rule, cells)
    if n_values > 1:
        if not isinstance(rule, DistinctDiversity):
            weaker.append(DistinctDiversity(n_values))
        if cells.values_per_person == "one":
            weaker.append(KAnonymity(n_values))  # n different values need n people
    return weaker


def _least_distinct(rule: Criterion[Any], cells: Cells) -> int:
    """How many different values a group needs at least, whatever their counts."""
    if isinstance(rule, (DistinctDiversity, RecursiveDiversity)):
        return rule.l  # an empty tail r_l + … is never enough
    if isinstance(rule, EntropyDiversity):
        return math.ceil(rule.l)  # m values have at most the entropy log m
    if isinstance(rule, ProbabilisticDiversity) and cells.values_per_person == "one":
        return math.ceil(rule.l)  # m shares of at most 1/l add up to 1
    if isinstance(rule, TCloseness) and isinstance(rule.ground, str) and rule.ground == "equal":
        return _least_within(rule, cells)
    if not rule.is_local:
        from gyges.criteria.safety import Safety  # heavy, and rarely asked for

        if isinstance(rule, Safety):
            return rule.k + 2  # k facts rule out all but one of k + 1 values
    return 0


def _least_within(rule: TCloseness, cells: Cells) -> int:
    """The least m such that m values hold 1 - t of the table: what is absent counts in full."""
    total = absent = int(cells.value_totals.sum())
    for m, count in enumerate(np.sort(cells.value_totals)[::-1]):
        if absent <= rule.t * total:
            return m
        absent -= int(count)
    return len(cells.sensitive)
