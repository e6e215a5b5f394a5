"""The names that rules have in a project file."""

from __future__ import annotations

from gyges.criteria.rules import RULES

RULE_NAMES = tuple(known.plain_name for known in RULES)
