"""`gyges attack`: what an attacker learns from several releases about the same people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
from gyges.errors import GygesError
from gyges.workflow.picture_pages import refuse_picture, write_picture


def attack(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Two or more: directories of releases, or published files."),
    ],
    people: Annotated[str, typer.Option(help="The people to look up: CSV or Parquet.")],
    confidence: Annotated[
        str, typer.Option(help="The certainty at which a person counts as exposed.")
    ] = "0.5",
    present: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns of PEOPLE, one for each release: yes or no, whether a person is in it."
        ),
    ] = None,
    similar: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE,VALUE: values that may change into each other; repeatable."),
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
    """Join RELEASES about the same people and count the people whose value is exposed.

    PEOPLE holds their quasi-identifiers, under the same column names as in the releases; each
    release is looked up by the columns that it shares with PEOPLE. Views are joined too; noise is
    not, and is named with that reason. Everyone who fits a group is taken to be in it, unless
    --present says otherwise: nothing is proven without it. The attacker uses all counts of all
    groups at once. Exit code 0: nobody is exposed, or their value certain, whom no release exposes
    alone. 1: joining the releases exposes someone, or makes their value certain, whom no release
    does alone. 2: a label cannot be read, or nobody is located. 3: undecided. Nobody was found
    exposed, but people fit no group of a release or more people fit a group than it holds, a
    release holds people who are not listed, the releases contradict each other, a release shows
    more columns than were attacked, a release was not joined, or there are too many worlds; or a
    release is microaggregated, so that groups are guessed. Estimates never decide the exit code.
    """
    from gyges.report.exposure_page import PAGE_BEGINS, exposure_page, exposure_text
    from gyges.workflow.joined_attack import attack_together

    refuse_picture(picture, PAGE_BEGINS)
    terminal.stage(f"looking up the people of {people} in every release")
    found = attack_together(
        releases,
        people,
        confidence,
        quasi=None if quasi is None else names_in(quasi),
        sensitive=sensitive,
        project=project,
        hierarchy_files=hierarchy,
        present=None if present is None else names_in(present),
        missing=missing,
        missing_marks=missing_mark,
        similar=_similar(similar or []),
    )
    verdict = found.verdict()
    if picture is not None:
        write_picture(picture, exposure_page(found.found, verdict), terminal, stays_inside=True)
    show(found.stated(), as_json, f"{verdict}\n\n{exposure_text(found.found)}")
    raise typer.Exit(3 if found.is_safe is None else 0 if found.is_safe else 1)


def _similar(stated: list[str]) -> dict[str, list[str]]:
    """The classes of values that are named as NAME=VALUE,VALUE."""
    found: dict[str, list[str]] = {}
    for one in stated:
        name, is_given, values = one.partition("=")
        if not is_given or not name.strip() or not values.strip():
            raise GygesError(f"--similar is {one!r}: write NAME=VALUE,VALUE")
        found.setdefault(name.strip(), []).extend(value.strip() for value in values.split(","))
    return found
