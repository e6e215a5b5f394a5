"""The ledger of a project, as `gyges publish` keeps it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.cli.show import note

if TYPE_CHECKING:
    from gyges.auditing.earlier_releases import Joined
    from gyges.data.table import Table
    from gyges.release.ledger import Ledger
    from gyges.release.release import Release


@dataclass(frozen=True, slots=True)
class Record:
    """Which ledger a release is entered in, and whom it is about.

    A ledger is begun with its first entry: a release that is refused leaves none behind.
    """

    path: Path
    about: str

    @property
    def ledger(self) -> Ledger:
        """The ledger, begun if need be."""
        from gyges.release.ledger import Ledger

        return Ledger.at(self.path)

    def enter(self, directory: Path, statement: dict[str, object]) -> Callable[[Path], object]:
        """What enters a release just before it appears at its place.

        A crash in between leaves a line without a release, never a release without a line.
        """
        from gyges.release.certificate import NAME, sha256

        place = place_in(self.path.parent, directory)
        return lambda made: self.ledger.record(
            about=self.about, place=place, digest=sha256(made / NAME), statement=statement
        )

    def warn(self, release: Release, table: Table) -> Joined | None:
        """Say what this release and earlier ones give away together, if it is more."""
        from gyges.auditing.earlier_releases import join_earlier

        earlier = self.ledger.releases(self.about) if self.path.exists() else []
        if not earlier or release.roles.sensitive is None:
            return None
        joined = join_earlier(release, table, earlier, self.path.parent)
        for line in str(joined).splitlines():
            note(f"warning: {line}" if joined.n_vulnerable and line.startswith("joined") else line)
        if joined.n_newly_certain:
            note(
                "  it is still inside the building: publish instead with noise (method = "
                '"dp"), as a re-publication of the same groups, or take an earlier release back'
            )
        return joined


@dataclass(frozen=True, slots=True)
class Target:
    """Where a release goes, how it is written and entered, and how it is told of."""

    directory: Path
    format: str
    overwrite: bool
    record: Record | None
    as_json: bool

    def entering(self, statement: dict[str, object]) -> Callable[[Path], object] | None:
        """What enters the release in the ledger, where one is kept."""
        return None if self.record is None else self.record.enter(self.directory, statement)


def open_record(path: Path | None, about: str) -> Record | None:
    """The record at a path, or none where no ledger is kept."""
    if path is None:
        return None
    record = Record(path, about)
    if path.exists():
        record.ledger.releases()  # refuses what is no ledger, before any work
    return record


def place_in(folder: Path, directory: Path) -> str:
    """A directory as the ledger remembers it: relative to the ledger where that is near."""
    folder, directory = folder.absolute(), directory.absolute()
    near = Path(os.path.relpath(directory, folder))
    return str(directory if near.parts[:2] == ("..", "..") else near)
