"""`gyges verify`: recompute every claim of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.people_table import people_table
from gyges.cli.show import AsJson, plain, show


def verify(
    release: Annotated[Path, typer.Argument(help="The directory of the release.")],
    original: Annotated[
        str | None, typer.Option(help="The original table, for the claims that need it.")
    ] = None,
    project: Annotated[
        Path | None, typer.Option(help="A gyges.toml, for the original's columns and hierarchies.")
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="What `publish --mapping` wrote, where labels overlap.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every claim of RELEASE from its own files; exit with 1 if one is false.

    The files are enough for all but the claims about beliefs, which are named. With the original
    these are recomputed too, and each group is compared with the original's people.
    """
    import gyges as gy

    table = people_table(original, release, project)
    finding = gy.verify(release, original=table, mapping=mapping)
    show({"holds": finding.holds, "checks": plain(finding.checks)} if as_json else finding, as_json)
    raise typer.Exit(0 if finding.holds else 1)
