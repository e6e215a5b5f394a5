"""The ledger: what was published about whom, what left the building, what budget is left.

Entries are only ever added. A release is entered as a *trial* or as *confirmed*: only what is
confirmed has left the building, and only that is compared with later releases. A copy of it is kept
in a folder beside the ledger, so that the release itself may be moved or deleted. *Withdrawn* means
that, by its owner's word, nobody outside has it. A budget is spent when the noise is drawn, because
the person who ran the trial has seen the result: neither a trial nor a withdrawal gives any back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from gyges.errors import LedgerError
from gyges.exact import Number
from gyges.release.undisturbed import UNDISTURBED
from gyges.workflow.budgets import (
    Budget,
    Spend,
    budget_entry,
    budget_named,
    budgets_in,
    exact_amounts,
    refuse_other_limits,
    refuse_overspending,
    spend_entry,
    spends_in,
)
from gyges.workflow.data_subjects import new_source_entry, refuse_other_people
from gyges.workflow.kept_releases import copying
from gyges.workflow.ledger_file import appending, begin, folder_of, read_entries
from gyges.workflow.recorded_releases import (
    RecordedRelease,
    change_entry,
    refuse_uncompared,
    release_entry,
    release_numbered,
    releases_in,
    uncompared,
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; `Ledger.at(path)` opens it, and makes it where there is none."""

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> Ledger:
        """Open the ledger at a path, or begin one."""
        ledger = cls(Path(path))
        begin(ledger.path)
        return ledger

    @property
    def is_begun(self) -> bool:
        """Whether there is such a ledger, or what is left of one; else nothing is recorded."""
        return os.path.lexists(self.path) or folder_of(self.path).exists()

    def record(
        self,
        *,
        about: str,
        place: str | Path,
        digest: str,
        statement: Mapping[str, object] | None = None,
        trial: bool = False,
        files: Path | None = None,
        compared_with: Sequence[int] | None = None,
        not_compared: Mapping[int, str] | None = None,
    ) -> RecordedRelease:
        """Enter a release that was published, or a trial.

        `files` is the directory of which a copy is kept, unless it is a trial. `compared_with` are
        the numbers of the confirmed releases that it was joined with, `not_compared` those with
        which it could not be, each with the reason: if others were confirmed in the meantime it is
        refused.
        """
        entering = self.entering(
            about=about,
            place=place,
            digest=digest,
            statement=statement,
            trial=trial,
            files=files,
            compared_with=compared_with,
            not_compared=not_compared,
        )
        with entering as commit:
            commit()
        return self._entry(digest)

    @contextmanager
    def entering(
        self,
        *,
        about: str,
        place: str | Path,
        digest: str,
        statement: Mapping[str, object] | None = None,
        trial: bool = False,
        files: Path | None = None,
        compared_with: Sequence[int] | None = None,
        not_compared: Mapping[int, str] | None = None,
        sources: Collection[str] = (),
        other_people: bool = False,
    ) -> Iterator[Callable[[], None]]:
        """Prepare what `record` enters, and yield the function that enters it.

        The copy, the ledger's lock and every check come first, so that the function takes
        milliseconds. `sources` and `other_people` as in `bind`.
        """
        copy = _copy(files, self.path, None if trial else digest)
        with copy as keep, appending(self.path) as log:
            bound = new_source_entry(log.entries, about, sources, other_people)
            if bound is not None:
                log.append(bound)
            entry = release_entry(
                about=about,
                place=str(place),
                digest=digest,
                statement=statement or {},
                state="trial" if trial else "confirmed",
                compared_with=compared_with,
                not_compared=not_compared or {},
            )
            log.append(entry)
            known = releases_in(log.entries)
            if not trial:
                refuse_uncompared(known, known[-1])

            def commit() -> None:
                with UNDISTURBED:
                    keep()
                    log.commit()

            yield commit

    def releases(self, about: str | None = None) -> list[RecordedRelease]:
        """The releases in the order in which they were entered; those about some people, or all."""
        found = releases_in(read_entries(self.path))
        return [entry for entry in found if about is None or entry.about == about]

    def confirmed(self, about: str) -> list[RecordedRelease]:
        """The releases about some people that left the building."""
        return [entry for entry in self.releases(about) if entry.state == "confirmed"]

    def confirm(
        self, directory: Path, digest: str, *, already_left: bool = False
    ) -> RecordedRelease:
        """Enter that a release has left the building, and keep a copy of it.

        It is refused where others about the same people were confirmed after it was compared,
        unless it has `already_left`. `uncompared` says with which it was not compared, and why.
        """
        found = self._entry(digest)
        if found.state == "confirmed":
            return found
        if not already_left:
            refuse_uncompared(self.releases(), found)
        with (
            copying(directory, folder_of(self.path), digest) as keep,
            appending(self.path) as log,
        ):
            if not already_left:
                refuse_uncompared(releases_in(log.entries), found)
            log.append(change_entry(found, "confirmed"))
            with UNDISTURBED:
                keep()
                log.commit()
            return releases_in(log.entries)[found.number - 1]

    def exposed_by(self, digest: str) -> int:
        """How many people's values a release was found to make certain, with earlier ones."""
        number = self._entry(digest).statement.get("newly_certain", 0)
        return number if isinstance(number, int) else 0

    def unresolved_by(self, digest: str) -> list[RecordedRelease]:
        """The releases outside with which a release of groups could not be compared."""
        listed, known = self._entry(digest).statement.get("unresolved"), self.releases()
        numbers = listed if isinstance(listed, list) else []
        return [one for one in known if one.number in numbers and one.state == "confirmed"]

    def uncompared(self, number: int) -> list[tuple[RecordedRelease, str]]:
        """The confirmed releases about the same people that were not joined with this one, and why.

        Of two releases the later one is joined with the earlier one.
        """
        known = self.releases()
        return uncompared(known, release_numbered(known, number))

    def withdraw(self, number: int, *, reason: str) -> RecordedRelease:
        """Enter that nobody outside has a release: it is no longer compared with others."""
        with appending(self.path) as log:
            release = release_numbered(releases_in(log.entries), number)
            if release.state == "withdrawn":
                raise LedgerError(f"release {number} was withdrawn before")
            log.append(change_entry(release, "withdrawn", reason))
            return releases_in(log.entries)[number - 1]

    def _entry(self, digest: str) -> RecordedRelease:
        found = [entry for entry in self.releases() if entry.digest == digest]
        if not found:
            raise LedgerError(
                f"the ledger {str(self.path)!r} does not know this release: it was made under "
                f"another ledger or none, or was changed since"
            )
        return found[-1]

    def bind(self, about: str, sources: Collection[str], *, other_people: bool = False) -> None:
        """Note which data is about whom; refuse data that was about other people so far."""
        known = read_entries(self.path)
        if new_source_entry(known, about, sources, other_people) is None:
            return
        with appending(self.path) as log:
            entry = new_source_entry(log.entries, about, sources, other_people)
            if entry is not None:
                log.append(entry)

    def refuse_other_people(
        self, about: str, sources: Collection[str], *, other_people: bool = False
    ) -> None:
        """Refuse data that was about other people so far, unless that is said."""
        if not other_people:
            refuse_other_people(read_entries(self.path), about, sources)

    def open_budget(self, name: str, limits: Mapping[str, Number], *, relation: str) -> Budget:
        """Set a budget once; asking for the same again is harmless, for another is refused."""
        exact = exact_amounts(limits)
        with appending(self.path) as log:
            known = budgets_in(log.entries).get(name)
            if known is None:
                log.append(budget_entry(name, exact, relation))
                known = budgets_in(log.entries)[name]
        refuse_other_limits(known, exact, relation)
        return known

    def spend(
        self, budget: str, amounts: Mapping[str, Number], *, relation: str, note: str = ""
    ) -> Spend:
        """Pay from a budget, or raise BudgetError and leave everything as it was.

        Noise is paid for before it is drawn: two processes cannot both spend what only one may.
        """
        exact = exact_amounts(amounts)
        with appending(self.path) as log:
            known = budget_named(budgets_in(log.entries), budget)
            refuse_overspending(known, exact, relation)
            log.append(spend_entry(budget, exact, note))
            return spends_in(log.entries)[-1]

    def budget(self, name: str) -> Budget:
        """A budget with what was spent of it."""
        return budget_named(budgets_in(read_entries(self.path)), name)

    def budgets(self) -> list[Budget]:
        """Every budget, by name."""
        return [budget for _, budget in sorted(budgets_in(read_entries(self.path)).items())]

    def spends(self, budget: str | None = None) -> list[Spend]:
        """The payments in the order in which they were made; from one budget, or all."""
        found = spends_in(read_entries(self.path))
        return [spend for spend in found if budget is None or spend.budget == budget]


def _copy(
    files: Path | None, ledger: Path, digest: str | None
) -> AbstractContextManager[Callable[[], object]]:
    """A copy of what leaves the building, to be kept; nothing where nothing leaves."""
    if files is None or digest is None:
        return nullcontext(lambda: None)
    return copying(files, folder_of(ledger), digest)
