"""What a table shows of itself: roles and counts, never a row or a value."""

from __future__ import annotations

from collections.abc import Mapping

from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.encoding import Coder
from gyges.data.schema import Schema
from gyges.notebook import card, lines, table


def describe(n_people: int, schema: Schema, coders: Mapping[str, Coder]) -> str:
    """A table's people and the role of each column, for a terminal."""
    rows = _rows(schema, coders)
    widths = [max((len(row[place]) for row in rows), default=0) for place in (0, 1)]
    listed = [f"  {role:<{widths[0]}}  {name:<{widths[1]}}  {held}" for role, name, held in rows]
    return "\n".join([f"a table of {n_people:,} people", *map(str.rstrip, listed), *_doubt(schema)])


def describe_in_html(n_people: int, schema: Schema, coders: Mapping[str, Coder]) -> str:
    """The same for a notebook."""
    held = table(_rows(schema, coders), ("role", "column", "values"))
    return card(f"a table of {n_people:,} people", held, lines("\n".join(_doubt(schema))))


def _rows(schema: Schema, coders: Mapping[str, Coder]) -> list[tuple[str, str, str]]:
    """(role, column, how many values) of every column that has a role."""
    found = [("person", schema.person, "")] if schema.person else []
    for role, names in schema.roles.items():
        for name in names:
            n = int(coders[name].domain.present.sum()) if name in coders else None
            if name != schema.person:
                found.append((role, name, "" if n is None else f"{n:,} values"))
    return found


def _doubt(schema: Schema) -> list[str]:
    return [] if schema.says_who_is_who else [ROWS_ARE_PEOPLE]
