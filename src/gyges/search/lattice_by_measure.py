"""The best node by a measure that is only known once a node's groups are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from gyges.arguments import called, shown
from gyges.errors import RuleError
from gyges.search.lattice_objective import NAMES
from gyges.search.lattice_outcome import partition_of
from gyges.search.lattice_walk import Candidate, Walk, safe_nodes
from gyges.utility.certainty_penalty import gcp
from gyges.utility.group_size import average_group_size, discernibility
from gyges.utility.grouping import Grouping

Measure: TypeAlias = Callable[[Grouping], float]

# Each only grows when groups are merged.
_MONOTONE: dict[str, Measure] = {
    "average_group_size": average_group_size,
    "discernibility": discernibility,
    "gcp": gcp,
}


def measure_named(utility: str | Measure) -> Measure | None:
    """The function behind a utility; None for those that are known of a node beforehand."""
    if callable(utility):
        called(utility, "utility", ("grouping",))
        return utility
    if not isinstance(utility, str) or (utility not in _MONOTONE and utility not in NAMES):
        known = ", ".join([*NAMES, *_MONOTONE])
        raise RuleError(f"utility is {shown(utility)}: choose one of {known}, or give a function")
    return _MONOTONE.get(utility)


def _number(measured: object) -> float:
    try:
        value = float(measured)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if math.isnan(value):
        raise RuleError(f"utility returns {shown(measured)}: give a function that returns a number")
    return value


def least_measured(walk: Walk, measure: Measure) -> tuple[Candidate | None, float]:
    """The safe node with the least value of a measure, and a bound below which none has it.

    A measure that only grows upwards is least at a minimal node; others are tried everywhere.
    """
    grows = measure in _MONOTONE.values() or getattr(measure, "is_monotone", False)
    checker = walk.checker
    only_minimal = grows and checker.predicts_up and checker.allowed == 0
    best: Candidate | None = None
    for levels, finding in safe_nodes(walk, only_minimal=only_minimal):
        partition = partition_of(checker, Candidate(levels, math.nan, finding))
        value = _number(measure(Grouping.of_partition(partition)))
        if best is None or value < best.loss:
            best = Candidate(levels, value, finding)
    if walk.is_over:
        return best, -math.inf
    walk.left = 0
    return best, math.inf if best is None else best.loss
