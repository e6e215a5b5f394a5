"""Where that is written which must stay inside the building: the mapping, and who is where.

Everything is written beside its place before the release appears, so that a mistake leaves nothing
behind, and is put in place after it. Only the owner may read it, from its first byte on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.data.held_folders import held_folder
from gyges.errors import GygesError
from gyges.release.directory import hidden_prefix, recover_folder
from gyges.release.mapping import BEGINS
from gyges.release.private_files import lies_in, make_private_folder, refuse_replacing
from gyges.workflow.ledger_file import folder_of
from gyges.workflow.progress import Progress

if TYPE_CHECKING:
    from gyges.release.release import Release

WRITTEN = ("report.html", "report.json", "groups.csv", "mapping.json")  # into --inside


def refuse_inside(
    outside: Path, *, inside: Path | None = None, files: dict[str, Path | None] | None = None
) -> None:
    """Refuse what would travel with the release: a directory or files that lie in it."""
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
    progress: Progress

    def write(self, release: Release) -> None:
        """Write everything beside its place."""
        if self.inside_beside is not None and self.inside is not None:
            from gyges.workflow.inside_report import write_inside  # loads every attacker

            write_inside(release, self.inside_beside, self.progress)
            for path in self.inside_beside.iterdir():
                self.progress.outputs.announce_file(self.inside / path.name)
        if self.mapping_beside is not None and self.mapping is not None:
            from gyges.release.mapping import save_mapping  # loads what reads labels

            save_mapping(release, self.mapping_beside / self.mapping.name)
            self.progress.outputs.announce_file(self.mapping)

    def put_in_place(self) -> None:
        """Move everything to its place."""
        if self.inside_beside is not None and self.inside is not None:
            make_private_folder(self.inside)
            for path in self.inside_beside.iterdir():
                path.replace(self.inside / path.name)
            self.progress.note(f"what must not leave the building is in {self.inside}")
        if self.mapping_beside is not None and self.mapping is not None:
            (self.mapping_beside / self.mapping.name).replace(self.mapping)
            self.progress.note(f"the mapping is in {self.mapping}; it stays inside the building")


@contextmanager
def inside_files(
    inside: Path | None, mapping: Path | None, progress: Progress
) -> Iterator[InsideFiles]:
    """Places beside the ones that were asked for; a mistake in these is found here."""
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
            progress,
        )


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A folder of our own on the way to a place; what killed runs left there is removed."""
    parent = next(above for above in place.absolute().parents if above.exists())
    recover_folder(parent)
    try:
        folder = held_folder(parent, hidden_prefix(place))
        with folder as made:
            yield made
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise GygesError(f"{str(place)!r} cannot be written: {what}") from None
