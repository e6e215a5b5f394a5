"""The ledger of a project, as `gyges publish` keeps it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gyges.cli.outputs import announce
from gyges.cli.show import note, stage

if TYPE_CHECKING:
    from gyges.auditing.earlier_releases import Joined
    from gyges.data.table import Table
    from gyges.release.ledger import Ledger, Published
    from gyges.release.release import Release

LEDGER = Path("ledger.sqlite")  # where a ledger is looked for


@dataclass(frozen=True, slots=True)
class Record:
    """Which ledger a release is entered in, whom it is about, and whether it leaves the building.

    A ledger is begun with its first entry: a release that is refused leaves none behind.
    """

    path: Path
    about: str
    sources: tuple[str, ...] = ()  # what tells the data again: its place and its content
    final: bool = False
    other_people: bool = False

    @property
    def ledger(self) -> Ledger:
        """The ledger, begun if need be; it knows from now on whom the data is about."""
        from gyges.release.ledger import Ledger

        ledger = Ledger.at(self.path)
        ledger.bind(self.about, self.sources, other_people=self.other_people)
        paid = len(ledger.spends(self.about))
        announce(
            f"a payment from the budget {self.about!r}",
            lambda: len(ledger.spends(self.about)) > paid,
        )
        return ledger

    def earlier(self) -> list[Published]:
        """The releases about the same people that left the building."""
        from gyges.release.ledger import Ledger

        return Ledger(self.path).confirmed(self.about) if self.path.exists() else []

    def enter(
        self,
        made: Path,
        directory: Path,
        statement: dict[str, object],
        earlier: Sequence[int] | None,
    ) -> None:
        """Enter a release that is about to appear at its place.

        A crash in between leaves a line without a release, never a release without a line.
        """
        from gyges.release.certificate import NAME, sha256

        ledger, digest = self.ledger, sha256(made / NAME)
        announce(
            f"an entry in the ledger {self.path}",
            lambda: any(entry.digest == digest for entry in ledger.releases()),
        )
        ledger.record(
            about=self.about,
            place=place_in(self.path.parent, directory),
            digest=digest,
            statement=statement,
            trial=not self.final,
            files=made,
            compared_with=earlier,
        )

    def warn(self, release: Release, table: Table, earlier: Sequence[Published]) -> Joined | None:
        """Say what this release and earlier ones give away together, if it is more."""
        from gyges.auditing.earlier_releases import join_earlier

        if not earlier or release.roles.sensitive is None:
            return None
        stage("comparing with earlier releases")
        joined = join_earlier(release, table, earlier, self.path)
        for line in str(joined).splitlines():
            note(f"warning: {line}" if joined.n_vulnerable and line.startswith("joined") else line)
        if joined.n_newly_certain:
            note(
                "  it is still inside the building: publish instead with noise (method = "
                '"dp"), or as a re-publication of the same groups'
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

    def entering(
        self, statement: dict[str, object], earlier: Sequence[Published] | None = None
    ) -> Callable[[Path], object]:
        """What to do with the finished release just before it appears: announce it and enter it.

        `earlier` are the releases that it was compared with, where it was.
        """
        if self.record is not None and earlier is None and statement.get("method") != "dp":
            self._note_uncompared(self.record)
        stage(f"writing {self.directory}")
        numbers = None if earlier is None else [entry.number for entry in earlier]

        def enter(made: Path) -> None:
            announce_release(self.directory, made)
            if self.record is not None:
                self.record.enter(made, self.directory, statement, numbers)

        return enter

    @property
    def state(self) -> str:
        """What the release is to the ledger."""
        if self.record is None:
            return "not recorded"
        return "confirmed" if self.record.final else "trial"

    def standing(self) -> str:
        """Whether the release counts as having left the building, and what to do about it."""
        if self.record is None:
            return (
                "Not recorded: no ledger knows this release, so later ones will not be compared "
                "with it (--ledger FILE enters it)"
            )
        if self.record.final:
            return f"Final release: entered in {self.record.path}, with a copy kept beside it"
        elsewhere = "" if self.record.path == LEDGER else f" --ledger {self.record.path}"
        return (
            f"Trial release: it does not count yet. When it leaves the building: "
            f"gyges ledger confirm {self.directory}{elsewhere}"
        )

    def standing_line(self) -> list[str]:
        """The line about a release that the ledger knows."""
        return [] if self.record is None else [self.standing()]

    def warn_if_unrecorded(self) -> None:
        """Say loudly that nothing is recorded, where that is so."""
        if self.record is None:
            note(f"warning: {self.standing()}")

    def _note_uncompared(self, record: Record) -> None:
        if earlier := record.earlier():
            places = ", ".join(entry.place for entry in earlier)
            note(
                f"warning: not compared with what left the building before ({places}): only "
                f"releases whose groups are in memory can be compared"
            )


def announce_release(directory: Path, made: Path) -> None:
    """Announce a release by the hash of its certificate."""
    from gyges.release.certificate import NAME, sha256

    digest = sha256(made / NAME)
    announce(f"the release {directory}", lambda: sha256(directory / NAME) == digest)


def open_record(
    path: Path | None,
    about: str,
    *,
    source: str = "",
    table: str | None = None,
    final: bool = False,
    other_people: bool = False,
) -> Record | None:
    """The record at a path, or none where no ledger is kept; refused here, before any work."""
    from gyges.errors import GygesError
    from gyges.release.ledger import Ledger
    from gyges.release.ledger_file import folder_of

    if path is None:
        if final or other_people:
            raise GygesError(
                "--final and --other-people are entered in a ledger, and none is kept: give "
                "--ledger FILE"
            )
        return None
    known = fingerprints(source, table, path.parent) if source else ()
    record = Record(path, about, known, final, other_people)
    if os.path.lexists(path) or folder_of(path).exists():
        Ledger.at(path).refuse_other_people(about, known, other_people=other_people)
    elif not path.parent.is_dir():
        raise GygesError(f"the ledger {str(path)!r} cannot be made: its folder is not there")
    return record


def fingerprints(source: str, table: str | None, folder: Path) -> tuple[str, ...]:
    """What tells the same data again: its place seen from the ledger, and its content."""
    from gyges.engines.files import find_files
    from gyges.release.certificate import sha256

    if "://" in source:
        parts = urlsplit(source)
        server = parts.netloc.rpartition("@")[2]  # without a password
        return (_key("database", parts.scheme, server, parts.path, table or ""),)
    stage(f"looking at {source}")
    files = find_files(source)
    place = _key("place", place_in(folder, Path(source)))
    return place, _key("content", *(sha256(path) for path in files))


def _key(kind: str, *parts: str) -> str:
    return f"{kind} {hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def place_in(folder: Path, directory: Path) -> str:
    """A directory as the ledger remembers it: relative to the ledger where that is near."""
    folder, directory = folder.absolute(), directory.absolute()
    near = Path(os.path.relpath(directory, folder))
    return str(directory if near.parts[:2] == ("..", "..") else near)
