"""What must stay inside the building: who is in which group, and the report that knows it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.cli.show import note

if TYPE_CHECKING:
    from gyges.release.release import Release


def refuse_inside(inside: Path | None, outside: Path) -> None:
    """The inside directory must not travel with the release."""
    from gyges.errors import GygesError

    if inside is None:
        return
    if inside.suffix == ".html" or inside.is_file():
        raise GygesError(f"--inside {inside} must be a directory: several files go there")
    here, there = inside.absolute(), outside.absolute()
    if here == there or there in here.parents or here in there.parents:
        raise GygesError(
            f"--inside {inside} and the release {outside} lie in one another: what must stay "
            f"inside needs a directory of its own"
        )


def write_inside(release: Release, directory: Path) -> None:
    """Write the groups of everybody, the inside report and the mapping, for the owner alone."""
    import gyges as gy
    from gyges.auditing.tradeoff import tradeoffs
    from gyges.release.mapping import save_mapping
    from gyges.report.page import report_json, report_page

    assert release.table is not None
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = gy.audit(release)
    page = report_page(release, found, tradeoffs(release.table))
    _write(directory / "report.html", page)
    _write(directory / "report.json", report_json(release, found))
    _write_groups(release, directory / "groups.csv")
    if release.form == "generalized":
        save_mapping(release, directory / "mapping.json").chmod(0o600)
    note(f"what must not leave the building is in {directory}")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)


def _write_groups(release: Release, path: Path) -> None:
    """The group of each row of the original, by its identifiers and its place."""
    assert release.table is not None
    names = list(release.table.schema.identifiers)
    rows = release.table.fetch(names).to_pydict() if names else {}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["row", *names, "group"])
        for number, group in enumerate(release.group_of_row.tolist()):
            place = group + 1 if group >= 0 else "left out"
            writer.writerow([number + 1, *(rows[name][number] for name in names), place])
    path.chmod(0o600)
