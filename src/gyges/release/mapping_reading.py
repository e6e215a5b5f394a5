"""How the table of a release was read, as its mapping records it: new rows are read alike.

Whether "a;b" is one value or two, which text is a missing value and how a date is written decide
what a rule means. So the mapping records every field of the schema that was stated, and what
`gy.read` was told besides. A field that `apply` cannot follow is refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields
from typing import Any, cast, get_args

from gyges.arguments import choice, items, mapping
from gyges.data.counting import Missing
from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.release.statements import Roles

# Fields of the schema under which new rows can be put into earlier groups.
FOLLOWED = frozenset(
    {
        "identifiers", "sensitive", "values_per_person", "published", "dropped", "kinds", "formats",
        "person", "person_columns", "separator", "do_not_identify", "exact_spelling", "keep_row",
        "keep_row_by", "worst_first", "household", "weight",
    }
)  # fmt: skip
_ELSEWHERE = frozenset({"quasi_identifiers", "hierarchies"})  # in the mapping itself
INSTEAD = "publish the new rows with `gyges publish` and their project file"


@dataclass(frozen=True, slots=True)
class Reading:
    """The stated fields of a schema, and what `gy.read` was told besides."""

    schema: Mapping[str, Any]  # without quasi-identifiers and hierarchies
    missing: Missing = "error"
    marks: tuple[str, ...] = ()
    has_value_table: bool = False  # the sensitive values came from a second table

    def to_data(self) -> dict[str, object]:
        """The reading as the mapping holds it."""
        return {
            "schema": dict(self.schema),
            "missing": self.missing,
            "missing_marks": list(self.marks),
            "value_table": self.has_value_table,
        }

    def schema_of(self, kinds: Mapping[str, str], hierarchies: Mapping[str, Hierarchy]) -> Schema:
        """The schema of new rows, given the kinds of the quasi-identifiers; refuse what cannot be
        followed.
        """
        if self.has_value_table:
            raise ReleaseError(
                f"the earlier release took its sensitive values from a second table, which apply "
                f"does not read: {INSTEAD}"
            )
        for name in self.schema:
            if name not in FOLLOWED:
                raise ReleaseError(
                    f"the earlier release was read with {name}, which apply cannot follow: "
                    f"{INSTEAD}"
                )
        if not isinstance(self.schema.get("sensitive"), (str, type(None))):
            raise ReleaseError(f"apply can protect one sensitive column only: {INSTEAD}")
        stated = mapping(self.schema.get("kinds", {}), "kinds", "{column: kind}", ReleaseError)
        fields = {**self.schema, "kinds": {**stated, **kinds}}
        return Schema(quasi_identifiers=list(kinds), hierarchies=hierarchies, **fields)


def reading_of(table: Table, roles: Roles) -> Reading:
    """How a table was read; the kinds are those that its columns turned out to have."""
    stated = {
        one.name: _plain(getattr(table.schema, one.name))
        for one in fields(Schema)
        if one.name not in _ELSEWHERE and getattr(table.schema, one.name) != _default(one)
    }
    kinds = {**stated.get("kinds", {}), **{name: str(kind) for name, kind in roles.kinds.items()}}
    return Reading({**stated, "kinds": kinds}, table.missing, table.marks, table.has_value_table)


def reading_from(stated: object) -> Reading:
    """The reading that a mapping states; one that does not fit together is refused."""
    told = mapping(stated, "reading", "what was stated", ReleaseError)
    schema = mapping(told["schema"], "schema", "fields", ReleaseError)
    missing = choice(told["missing"], get_args(Missing), "missing", ReleaseError)
    marks = items(told["missing_marks"], "missing_marks", "texts", ReleaseError)
    return Reading(
        {str(name): x for name, x in schema.items()},
        cast(Missing, missing),
        tuple(map(str, marks)),
        bool(told["value_table"]),
    )


def _default(one: Any) -> object:
    return one.default if one.default is not NO_DEFAULT else one.default_factory()


def _plain(value: object) -> Any:
    """A field as JSON holds it."""
    if isinstance(value, Mapping):
        return {name: str(x) for name, x in value.items()}
    return list(value) if isinstance(value, tuple) else value
