"""`gyges audit`: what every attacker gains from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.show import AsJson, show


def audit(
    release: Annotated[
        Path, typer.Argument(help="A release's directory, or any published CSV or Parquet file.")
    ],
    quasi: Annotated[
        str | None, typer.Option(help="For a file: its quasi-identifiers, with commas.")
    ] = None,
    sensitive: Annotated[str | None, typer.Option(help="For a file: its sensitive column.")] = None,
    original: Annotated[
        str | None, typer.Option(help="The original table, for beliefs and utility; stays inside.")
    ] = None,
    confidence: Annotated[str, typer.Option(help="How sure counts as disclosed.")] = "0.95",
    as_json: AsJson = False,
) -> None:
    """Ask every attacker what RELEASE tells him, whoever made it."""
    import gyges as gy

    if release.is_file() and quasi is None:
        raise gy.GygesError(
            f"{str(release)!r} is a file: say which columns are what, with --quasi and --sensitive"
        )
    schema = None
    if quasi is not None:
        names = [name.strip() for name in quasi.split(",") if name.strip()]
        schema = gy.Schema(quasi_identifiers=names, sensitive=sensitive)
    loaded = gy.load(release, schema)
    table = None
    if original is not None:
        table = gy.read(original, loaded.roles.schema(with_sensitive=True))
    show(gy.audit(loaded, confidence=confidence, original=table), as_json)
