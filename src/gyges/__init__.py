"""Gyges publishes a table about people so that the worst attacker learns little.

    import gyges as gy

    schema = gy.Schema(quasi_identifiers=["age", "zip"], sensitive="disease")
    table = gy.read("patients.csv", schema)
    release = gy.publish(table, [gy.KAnonymity(5), gy.Safety(confidence="0.8", k=3)])

The public names are loaded when they are first used, so that importing gyges costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gyges.criteria.rules import RULES

__version__ = "0.1.0"

# Where each public name lives.
_HOME = {
    "Groups": "release.groups",
    "max_disclosure": "adversaries.implications",
    "disclosure_curve": "adversaries.implications",
    "probability": "adversaries.sentences",
    "doubtful_probability": "adversaries.doubtful_knowledge",
    "estimate_probability": "adversaries.sentences_sampling",
    "breach": "adversaries.dimensions",
    "skyline_find": "adversaries.dimensions",
    "skyline_check": "criteria.skyline",
    "intersection_attack": "adversaries.other_releases",
    "population_uniqueness": "adversaries.population_uniqueness",
    "prior_beliefs": "adversaries.kernel_prior",
    "posterior_beliefs": "adversaries.posterior",
    "belief_gain": "adversaries.belief_distance",
    "distance_matrix": "data.distances",
    "emd": "criteria.t_closeness",
    "Schema": "data.schema",
    "Hierarchy": "data.hierarchy",
    "Table": "data.table",
    "read": "engines.read",
    "read_rows": "engines.read",
    "judge": "criteria.verdict",
    "Verdict": "criteria.verdict",
    **{rule.class_name: rule.home.removeprefix("gyges.") for rule in RULES},
    "publish": "search.publish",
    "Purpose": "utility.purpose",
    "Project": "workflow.project",
    "minimal_generalizations": "search.lattice",
    "measure_utility": "utility.measure",
    "Release": "release.release",
    "load": "auditing.forms",
    "verify": "report.verify",
    "audit": "auditing.audit",
    "Marginals": "marginals.model",
    "select_marginals": "marginals.selection",
    "compose": "dp.accounting",
    "error_curve": "dp.error_curve",
    "semantic_privacy": "dp.semantics",
    "description_pages": "report.descriptions",
    "report_pages": "report.page",
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
    from gyges.adversaries.belief_distance import belief_gain as belief_gain
    from gyges.adversaries.dimensions import breach as breach
    from gyges.adversaries.dimensions import skyline_find as skyline_find
    from gyges.adversaries.doubtful_knowledge import doubtful_probability as doubtful_probability
    from gyges.adversaries.implications import disclosure_curve as disclosure_curve
    from gyges.adversaries.implications import max_disclosure as max_disclosure
    from gyges.adversaries.kernel_prior import prior_beliefs as prior_beliefs
    from gyges.adversaries.other_releases import intersection_attack as intersection_attack
    from gyges.adversaries.population_uniqueness import (
        population_uniqueness as population_uniqueness,
    )
    from gyges.adversaries.posterior import posterior_beliefs as posterior_beliefs
    from gyges.adversaries.sentences import probability as probability
    from gyges.adversaries.sentences_sampling import estimate_probability as estimate_probability
    from gyges.auditing.audit import audit as audit
    from gyges.auditing.forms import load as load
    from gyges.criteria.about import About as About
    from gyges.criteria.belief import Beliefs as Beliefs
    from gyges.criteria.beta_likeness import BetaLikeness as BetaLikeness
    from gyges.criteria.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from gyges.criteria.distinct_diversity import DistinctDiversity as DistinctDiversity
    from gyges.criteria.entropy_diversity import EntropyDiversity as EntropyDiversity
    from gyges.criteria.household_anonymity import HouseholdAnonymity as HouseholdAnonymity
    from gyges.criteria.interval_safety import IntervalSafety as IntervalSafety
    from gyges.criteria.k_anonymity import KAnonymity as KAnonymity
    from gyges.criteria.m_invariance import MInvariance as MInvariance
    from gyges.criteria.probabilistic_diversity import (
        ProbabilisticDiversity as ProbabilisticDiversity,
    )
    from gyges.criteria.recursive_diversity import RecursiveDiversity as RecursiveDiversity
    from gyges.criteria.safety import Safety as Safety
    from gyges.criteria.skyline import Skyline as Skyline
    from gyges.criteria.skyline import skyline_check as skyline_check
    from gyges.criteria.t_closeness import TCloseness as TCloseness
    from gyges.criteria.t_closeness import emd as emd
    from gyges.criteria.value_safety import ValueSafety as ValueSafety
    from gyges.criteria.verdict import Verdict as Verdict
    from gyges.criteria.verdict import judge as judge
    from gyges.data.distances import distance_matrix as distance_matrix
    from gyges.data.hierarchy import Hierarchy as Hierarchy
    from gyges.data.schema import Schema as Schema
    from gyges.data.table import Table as Table
    from gyges.dp.accounting import compose as compose
    from gyges.dp.error_curve import error_curve as error_curve
    from gyges.dp.semantics import semantic_privacy as semantic_privacy
    from gyges.engines.read import read as read
    from gyges.engines.read import read_rows as read_rows
    from gyges.errors import GygesError as GygesError
    from gyges.marginals.model import Marginals as Marginals
    from gyges.marginals.selection import select_marginals as select_marginals
    from gyges.release.groups import Groups as Groups
    from gyges.release.release import Release as Release
    from gyges.report.descriptions import description_pages as description_pages
    from gyges.report.page import report_pages as report_pages
    from gyges.report.verify import verify as verify
    from gyges.search.lattice import minimal_generalizations as minimal_generalizations
    from gyges.search.publish import publish as publish
    from gyges.utility.measure import measure_utility as measure_utility
    from gyges.utility.purpose import Purpose as Purpose
    from gyges.workflow.project import Project as Project
