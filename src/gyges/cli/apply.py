"""`gyges apply`: publish new rows under the scheme of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.inside_files import refuse_inside
from gyges.cli.options import names_in
from gyges.cli.recording import Target, open_record
from gyges.cli.show import AsJson, note, show, stage


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
    import gyges as gy
    from gyges.release.directory import refuse_target
    from gyges.release.mapping import load_mapping, mapping_schema
    from gyges.search.republish import republish

    known = load_mapping(mapping)
    refuse_target(out, format, overwrite)
    local = None if "://" in newdata else Path(newdata)
    inner = {"the mapping": mapping, "the ledger": ledger, "the data": local}
    refuse_inside(out, files=inner)
    record = open_record(
        ledger,
        about or Path(newdata).stem,
        source=newdata,
        final=final,
        other_people=other_people,
        despite_exposure=despite_exposure,
    )
    target = Target(out, format, overwrite, record, as_json)
    schema = mapping_schema(
        known, sensitive=sensitive, identifiers=names_in(identifiers), person=person
    )
    stage(f"reading {newdata}")
    table = gy.read(newdata, schema)
    release, verdict = republish(known, table)
    if release.n_left_out:
        note(f"{release.n_left_out:,} people fit no group of the scheme and are suppressed")
    if not verdict.safe:
        show({"safe": False, "failures": [str(f) for f in verdict.failures]}, as_json, str(verdict))
        raise typer.Exit(1)
    comparison = target.compare(release, table)
    entering = target.entering({"text": str(release), "method": release.method}, comparison)
    release.save(out, format=format, overwrite=overwrite, before=entering)
    people = int(release.groups.sizes.sum())
    told = f"published {people:,} people in {len(release.groups):,} groups to {out}\n{verdict}"
    notices = [notice for notice in release.notices if notice not in verdict.notices]
    found = {
        "safe": True,
        "directory": out,
        "state": target.state,
        "people": people,
        "left_out": release.n_left_out,
        "notices": release.notices,
        "with_earlier_releases": comparison.stated(),
    }
    show(found, as_json, "\n".join([told, *notices, *target.standing_line()]))
    target.warn_if_unrecorded()
