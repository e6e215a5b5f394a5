"""A project without a file: a table, and options that say what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gyges.auditing.column_guess import guess_column
from gyges.engines.read import open_source
from gyges.workflow.project_file import ProjectFile, project_of_opened
from gyges.workflow.project_sections import HierarchySection


def project_without_file(
    source: str,
    columns: Mapping[str, Any],
    *,
    table: str | None = None,
    missing: str | None = None,
) -> ProjectFile:
    """The project for a table, with kinds and hierarchies as `gyges init` would propose them.

    `columns` are the keys of [columns]. The project keeps no ledger unless one is named.
    """
    opened = open_source(source, table)
    rows = opened[0]
    quasi = [name for name in columns["quasi_identifiers"] if name in rows.columns]
    guesses = [guess_column(rows, name) for name in quasi]
    kinds = {guess.name: str(guess.stated_kind) for guess in guesses if guess.stated_kind}
    formats = {guess.name: guess.local_format for guess in guesses if guess.local_format}
    stated = {
        "data": {"source": source, "table": table, "missing": missing or "error"},
        "columns": {**columns, "kinds": kinds, "formats": formats},
        "hierarchies": {
            guess.name: HierarchySection.of(guess.hierarchy)
            for guess in guesses
            if guess.hierarchy is not None
        },
        "ledger": {"keep": False},
    }
    return project_of_opened(stated, opened)
