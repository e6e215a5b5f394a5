"""`gyges audit`: what every attacker gains from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.show import AsJson, show


def audit(
    release: Annotated[Path, typer.Argument(help="The directory of the release.")],
    confidence: Annotated[str, typer.Option(help="How sure counts as disclosed.")] = "0.95",
    as_json: AsJson = False,
) -> None:
    """Ask every attacker what RELEASE tells him."""
    import gyges as gy

    show(gy.audit(release, confidence=confidence), as_json)
