"""The rules of a project file: each [[require]] names a criterion and its numbers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from gyges.criteria.base import Criterion
from gyges.errors import RuleError, suggestion

# The names that a person writes, and the criteria they stand for.
RULES = {
    "k-anonymity": "KAnonymity",
    "distinct diversity": "DistinctDiversity",
    "entropy diversity": "EntropyDiversity",
    "recursive diversity": "RecursiveDiversity",
    "probabilistic diversity": "ProbabilisticDiversity",
    "t-closeness": "TCloseness",
    "safety": "Safety",
    "skyline": "Skyline",
    "beliefs": "Beliefs",
}


def make_rule(section: Mapping[str, Any]) -> Criterion[Any]:
    """One [[require]] section: `rule` names the criterion, the other keys are its parameters."""
    import gyges as gy

    parameters = dict(section)
    name = str(parameters.pop("rule", ""))
    plain = name.lower().replace("_", " ").replace("-diversity", " diversity")
    if plain not in RULES:
        named = f"there is no rule {name!r}{suggestion(plain, RULES)}" if name else "name a rule"
        raise RuleError(f"{named}: choose one of {', '.join(RULES)}")
    if plain == "skyline":
        return gy.Skyline(_skyline_points(parameters))
    kind = getattr(gy, RULES[plain])
    _refuse_parameters(plain, kind, parameters)
    made: Criterion[Any] = kind(**parameters)
    return made


def _refuse_parameters(name: str, kind: type, parameters: Mapping[str, Any]) -> None:
    """Name the key that is not there, or that is missing."""
    known = {
        key: one
        for key, one in inspect.signature(kind).parameters.items()
        if not key.startswith("_")
    }
    for key in parameters:
        if key not in known:
            raise RuleError(
                f"{name} has no key {key!r}{suggestion(key, known)}: it takes {', '.join(known)}"
            )
    for key, one in known.items():
        if one.default is inspect.Parameter.empty and key not in parameters:
            raise RuleError(f"{name} needs the key {key!r}")


def _skyline_points(parameters: Mapping[str, Any]) -> dict[Any, Any]:
    points = parameters.get("points")
    if not isinstance(points, dict) or set(parameters) != {"points"}:
        raise RuleError(
            "skyline takes one key, `points`, such as "
            'points = { HIV = [[1, 5, 2, "0.5"]], "*" = [[0, 3, 0, "0.9"]] }'
        )
    return {
        value: [tuple(point) if isinstance(point, list) else point for point in listed]
        if isinstance(listed, list)
        else listed
        for value, listed in points.items()
    }
