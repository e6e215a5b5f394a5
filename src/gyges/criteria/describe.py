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
}


def to_data(criterion: Criterion[Any]) -> dict[str, object]:
    """The criterion's name and parameters, fit for JSON.

    >>> from gyges.criteria.recursive_diversity import RecursiveDiversity
    >>> to_data(RecursiveDiversity("2", 3))
    {'name': 'RecursiveDiversity', 'c': '2', 'l': 3, 'strict': True}
    """
    stated = {
        field.name: _plain(getattr(criterion, field.name))
        for field in fields(criterion)  # type: ignore[arg-type]
        if field.init and field.compare
    }
    return {"name": type(criterion).__name__, **stated}


def from_data(stated: Mapping[str, object]) -> Criterion[Any]:
    """The criterion that a certificate states."""
    parameters = dict(stated)
    name = str(parameters.pop("name", ""))
    if name not in HOMES:
        raise RuleError(f"the certificate names the rule {name!r}: this gyges does not know it")
    kind = getattr(importlib.import_module(f"gyges.criteria.{HOMES[name]}"), name)
    restored = {key: _restored(value) for key, value in parameters.items()}
    try:
        made: Criterion[Any] = kind(**restored)
    except TypeError as problem:
        raise RuleError(f"the certificate's rule {name} cannot be read: {problem}") from None
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
        return Hierarchy.from_data(value["hierarchy"])
    return value
