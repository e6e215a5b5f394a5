"""Rules as data for JSON: a certificate states them, and an auditor judges them again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from gyges.criteria.base import Criterion, Rule
from gyges.criteria.belief_prior import GivenPrior
from gyges.criteria.rules import RULES, rule_of_class
from gyges.data.hierarchy import Hierarchy
from gyges.errors import RuleError


def is_known(stated: Mapping[str, object]) -> bool:
    """Whether this version of gyges knows the rule that a certificate names."""
    return rule_of_class(str(stated.get("name"))) is not None


def parameters_of(kind: type) -> list[str]:
    """The names of a rule's numbers, as a certificate and a project file state them."""
    return [field.name for field in fields(kind) if field.init and field.compare]


def rules_table() -> str:
    """Every rule of RULES as a Markdown table: docs/rules.md."""
    rows = ["| in a project file | keys | in Python | definition |", "|---|---|---|---|"]
    for known in RULES:
        kind = known.load()
        keys = ", ".join(f"`{key}`" for key in parameters_of(kind))
        definition = (kind.__doc__ or "").partition("\n")[0].replace("|", r"\|")
        rows.append(f"| `{known.plain_name}` | {keys} | `gy.{kind.__name__}` | {definition} |")
    return "\n".join(rows)


def to_data(criterion: Criterion[Any]) -> dict[str, object]:
    """The rule's name and parameters, fit for JSON; only the name where it is not in RULES.

    >>> from gyges.criteria.recursive_diversity import RecursiveDiversity
    >>> to_data(RecursiveDiversity("2", 3))
    {'name': 'RecursiveDiversity', 'c': '2', 'l': 3, 'strict': True}
    """
    rule = criterion.as_given() if isinstance(criterion, Rule) else criterion
    kind = type(rule)
    known = rule_of_class(kind.__name__)
    if known is None or known.home != kind.__module__:
        return {"name": f"{kind.__module__}.{kind.__qualname__}"}
    values = {name: _to_json(getattr(rule, name)) for name in parameters_of(kind)}
    return {"name": kind.__name__, **values}


def from_data(stated: Mapping[str, object], *, is_inside: bool = False) -> Rule:
    """The rule that a certificate states; a rule inside another one holds no further rule."""
    parameters = dict(stated)
    name = str(parameters.pop("name", ""))
    known = rule_of_class(name)
    if known is None:
        raise RuleError(f"the certificate names the rule {name[:80]!r}, which is not known")
    kind = known.load()
    strange = sorted(set(parameters) - set(parameters_of(kind)))
    if strange:
        raise RuleError(f"the certificate's rule {name} has no parameter {strange[0][:80]!r}")
    if is_inside and any(_is_rule(value) for value in parameters.values()):
        raise RuleError(f"the certificate's rule {name} is inside a rule, and contains another")
    restored = {key: _restored(value) for key, value in parameters.items()}
    try:
        return kind(**restored)
    except TypeError:
        raise RuleError(f"the certificate's rule {name} lacks a parameter") from None


def _to_json(value: object) -> object:
    if isinstance(value, Fraction) or (isinstance(value, float) and value == math.inf):
        return str(value)  # JSON has no infinite number
    if isinstance(value, Rule):
        return {"rule": to_data(value)}
    if isinstance(value, GivenPrior):
        return value.word
    if isinstance(value, Hierarchy):
        return {"hierarchy": value.to_data()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(one) for one in value]
    return value


def _is_rule(value: object) -> bool:
    """Whether a value states a rule; `{"rule": [...]}` states something of a value "rule"."""
    return isinstance(value, Mapping) and set(value) == {"rule"} and isinstance(value["rule"], dict)


def _restored(value: object) -> object:
    if isinstance(value, Mapping) and _is_rule(value):
        return from_data(value["rule"], is_inside=True)
    if isinstance(value, Mapping) and set(value) == {"hierarchy"}:
        described = value["hierarchy"]
        return Hierarchy.from_data(described if isinstance(described, Mapping) else {})
    return value
