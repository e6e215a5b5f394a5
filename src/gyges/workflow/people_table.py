"""Tables of people that are looked up in a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gyges.data.hierarchy import Hierarchy
from gyges.data.table import Table
from gyges.engines.read import read
from gyges.errors import GygesError
from gyges.release.files import load
from gyges.release.release import Release


def people_table(
    source: str | None,
    release: Release | Path,
    project: Path | None = None,
    hierarchy_files: list[str] | None = None,
    *,
    with_sensitive: bool = True,
) -> Table | None:
    """People by the quasi-identifiers of a release, under the hierarchies that are given."""
    if source is None:
        return None
    roles = (load(release) if isinstance(release, Path) else release).roles
    schema = roles.schema(with_sensitive=with_sensitive)
    given = _hierarchies(hierarchy_files or [], schema.quasi_identifiers)
    schema = replace(schema, hierarchies={**schema.hierarchies, **given})
    if project is None:
        return read(source, schema)
    from gyges.workflow.project_file import read_project  # loads pydantic

    stated = read_project(project)
    kept = set(schema.quasi_identifiers)
    known = stated.schema_of_columns().hierarchies
    hierarchies = {name: one for name, one in known.items() if name in kept}
    return read(
        source,
        replace(schema, hierarchies={**schema.hierarchies, **hierarchies, **given}),
        missing=stated.data.missing,
        missing_marks=stated.data.missing_marks,
    )


def _hierarchies(files: list[str], columns: Sequence[str]) -> dict[str, Hierarchy]:
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
