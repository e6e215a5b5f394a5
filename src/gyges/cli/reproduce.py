"""`gyges reproduce`: where the papers' figures and tables are reproduced."""

from __future__ import annotations

from gyges.cli.output import AsJson, show

WHERE = "reproduction/"
HOW = "make papers"
_TEXT = (
    "The papers' figures and tables are reproduced from the source repository of Gyges, not from "
    f"the installed package: see the folder {WHERE} there.\n"
    f"Run `{HOW}` for all of them, or `python -m reproduction run martin-5` for one."
)


def reproduce(as_json: AsJson = False) -> None:
    """Show where the papers' figures and tables are reproduced, and how."""
    show({"where": WHERE, "how": HOW, "text": _TEXT}, as_json, _TEXT)
