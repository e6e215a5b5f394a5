"""`gyges publish`: find a safe release and write it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperOption

from gyges.cli.options import (
    About,
    Command,
    DespiteExposure,
    Final,
    Identifiers,
    IntoLedger,
    NoiseError,
    NumberOfPeople,
    OtherPeople,
    Out,
    Overwrite,
    Person,
    Predict,
    Questions,
    Sensitive,
    names_in,
)
from gyges.cli.output import AsJson, terminal
from gyges.cli.published_text import show_run
from gyges.errors import GygesError
from gyges.workflow.run_options import RunOptions

if TYPE_CHECKING:
    from gyges.workflow.project_file import ProjectFile


def publish(
    source: Annotated[str, typer.Argument(help="A gyges.toml, or the data itself (CSV, Parquet).")],
    sensitive: Sensitive = None,
    quasi: Annotated[
        list[str] | None, typer.Option(help="Quasi-identifiers, comma-separated.")
    ] = None,
    identifiers: Identifiers = None,
    person: Person = None,
    k: Annotated[int | None, typer.Option(help="k-anonymity: minimum size of a group.")] = None,
    l: Annotated[
        int | None, typer.Option(help="Minimum number of different sensitive values in a group.")
    ] = None,
    t: Annotated[
        str | None,
        typer.Option(
            help="t-closeness: how much a group's values may differ from the whole table's."
        ),
    ] = None,
    safety: Annotated[
        str | None, typer.Option(help="CONFIDENCE,K: safe against any K facts, such as 0.8,3.")
    ] = None,
    method: Annotated[str | None, typer.Option(help="{methods}.")] = None,
    form: Annotated[str | None, typer.Option(help="{forms}.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=VALUE: an option of the method; a wrong NAME lists those that it has."
        ),
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="Share of people that may be suppressed (lattice).")
    ] = None,
    utility: Annotated[
        str | None,
        typer.Option(help="What to optimize (lattice): {utilities}."),
    ] = None,
    choice: Annotated[
        str | None,
        typer.Option(
            help="finest; simulatable or blind: the choice of groups reveals nothing (partition)."
        ),
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(
            help="Search for groups that lose less (partition): quick, normal or thorough."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", "--time-limit", help="How long to search (partition, lattice, marginals)."
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            help="Labels of groups (partition): usual, nodes (of hierarchies) or sets (of values)."
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="How much each column matters: age=2,zip=0.5 (1 by default).")
    ] = None,
    question: Questions = None,
    predict: Predict = None,
    missing: Annotated[
        str | None, typer.Option(help="Missing values: error, drop or value.")
    ] = None,
    table_name: Annotated[
        str | None,
        typer.Option("--table", help="The table to read, if the source is a database URL."),
    ] = None,
    out: Out = None,
    format: Annotated[str | None, typer.Option(help="csv, parquet, xlsx, dta, sav or xpt.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="Also write which values became which labels, for `apply`.")
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Add a codebook, datapackage.json, croissant.json.")
    ] = False,
    report: Annotated[bool, typer.Option(help="Include report.html and report.json.")] = True,
    inside: Annotated[
        Path | None,
        typer.Option(help="Directory for files that must not be published: each person's group."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="With method dp: the privacy loss, such as 1 or 0.5.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="With method dp: such as 1e-6.")] = None,
    error: NoiseError = None,
    people: NumberOfPeople = None,
    ledger: IntoLedger = None,
    about: About = None,
    to_table: Annotated[
        str | None, typer.Option(help="Also create this table in the source's database.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="The most memory to use, such as 2GB (partition).")
    ] = None,
    final: Final = False,
    despite_exposure: DespiteExposure = False,
    other_people: OtherPeople = False,
    overwrite: Overwrite = False,
    sign: Annotated[
        Path | None,
        typer.Option(help="Sign the release with this private Ed25519 key (OpenSSH or PEM)."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Make the order of rows repeatable; the release says so.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the most useful release that satisfies every rule, and write it to a directory."""
    from gyges.workflow.project_rules import rules_of_options
    from gyges.workflow.publishing import publish_project
    from gyges.workflow.purpose_options import purpose_of_options

    columns = _columns(identifiers, person, quasi, sensitive)
    project = _project(source, columns, table_name, missing)
    settings = {
        "method": method, "form": form, "suppression": suppression, "utility": utility,
        "choice": choice, "effort": effort, "labels": labels, "seconds": seconds,
        "format": format, "seed": seed, "memory": memory,
    }  # fmt: skip
    section = project.publish.changed(
        {**_options(option or []), **{key: one for key, one in settings.items() if one is not None}}
    )
    options = RunOptions(
        final=final,
        despite_exposure=despite_exposure,
        other_people=other_people,
        overwrite=overwrite,
        sign=sign,
        out=out,
        ledger=ledger,
        about=about,
        rules=rules_of_options(k, l, t, safety),
        purpose=purpose_of_options(weights, question, predict),
        epsilon=epsilon,
        delta=delta,
        error=error,
        people=people,
        report=report,
        describe=describe,
        inside=inside,
        mapping=mapping,
        to_table=to_table,
    )
    show_run(publish_project(project, section, options, terminal), as_json)


def _columns(
    identifiers: list[str] | None,
    person: str | None,
    quasi: list[str] | None,
    sensitive: str | None,
) -> dict[str, object]:
    """The keys of [columns] that the options state."""
    return {
        "identifiers": names_in(identifiers),
        "person": person,
        "quasi_identifiers": names_in(quasi),
        "sensitive": sensitive,
    }


class PublishCommand(Command):
    """Fills in what the help lists when it is shown: methods, forms and measures."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        from gyges.workflow.choices import choices

        known = choices()
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and parameter.help:
                parameter.help = parameter.help.format_map(known)
        super().format_help(ctx, formatter)


def _options(given: list[str]) -> dict[str, object]:
    """Options as NAME=VALUE; a value is read as in a project file, or else as text."""
    found: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise GygesError(f"--option {one!r}: write NAME=VALUE, such as restarts=10")
        try:
            found[name] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[name] = value
    return found


def _project(
    source: str, columns: Mapping[str, object], table: str | None, missing: str | None
) -> ProjectFile:
    """The project in a file, or the one that the options describe."""
    from gyges.workflow.project_file import read_project
    from gyges.workflow.project_without_file import project_without_file

    if Path(source).suffix == ".toml":
        return read_project(Path(source))
    if not columns["quasi_identifiers"]:
        raise GygesError(
            "name the columns that an attacker may know: --quasi age,zip,sex (or write a "
            "gyges.toml)"
        )
    return project_without_file(source, columns, table=table, missing=missing)
