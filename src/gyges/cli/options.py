"""Options that several verbs read alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

LEDGER = Path("ledger.sqlite")  # where a ledger is looked for
HierarchyFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="COLUMN=FILE: what the labels of a column mean (CSV, value first)."),
]


def names_in(text: str | None) -> list[str]:
    """Names with commas between them.

    >>> names_in("age, zip,"), names_in(None)
    (['age', 'zip'], [])
    """
    return [name.strip() for name in (text or "").split(",") if name.strip()]
