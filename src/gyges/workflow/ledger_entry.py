"""The entry of a new release in the ledger: first compared with earlier ones, then entered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.errors import ExposureError, GygesError
from gyges.exact import counted
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.workflow.data_subjects import fingerprints, new_source_entry, place_in
from gyges.workflow.earlier_releases import Comparison, join_earlier
from gyges.workflow.ledger import Ledger
from gyges.workflow.ledger_file import read_entries
from gyges.workflow.progress import Progress
from gyges.workflow.recorded_releases import RecordedRelease
from gyges.workflow.run_options import RunOptions
from gyges.workflow.source_files import without_passwords

if TYPE_CHECKING:
    from gyges.data.table import Table
    from gyges.release.release import Release


@dataclass(frozen=True, slots=True)
class NewEntry:
    """The ledger in which a release is entered, the people it is about, and the run's options.

    The ledger is created with its first entry: a refused release leaves none behind.
    """

    path: Path
    about: str
    sources: tuple[str, ...]  # hashes that recognize the same data
    options: RunOptions
    progress: Progress

    def open_ledger(self) -> Ledger:
        """Begin the ledger if there is none, and record which people the data is about."""
        ledger = Ledger.at(self.path)
        ledger.bind(self.about, self.sources, other_people=self.options.other_people)
        return ledger

    def has_budget(self) -> bool:
        """Whether the ledger limits what noise about these people may cost."""
        known = Ledger(self.path).budgets() if self.path.exists() else []
        return self.about in {budget.name for budget in known}

    def earlier(self) -> list[RecordedRelease]:
        """The releases about the same people that left the building."""
        return Ledger(self.path).confirmed(self.about) if self.path.exists() else []

    @contextmanager
    def entering(
        self,
        made: Path,
        directory: Path,
        statement: Mapping[str, object],
        comparison: Comparison | None,
    ) -> Iterator[Callable[[], object]]:
        """Prepare the entry of a release that is about to appear; yield what commits it.

        A crash in between leaves an entry without a release, never a release without an entry.
        """
        outputs = self.progress.outputs
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
        release = RecordedRelease(
            about=self.about,
            place=place_in(self.path.parent, directory),
            digest=digest,
            statement={**statement, **({} if comparison is None else comparison.exposing)},
            state="confirmed" if self.options.final else "trial",
            compared_with=None if comparison is None else comparison.compared_with,
            not_compared={} if comparison is None else comparison.not_compared,
        )
        other_people = self.options.other_people
        with ledger.entering(
            release, files=made, sources=self.sources, other_people=other_people
        ) as commit:
            yield commit

    def compare(self, releases: Sequence[Release], table: Table) -> Comparison:
        """Join a release with earlier ones; refuse a final one that exposes people with them.

        `releases` are several where it consists of views.
        """
        earlier = self.earlier()
        if not earlier:
            return Comparison()
        if releases[0].roles.sensitive is None:
            return self.compare_nothing("this release has no sensitive column to join by")
        self.progress.stage("comparing with earlier releases")
        found = join_earlier(releases, table, earlier, self.path)
        for line in str(found).splitlines():
            is_harmless = line.startswith("Together") and not found.n_vulnerable
            (self.progress.note if is_harmless else self.progress.warn)(line)
        if found.n_newly_certain:
            noun = "row" if found.rows_are_people else "person"
            self._refuse_or_advise(counted(found.n_newly_certain, noun))
        self._refuse_unresolved(found)
        return found

    def compare_nothing(self, why: str, *, has_groups: bool = False) -> Comparison:
        """Warn that the release is not compared with those that left before, and why."""
        earlier = tuple(self.earlier())
        for entry in earlier:
            self.progress.warn(f"not compared with {entry.place}: {why}")
        found = Comparison(
            left_alone=tuple((entry, why) for entry in earlier),
            unread=earlier if has_groups else (),
        )
        self._refuse_unresolved(found)
        return found

    @property
    def _must_be_safe(self) -> bool:
        return self.options.final and not self.options.despite_exposure

    def _refuse_unresolved(self, found: Comparison) -> None:
        if found.unresolved and self._must_be_safe:
            named = ", ".join(entry.place for entry in found.unresolved)
            raise ExposureError(
                f"not published as final: it is unknown what it reveals together with {named}, "
                f"which left before (see the warning). Make the comparison possible, or use "
                f"--despite-exposure (in Python: despite_exposure=True)"
            )

    def _refuse_or_advise(self, newly_certain: str) -> None:
        advice = (
            'publish with noise instead (method = "dp" in [publish]; `gyges publish` then lists '
            "everything else that it needs)"
        )
        if self._must_be_safe:
            raise ExposureError(
                f"not published as final: with the releases that left before, it makes the value "
                f"of {newly_certain} certain. The new release has not left the building: {advice}; "
                f"or use --despite-exposure (in Python: despite_exposure=True)"
            )
        if self.options.final:
            self.progress.note("  it leaves the building despite that, as was asked")
        else:
            self.progress.note(f"  the new release has not left the building yet: {advice}")


def new_entry(
    options: RunOptions,
    path: Path | None,
    about: str,
    *,
    source: str,
    table: str | None = None,
    progress: Progress,
) -> NewEntry | None:
    """The entry that a release will get, or None if no ledger is kept; refused before any work.

    `source` and `table` name the data, which must not be recorded as about other people.
    """
    if path is None:
        if options.final or options.other_people:
            raise GygesError(
                "--final and --other-people need a ledger, and none is kept: give --ledger FILE "
                "(in Python: publish(trial=True), or ledger=FILE)"
            )
        return None
    progress.stage(f"looking at {without_passwords(source)}")
    known = fingerprints(source, table, path.parent)
    if Ledger(path).is_begun:
        new_source_entry(
            read_entries(Ledger.at(path).path), about, known, options.other_people
        )  # refuses data about other people
    elif not path.parent.is_dir():
        raise GygesError(f"the ledger {str(path)!r} cannot be created: its folder does not exist")
    return NewEntry(path, about, known, options, progress)
