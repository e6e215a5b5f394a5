"""Tables of people that are looked up in a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gyges.data.table import Table
    from gyges.release.release import Release


def people_table(
    source: str | None,
    release: Release | Path,
    project: Path | None = None,
    *,
    with_sensitive: bool = True,
) -> Table | None:
    """People by the quasi-identifiers of a release, under the hierarchies of a project file."""
    import gyges as gy

    if source is None:
        return None
    roles = (gy.load(release) if isinstance(release, Path) else release).roles
    schema = roles.schema(with_sensitive=with_sensitive)
    if project is None:
        return gy.read(source, schema)
    from gyges.cli.project import read_project

    stated = read_project(project)
    kept = set(schema.quasi_identifiers)
    known = stated.schema_of_columns().hierarchies
    hierarchies = {name: one for name, one in known.items() if name in kept}
    return gy.read(
        source,
        replace(schema, hierarchies={**schema.hierarchies, **hierarchies}),
        missing=stated.data.missing,
        missing_marks=stated.data.missing_marks,
    )
