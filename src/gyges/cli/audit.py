"""`gyges audit`: what every attacker learns from a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.options import HierarchyFiles, names_in
from gyges.cli.output import AsJson, show, terminal

if TYPE_CHECKING:
    from gyges.data.schema import Schema


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
    mapping: Annotated[
        Path | None, typer.Option(help="What `publish` kept inside of who went where.")
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(help="Everybody who could be in it: for k-map, journalist and δ-presence."),
    ] = None,
    other: Annotated[
        list[Path] | None, typer.Option(help="Another release about the same people; repeatable.")
    ] = None,
    hierarchy: HierarchyFiles = None,
    project: Annotated[
        Path | None, typer.Option(help="A gyges.toml, for hierarchies of the people's columns.")
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="The certainty at which a value counts as disclosed.")
    ] = "0.95",
    as_json: AsJson = False,
) -> None:
    """Say what each kind of attacker learns from RELEASE, made by Gyges or not.

    The exit code is 3 where something was not checked.
    """
    import gyges as gy
    from gyges.auditing.forms import load_groups
    from gyges.workflow.people_table import people_table

    schema = _schema_of_file(release, quasi, sensitive)
    if all(one is None for one in (original, mapping, population, other)):
        alone = gy.load(release, schema)
        found = gy.audit(alone, confidence=confidence)
        show(found, as_json)
        if isinstance(alone, gy.Release):
            terminal.note(
                "more is known with --original FILE, --population FILE and --other RELEASE"
            )
        raise typer.Exit(0 if found.is_complete else 3)
    loaded = load_groups(release, schema)
    found = gy.audit(
        loaded,
        confidence=confidence,
        original=people_table(original, loaded, project, hierarchy),
        mapping=mapping,
        population=people_table(population, loaded, project, hierarchy, with_sensitive=False),
        others=other or (),
    )
    show(found, as_json)
    raise typer.Exit(0 if found.is_complete else 3)


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
    return gy.Schema(quasi_identifiers=names_in(quasi), sensitive=sensitive)
