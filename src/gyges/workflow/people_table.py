"""Tables of people to look up in a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gyges.auditing.forms import load_groups
from gyges.auditing.people_source import read_people
from gyges.data.all_rows import schema_of_rows
from gyges.data.counting import Missing
from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.engines.read import open_source, read
from gyges.errors import GygesError
from gyges.release.release import Release
from gyges.workflow.project_file import ProjectFile, read_project


def people_table(
    source: str | None,
    release: Release | Path,
    project: Path | None = None,
    hierarchy_files: list[str] | None = None,
    missing: Missing | None = None,
    missing_marks: Sequence[str] | None = None,
    *,
    with_sensitive: bool = True,
    with_columns: Sequence[str] = (),
) -> Table | None:
    """Read people by the quasi-identifiers of a release, with the given hierarchies.

    Args:
        with_columns: further columns to read.
        missing: as for `gy.read`; without it, what the project states.
        missing_marks: texts that stand for a missing value; without them, those of the project.
    """
    if source is None:
        return None
    loaded = load_groups(release) if isinstance(release, Path) else release
    schema = loaded.roles.schema(with_sensitive=with_sensitive)
    if loaded.rows_per_person == "all":
        schema = schema_of_rows(schema)
    given = hierarchies_of_files(hierarchy_files or [], schema.quasi_identifiers)
    further = [name for name in dict.fromkeys(with_columns) if name not in schema.columns]
    schema = replace(schema, hierarchies={**schema.hierarchies, **given}, dropped=further)
    if project is None:
        return read_people(source, schema, missing or "error", missing_marks or ())
    stated = read_project(project)
    kept = set(schema.quasi_identifiers)
    known = stated.schema_of_columns().hierarchies
    hierarchies = {name: one for name, one in known.items() if name in kept}
    schema = replace(schema, hierarchies={**schema.hierarchies, **hierarchies, **given})
    return read(
        source,
        _as_in_project(schema, stated, source, with_sensitive),
        values=stated.values if with_sensitive else None,
        missing=missing or stated.data.missing,
        missing_marks=stated.data.missing_marks if missing_marks is None else missing_marks,
    )


def _as_in_project(
    schema: Schema, stated: ProjectFile, source: str, with_sensitive: bool
) -> Schema:
    """The schema with the project's person, identifiers and dropped columns, if they exist."""
    columns = stated.columns
    used = set(schema.columns)
    present = set(open_source(source)[0].columns) - used
    schema = replace(
        schema,
        person=columns.person if columns.person in present else None,
        person_columns=columns.person_columns
        if used | present >= {*columns.person_columns}
        else (),
        identifiers=[name for name in columns.identifiers if name in present],
        dropped=[*schema.dropped, *(name for name in columns.dropped if name in present)],
        do_not_identify=[name for name in columns.do_not_identify if name in present],
        exact_spelling=columns.exact_spelling,
        formats={name: x for name, x in columns.formats.items() if name in schema.columns},
        household=columns.household if columns.household in present else None,
        weight=columns.weight if columns.weight in present else None,
    )
    by = columns.keep_row_by
    if schema.person and columns.keep_row and (by is None or by in present | used):
        if columns.worst_first and schema.sensitive is None:
            raise GygesError(
                f"the project uses each person's most sensitive row, and the sensitive column is "
                f"not read here, so nobody can say which row of {source} that is: give a table "
                f"with one row per person"
            )
        schema = replace(
            schema, keep_row=columns.keep_row, keep_row_by=by, worst_first=columns.worst_first
        )
        known = {by: columns.formats[by]} if by and by in columns.formats else {}
        schema = replace(schema, formats={**schema.formats, **known})
    if columns.rows_per_person == "all" and schema.person:
        own = {name: x for name, x in columns.kinds.items() if name in schema.quasi_identifiers}
        schema = replace(schema, rows_per_person="all", kinds=own)
    if not with_sensitive:
        return schema
    return replace(schema, values_per_person=columns.values_per_person, separator=columns.separator)


def hierarchies_of_files(files: list[str], columns: Sequence[str]) -> dict[str, Hierarchy]:
    """The hierarchies of columns, each given as COLUMN=FILE."""
    found = {}
    for stated in files:
        column, _, path = stated.partition("=")
        if not path or column not in columns:
            raise GygesError(
                f"--hierarchy is {stated!r}: write COLUMN=FILE, with a column out of "
                f"{', '.join(columns)}"
            )
        found[column] = Hierarchy.from_csv(path)
    return found
