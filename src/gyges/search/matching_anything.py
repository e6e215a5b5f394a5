"""Refuse what cannot be promised where a missing value may be any value."""

from __future__ import annotations

from collections.abc import Iterable

from gyges.criteria.base import Rule
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.release.group_forms import GROUP_FORMS, Form

_INSTEAD = "choose missing='value' or 'drop', or omit the method, form or rule"


def refuse_matching_anything(
    table: Table, method: str, rules: Iterable[Rule], form: Form | None
) -> None:
    """Refuse methods, forms and rules under which a missing value cannot match anything.

    `form` is None where no rows of groups are published.
    """
    if table.stand_ins is None:
        return
    if form is None:
        raise RuleError(
            f"the method {method} counts values, and one that may be any value cannot be counted: "
            f"{_INSTEAD}"
        )
    if not GROUP_FORMS[form].has_true_labels:
        raise RuleError(
            f"the form {form} publishes values or averages of people, and of a missing value that "
            f"may be any value there is none: {_INSTEAD}"
        )
    for rule in rules:
        if rule.compares_people:
            raise RuleError(
                f"{rule} is about prior beliefs, which depend on values that are missing here and "
                f"may be any value: {_INSTEAD}"
            )
