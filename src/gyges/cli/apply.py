"""`gyges apply`: publish new rows under the scheme of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import names_in
from gyges.cli.output import AsJson, show, terminal


def apply(
    mapping: Annotated[Path, typer.Argument(help="The mapping that `publish --mapping` wrote.")],
    newdata: Annotated[str, typer.Argument(help="The new rows (CSV or Parquet).")],
    sensitive: Annotated[str | None, typer.Option(help="The sensitive column.")] = None,
    identifiers: Annotated[
        str | None, typer.Option("--id", help="Identifiers, with commas: never published.")
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="The column that says who is who: never published.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The directory to write.")] = Path("release"),
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger to enter the release in (a .sqlite file).")
    ] = None,
    about: Annotated[
        str | None, typer.Option(help="Whom the data is about, as the ledger calls them.")
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
    as_json: AsJson = False,
) -> None:
    """Publish NEWDATA under the scheme of an earlier release; exit with 1 if it is not safe.

    The rules of the earlier release are judged on the new groups, and nothing is written unless
    they hold.
    """
    from gyges.cli.published_text import show_run
    from gyges.workflow.applying import publish_by_mapping
    from gyges.workflow.published_run import RunOptions

    options = RunOptions(
        final=final,
        despite_exposure=despite_exposure,
        other_people=other_people,
        overwrite=overwrite,
        ledger=ledger,
        about=about,
    )
    verdict, run = publish_by_mapping(
        mapping,
        newdata,
        options,
        directory=out,
        format=format,
        sensitive=sensitive,
        identifiers=names_in(identifiers),
        person=person,
        progress=terminal,
    )
    if run is None:
        show({"safe": False, "failures": [str(f) for f in verdict.failures]}, as_json, str(verdict))
        raise typer.Exit(1)
    people = f"{run.stated['people']:,} people in {run.stated['groups']:,} groups"
    notices = [notice for notice in run.stated["notices"] if notice not in verdict.notices]
    show_run(run, as_json, [f"published {people} to {out}", str(verdict), *notices])
