"""The rules of a project file: each [[require]] names a rule and its numbers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from gyges.criteria.base import Criterion, Rule
from gyges.criteria.describe import parameters_of
from gyges.criteria.rules import RULES, rule_of_plain_name
from gyges.errors import RuleError, suggestion


def make_rule(section: Mapping[str, Any]) -> Criterion[Any]:
    """One [[require]] section: `rule` names the rule, the other keys are its parameters."""
    parameters = dict(section)
    name = str(parameters.pop("rule", ""))
    known = rule_of_plain_name(name)
    if known is None:
        names = [one.plain_name for one in RULES]
        asked = f"there is no rule {name!r}{suggestion(name, names)}" if name else "name a rule"
        raise RuleError(f"{asked}: choose one of {', '.join(names)}")
    kind = known.load()
    _refuse_parameters(known.plain_name, kind, parameters)
    return kind(**parameters)


def _refuse_parameters(name: str, kind: type[Rule], parameters: Mapping[str, Any]) -> None:
    """Name the key that is not there, or that is missing."""
    known = parameters_of(kind)
    for key in parameters:
        if key not in known:
            raise RuleError(
                f"{name} has no key {key!r}{suggestion(key, known)}: it takes {', '.join(known)}"
            )
    asked = inspect.signature(kind).parameters
    for key in known:
        if asked[key].default is inspect.Parameter.empty and key not in parameters:
            raise RuleError(f"{name} needs the key {key!r}")
