"""Gyges publishes a table about people so that the worst attacker learns little.

    import gyges as gy

    table = gy.read("patients.csv", gy.Schema(quasi_identifiers=["age", "zip"], sensitive="disease"))
    release = gy.publish(table, [gy.KAnonymity(5), gy.Safety(confidence="0.8", k=3)])

The public names are loaded when they are first used, so that importing gyges costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Where each public name lives.
_HOME = {
    "Groups": "release.groups",
    "max_disclosure": "adversaries.implications",
    "disclosure_curve": "adversaries.implications",
    "probability": "adversaries.sentences",
    "breach": "adversaries.dimensions",
    "skyline_find": "adversaries.dimensions",
    "skyline_check": "criteria.skyline",
    "intersection_attack": "adversaries.other_releases",
    "prior_beliefs": "adversaries.beliefs",
    "posterior_beliefs": "adversaries.beliefs",
    "belief_gain": "adversaries.beliefs",
    "distance_matrix": "data.distances",
    "emd": "criteria.t_closeness",
    "Schema": "data.schema",
    "Hierarchy": "data.hierarchy",
    "Table": "data.table",
    "read": "engines.read",
    "judge": "criteria.verdict",
    "Verdict": "criteria.verdict",
    "KAnonymity": "criteria.k_anonymity",
    "DistinctDiversity": "criteria.distinct_diversity",
    "EntropyDiversity": "criteria.entropy_diversity",
    "RecursiveDiversity": "criteria.recursive_diversity",
    "ProbabilisticDiversity": "criteria.probabilistic_diversity",
    "TCloseness": "criteria.t_closeness",
    "Safety": "criteria.safety",
    "Skyline": "criteria.skyline",
    "Beliefs": "criteria.belief",
    "publish": "search.publish",
    "minimal_generalizations": "search.lattice",
    "measure_utility": "utility.measure",
    "Release": "release.release",
    "load": "release.files",
    "verify": "auditing.verify",
    "audit": "auditing.audit",
    "Marginals": "marginals.model",
    "select_marginals": "marginals.selection",
    "compose": "dp.accounting",
    "semantic_privacy": "dp.semantics",
    "GygesError": "errors",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'gyges' has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"gyges.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__


if TYPE_CHECKING:
    from gyges.criteria.k_anonymity import KAnonymity as KAnonymity
    from gyges.release.groups import Groups as Groups
