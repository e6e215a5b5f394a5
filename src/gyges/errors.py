"""Every exception of gyges, in one tree.

GygesError (a ValueError: the request cannot be answered)
├── SourceError            a file, frame or database table cannot be read
├── SchemaError            the roles of the columns contradict each other
│   └── MissingColumnsError    the schema names columns that the table does not have
├── HierarchyError         a hierarchy is invalid, or misses a value
├── MissingValuesError     values are missing and the schema does not say what to do
├── GroupsError            the given groups are impossible
├── RuleError              a rule's parameter is invalid, or the rule cannot be judged here
├── SentenceError          a sentence does not parse, or names an unknown person or value
│   ├── ImpossibleKnowledgeError   no world satisfies the stated knowledge
│   └── TooManyWorldsError         the worlds are too many to count; they can be sampled
├── NothingSafeError       no release of the table passes the rules
├── ReleaseError           a release directory is incomplete, or blocks a new one
│   └── LedgerError            a ledger is damaged or missing, or refuses an entry
├── BudgetError            a release would spend more privacy budget than there is
├── ExposureError          a release would expose people together with earlier releases
└── EngineError            an engine cannot do this, or a part must be installed

GygesWarning (a UserWarning) is something the caller should know; the result is still right.

A message says what is wrong, what was found, and what to do. It may name a column, a
parameter, a row number or a label of a domain, never the content of a row.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class GygesError(ValueError):
    """The request cannot be answered; the message says what to do."""


class GygesWarning(UserWarning):
    """Something the caller should know; the result is still right."""


class SourceError(GygesError):
    """A file, frame or database table cannot be read."""


class SchemaError(GygesError):
    """The roles of the columns contradict each other or the table."""


class MissingColumnsError(SchemaError):
    """The schema names columns that the table does not have."""

    def __init__(self, missing: Iterable[str], present: Iterable[str]) -> None:
        there = list(present)
        self.missing = sorted(missing)
        named = [f"{name!r}{suggestion(name, there)}" for name in self.missing]
        super().__init__(
            f"the table has no {'column' if len(named) == 1 else 'columns'} {', '.join(named)}\n"
            f"it has: {', '.join(there)}\n"
            f"names match exactly, case included: correct the schema or rename the column"
        )


class HierarchyError(GygesError):
    """A hierarchy is invalid, or misses a value of its column."""


class MissingValuesError(GygesError):
    """Values are missing and the schema does not say what to do with them."""


class GroupsError(GygesError):
    """The given groups are impossible."""


class RuleError(GygesError):
    """A rule's parameter is invalid, or the rule cannot be judged on the given groups."""


class SentenceError(GygesError):
    """A sentence does not parse, or names an unknown person or value."""


class ImpossibleKnowledgeError(SentenceError):
    """No world satisfies the stated knowledge."""


class TooManyWorldsError(SentenceError):
    """The worlds are too many to count; they can be sampled."""


class NothingSafeError(GygesError):
    """No release of the table passes the rules; `nearest` holds rules that would pass."""

    nearest: tuple[Any, ...] = ()  # of nearest_passing_rule.Nearest, where they were looked for


class ReleaseError(GygesError):
    """A release directory is incomplete, or blocks a new one."""


class LedgerError(ReleaseError):
    """A ledger is damaged or missing, or refuses an entry."""


class BudgetError(GygesError):
    """A release would spend more privacy budget than there is."""


class ExposureError(GygesError):
    """A release would make people's values certain, together with earlier releases."""


class EngineError(GygesError):
    """An engine cannot do this, or a part of it must be installed first."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'disease'?)` when a known name is near, else nothing."""
    same = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), same, n=1, cutoff=0.6)
    return f" (did you mean {same[near[0]]!r}?)" if near else ""
