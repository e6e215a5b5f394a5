"""What must stay inside the building: who is in which group, and the report that knows it.

Everything is written beside its place before the release appears, so that a mistake leaves nothing
behind, and is put in place after it. Only the owner may read it, from its first byte on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.cli.outputs import announce_file
from gyges.cli.show import note, stage

if TYPE_CHECKING:
    from gyges.auditing.audit import Audit
    from gyges.release.release import Release

WRITTEN = ("report.html", "report.json", "groups.csv", "mapping.json")  # into --inside
MANY_CELLS = 30_000  # with more distinct people, attackers with beliefs are not asked on the way


def refuse_inside(
    outside: Path, *, inside: Path | None = None, files: dict[str, Path | None] | None = None
) -> None:
    """Refuse what would travel with the release: a directory or files that lie in it."""
    from gyges.errors import GygesError
    from gyges.release.private_files import lies_in

    for name, path in (files or {}).items():
        if path is not None and lies_in(path, outside):
            raise GygesError(
                f"{name} {str(path)!r} lies in the release {str(outside)!r}, which leaves the "
                f"building: choose another place"
            )
    _refuse_kept((files or {}).get("the ledger"), {"the release": outside, "--inside": inside})
    if inside is None:
        return
    if inside.suffix == ".html" or inside.is_file():
        raise GygesError(f"--inside {inside} must be a directory: several files go there")
    if lies_in(inside, outside) or lies_in(outside, inside):
        raise GygesError(
            f"--inside {inside} and the release {outside} lie in one another: what must stay "
            f"inside needs a directory of its own"
        )
    for name, path in (files or {}).items():
        if path is not None and any(lies_in(path, inside / written) for written in WRITTEN):
            raise GygesError(
                f"{name} {str(path)!r} would be replaced by what --inside writes: choose another "
                f"directory"
            )


def _refuse_kept(ledger: Path | None, outputs: dict[str, Path | None]) -> None:
    """Refuse what would mix with the ledger's own folder, or would be published with it."""
    from gyges.errors import GygesError
    from gyges.release.ledger_file import folder_of
    from gyges.release.private_files import lies_in

    if ledger is None:
        return
    kept = folder_of(ledger)
    for name, path in outputs.items():
        if path is not None and lies_in(path, kept):
            raise GygesError(
                f"{name} {str(path)!r} lies in the ledger's folder {str(kept)!r}: choose another "
                f"place"
            )


@dataclass(frozen=True, slots=True)
class InsideFiles:
    """Where what stays inside is written first, and where it goes."""

    inside: Path | None
    mapping: Path | None
    inside_beside: Path | None
    mapping_beside: Path | None

    def write(self, release: Release) -> None:
        """Write everything beside its place."""
        from gyges.release.mapping import save_mapping

        if self.inside_beside is not None and self.inside is not None:
            write_inside(release, self.inside_beside)
            for path in self.inside_beside.iterdir():
                announce_file(self.inside / path.name)
        if self.mapping_beside is not None and self.mapping is not None:
            save_mapping(release, self.mapping_beside / self.mapping.name)
            announce_file(self.mapping)

    def put_in_place(self) -> None:
        """Move everything to its place."""
        from gyges.release.private_files import make_private_folder

        if self.inside_beside is not None and self.inside is not None:
            make_private_folder(self.inside)
            for path in self.inside_beside.iterdir():
                path.replace(self.inside / path.name)
            note(f"what must not leave the building is in {self.inside}")
        if self.mapping_beside is not None and self.mapping is not None:
            (self.mapping_beside / self.mapping.name).replace(self.mapping)
            note(f"the mapping is in {self.mapping}; it stays inside the building")


@contextmanager
def inside_files(inside: Path | None, mapping: Path | None) -> Iterator[InsideFiles]:
    """Places beside the ones that were asked for; a mistake in these is found here."""
    from gyges.errors import GygesError
    from gyges.release.mapping import BEGINS
    from gyges.release.private_files import refuse_replacing

    if mapping is not None and mapping.is_dir():
        raise GygesError(f"--mapping {mapping} is a directory: name a file")
    if mapping is not None and not mapping.absolute().parent.is_dir():
        raise GygesError(f"--mapping {mapping}: there is no folder {str(mapping.parent)!r}")
    if mapping is not None:
        refuse_replacing(mapping, "--mapping", BEGINS)
    with ExitStack() as places:
        yield InsideFiles(
            inside,
            mapping,
            None if inside is None else places.enter_context(_beside(inside)),
            None if mapping is None else places.enter_context(_beside(mapping)),
        )


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A folder of our own on the way to a place; what killed runs left there is removed."""
    from gyges.data.held_folders import held_folder
    from gyges.errors import GygesError
    from gyges.release.directory import heal_folder, hidden_prefix

    parent = next(above for above in place.absolute().parents if above.exists())
    heal_folder(parent)
    try:
        folder = held_folder(parent, hidden_prefix(place))
        with folder as made:
            yield made
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise GygesError(f"{str(place)!r} cannot be written: {what}") from None


def write_inside(release: Release, directory: Path) -> None:
    """Write the groups of everybody, the inside report and the mapping, for the owner alone."""
    from gyges.auditing.tradeoff import tradeoffs
    from gyges.release.mapping import save_mapping
    from gyges.release.private_files import write_private
    from gyges.report.page import report_json, report_page

    assert release.table is not None
    found = _audit(release)
    stage("comparing risk and utility, for the report that stays inside")
    page = report_page(release, found, tradeoffs(release.table))
    stage("writing what stays inside")
    write_private(directory / "report.html", page)
    write_private(directory / "report.json", report_json(release, found))
    write_private(directory / "groups.csv", _groups(release))
    if release.form == "generalized":
        save_mapping(release, directory / "mapping.json")


def _audit(release: Release) -> Audit:
    """The audit of a release; of a large one without the attackers who take hours.

    What is known of how values depend on the rest takes a time that grows with the square of the
    number of distinct combinations.
    """
    import gyges as gy
    from gyges.auditing.audit import NEEDS_ORIGINAL
    from gyges.utility.measure import measure_utility

    assert release.table is not None
    stage("asking every attacker, for the report that stays inside")
    n_cells = len(release.table.cells)
    if n_cells <= MANY_CELLS:
        return gy.audit(release)
    left = (
        f"attackers with prior beliefs were not asked: with {n_cells:,} distinct combinations "
        f"of values that takes many minutes. `gyges audit RELEASE --original DATA` asks them"
    )
    note(left)
    found = gy.audit(replace(release, table=None, partition=None))
    utility = measure_utility(release.table, release.group_of_row)
    notes = (one for one in found.notes if one != NEEDS_ORIGINAL)  # of utility it is untrue
    return replace(found, utility=utility, notes=(left, *notes))


def _groups(release: Release) -> str:
    """The group of each row of the original, by its place and by what names its person."""
    from gyges.release.tables import csv_text

    assert release.table is not None
    schema = release.table.schema
    names = list(dict.fromkeys([*([schema.person] if schema.person else []), *schema.identifiers]))
    columns = release.table.fetch(names).to_pydict() if names else {}
    groups = [str(g + 1) if g >= 0 else "suppressed" for g in release.group_of_row.tolist()]
    shown = [["" if one is None else str(one) for one in columns[name]] for name in names]
    places = [str(place) for place in range(1, len(groups) + 1)]
    return csv_text(["row", *names, "group"], [places, *shown, groups])
