"""Tables of people whom an auditor looks up in a release: their rows must be people, too."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from gyges.auditing.column_roles import unnamed_person
from gyges.data.consistency import in_rows
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.table import Table
from gyges.engines.read import open_source, read
from gyges.errors import SourceError


def read_people(source: str | Path, schema: Schema) -> Table:
    """Read people by the columns of a release, which names no column that says who is who.

    A column beside them that seems to say so, and repeats, makes rows of one person look like
    several people: such a table is refused until a project file says what the column is.
    """
    rows, _ = open_source(source)
    refuse_unnamed_person(rows, schema.columns)
    return read(source, schema)


def refuse_unnamed_person(rows: Source, named: Collection[str]) -> None:
    """Refuse rows beside whose columns another one seems to say who is who, and repeats."""
    found = unnamed_person(rows, named)
    if found is not None:
        raise SourceError(
            f"{rows.name}: column {found.name!r} seems to say who is who, and it has only "
            f"{in_rows(found.n_distinct, found.n_rows)}; what holds for rows would not hold for "
            f"people\nkeep one row per person, or give a project file "
            f"(gyges init writes one) in which the column is `person` or `dropped`"
        )
