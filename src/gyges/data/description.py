"""A table in words: roles and counts, never a row or a value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Protocol

from gyges.data.consistency import people_notices, rows_are_people
from gyges.data.encoding import Coder
from gyges.data.people_words import counted_people
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.notebook import NotebookCard, Part, Rows


class _Counted(Protocol):
    """What a description needs of a table."""

    @property
    def schema(self) -> Schema: ...
    @property
    def source(self) -> Source: ...
    @property
    def marks(self) -> Collection[str]: ...
    @property
    def coders(self) -> Mapping[str, Coder]: ...
    @property
    def n_people(self) -> int: ...
    @property
    def rows_are_people(self) -> bool: ...
    @property
    def people_notices(self) -> list[str]: ...


class DescribedTable(NotebookCard):
    """A table that shows its people and the role of each column, in a terminal or a notebook."""

    @cached_property
    def rows_are_people(self: _Counted) -> bool:
        """Whether some rows were counted as people although no column identifies their person."""
        return rows_are_people(self.source, self.schema, self.marks)

    @cached_property
    def people_notices(self: _Counted) -> list[str]:
        """The assumptions behind the count of people, in words."""
        return people_notices(self.source, self.schema, self.marks)

    def __repr__(self: _Counted) -> str:
        rows = _roles(self)
        widths = [max((len(row[place]) for row in rows), default=0) for place in (0, 1)]
        listed = [f"  {role:<{widths[0]}}  {name:<{widths[1]}}  {n}" for role, name, n in rows]
        return "\n".join([_title(self), *map(str.rstrip, listed), *self.people_notices])

    def _card_title(self: _Counted) -> str:
        return _title(self)

    def _card_parts(self: _Counted) -> list[Part]:
        return [Rows(_roles(self), ("role", "column", "values")), *self.people_notices]


def _title(table: _Counted) -> str:
    said = counted_people(table.n_people, table.rows_are_people)
    return f"a table of {said}".rstrip(",")


def _roles(table: _Counted) -> list[tuple[str, str, str]]:
    """(role, column, how many values) of every column that has a role."""
    schema, coders = table.schema, table.coders
    found = [("person", schema.person, "")] if schema.person else []
    for role, names in schema.roles.items():
        for name in names:
            n = int(coders[name].domain.present.sum()) if name in coders else None
            if name != schema.person:
                found.append((role, name, "" if n is None else f"{n:,} values"))
    return found
