"""`gyges apply`: publish new rows under the scheme of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import (
    About,
    DespiteExposure,
    Final,
    Identifiers,
    IntoLedger,
    OtherPeople,
    Overwrite,
    Person,
    Sensitive,
    names_in,
)
from gyges.cli.output import AsJson, show, terminal
from gyges.cli.published_text import show_run
from gyges.workflow.run_options import RunOptions

_NEXT = (
    "Nothing was written: the new rows do not satisfy the rules in the groups of the earlier "
    "release. Apply the mapping again when there are more rows, or publish all rows in new groups "
    "with `gyges publish` and their project file, and compare the two releases first with "
    "`gyges attack`."
)


def apply(
    mapping: Annotated[Path, typer.Argument(help="The mapping that `publish --mapping` wrote.")],
    newdata: Annotated[str, typer.Argument(help="The new rows (CSV or Parquet).")],
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    person: Person = None,
    out: Annotated[Path, typer.Option(help="The directory to write.")] = Path("release"),
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    ledger: IntoLedger = None,
    about: About = None,
    final: Final = False,
    despite_exposure: DespiteExposure = False,
    other_people: OtherPeople = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Publish NEWDATA under the scheme of an earlier release; exit with 1 if it is not safe.

    The rules of the earlier release are checked on the new groups. Nothing is written unless they
    hold.
    """
    from gyges.workflow.applying import publish_by_mapping

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
        stated = {"safe": False, "failures": [str(f) for f in verdict.failures], "next": _NEXT}
        show(stated, as_json, f"{verdict}\n{_NEXT}")
        raise typer.Exit(1)
    held = str(verdict).splitlines()[1:]  # "safe" would be about the rules alone
    notices = [notice for notice in run.facts["notices"] if notice not in verdict.notices]
    show_run(run, as_json, [f"published {run.release.title} to {out}", *held, *notices])
