"""The ledger: what was published about whom, what left the building, what budget is left.

Entries are only ever added. Amounts are exact fractions. Whoever draws noise pays first, and a
payment that a budget cannot bear is refused whole.

A release is entered as a *trial* or as *confirmed*: only what is confirmed has left the building,
and only that is compared with later releases. A copy of it is kept in a folder beside the ledger,
so that moving or deleting the release does not make it forgotten. *Withdrawn* is what, by its
owner's word, nobody outside has. A budget is spent when the noise is drawn, because whoever ran
the trial has seen the result: neither a trial nor a withdrawal gives anything back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

from gyges.errors import BudgetError, LedgerError
from gyges.exact import Number, fraction
from gyges.release.kept_releases import copying
from gyges.release.ledger_file import Appending, Content, appending, begin, folder_of, read_entries
from gyges.release.undisturbed import UNDISTURBED

State: TypeAlias = Literal["trial", "confirmed", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Published:
    """One release in the ledger."""

    number: int
    at: str  # UTC
    about: str  # whom it is about: releases with the same word are about the same people
    place: str  # its directory
    digest: str  # SHA-256 of its certificate
    statement: Mapping[str, object]  # what else is to be remembered of it
    state: State = "confirmed"
    since: str = ""  # when it came to be in this state, UTC
    reason: str = ""  # why it was withdrawn
    compared_with: tuple[int, ...] | None = None  # the releases it was joined with; None: not noted
    not_compared: Mapping[int, str] = field(default_factory=dict)  # other releases, each with why


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent, in each unit (epsilon and delta, or rho), and on which neighbours."""

    name: str
    at: str
    relation: str
    limits: Mapping[str, Fraction]
    spent: Mapping[str, Fraction]

    @property
    def left(self) -> dict[str, Fraction]:
        """What may still be spent, in each unit."""
        return {unit: limit - self.spent[unit] for unit, limit in self.limits.items()}


@dataclass(frozen=True, slots=True)
class Spend:
    """One payment."""

    number: int
    at: str
    budget: str
    note: str
    amounts: Mapping[str, Fraction]


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
    ) -> Published:
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
            _bind(log, about, sources, other_people)
            why = {str(number): reason for number, reason in (not_compared or {}).items()}
            entry = {
                "kind": "release",
                "at": _now(),
                "about": about,
                "place": str(place),
                "digest": digest,
                "statement": dict(statement or {}),
                "state": "trial" if trial else "confirmed",
                "compared_with": None if compared_with is None else list(compared_with),
                "not_compared": why,
            }
            log.append(entry)
            known = _releases(log.entries)
            if not trial:
                _refuse_uncompared(known, known[-1])

            def commit() -> None:
                with UNDISTURBED:
                    keep()
                    log.commit()

            yield commit

    def releases(self, about: str | None = None) -> list[Published]:
        """The releases in the order in which they were entered; those about somebody, or all."""
        found = _releases(read_entries(self.path))
        return [entry for entry in found if about is None or entry.about == about]

    def confirmed(self, about: str) -> list[Published]:
        """The releases about somebody that left the building."""
        return [entry for entry in self.releases(about) if entry.state == "confirmed"]

    def confirm(self, directory: Path, digest: str, *, already_left: bool = False) -> Published:
        """Enter that a release has left the building, and keep a copy of it.

        It is refused where others about the same people were confirmed after it was compared,
        unless it has `already_left`. `uncompared` says with which it was not compared, and why.
        """
        found = self._entry(digest)
        if found.state == "confirmed":
            return found
        if not already_left:
            _refuse_uncompared(self.releases(), found)
        with (
            copying(directory, folder_of(self.path), digest) as keep,
            appending(self.path) as log,
        ):
            if not already_left:
                _refuse_uncompared(_releases(log.entries), found)
            log.append(_change(found, "confirmed"))
            with UNDISTURBED:
                keep()
                log.commit()
            return _releases(log.entries)[found.number - 1]

    def exposed_by(self, digest: str) -> int:
        """How many people's values a release was found to make certain, with earlier ones."""
        number = self._entry(digest).statement.get("newly_certain", 0)
        return number if isinstance(number, int) else 0

    def unresolved_by(self, digest: str) -> list[Published]:
        """The releases outside with which a release of groups could not be compared."""
        listed, known = self._entry(digest).statement.get("unresolved"), self.releases()
        numbers = listed if isinstance(listed, list) else []
        return [one for one in known if one.number in numbers and one.state == "confirmed"]

    def uncompared(self, number: int) -> list[tuple[Published, str]]:
        """The confirmed releases about the same people that were not joined with this one, and why.

        Of two releases the later one is joined with the earlier one.
        """
        known = self.releases()
        if not 1 <= number <= len(known):
            raise LedgerError(f"the ledger has no release {number}: it has {len(known)}")
        release = known[number - 1]
        return [
            (other, release.not_compared.get(other.number, _why_not(release)))
            for other in _others_outside(known, release)
            if other.number not in (release.compared_with or ())
            and release.number not in (other.compared_with or ())
        ]

    def withdraw(self, number: int, *, reason: str) -> Published:
        """Enter that nobody outside has a release: it is no longer compared with others."""
        with appending(self.path) as log:
            known = _releases(log.entries)
            if not 1 <= number <= len(known):
                raise LedgerError(f"the ledger has no release {number}: it has {len(known)}")
            if known[number - 1].state == "withdrawn":
                raise LedgerError(f"release {number} was withdrawn before")
            log.append(_change(known[number - 1], "withdrawn", reason))
            return _releases(log.entries)[number - 1]

    def _entry(self, digest: str) -> Published:
        found = [entry for entry in self.releases() if entry.digest == digest]
        if not found:
            raise LedgerError(
                f"the ledger {str(self.path)!r} does not know this release: it was made under "
                f"another ledger or none, or was changed since"
            )
        return found[-1]

    def bind(self, about: str, sources: Collection[str], *, other_people: bool = False) -> None:
        """Note which data is about whom; refuse data that was about somebody else so far."""
        self.refuse_other_people(about, sources, other_people=other_people)
        if set(sources) - _bound(read_entries(self.path)).get(about, set()):
            with appending(self.path) as log:
                _bind(log, about, sources, other_people)

    def refuse_other_people(
        self, about: str, sources: Collection[str], *, other_people: bool = False
    ) -> None:
        """Refuse data that was about somebody else so far, unless that is said."""
        if not other_people:
            _refuse_other_people(read_entries(self.path), about, sources)

    def open_budget(self, name: str, limits: Mapping[str, Number], *, relation: str) -> Budget:
        """Set a budget once; asking for the same again is harmless, for another is refused."""
        exact = _exact(limits)
        with appending(self.path) as log:
            known = _budgets(log.entries).get(name)
            if known is None:
                stated = {unit: str(amount) for unit, amount in exact.items()}
                log.append(
                    {
                        "kind": "budget",
                        "at": _now(),
                        "name": name,
                        "relation": relation,
                        "limits": stated,
                    }
                )
                known = _budgets(log.entries)[name]
        if (dict(known.limits), known.relation) != (exact, relation):
            raise BudgetError(
                f"the budget {name!r} was set before, to other limits ({shown(known.limits)}, "
                f"{known.relation}): a budget is never changed"
            )
        return known

    def spend(
        self, budget: str, amounts: Mapping[str, Number], *, relation: str, note: str = ""
    ) -> Spend:
        """Pay from a budget, or raise BudgetError and leave everything as it was.

        Whoever draws noise pays first: two processes cannot both spend what only one may.
        """
        exact = _exact(amounts)
        with appending(self.path) as log:
            known = _known(_budgets(log.entries), budget)
            _refuse_overspending(known, exact, relation)
            stated = {unit: str(amount) for unit, amount in exact.items()}
            entry = {
                "kind": "spend",
                "at": _now(),
                "budget": budget,
                "note": note,
                "amounts": stated,
            }
            log.append(entry)
            return _spends(log.entries)[-1]

    def budget(self, name: str) -> Budget:
        """A budget with what was spent of it."""
        return _known(_budgets(read_entries(self.path)), name)

    def budgets(self) -> list[Budget]:
        """Every budget, by name."""
        return [budget for _, budget in sorted(_budgets(read_entries(self.path)).items())]

    def spends(self, budget: str | None = None) -> list[Spend]:
        """The payments in the order in which they were made; from one budget, or all."""
        found = _spends(read_entries(self.path))
        return [spend for spend in found if budget is None or spend.budget == budget]


def shown(amounts: Mapping[str, Fraction]) -> str:
    """Amounts as people read them: `delta 0, epsilon 3/4`."""
    return ", ".join(f"{unit} {amount}" for unit, amount in sorted(amounts.items()))


def _releases(entries: Sequence[Content]) -> list[Published]:
    """The releases as the entries leave them."""
    found: list[Published] = []
    for entry in entries:
        if entry["kind"] == "release":
            seen = entry["compared_with"]
            found.append(
                Published(
                    number=len(found) + 1,
                    at=entry["at"],
                    about=entry["about"],
                    place=entry["place"],
                    digest=entry["digest"],
                    statement=entry["statement"],
                    state=entry["state"],
                    since=entry["at"],
                    compared_with=None if seen is None else tuple(seen),
                    not_compared={int(n): why for n, why in entry.get("not_compared", {}).items()},
                )
            )
        elif entry["kind"] == "change":
            place = entry["release"] - 1
            found[place] = replace(
                found[place], state=entry["state"], since=entry["at"], reason=entry["reason"]
            )
    return found


def _change(release: Published, state: State, reason: str = "") -> Content:
    number = release.number
    return {"kind": "change", "at": _now(), "release": number, "state": state, "reason": reason}


def _copy(
    files: Path | None, ledger: Path, digest: str | None
) -> AbstractContextManager[Callable[[], object]]:
    """A copy of what leaves the building, to be kept; nothing where nothing leaves."""
    if files is None or digest is None:
        return nullcontext(lambda: None)
    return copying(files, folder_of(ledger), digest)


def _others_outside(releases: Sequence[Published], release: Published) -> list[Published]:
    """The other releases about the same people that left the building."""
    return [
        other
        for other in releases
        if other.about == release.about
        and other.state == "confirmed"
        and other.number != release.number
    ]


def _refuse_uncompared(releases: Sequence[Published], release: Published) -> None:
    """Refuse a release where others have left the building since it was compared with them."""
    if release.compared_with is None:
        return
    seen = {*release.compared_with, *release.not_compared}
    for other in _others_outside(releases, release):
        if other.number not in seen:
            raise LedgerError(
                f"release {other.number} ({other.place}) about the same people has left the "
                f"building since this one was compared with the others: publish this one again, "
                f"which compares the two"
            )


def _why_not(release: Published) -> str:
    if release.statement.get("method") == "dp":
        return "the noise of this one bounds what both tell by its epsilon"
    if release.compared_with is None:
        return "no comparison was noted"
    return "it left the building after this one was made"


def _bind(log: Appending, about: str, sources: Collection[str], other_people: bool) -> None:
    """Note which data is about whom, where that is new; refuse data about somebody else."""
    if not other_people:
        _refuse_other_people(log.entries, about, sources)
    if set(sources) - _bound(log.entries).get(about, set()):
        log.append({"kind": "source", "at": _now(), "about": about, "sources": sorted(sources)})


def _bound(entries: Sequence[Content]) -> dict[str, set[str]]:
    """Which data was said to be about whom."""
    found: dict[str, set[str]] = {}
    for entry in entries:
        if entry["kind"] == "source":
            found.setdefault(entry["about"], set()).update(entry["sources"])
    return found


def _refuse_other_people(entries: Sequence[Content], about: str, sources: Collection[str]) -> None:
    bound = _bound(entries)
    new = set(sources) - bound.get(about, set())
    for whom, known in bound.items():
        if known & new:
            raise LedgerError(
                f"The ledger says this data is about {whom!r}, not about {about!r}. Under another "
                f"name it would not be compared with earlier releases and would have a budget of "
                f"its own. Write about = {whom!r}, or --other-people if it is about other people "
                f"now"
            )


def _spends(entries: Sequence[Content]) -> list[Spend]:
    found = [entry for entry in entries if entry["kind"] == "spend"]
    return [
        Spend(i + 1, entry["at"], entry["budget"], entry["note"], _fractions(entry["amounts"]))
        for i, entry in enumerate(found)
    ]


def _budgets(entries: Sequence[Content]) -> dict[str, Budget]:
    found = {}
    for entry in entries:
        if entry["kind"] == "budget":
            limits = _fractions(entry["limits"])
            spent = {unit: Fraction(0) for unit in limits}
            found[entry["name"]] = (entry, limits, spent)
    for spend in _spends(entries):
        for unit, amount in spend.amounts.items():
            found[spend.budget][2][unit] += amount
    return {
        name: Budget(name, entry["at"], entry["relation"], limits, spent)
        for name, (entry, limits, spent) in found.items()
    }


def _fractions(stated: Mapping[str, str]) -> dict[str, Fraction]:
    return {unit: Fraction(amount) for unit, amount in stated.items()}


def _known(budgets: Mapping[str, Budget], name: str) -> Budget:
    if name not in budgets:
        raise BudgetError(f"there is no budget {name!r}: open it first")
    return budgets[name]


def _refuse_overspending(budget: Budget, amounts: Mapping[str, Fraction], relation: str) -> None:
    if relation != budget.relation:
        raise BudgetError(
            f"the budget {budget.name!r} is for neighbours that {budget.relation}, the release is "
            f"private for neighbours that {relation}: the two do not add up"
        )
    if set(amounts) != set(budget.limits):
        raise BudgetError(
            f"the budget {budget.name!r} is kept in {' and '.join(sorted(budget.limits))}, the "
            f"price is in {' and '.join(sorted(amounts))}"
        )
    for unit, amount in amounts.items():
        if amount > budget.left[unit]:
            raise BudgetError(
                f"the release costs {unit} {_about(amount)}, and {_about(budget.left[unit])} "
                f"of {_about(budget.limits[unit])} is left in the budget {budget.name!r}: "
                f"nothing was released, nothing was spent"
            )


def _about(amount: Fraction) -> str:
    try:
        return f"{float(amount):.6g}"
    except OverflowError:
        return "more than 1e308"


def _exact(amounts: Mapping[str, Number]) -> dict[str, Fraction]:
    exact = {unit: fraction(amount, unit) for unit, amount in amounts.items()}
    if not exact or any(amount < 0 for amount in exact.values()):
        raise BudgetError("give at least one amount, and none below 0")
    return exact


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
