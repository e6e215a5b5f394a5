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
    show(gy.audit(gy.load(release, schema), confidence=confidence), as_json)
