"""Criteria as plain data, so that a certificate can state them and an auditor judge them again."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from gyges.criteria.base import Criterion
from gyges.data.hierarchy import Hierarchy
from gyges.errors import RuleError
from gyges.release.groups import Groups

# Where each criterion that a certificate may name lives; a certificate never loads anything else.
HOMES = {
    "KAnonymity": "k_anonymity",
    "DistinctDiversity": "distinct_diversity",
    "EntropyDiversity": "entropy_diversity",
    "RecursiveDiversity": "recursive_diversity",
    "ProbabilisticDiversity": "probabilistic_diversity",
    "TCloseness": "t_closeness",
    "Safety": "safety",
    "Skyline": "skyline",
    "Beliefs": "belief",
    "MInvariance": "m_invariance",
}


def as_claimed(rule: Criterion[Any], groups: Groups) -> Criterion[Any] | None:
    """The rule with all that it depends on, and nothing of values that nobody published has.

    A rule that takes something from the table, such as the sensitive column's hierarchy, says what
    it took (`as_claimed`): an auditor has no table. None if the rule asks nothing of this release.
    """
    resolve = getattr(rule, "as_claimed", None)
    return rule if resolve is None else resolve(groups)


def is_known(stated: Mapping[str, object]) -> bool:
    """Whether this version of gyges knows the rule that a certificate names."""
    return str(stated.get("name")) in HOMES


def needs_original(rule: Criterion[Any]) -> bool:
    """Whether the published files alone cannot show that the rule holds.

    A property of the rule; a certificate does not get to say so.
    """
    return bool(getattr(rule, "needs_original", False))


def to_data(criterion: Criterion[Any]) -> dict[str, object]:
    """The criterion's name and parameters, fit for JSON; only the name of a rule that is not ours.

    >>> from gyges.criteria.recursive_diversity import RecursiveDiversity
    >>> to_data(RecursiveDiversity("2", 3))
    {'name': 'RecursiveDiversity', 'c': '2', 'l': 3, 'strict': True}
    """
    kind = type(criterion)
    if kind.__module__ != f"gyges.criteria.{HOMES.get(kind.__name__)}":
        return {"name": f"{kind.__module__}.{kind.__qualname__}"}
    stated = {
        field.name: _plain(getattr(criterion, field.name))
        for field in fields(criterion)  # type: ignore[arg-type]
        if field.init and field.compare
    }
    return {"name": kind.__name__, **stated}


def from_data(stated: Mapping[str, object]) -> Criterion[Any]:
    """The criterion that a certificate states."""
    parameters = dict(stated)
    name = parameters.pop("name", "")
    if not is_known(stated):
        raise RuleError(f"the certificate names the rule {str(name)[:80]!r}, which is not known")
    kind = getattr(importlib.import_module(f"gyges.criteria.{HOMES[str(name)]}"), str(name))
    known = {field.name for field in fields(kind) if field.init and field.compare}
    if not set(parameters) <= known:
        strange = sorted(set(parameters) - known)[0]
        raise RuleError(f"the certificate's rule {name} has no parameter {strange[:80]!r}")
    restored = {key: _restored(value) for key, value in parameters.items()}
    try:
        made: Criterion[Any] = kind(**restored)
    except TypeError:
        raise RuleError(f"the certificate's rule {name} lacks a parameter") from None
    return made


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Hierarchy):
        return {"hierarchy": value.to_data()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _restored(value: object) -> object:
    if isinstance(value, Mapping) and set(value) == {"hierarchy"}:
        described = value["hierarchy"]
        return Hierarchy.from_data(described if isinstance(described, Mapping) else {})
    return value
