"""The page for a privacy office, written where --office says; it stays inside the building."""

from __future__ import annotations

from pathlib import Path

from gyges.auditing.audit import Audit
from gyges.data.values import Kind
from gyges.release.private_files import write_private
from gyges.release.release import Release
from gyges.report.office_words import TITLE, office_report
from gyges.workflow.picture_pages import refuse_page
from gyges.workflow.progress import Progress


def refuse_office(place: Path | None) -> None:
    """Refuse a place where no page can be written, or that holds another file."""
    refuse_page(place, TITLE, option="--office", ending=".md")


def write_office(place: Path, audit: Audit, release: object, progress: Progress) -> None:
    """Write the page; only its owner may read it."""
    columns: dict[str, bool] = {}
    if isinstance(release, Release):
        names = {name: None for table in release.tables.values() for name in table.column_names}
        kinds = release.roles.kinds
        columns = {
            name: kinds.get(name) in (Kind.DATE, Kind.MONTH)
            for name in names
            if name != release.roles.group_column
        }
    progress.outputs.announce_file(place)
    write_private(place, office_report(audit, columns))
    progress.note(f"the page for the privacy office is in {place}; keep it inside the building")
