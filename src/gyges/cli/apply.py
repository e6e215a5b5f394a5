"""`gyges apply`: publish new rows under the scheme of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import names_in
from gyges.cli.show import AsJson, note, show


def apply(
    mapping: Annotated[Path, typer.Argument(help="The mapping that `publish --mapping` wrote.")],
    newdata: Annotated[str, typer.Argument(help="The new rows (CSV or Parquet).")],
    sensitive: Annotated[str | None, typer.Option(help="The sensitive column.")] = None,
    identifiers: Annotated[str | None, typer.Option("--id", help="Columns to leave out.")] = None,
    out: Annotated[Path, typer.Option(help="The directory to write.")] = Path("release"),
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    overwrite: Annotated[bool, typer.Option(help="Replace an older release.")] = False,
    as_json: AsJson = False,
) -> None:
    """Publish NEWDATA under the scheme of an earlier release; exit with 1 if it is not safe.

    The rules of the earlier release are judged on the new groups, and nothing is written unless
    they hold.
    """
    import gyges as gy
    from gyges.release.mapping import load_mapping, mapping_schema
    from gyges.search.republish import republish

    known = load_mapping(mapping)
    names = names_in(identifiers)
    schema = mapping_schema(known, sensitive=sensitive, identifiers=names)
    release, verdict = republish(known, gy.read(newdata, schema))
    left_out = f"{release.n_left_out:,} people fit no group of the scheme and are left out"
    if release.n_left_out:
        note(left_out)
    if not verdict.safe:
        show({"safe": False, "failures": [str(f) for f in verdict.failures]}, as_json, str(verdict))
        raise typer.Exit(1)
    release.save(out, format=format, overwrite=overwrite)
    people = int(release.groups.sizes.sum())
    text = f"published {people:,} people in {len(release.groups):,} groups to {out}\n{verdict}"
    found = {"safe": True, "directory": out, "people": people, "left_out": release.n_left_out}
    show(found, as_json, text)
