"""The entry of a new release in the ledger: compared with earlier ones first, then entered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.errors import ExposureError, GygesError
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.workflow.data_subjects import fingerprints, place_in
from gyges.workflow.ledger import Ledger
from gyges.workflow.progress import Progress
from gyges.workflow.recorded_releases import RecordedRelease

if TYPE_CHECKING:
    from gyges.data.table import Table
    from gyges.release.release import Release
    from gyges.workflow.earlier_releases import Joined


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of the earlier releases a new one was joined with, and why not with the others."""

    found: Joined | None = None  # what joining gives away
    left_alone: tuple[tuple[RecordedRelease, str], ...] = ()
    unresolved: tuple[RecordedRelease, ...] = ()  # of these: what both tell together is not known

    @property
    def compared_with(self) -> list[int]:
        """The ledger's numbers of those that it was really joined with."""
        return [] if self.found is None else [entry.number for entry in self.found.joined]

    @property
    def not_compared(self) -> dict[int, str]:
        """The ledger's numbers of the others, and why."""
        return {entry.number: why for entry, why in self.left_alone}

    @property
    def exposing(self) -> dict[str, object]:
        """What the ledger remembers of whom a release exposes, together with earlier ones."""
        certain = {} if self.found is None else {"newly_certain": self.found.n_newly_certain}
        numbers = [entry.number for entry in self.unresolved]
        return {**certain, **({"unresolved": numbers} if numbers else {})}

    def stated(self) -> dict[str, object] | None:
        """The comparison as data; None where there was nothing to compare with."""
        if self.found is None and not self.left_alone:
            return None
        return {
            "releases": [] if self.found is None else [one.place for one in self.found.joined],
            "newly_certain": 0 if self.found is None else self.found.n_newly_certain,
            "vulnerable": 0 if self.found is None else self.found.n_vulnerable,
            "not_compared": [{"release": one.place, "why": why} for one, why in self.left_alone],
        }


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Which ledger a release is entered in, whom it is about, and whether it leaves the building.

    A ledger is begun with its first entry: a release that is refused leaves none behind.
    """

    path: Path
    about: str
    sources: tuple[str, ...] = ()  # what identifies the data again: its place and its content
    final: bool = False
    other_people: bool = False
    despite_exposure: bool = False

    def open_ledger(self) -> Ledger:
        """Begin the ledger if need be, and note whom the data is about."""
        ledger = Ledger.at(self.path)
        ledger.bind(self.about, self.sources, other_people=self.other_people)
        return ledger

    def earlier(self) -> list[RecordedRelease]:
        """The releases about the same people that left the building."""
        return Ledger(self.path).confirmed(self.about) if self.path.exists() else []

    @contextmanager
    def entering(
        self,
        made: Path,
        directory: Path,
        statement: dict[str, object],
        comparison: Comparison | None,
        progress: Progress,
    ) -> Iterator[Callable[[], object]]:
        """Prepare the entry of a release that is about to appear; yield what enters it.

        A crash in between leaves a line without a release, never a release without a line.
        """
        outputs = progress.outputs
        if not self.path.exists():
            outputs.announce(f"the ledger {self.path}", self.path.exists)
        ledger, digest = Ledger.at(self.path), sha256(made / CERTIFICATE)
        known = {entry.number for entry in ledger.releases()}
        outputs.announce(
            f"an entry in the ledger {self.path}",
            lambda: any(
                entry.digest == digest and entry.number not in known for entry in ledger.releases()
            ),
        )
        exposing = {} if comparison is None else comparison.exposing
        entering = ledger.entering(
            about=self.about,
            place=place_in(self.path.parent, directory),
            digest=digest,
            statement={**statement, **exposing},
            trial=not self.final,
            files=made,
            compared_with=None if comparison is None else comparison.compared_with,
            not_compared=None if comparison is None else comparison.not_compared,
            sources=self.sources,
            other_people=self.other_people,
        )
        with entering as commit:
            yield commit

    def compare(self, release: Release, table: Table, progress: Progress) -> Comparison:
        """Join a release with earlier ones; refuse a final one that exposes people with them."""
        earlier = self.earlier()
        if not earlier:
            return Comparison()
        if release.roles.sensitive is None:
            why = "this release has no sensitive column to join by"
            return self.compare_nothing(why, progress)
        from gyges.workflow.earlier_releases import join_earlier  # loads every kind of release

        progress.stage("comparing with earlier releases")
        found = join_earlier(release, table, earlier, self.path)
        for line in str(found).splitlines():
            is_harmless = line.startswith("joined") and not found.n_vulnerable
            (progress.note if is_harmless else progress.warn)(line)
        if found.n_newly_certain:
            self._refuse_or_advise(found.n_newly_certain, progress)
        self._refuse_unresolved(found.unresolved)
        return Comparison(found, found.left_alone, found.unresolved)

    def compare_nothing(
        self, why: str, progress: Progress, *, has_groups: bool = False
    ) -> Comparison:
        """Say that nothing that left the building before was compared, and why."""
        earlier = self.earlier()
        for entry in earlier:
            progress.warn(f"not compared with {entry.place}: {why}")
        unresolved = tuple(earlier) if has_groups else ()
        self._refuse_unresolved(unresolved)
        return Comparison(None, tuple((entry, why) for entry in earlier), unresolved)

    def _refuse_unresolved(self, unresolved: tuple[RecordedRelease, ...]) -> None:
        if unresolved and self.final and not self.despite_exposure:
            named = ", ".join(entry.place for entry in unresolved)
            raise ExposureError(
                f"not published as final: it could not be compared with {named}, which left "
                f"before, so nobody knows what they give away together. Make the comparison "
                f"possible (see the warning), or say --despite-exposure (in Python: "
                f"despite_exposure=True)"
            )

    def _refuse_or_advise(self, n_newly_certain: int, progress: Progress) -> None:
        advice = 'publish with noise (method = "dp") instead, or the same groups again'
        if self.final and not self.despite_exposure:
            raise ExposureError(
                f"not published as final: with the releases that left before, it makes the value "
                f"of {n_newly_certain:,} people certain. It is still inside the building: "
                f"{advice}; or say --despite-exposure (in Python: despite_exposure=True)"
            )
        progress.note(f"  it is still inside the building: {advice}")


def new_entry(
    path: Path | None,
    about: str,
    *,
    source: str,
    table: str | None = None,
    final: bool = False,
    other_people: bool = False,
    despite_exposure: bool = False,
    progress: Progress,
) -> NewEntry | None:
    """The entry that a release will get, or none where no ledger is kept; refused before any work.

    `source` and `table` name the data, which must not be about other people than the ledger says.
    """
    if path is None:
        if final or other_people:
            raise GygesError(
                "--final and --other-people are entered in a ledger, and none is kept: give "
                "--ledger FILE (in Python: publish(trial=True), or ledger=FILE)"
            )
        return None
    progress.stage(f"looking at {source}")
    known = fingerprints(source, table, path.parent)
    if Ledger(path).is_begun:
        Ledger.at(path).refuse_other_people(about, known, other_people=other_people)
    elif not path.parent.is_dir():
        raise GygesError(f"the ledger {str(path)!r} cannot be made: its folder is not there")
    return NewEntry(path, about, known, final, other_people, despite_exposure)
