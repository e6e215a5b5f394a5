"""The ledger: what was published about whom, what left the building, what budget is left.

Entries are only ever added. A release is entered as a *trial* or as *confirmed*: only a confirmed
release has left the building, and later releases are compared with confirmed ones only. The ledger
keeps a copy in a folder beside it, so the release itself may be moved or deleted. *Withdrawn* means
that, by the owner's word, nobody outside has the release. A budget is spent when the noise is
drawn: the person who ran the trial has seen the result, so neither a trial nor a withdrawal gives
any of it back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from gyges.errors import LedgerError
from gyges.exact import Number
from gyges.release.undisturbed import UNDISTURBED
from gyges.workflow.budgets import (
    Budget,
    Spend,
    amounts_entry,
    budget_named,
    budgets_in,
    exact_amounts,
    spends_in,
)
from gyges.workflow.data_subjects import new_source_entry
from gyges.workflow.kept_releases import copying
from gyges.workflow.ledger_file import Content, appending, begin, folder_of, read_entries
from gyges.workflow.recorded_releases import (
    RecordedRelease,
    change_entry,
    refuse_uncompared,
    release_entry,
    release_numbered,
    releases_in,
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; `Ledger.at(path)` opens it, and creates it if there is none."""

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> Ledger:
        """Open the ledger at a path, or begin one."""
        ledger = cls(Path(path))
        begin(ledger.path)
        return ledger

    @property
    def is_begun(self) -> bool:
        """Whether the ledger, or its folder of copies, exists."""
        return os.path.lexists(self.path) or folder_of(self.path).exists()

    @contextmanager
    def entering(
        self,
        release: RecordedRelease,
        *,
        files: Path | None = None,
        sources: Collection[str] = (),
        other_people: bool = False,
    ) -> Iterator[Callable[[], None]]:
        """Prepare the entry of a release, and yield the function that commits it.

        A confirmed release is refused if others were confirmed after it was compared. The copy of
        `files`, the ledger's lock and every check come first, so that the function takes
        milliseconds. `sources` and `other_people` are as in `bind`.
        """
        is_trial = release.state == "trial"
        copy = (
            nullcontext(lambda: None)
            if is_trial or files is None
            else copying(files, folder_of(self.path), release.digest)
        )
        with copy as keep, appending(self.path) as log:
            bound = new_source_entry(log.entries, release.about, sources, other_people)
            if bound is not None:
                log.append(bound)
            log.append(release_entry(release))
            known = releases_in(log.entries)
            if not is_trial:
                refuse_uncompared(known, known[-1])
                _refuse_overdrawn(log.entries, known[-1])

            def commit() -> None:
                with UNDISTURBED:
                    keep()
                    log.commit()

            yield commit

    def releases(self, about: str | None = None) -> list[RecordedRelease]:
        """The releases in the order of their entries; all, or those about some people."""
        found = releases_in(read_entries(self.path))
        return [entry for entry in found if about is None or entry.about == about]

    def confirmed(self, about: str) -> list[RecordedRelease]:
        """The releases about some people that have left the building."""
        return [entry for entry in self.releases(about) if entry.state == "confirmed"]

    def confirm(
        self, directory: Path, digest: str, *, already_left: bool = False
    ) -> RecordedRelease:
        """Record that a release has left the building, and keep a copy of it.

        Refused if others about the same people were confirmed after it was compared, unless it has
        `already_left`.
        """
        found = self.release_with(digest)
        if found.state == "confirmed":
            return found
        with (
            copying(directory, folder_of(self.path), digest) as keep,
            appending(self.path) as log,
        ):
            if not already_left:
                refuse_uncompared(releases_in(log.entries), found)
            log.append(change_entry(found, "confirmed"))
            if not already_left:
                _refuse_overdrawn(log.entries, found)
            with UNDISTURBED:
                keep()
                log.commit()
            return releases_in(log.entries)[found.number - 1]

    def withdraw(self, number: int, *, reason: str) -> RecordedRelease:
        """Record that nobody outside has a release: later ones are not compared with it."""
        with appending(self.path) as log:
            release = release_numbered(releases_in(log.entries), number)
            if release.state == "withdrawn":
                raise LedgerError(f"release {number} is already withdrawn")
            log.append(change_entry(release, "withdrawn", reason))
            return releases_in(log.entries)[number - 1]

    def release_with(self, digest: str) -> RecordedRelease:
        """The last release entered with this certificate."""
        found = [entry for entry in self.releases() if entry.digest == digest]
        if not found:
            raise LedgerError(
                f"the ledger {str(self.path)!r} does not know this release: it was entered in "
                f"another ledger or in none, or it was changed"
            )
        return found[-1]

    def bind(self, about: str, sources: Collection[str], *, other_people: bool = False) -> None:
        """Record which people the data is about; refuse data recorded as about other people.

        `other_people` says that the data is about other people now.
        """
        with appending(self.path) as log:
            entry = new_source_entry(log.entries, about, sources, other_people)
            if entry is not None:
                log.append(entry)

    def open_budget(self, name: str, limits: Mapping[str, Number], *, relation: str) -> Budget:
        """Set a budget once; setting other limits later is refused."""
        exact = exact_amounts(limits)
        with appending(self.path) as log:
            known = budgets_in(log.entries).get(name)
            if known is None:
                log.append(amounts_entry("budget", exact, name=name, relation=relation))
                known = budgets_in(log.entries)[name]
        known.refuse_other_limits(exact, relation)
        return known

    def spend(
        self, budget: str, amounts: Mapping[str, Number], *, relation: str, note: str = ""
    ) -> Spend:
        """Pay from a budget, or raise BudgetError and change nothing.

        Noise is paid for before it is drawn, so two processes cannot spend the same amount.
        """
        exact = exact_amounts(amounts)
        with appending(self.path) as log:
            budget_named(log.entries, budget).refuse_overspending(exact, relation)
            log.append(amounts_entry("spend", exact, budget=budget, note=note))
            return spends_in(log.entries)[-1]

    def budget(self, name: str) -> Budget:
        """A budget, with the amounts spent so far."""
        return budget_named(read_entries(self.path), name)

    def budgets(self) -> list[Budget]:
        """Every budget, by name."""
        return [budget for _, budget in sorted(budgets_in(read_entries(self.path)).items())]

    def spends(self, budget: str | None = None) -> list[Spend]:
        """The payments in order; all, or those from one budget."""
        found = spends_in(read_entries(self.path))
        return [spend for spend in found if budget is None or spend.budget == budget]


def _refuse_overdrawn(entries: Sequence[Content], release: RecordedRelease) -> None:
    """Refuse that this release leaves unpaid, where its people's budget has too little left."""
    budget = budgets_in(entries).get(release.about)
    if budget is not None and release.number in {one.number for one in budget.unpaid}:
        budget.refuse_overdrawn()
