"""Tables of people whom an auditor looks up in a release: their rows must be people."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from gyges.auditing.column_roles import unnamed_person
from gyges.data.consistency import in_rows
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.table import Table
from gyges.engines.read import open_source, read
from gyges.errors import ReleaseError, SourceError
from gyges.release.release import Release


def read_people(source: str | Path, schema: Schema) -> Table:
    """Read people by the columns of a release, none of which identifies a person.

    If another column seems to identify people and has repeated values, several rows may be one
    person. Such a table is refused until a project file gives the column a role.
    """
    rows, _ = open_source(source)
    refuse_unnamed_person(rows, schema.columns)
    return read(source, schema)


def refuse_unnamed_person(rows: Source, named: Collection[str]) -> None:
    """Refuse a table in which a column without a role seems to identify people and repeats."""
    found = unnamed_person(rows, named)
    if found is not None:
        raise SourceError(
            f"{rows.name}: column {found.name!r} seems to identify people, but it has only "
            f"{in_rows(found.n_distinct, found.n_rows)}, so results about rows would not hold for "
            f"people\nkeep one row per person, or give a project file "
            f"(gyges init writes one) in which the column is `person` or `dropped`"
        )


def read_original(release: Release, original: str | Path) -> Table:
    """Read the original by the columns of a release; its rows must be people."""
    if release.groups.values_per_person != "one":
        raise ReleaseError(
            "people have several sensitive values here, and a file alone does not say whose they "
            "are: give the original with its schema (--project gyges.toml)"
        )
    return read_people(original, release.roles.schema(with_sensitive=True))
