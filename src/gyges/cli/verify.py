"""`gyges verify`: recompute every claim of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.show import AsJson, plain, show


def verify(
    release: Annotated[Path, typer.Argument(help="The directory of the release.")],
    as_json: AsJson = False,
) -> None:
    """Recompute every claim of RELEASE from its own files; exit with 1 if one is false."""
    import gyges as gy

    finding = gy.verify(release)
    show({"holds": finding.holds, "checks": plain(finding.checks)} if as_json else finding, as_json)
    raise typer.Exit(0 if finding.holds else 1)
