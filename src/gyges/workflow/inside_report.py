"""The report that must stay inside the building, and the group of every original row."""

from __future__ import annotations

from pathlib import Path

from gyges.auditing.audit import Audit, audit
from gyges.auditing.effort import HOW_TO_ASK
from gyges.auditing.tradeoff import tradeoffs
from gyges.release.mapping import save_mapping
from gyges.release.private_files import write_private
from gyges.release.release import Release
from gyges.release.tables import csv_text
from gyges.report.page import report_json, report_page
from gyges.utility.purpose import Purpose
from gyges.workflow.progress import Progress


def write_inside(
    release: Release, directory: Path, progress: Progress, purpose: Purpose | None = None
) -> None:
    """Write the group of every row, the inside report and the mapping, for the owner only."""
    assert release.table is not None
    found = _audited(release, progress, purpose)
    progress.stage("comparing risk and utility, for the report that stays inside")
    page = report_page(release, found, tradeoffs(release.table))
    progress.stage("writing what stays inside")
    write_private(directory / "report.html", page)
    write_private(directory / "report.json", report_json(release, found))
    write_private(directory / "groups.csv", _groups(release))
    if release.group_form.has_true_labels:
        save_mapping(release, directory / "mapping.json")


def _audited(release: Release, progress: Progress, purpose: Purpose | None) -> Audit:
    """The audit of a release; what would take long is skipped, which it says."""
    progress.stage("running every attack, for the report that stays inside")
    found = audit(release, purpose=purpose, progress=progress.step)
    for finding in found.findings:
        if HOW_TO_ASK in finding.sentence:
            progress.note(finding.sentence)
    return found


def _groups(release: Release) -> str:
    """The group of each original row, with its position and the columns that name its person."""
    assert release.table is not None
    schema = release.table.schema
    names = list(dict.fromkeys([*([schema.person] if schema.person else []), *schema.identifiers]))
    columns = release.table.fetch(names).to_pydict() if names else {}
    groups = [str(g + 1) if g >= 0 else "suppressed" for g in release.group_of_row.tolist()]
    shown = [["" if one is None else str(one) for one in columns[name]] for name in names]
    places = [str(place) for place in range(1, len(groups) + 1)]
    return csv_text(["row", *names, "group"], [places, *shown, groups])
