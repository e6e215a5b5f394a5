"""`gyges audit`: what every attacker gains from a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.show import AsJson, show

if TYPE_CHECKING:
    from gyges.data.schema import Schema
    from gyges.data.table import Table
    from gyges.release.release import Release


def audit(
    release: Annotated[
        Path, typer.Argument(help="A release's directory, or any published CSV or Parquet file.")
    ],
    quasi: Annotated[
        str | None, typer.Option(help="For a file: its quasi-identifiers, with commas.")
    ] = None,
    sensitive: Annotated[str | None, typer.Option(help="For a file: its sensitive column.")] = None,
    original: Annotated[
        str | None, typer.Option(help="The original table, for beliefs and utility; stays inside.")
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(help="Everybody who could be in it: for k-map, journalist and δ-presence."),
    ] = None,
    other: Annotated[
        list[Path] | None, typer.Option(help="Another release about the same people; repeatable.")
    ] = None,
    project: Annotated[
        Path | None, typer.Option(help="A gyges.toml, for hierarchies of the people's columns.")
    ] = None,
    confidence: Annotated[str, typer.Option(help="How sure counts as disclosed.")] = "0.95",
    as_json: AsJson = False,
) -> None:
    """Ask every attacker what RELEASE tells him, whoever made it."""
    import gyges as gy

    schema = _schema_of_file(release, quasi, sensitive)
    if schema is None and original is None and population is None and not other:
        show(gy.audit(release, confidence=confidence), as_json)
        return
    loaded = gy.load(release, schema)
    found = gy.audit(
        loaded,
        confidence=confidence,
        original=_people(original, loaded, project, with_sensitive=True),
        population=_people(population, loaded, project, with_sensitive=False),
        others=other or (),
    )
    show(found, as_json)


def _schema_of_file(release: Path, quasi: str | None, sensitive: str | None) -> Schema | None:
    import gyges as gy

    if quasi is None:
        if release.is_file():
            raise gy.GygesError(
                f"{str(release)!r} is a file: say which columns are what, with --quasi and "
                f"--sensitive"
            )
        return None
    if release.is_dir():
        raise gy.GygesError(
            f"{str(release)!r} is a directory, whose certificate says which columns are what: "
            f"leave --quasi and --sensitive out, or name a file"
        )
    names = [name.strip() for name in quasi.split(",") if name.strip()]
    return gy.Schema(quasi_identifiers=names, sensitive=sensitive)


def _people(
    source: str | None, release: Release, project: Path | None, *, with_sensitive: bool
) -> Table | None:
    """A table of people, by the release's quasi-identifiers and the project's hierarchies."""
    import gyges as gy

    if source is None:
        return None
    schema = release.roles.schema(with_sensitive=with_sensitive)
    if project is None:
        return gy.read(source, schema)
    from dataclasses import replace

    from gyges.cli.project import read_project

    known = read_project(project).schema_of_columns()
    kept = set(schema.quasi_identifiers)
    hierarchies = {name: h for name, h in known.hierarchies.items() if name in kept}
    return gy.read(source, replace(schema, hierarchies={**schema.hierarchies, **hierarchies}))
