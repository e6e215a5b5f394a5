"""A recorded release is confirmed or withdrawn, named by its directory or by its number."""

from __future__ import annotations

from pathlib import Path

from gyges.errors import ExposureError, LedgerError, ReleaseError
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.workflow.data_subjects import place_in
from gyges.workflow.ledger import Ledger
from gyges.workflow.ledger_file import folder_of
from gyges.workflow.progress import Progress
from gyges.workflow.recorded_releases import RecordedRelease, release_numbered


def open_existing(file: Path) -> Ledger:
    """The ledger in a file that must be there."""
    if not Ledger(file).is_begun:
        raise LedgerError(
            f"there is no ledger {str(file)!r}: `gyges publish gyges.toml` begins one beside the "
            f"project file"
        )
    return Ledger.at(file)


def confirm_release(
    ledger: Ledger,
    release: str | Path | int,
    *,
    already_left: bool = False,
    despite_exposure: bool = False,
    progress: Progress,
) -> RecordedRelease:
    """Enter that a release leaves the building; refuse one that exposes people."""
    number = _number(release)
    directory = Path(str(release)) if number is None else _files(ledger, number)
    if not (directory / CERTIFICATE).is_file():
        raise ReleaseError(f"{str(directory)!r} holds no release")
    digest = sha256(directory / CERTIFICATE)
    if not (despite_exposure or already_left):
        _refuse_exposing(ledger, digest)
    exposed = ledger.exposed_by(digest)
    entry = ledger.confirm(directory, digest, already_left=already_left)
    if exposed:
        progress.warn(f"with earlier releases it makes the value of {exposed:,} people certain")
    for other, why in ledger.uncompared(entry.number):
        progress.warn(f"not compared with release {other.number} ({other.place}): {why}")
    return entry


def withdraw_release(ledger: Ledger, release: str | Path | int, *, reason: str) -> RecordedRelease:
    """Enter that nobody outside has a release."""
    number = _number(release)
    found = _number_at(ledger, Path(str(release))) if number is None else number
    return ledger.withdraw(found, reason=reason)


def _refuse_exposing(ledger: Ledger, digest: str) -> None:
    """Refuse a release that exposes people with those that left before, or may do so."""
    exposed = ledger.exposed_by(digest)
    if exposed:
        raise ExposureError(
            f"not confirmed: with the releases that left before, it makes the value of {exposed:,} "
            f"people certain. Publish another one, or say --despite-exposure"
        )
    unresolved = ledger.unresolved_by(digest)
    if unresolved:
        named = ", ".join(f"{other.number} ({other.place})" for other in unresolved)
        raise ExposureError(
            f"not confirmed: it could not be compared with release {named}, which left before, so "
            f"nobody knows what they give away together. Publish another one, or say "
            f"--despite-exposure"
        )


def _number(release: str | Path | int) -> int | None:
    """The number in the ledger that is meant; none where a directory is."""
    text = str(release)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _number_at(ledger: Ledger, directory: Path) -> int:
    place = place_in(ledger.path.parent, directory)
    found = [entry.number for entry in ledger.releases() if entry.place == place]
    if not found:
        raise LedgerError(f"no release in the ledger is at {str(directory)!r}: give its number")
    if len(found) > 1:
        numbers = ", ".join(map(str, found))
        raise LedgerError(f"several releases were at {str(directory)!r}: give a number: {numbers}")
    return found[0]


def _files(ledger: Ledger, number: int) -> Path:
    """Where the files of an entry are: the copy that is kept, or the release itself."""
    entry = release_numbered(ledger.releases(), number)
    copy = folder_of(ledger.path) / entry.digest
    return copy if copy.is_dir() else ledger.path.parent / entry.place
