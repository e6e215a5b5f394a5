"""The ledger of a project, as `gyges publish` keeps it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gyges.cli.outputs import announce
from gyges.cli.show import note, stage
from gyges.errors import ExposureError

if TYPE_CHECKING:
    from gyges.auditing.earlier_releases import Joined
    from gyges.data.table import Table
    from gyges.release.ledger import Ledger, Published
    from gyges.release.release import Release

LEDGER = Path("ledger.sqlite")  # where a ledger is looked for


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of the earlier releases a new one was joined with, and why not with the others."""

    found: Joined | None = None  # what joining gives away
    left_alone: tuple[tuple[Published, str], ...] = ()
    unresolved: tuple[Published, ...] = ()  # of these: what both tell together is not known

    @property
    def compared_with(self) -> list[int]:
        """The ledger's numbers of those that it was really joined with."""
        return [] if self.found is None else [entry.number for entry in self.found.joined]

    @property
    def not_compared(self) -> dict[int, str]:
        """The ledger's numbers of the others, and why."""
        return {entry.number: why for entry, why in self.left_alone}

    def stated(self) -> dict[str, object] | None:
        """The comparison as JSON; null where there was nothing to compare with."""
        if self.found is None and not self.left_alone:
            return None
        return {
            "releases": [] if self.found is None else [one.place for one in self.found.joined],
            "newly_certain": 0 if self.found is None else self.found.n_newly_certain,
            "vulnerable": 0 if self.found is None else self.found.n_vulnerable,
            "not_compared": [{"release": one.place, "why": why} for one, why in self.left_alone],
        }


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
    despite_exposure: bool = False

    def open_ledger(self) -> Ledger:
        """Begin the ledger if need be, and note whom the data is about."""
        from gyges.release.ledger import Ledger

        ledger = Ledger.at(self.path)
        ledger.bind(self.about, self.sources, other_people=self.other_people)
        return ledger

    def earlier(self) -> list[Published]:
        """The releases about the same people that left the building."""
        from gyges.release.ledger import Ledger

        return Ledger(self.path).confirmed(self.about) if self.path.exists() else []

    @contextmanager
    def entering(
        self,
        made: Path,
        directory: Path,
        statement: dict[str, object],
        comparison: Comparison | None,
    ) -> Iterator[Callable[[], object]]:
        """Prepare the entry of a release that is about to appear; yield what enters it.

        A crash in between leaves a line without a release, never a release without a line.
        """
        from gyges.release.certificate import NAME, sha256
        from gyges.release.ledger import Ledger

        if not self.path.exists():
            announce(f"the ledger {self.path}", self.path.exists)
        ledger, digest = Ledger.at(self.path), sha256(made / NAME)
        known = {entry.number for entry in ledger.releases()}
        announce(
            f"an entry in the ledger {self.path}",
            lambda: any(
                entry.digest == digest and entry.number not in known for entry in ledger.releases()
            ),
        )
        entering = ledger.entering(
            about=self.about,
            place=place_in(self.path.parent, directory),
            digest=digest,
            statement={**statement, **_exposing(comparison)},
            trial=not self.final,
            files=made,
            compared_with=None if comparison is None else comparison.compared_with,
            not_compared=None if comparison is None else comparison.not_compared,
            sources=self.sources,
            other_people=self.other_people,
        )
        with entering as commit:
            yield commit

    def compare(self, release: Release, table: Table) -> Comparison:
        """Say what this release and earlier ones give away together, and what was not compared."""
        from gyges.auditing.earlier_releases import join_earlier

        earlier = self.earlier()
        if not earlier:
            return Comparison()
        if release.roles.sensitive is None:
            return self.compare_nothing("this release has no sensitive column to join by")
        stage("comparing with earlier releases")
        found = join_earlier(release, table, earlier, self.path)
        for line in str(found).splitlines():
            is_harmless = line.startswith("joined") and not found.n_vulnerable
            note(line if is_harmless else f"warning: {line}")
        if found.n_newly_certain:
            _refuse_or_advise(found.n_newly_certain, self)
        _refuse_unresolved(found.unresolved, self)
        return Comparison(found, found.left_alone, found.unresolved)

    def compare_nothing(self, why: str, *, has_groups: bool = False) -> Comparison:
        """Say that nothing that left the building before was compared, and why."""
        earlier = self.earlier()
        for entry in earlier:
            note(f"warning: not compared with {entry.place}: {why}")
        unresolved = tuple(earlier) if has_groups else ()
        _refuse_unresolved(unresolved, self)
        return Comparison(None, tuple((entry, why) for entry in earlier), unresolved)


def _exposing(comparison: Comparison | None) -> dict[str, object]:
    """What the ledger remembers of whom a release exposes, together with earlier ones."""
    if comparison is None:
        return {}
    found, unresolved = comparison.found, [entry.number for entry in comparison.unresolved]
    certain = {} if found is None else {"newly_certain": found.n_newly_certain}
    return {**certain, **({"unresolved": unresolved} if unresolved else {})}


def _refuse_unresolved(unresolved: tuple[Published, ...], record: Record) -> None:
    if unresolved and record.final and not record.despite_exposure:
        named = ", ".join(entry.place for entry in unresolved)
        raise ExposureError(
            f"not published as final: it could not be compared with {named}, which left before, so "
            f"nobody knows what they give away together. Make the comparison possible (see the "
            f"warning), or say --despite-exposure"
        )


def _refuse_or_advise(n_newly_certain: int, record: Record) -> None:
    advice = 'publish with noise (method = "dp") instead, or the same groups again'
    if record.final and not record.despite_exposure:
        raise ExposureError(
            f"not published as final: with the releases that left before, it makes the value of "
            f"{n_newly_certain:,} people certain. It is still inside the building: {advice}; or "
            f"say --despite-exposure"
        )
    note(f"  it is still inside the building: {advice}")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a release goes, how it is written and entered, and how it is told of."""

    directory: Path
    format: str
    overwrite: bool
    record: Record | None
    as_json: bool

    def compare(self, release: Release, table: Table) -> Comparison:
        """Compare a release with what the ledger knows to be outside; nothing without a ledger."""
        return Comparison() if self.record is None else self.record.compare(release, table)

    def compare_nothing(self, why: str, *, has_groups: bool = False) -> Comparison:
        """Say why a release is compared with nothing, where something is outside."""
        if self.record is None:
            return Comparison()
        return self.record.compare_nothing(why, has_groups=has_groups)

    def entering(
        self, statement: dict[str, object], comparison: Comparison | None
    ) -> Callable[[Path], AbstractContextManager[Callable[[], object]]]:
        """What to do with the finished release just before it appears: announce it and enter it.

        The comparison is None where none is needed: noise is bounded by its own epsilon.
        """
        stage(f"writing {self.directory}")

        announced = announcing_release(self.directory)
        record = self.record
        if record is None:
            return announced

        @contextmanager
        def enter(made: Path) -> Iterator[Callable[[], object]]:
            entry = record.entering(made, self.directory, statement, comparison)
            with announced(made), entry as commit:
                yield commit

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


def announcing_release(
    directory: Path,
) -> Callable[[Path], AbstractContextManager[Callable[[], object]]]:
    """What to do with a finished release that no ledger knows: announce it."""

    @contextmanager
    def announced(made: Path) -> Iterator[Callable[[], object]]:
        from gyges.release.certificate import NAME, sha256

        digest = sha256(made / NAME)
        announce(f"the release {directory}", lambda: sha256(directory / NAME) == digest)
        yield lambda: None

    return announced


def open_record(
    path: Path | None,
    about: str,
    *,
    source: str = "",
    table: str | None = None,
    final: bool = False,
    other_people: bool = False,
    despite_exposure: bool = False,
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
    record = Record(path, about, known, final, other_people, despite_exposure)
    if os.path.lexists(path) or folder_of(path).exists():
        Ledger.at(path).refuse_other_people(about, known, other_people=other_people)
    elif not path.parent.is_dir():
        raise GygesError(f"the ledger {str(path)!r} cannot be made: its folder is not there")
    return record


def fingerprints(source: str, table: str | None, folder: Path) -> tuple[str, ...]:
    """What tells the same data again: its place seen from the ledger, and its content."""
    from gyges.engines.file_sources import find_files
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
