"""Releases as the ledger records them: trial, confirmed or withdrawn, and compared with which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeAlias

from gyges.errors import LedgerError
from gyges.exact import counted
from gyges.search.methods import METHODS
from gyges.workflow.ledger_file import Content, now

State: TypeAlias = Literal["trial", "confirmed", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRelease:
    """One release in the ledger, or one that is about to be entered."""

    number: int = 0  # in the ledger, from 1; 0 until it is entered
    at: str = ""  # when it was entered, UTC
    about: str  # the people it is about: the same word means the same people
    place: str  # its directory
    digest: str  # SHA-256 of its certificate
    statement: Mapping[str, object] = field(default_factory=dict)  # its method, text and exposure
    state: State = "confirmed"
    since: str = ""  # when it entered this state, UTC
    reason: str = ""  # why it was withdrawn
    compared_with: tuple[int, ...] | None = None  # None: no comparison was recorded
    not_compared: Mapping[int, str] = field(default_factory=dict)  # number: reason

    @property
    def n_newly_certain(self) -> int:
        """The number of people whose values it makes certain, together with earlier releases."""
        number = self.statement.get("newly_certain", 0)
        return number if isinstance(number, int) else 0

    @property
    def newly_certain(self) -> str:
        """That number in words: of people, or of rows where nothing identifies people."""
        counts_rows = self.statement.get("rows_are_people") is True
        return counted(self.n_newly_certain, "row" if counts_rows else "person")

    @property
    def unresolved(self) -> list[int]:
        """The numbers of the earlier releases whose joint disclosure with it is unknown."""
        listed = self.statement.get("unresolved")
        return listed if isinstance(listed, list) else []


def release_entry(release: RecordedRelease) -> Content:
    """The ledger's entry for a new release."""
    later = ("number", "since", "reason")  # known by the entry's position and by later entries
    stated = {key: value for key, value in asdict(release).items() if key not in later}
    return {"kind": "release", **stated, "at": now()}


def change_entry(release: RecordedRelease, state: State, reason: str = "") -> Content:
    """The ledger's entry for a change of a release's state."""
    number = release.number
    return {"kind": "change", "at": now(), "release": number, "state": state, "reason": reason}


def releases_in(entries: Sequence[Content]) -> list[RecordedRelease]:
    """The releases, each in its latest state."""
    found: list[RecordedRelease] = []
    for entry in entries:
        if entry["kind"] == "release":
            found.append(_recorded(len(found) + 1, entry))
        elif entry["kind"] == "change":
            place = entry["release"] - 1
            found[place] = replace(
                found[place], state=entry["state"], since=entry["at"], reason=entry["reason"]
            )
    return found


def _recorded(number: int, entry: Content) -> RecordedRelease:
    stated = {key: value for key, value in entry.items() if key != "kind"}
    seen, skipped = entry["compared_with"], entry.get("not_compared", {})
    stated["compared_with"] = None if seen is None else tuple(seen)
    stated["not_compared"] = {int(n): why for n, why in skipped.items()}  # JSON keys are text
    return RecordedRelease(number=number, since=entry["at"], **stated)


def release_numbered(releases: Sequence[RecordedRelease], number: int) -> RecordedRelease:
    """The release with this number."""
    if not 1 <= number <= len(releases):
        raise LedgerError(f"the ledger has no release {number}; the last is number {len(releases)}")
    return releases[number - 1]


def uncompared(
    releases: Sequence[RecordedRelease], release: RecordedRelease
) -> list[tuple[RecordedRelease, str]]:
    """The confirmed releases about the same people that were not compared with this one, and why.

    Of two releases, the later one is compared with the earlier one.
    """
    return [
        (other, release.not_compared.get(other.number, _why_not(release)))
        for other in _others_outside(releases, release)
        if other.number not in (release.compared_with or ())
        and release.number not in (other.compared_with or ())
    ]


def refuse_uncompared(releases: Sequence[RecordedRelease], release: RecordedRelease) -> None:
    """Refuse a release if another one left the building after this one was compared."""
    if release.compared_with is None:
        return
    seen = {*release.compared_with, *release.not_compared}
    for other in _others_outside(releases, release):
        if other.number not in seen:
            raise LedgerError(
                f"release {other.number} ({other.place}) about the same people left the building "
                f"after this one was compared with earlier releases: publish this one again, which "
                f"compares the two. If someone outside has it already, use --already-left"
            )


def _others_outside(
    releases: Sequence[RecordedRelease], release: RecordedRelease
) -> list[RecordedRelease]:
    """The other releases about the same people that left the building."""
    return [
        other
        for other in releases
        if other.about == release.about
        and other.state == "confirmed"
        and other.number != release.number
    ]


def _why_not(release: RecordedRelease) -> str:
    method = METHODS.get(str(release.statement.get("method")))
    if method is not None and method.spends_budget:
        return "the noise of this release limits by its epsilon what both reveal together"
    if release.compared_with is None:
        return "no comparison was recorded"
    return "it left the building after this release was made"
