"""Utilities by name, and the best node by a measure that has no bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from gyges.arguments import called, shown
from gyges.errors import RuleError
from gyges.search.lattice_check import Checker
from gyges.search.lattice_group_costs import BY_GROUPS
from gyges.search.lattice_objective import BY_LABEL, Objective, label_loss
from gyges.search.lattice_outcome import partition_of
from gyges.search.lattice_walk import Candidate, LatticeWalk, safe_nodes
from gyges.utility.grouping import Grouping
from gyges.utility.known_measures import LABEL_MEASURES, UtilityMeasure, monotone_measures

Utility: TypeAlias = str | Callable[[Grouping], float] | UtilityMeasure


def objective_named(
    checker: Checker, utility: str, weights: Mapping[str, float] | None, suppressed_as: str
) -> Objective:
    """A loss by its name, with bounds."""
    if utility in BY_GROUPS:
        return BY_GROUPS[utility](checker, suppressed_as)
    return label_loss(checker.lattice, utility, weights, suppressed_as)


def measure_named(utility: Utility) -> UtilityMeasure | None:
    """The measure behind a utility; None for a loss that has bounds."""
    if isinstance(utility, UtilityMeasure):
        return utility
    if callable(utility):
        called(utility, "utility", ("grouping",))
        return UtilityMeasure("utility", utility, "")
    monotone = monotone_measures()
    if not isinstance(utility, str) or (utility not in monotone and utility not in LABEL_MEASURES):
        known = ", ".join([*LABEL_MEASURES, *monotone])
        raise RuleError(f"utility is {shown(utility)}: choose one of {known}, or give a function")
    return None if utility in (*BY_LABEL, *BY_GROUPS) else monotone[utility]


def _number(measured: object) -> float:
    try:
        value = float(measured)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if math.isnan(value):
        raise RuleError(f"utility returns {shown(measured)}: give a function that returns a number")
    return value


def least_measured(walk: LatticeWalk, measure: UtilityMeasure) -> tuple[Candidate | None, float]:
    """The safe node with the least value of a measure, and a lower bound on that of all others.

    A monotone measure is least at a minimal node; for others every safe node is tried.
    """
    checker = walk.checker
    only_minimal = measure.is_monotone and checker.predicts_up and checker.allowed == 0
    best: Candidate | None = None
    for levels, finding in safe_nodes(walk, only_minimal=only_minimal):
        partition = partition_of(checker, Candidate(levels, math.nan, finding))
        value = _number(measure.compute(Grouping.of_partition(partition)))
        if best is None or value < best.loss:
            best = Candidate(levels, value, finding)
    if walk.is_over:
        return best, -math.inf
    walk.left = 0
    return best, math.inf if best is None else best.loss
