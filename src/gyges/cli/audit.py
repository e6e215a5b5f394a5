"""`gyges audit`: what every attacker learns from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import gyges as gy
from gyges.cli.options import (
    HierarchyFiles,
    MissingMarks,
    MissingValues,
    PeopleProject,
    Predict,
    QuasiOfFile,
    Questions,
    SensitiveOfFile,
    names_in,
)
from gyges.cli.output import AsJson, show, terminal

_NOTHING_TO_READ = (
    "--project, --hierarchy, --missing and --missing-mark say how to read the table that a release "
    "is compared with: give --original, --control, --population or --other as well"
)


def audit(
    release: Annotated[
        Path, typer.Argument(help="A release's directory, or any published CSV or Parquet file.")
    ],
    quasi: QuasiOfFile = None,
    sensitive: SensitiveOfFile = None,
    original: Annotated[
        str | None, typer.Option(help="The original table, for beliefs and utility; stays inside.")
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(help="For a published file: people whose data it was not made from."),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="The mapping that `publish --mapping` kept inside.")
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(help="Everyone who could be in it: for k-map, journalist and δ-presence."),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="Other people's table, from which an attacker knows how the value depends on age, "
            "…: CSV or Parquet with the same columns."
        ),
    ] = None,
    sampling_fraction: Annotated[
        str | None,
        typer.Option(help="The share of the population that is in it: 0.1 is a 10% sample."),
    ] = None,
    same_order: Annotated[
        bool, typer.Option(help="Row i of the file was made from row i of the original.")
    ] = False,
    other: Annotated[
        list[Path] | None, typer.Option(help="Another release about the same people; repeatable.")
    ] = None,
    question: Questions = None,
    predict: Predict = None,
    hierarchy: HierarchyFiles = None,
    project: PeopleProject = None,
    missing: MissingValues = None,
    missing_mark: MissingMarks = None,
    confidence: Annotated[
        str, typer.Option(help="The certainty at which a value counts as disclosed.")
    ] = "0.95",
    thorough: Annotated[
        bool, typer.Option(help="Also compute what takes minutes on a large table.")
    ] = False,
    office: Annotated[
        Path | None,
        typer.Option(help="Also write the findings in the words of a privacy office (.md)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report what each kind of attacker learns from RELEASE, made by Gyges or not.

    The exit code is 3 if something could not be checked.
    """
    from gyges.auditing.forms import load_groups
    from gyges.workflow.office_file import refuse_office, write_office
    from gyges.workflow.project_file import read_project
    from gyges.workflow.purpose_options import purpose_of_options

    refuse_office(office)
    purpose = purpose_of_options(None, question, predict)
    terminal.stage(f"reading {release}")
    schema = _roles(release, original, quasi, sensitive)
    is_alone = {original, control, mapping, population, prior, *(other or ())} == {None}
    how = (project, hierarchy, missing, missing_mark)
    if is_alone and any(how):
        raise gy.GygesError(_NOTHING_TO_READ)
    loaded = gy.load(release, schema) if is_alone else load_groups(release, schema)
    people: list[gy.Table | None] = [None] * 3
    if isinstance(loaded, gy.Release) and not is_alone:
        people = _people(original, control, population, (loaded, *how))
        loaded = loaded if project is None else read_project(project).with_options(loaded)
    terminal.stage("asking the attackers")
    found = gy.audit(
        loaded,
        confidence=confidence,
        original=people[0],
        control=people[1],
        mapping=mapping,
        population=people[2],
        others=other or (),
        sampling_fraction=sampling_fraction,
        same_order=same_order,
        purpose=purpose,
        prior=_prior(prior, loaded, how),
        thorough=thorough,
        progress=terminal.step,
    )
    if office is not None:
        write_office(office, found, loaded, terminal)
    show(found, as_json)
    if is_alone and isinstance(loaded, gy.Release):
        terminal.note("for more, give --original FILE, --population FILE or --other RELEASE")
    raise typer.Exit(0 if found.is_complete else 3)


def _prior(prior: str | None, release: object, how: tuple[Any, ...]) -> gy.Table | None:
    """The table of the prior, read by the columns of the release."""
    from gyges.workflow.people_table import people_table

    if prior is None:
        return None
    if not isinstance(release, gy.Release):
        raise gy.GygesError("--prior is for a release of groups")
    terminal.stage("reading the table of the prior")
    return people_table(prior, release, *how)


def _people(
    original: str | None, control: str | None, population: str | None, how: tuple[Any, ...]
) -> list[gy.Table | None]:
    """The tables that a release is compared with, read alike; none for a path that is not given."""
    from gyges.workflow.people_table import people_table

    terminal.stage("reading the tables to compare it with")
    people = [people_table(one, *how) for one in (original, control)]
    return [*people, people_table(population, *how, with_sensitive=False)]


def _roles(
    release: Path, original: str | None, quasi: list[str] | None, sensitive: str | None
) -> gy.Schema | None:
    """The roles of a published file's columns; what was guessed is said."""
    from gyges.workflow.published_file import guess_in_words, guessed_schema
    from gyges.workflow.releases_together import schema_of_file

    if quasi is not None and release.is_dir():
        raise gy.GygesError(
            f"{str(release)!r} is a directory, whose certificate names the columns: omit --quasi "
            f"and --sensitive, or name a file"
        )
    if quasi is not None or not release.is_file():
        return schema_of_file(release, None if quasi is None else names_in(quasi), sensitive)
    schema = guessed_schema(release, original, sensitive)
    terminal.note(guess_in_words(schema))
    return schema
