"""`gyges publish`: find a safe release and write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gyges.cli.options import names_in
from gyges.cli.output import AsJson, terminal

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.workflow.project_file import ProjectFile


def publish(
    source: Annotated[str, typer.Argument(help="A gyges.toml, or the data itself (CSV, Parquet).")],
    sensitive: Annotated[str | None, typer.Option(help="The sensitive column.")] = None,
    quasi: Annotated[str | None, typer.Option(help="Quasi-identifiers, with commas.")] = None,
    identifiers: Annotated[
        str | None, typer.Option("--id", help="Identifiers, with commas: never published.")
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="The column that says who is who: never published.")
    ] = None,
    k: Annotated[int | None, typer.Option(help="k-anonymity: people in a group, at least.")] = None,
    l: Annotated[int | None, typer.Option(help="Different values in a group, at least.")] = None,
    t: Annotated[str | None, typer.Option(help="t-closeness: the largest distance.")] = None,
    safety: Annotated[
        str | None, typer.Option(help="CONFIDENCE,K: safe from any K facts, such as 0.8,3.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="partition, lattice, buckets, microaggregation, marginals or dp."),
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="generalized, bucketized or microaggregated.")
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="Share of people that may be suppressed (lattice).")
    ] = None,
    utility: Annotated[
        str | None,
        typer.Option(help="What to keep (lattice): loss, precision, height, discernibility, gcp."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long to search (lattice, marginals).")
    ] = None,
    missing: Annotated[str | None, typer.Option(help="error, drop or value.")] = None,
    table_name: Annotated[
        str | None, typer.Option("--table", help="The table, with a database URL.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The directory to write.")] = None,
    format: Annotated[str | None, typer.Option(help="csv or parquet.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="Also write which values became which labels, for `apply`.")
    ] = None,
    report: Annotated[bool, typer.Option(help="Put report.html and .json into it.")] = True,
    inside: Annotated[
        Path | None, typer.Option(help="A directory for what must stay inside: who is where.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="With method dp: the privacy loss, such as 1 or 0.5.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="With method dp: such as 1e-6.")] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger to enter the release in (a .sqlite file).")
    ] = None,
    about: Annotated[
        str | None, typer.Option(help="Whom the data is about, as the ledger calls them.")
    ] = None,
    to_table: Annotated[
        str | None, typer.Option(help="Also create this table in the database of the source.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="The most memory to use, such as 2GB (partition).")
    ] = None,
    final: Annotated[
        bool, typer.Option(help="It leaves the building: no trial (see `gyges ledger`).")
    ] = False,
    despite_exposure: Annotated[
        bool,
        typer.Option(
            help="With --final: even if earlier releases and this one (may) expose people."
        ),
    ] = False,
    other_people: Annotated[
        bool, typer.Option(help="The data is about other people than the ledger says.")
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an older release.")] = False,
    seed: Annotated[int | None, typer.Option(help="Repeatable order of rows (it says so).")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the most useful release that satisfies every rule, and write it to a directory."""
    from gyges.cli.published_text import show_run
    from gyges.workflow.published_run import RunOptions
    from gyges.workflow.publishing import publish_project

    project = _project(source, table_name, sensitive, quasi, identifiers, person, missing)
    section = project.publish.changed(
        {
            "method": method,
            "form": form,
            "suppression": suppression,
            "utility": utility,
            "seconds": seconds,
            "format": format,
            "seed": seed,
            "memory": memory,
        }
    )
    options = RunOptions(
        final=final,
        despite_exposure=despite_exposure,
        other_people=other_people,
        overwrite=overwrite,
        out=out,
        ledger=ledger,
        about=about,
        rules=tuple(_rules(k, l, t, safety)),
        epsilon=epsilon,
        delta=delta,
        report=report,
        inside=inside,
        mapping=mapping,
        to_table=to_table,
    )
    show_run(publish_project(project, section, options, terminal), as_json)


def _project(
    source: str,
    table_name: str | None,
    sensitive: str | None,
    quasi: str | None,
    identifiers: str | None,
    person: str | None,
    missing: str | None,
) -> ProjectFile:
    """The project in a file, or the one that the options about columns describe."""
    from gyges.errors import GygesError
    from gyges.workflow.project_file import read_project

    if Path(source).suffix == ".toml":
        return read_project(Path(source))
    if quasi is None:
        raise GygesError(
            "say which columns an attacker may know: --quasi age,zip,sex (or write a gyges.toml)"
        )
    from gyges.workflow.project_sections import ColumnsSection
    from gyges.workflow.project_without_file import project_without_file

    columns = ColumnsSection(
        identifiers=names_in(identifiers),
        person=person,
        quasi_identifiers=names_in(quasi),
        sensitive=sensitive,
    )
    return project_without_file(source, columns, table=table_name, missing=missing)


def _rules(k: int | None, l: int | None, t: str | None, safety: str | None) -> list[Criterion[Any]]:
    import gyges as gy

    rules: list[Criterion[Any]] = []
    if k is not None:
        rules.append(gy.KAnonymity(k))
    if l is not None:
        rules.append(gy.DistinctDiversity(l))
    if t is not None:
        rules.append(gy.TCloseness(t))
    if safety is not None:
        confidence, _, facts = safety.partition(",")
        if not facts.strip().isdigit():
            raise gy.GygesError(f"--safety is {safety!r}: give CONFIDENCE,K such as 0.8,3")
        rules.append(gy.Safety(confidence=confidence, k=int(facts)))
    return rules
