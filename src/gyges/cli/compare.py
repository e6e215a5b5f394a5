"""`gyges compare`: releases, methods or tools side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gyges as gy
from gyges.cli.options import (
    HierarchyFiles,
    MissingMarks,
    MissingValues,
    PeopleProject,
    Picture,
    QuasiOfFile,
    SensitiveOfFile,
    names_in,
)
from gyges.cli.output import AsJson, show, terminal
from gyges.workflow.picture_pages import refuse_picture, write_picture


def compare(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Two or more: directories of releases, or published files."),
    ],
    original: Annotated[
        str | None, typer.Option(help="The original table, for utility and attacks; stays inside.")
    ] = None,
    control: Annotated[
        str | None, typer.Option(help="People whose data no release was made from.")
    ] = None,
    quasi: QuasiOfFile = None,
    sensitive: SensitiveOfFile = None,
    hierarchy: HierarchyFiles = None,
    project: PeopleProject = None,
    missing: MissingValues = None,
    missing_mark: MissingMarks = None,
    picture: Picture = None,
    as_json: AsJson = False,
) -> None:
    """Put RELEASES of any maker side by side: the same risks and the same utility of each.

    The exit code is 3 if something could not be checked.
    """
    from gyges.report.comparison_page import PAGE_BEGINS, comparison_page
    from gyges.workflow.compared_releases import compare_releases
    from gyges.workflow.published_file import common_schema, guess_in_words

    refuse_picture(picture, PAGE_BEGINS)
    if quasi is None and sensitive is not None:
        raise gy.GygesError("--sensitive is given without --quasi: give both, or omit both")
    roles = None
    files = [place for place in releases if place.is_file()]
    if quasi is not None:
        roles = gy.Schema(quasi_identifiers=names_in(quasi), sensitive=sensitive)
    elif files:
        roles = common_schema(files, original)
        terminal.note(guess_in_words(roles))
    found = compare_releases(
        releases,
        schema=roles,
        original=original,
        control=control,
        tell=terminal.stage,
        project=project,
        hierarchy_files=hierarchy,
        missing=missing,
        missing_marks=missing_mark,
    )
    if picture is not None:
        write_picture(picture, comparison_page(found), terminal, stays_inside=original is not None)
    show(found, as_json)
    raise typer.Exit(0 if found.is_complete else 3)
