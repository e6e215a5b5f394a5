"""The forms of groups: what a row shows of its person's quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# `gyges.auditing.forms` lists all forms, also those without groups.
Form: TypeAlias = Literal["generalized", "bucketized", "microaggregated"]


@dataclass(frozen=True, slots=True)
class GroupForm:
    """What the rows of a form show, and how a report says it."""

    text: str
    heading: str  # of the quasi-identifiers
    is_exact: bool = False  # each row shows its person's own values; sensitive values are apart
    is_averaged: bool = False  # each row shows an average, which need not be anyone's value

    @property
    def has_true_labels(self) -> bool:
        """Whether all rows of a group show one label, which covers the values of everyone in it."""
        return not self.is_exact and not self.is_averaged


GROUP_FORMS: dict[Form, GroupForm] = {
    "generalized": GroupForm(
        "generalized: all rows of a group show the same generalized quasi-identifiers",
        "Generalized where needed",
    ),
    "bucketized": GroupForm(
        "bucketized: quasi-identifiers are published unchanged, and sensitive values separately, "
        "for each group",
        "Published unchanged",
        is_exact=True,
    ),
    "microaggregated": GroupForm(
        "microaggregated: each quasi-identifier is replaced by the group's average or most "
        "frequent value",
        "Averaged",
        is_averaged=True,
    ),
}
