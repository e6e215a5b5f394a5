"""Releases as the ledger records them: trial, confirmed or withdrawn, and compared with which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from gyges.errors import LedgerError
from gyges.workflow.ledger_file import Content, now

State: TypeAlias = Literal["trial", "confirmed", "withdrawn"]


@dataclass(frozen=True, slots=True)
class RecordedRelease:
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


def release_entry(
    *,
    about: str,
    place: str,
    digest: str,
    statement: Mapping[str, object],
    state: State,
    compared_with: Sequence[int] | None,
    not_compared: Mapping[int, str],
) -> Content:
    """What is written into the ledger for a new release."""
    return {
        "kind": "release",
        "at": now(),
        "about": about,
        "place": place,
        "digest": digest,
        "statement": dict(statement),
        "state": state,
        "compared_with": None if compared_with is None else list(compared_with),
        "not_compared": {str(number): reason for number, reason in not_compared.items()},
    }


def change_entry(release: RecordedRelease, state: State, reason: str = "") -> Content:
    """What is written into the ledger when a release changes its state."""
    number = release.number
    return {"kind": "change", "at": now(), "release": number, "state": state, "reason": reason}


def releases_in(entries: Sequence[Content]) -> list[RecordedRelease]:
    """The releases in the state that all entries together leave them in."""
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
    seen = entry["compared_with"]
    return RecordedRelease(
        number=number,
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


def release_numbered(releases: Sequence[RecordedRelease], number: int) -> RecordedRelease:
    """The release with a number."""
    if not 1 <= number <= len(releases):
        raise LedgerError(f"the ledger has no release {number}: it has {len(releases)}")
    return releases[number - 1]


def uncompared(
    releases: Sequence[RecordedRelease], release: RecordedRelease
) -> list[tuple[RecordedRelease, str]]:
    """The confirmed releases about the same people that were not joined with this one, and why.

    Of two releases the later one is joined with the earlier one.
    """
    return [
        (other, release.not_compared.get(other.number, _why_not(release)))
        for other in _others_outside(releases, release)
        if other.number not in (release.compared_with or ())
        and release.number not in (other.compared_with or ())
    ]


def refuse_uncompared(releases: Sequence[RecordedRelease], release: RecordedRelease) -> None:
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
    if release.statement.get("method") == "dp":
        return "the noise of this one bounds what both tell by its epsilon"
    if release.compared_with is None:
        return "no comparison was noted"
    return "it left the building after this one was made"
