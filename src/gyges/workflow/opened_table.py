"""The table of a project while it is looked at: its rows in the engine, and its counted cells."""

from __future__ import annotations

from dataclasses import dataclass

from gyges.data.source import Source
from gyges.data.table import Table
from gyges.engines.read import open_source
from gyges.workflow.project_file import ProjectFile


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenedTable:
    """A table, and how many people it singles out before anything is published."""

    table: Table
    n_alone: int
    rows_are_people: bool

    @property
    def n_people(self) -> int:
        """How many people it is about."""
        return self.table.n_people


def opened_table(project: ProjectFile) -> OpenedTable:
    """Read and count the table of a project."""
    table = project.read()
    n_alone = int((table.cells.people == 1).sum()) if table.schema.quasi_identifiers else 0
    return OpenedTable(table, n_alone, table.rows_are_people)


def opened_rows(project: ProjectFile) -> Source:
    """The rows of a project's table, with all columns."""
    data = project.data
    return open_source(project.source, data.table, encoding=data.encoding)[0]
