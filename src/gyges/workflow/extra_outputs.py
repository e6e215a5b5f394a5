"""What is written besides a release's own tables: reports, what stays inside, database tables."""

from __future__ import annotations

from dataclasses import dataclass

from gyges.data.table import Table
from gyges.engines.write_back import names_to_create, write_back
from gyges.release.release import Release
from gyges.workflow.inside_files import InsideFiles
from gyges.workflow.progress import Progress


@dataclass(frozen=True, slots=True)
class ExtraOutputs:
    """What is wanted besides the release's own tables."""

    report: bool
    inside: InsideFiles
    to_table: str | None
    progress: Progress

    def pages(self, release: Release) -> dict[str, str] | None:
        """The report, where it is wanted."""
        if not self.report:
            return None
        from gyges.report.page import report_pages  # loads every attacker

        self.progress.stage("writing the report")
        return report_pages(release)

    def prepare(self, release: Release, table: Table) -> None:
        """Do all that can fail before the release appears."""
        if self.to_table is not None:
            names_to_create(table.source, release.tables, self.to_table)
        self.inside.write(release)

    def finish(self, release: Release, table: Table) -> None:
        """Put in place what stays inside, and create what goes to the database."""
        self.inside.put_in_place()
        if self.to_table is not None:
            created: list[str] = []
            what = f"the table {self.to_table} in the database"
            self.progress.outputs.announce(what, lambda: bool(created))
            created += write_back(table.source, release.tables, self.to_table)
            self.progress.note(f"created in the database: {', '.join(created)}")
