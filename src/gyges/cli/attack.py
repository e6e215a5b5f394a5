"""`gyges attack`: what an attacker learns who holds several releases about the same people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import HierarchyFiles, names_in
from gyges.cli.output import AsJson, show, terminal


def attack(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Two or more: directories of releases, or published files."),
    ],
    people: Annotated[str, typer.Option(help="The people to look for: CSV or Parquet.")],
    confidence: Annotated[
        str, typer.Option(help="The certainty at which a person counts as exposed.")
    ] = "0.5",
    quasi: Annotated[
        str | None, typer.Option(help="For published files: their quasi-identifiers.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="For published files: their sensitive column.")
    ] = None,
    hierarchy: HierarchyFiles = None,
    project: Annotated[
        Path | None, typer.Option(help="A gyges.toml, for hierarchies of the people's columns.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write a page with the verdict and a picture here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Join RELEASES about the same people and count the people whose value is exposed.

    PEOPLE holds their quasi-identifiers, by the same column names as in the releases. Exit code 1
    if joining the releases exposes anyone whom no release exposed alone; 2 if a label cannot be
    read or nobody is located; 3 if not everything could be checked: people fit no group of a
    release, the releases contradict each other, or a release does not say for certain who is in
    which group. Estimates are shown, and decide nothing.
    """
    from gyges.report.exposure import PAGE_BEGINS, exposure_page, exposure_text
    from gyges.workflow.joined_attack import attack_together
    from gyges.workflow.picture_pages import refuse_picture, write_picture

    refuse_picture(picture, PAGE_BEGINS)
    found = attack_together(
        releases,
        people,
        confidence,
        quasi=None if quasi is None else names_in(quasi),
        sensitive=sensitive,
        project=project,
        hierarchy_files=hierarchy,
    )
    verdict = found.verdict()
    if picture is not None:
        write_picture(picture, exposure_page(found.found, verdict), terminal, stays_inside=True)
    show(found.stated(), as_json, f"{verdict}\n\n{exposure_text(found.found)}")
    raise typer.Exit(3 if found.is_safe is None else 0 if found.is_safe else 1)
