"""The names that rules have in a project file."""

from __future__ import annotations

import inspect

from gyges.criteria.rules import RULES, rule_of_plain_name

RULE_NAMES = tuple(known.plain_name for known in RULES)


def plain_rule_name(name: str) -> str | None:
    """The usual name of a rule: "Entropy_Diversity" is "entropy diversity"; None if unknown."""
    known = rule_of_plain_name(name)
    return None if known is None else known.plain_name


def usual_parameters(name: str) -> dict[str, object]:
    """What each key of a rule is where a project does not state it.

    >>> usual_parameters("safety")
    {'language': 'implications'}
    """
    known = rule_of_plain_name(name)
    if known is None:
        return {}
    asked = inspect.signature(known.load()).parameters
    return {key: one.default for key, one in asked.items() if one.default is not one.empty}
