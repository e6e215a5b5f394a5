"""A project that no file describes: a table, and what was said of its columns."""

from __future__ import annotations

from pathlib import Path

from gyges.auditing.column_roles import guess_column
from gyges.auditing.people_source import refuse_unnamed_person
from gyges.engines.read import open_source
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import (
    ColumnsSection,
    DataSection,
    HierarchySection,
    LedgerSection,
    PublishSection,
)


def project_without_file(
    source: str, columns: ColumnsSection, *, table: str | None = None, missing: str | None = None
) -> ProjectFile:
    """The project for a table, with kinds and hierarchies as `gyges init` would propose them.

    It keeps no ledger unless one is named. What is wrong with `missing` is found when it is read.
    """
    kinds, hierarchies = _guessed(source, table, columns)
    data = DataSection.model_construct(
        source=source, table=table, values=None, missing=missing or "error", missing_marks=[]
    )
    return ProjectFile.model_construct(
        data=data,
        columns=columns.model_copy(update={"kinds": kinds}),
        hierarchies=hierarchies,
        publish=PublishSection(),
        require=[],
        ledger=LedgerSection(keep=False),
        dp=None,
        folder=Path(),
    )


def _guessed(
    source: str, table: str | None, columns: ColumnsSection
) -> tuple[dict[str, str], dict[str, HierarchySection]]:
    rows, _ = open_source(source, table)
    quasi, others = columns.quasi_identifiers, [columns.sensitive, columns.person]
    refuse_unnamed_person(rows, [*quasi, *columns.identifiers, *filter(None, others)])
    guesses = [guess_column(rows, name) for name in quasi if name in rows.columns]
    kinds = {guess.name: str(guess.kind) for guess in guesses if guess.kind == "code"}
    hierarchies = {
        guess.name: HierarchySection.of(guess.hierarchy)
        for guess in guesses
        if guess.hierarchy is not None
    }
    return kinds, hierarchies
