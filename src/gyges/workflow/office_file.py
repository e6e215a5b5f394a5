"""The page for a privacy office, written where --office says; it stays inside the building."""

from __future__ import annotations

from pathlib import Path

from gyges.auditing.audit import Audit
from gyges.data.values import Kind
from gyges.errors import GygesError
from gyges.release.private_files import refuse_replacing, write_private
from gyges.release.release import Release
from gyges.report.office_words import TITLE, office_report
from gyges.workflow.progress import Progress


def refuse_office(place: Path | None) -> None:
    """Refuse a place where no page can be written, or that holds another file."""
    if place is None:
        return
    refuse_replacing(place, "--office", TITLE)
    if place.suffix.lower() != ".md":
        raise GygesError(f"--office is {str(place)!r}: name a file that ends in .md")
    if not place.absolute().parent.is_dir():
        raise GygesError(f"--office is {str(place)!r}: its folder does not exist")


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
