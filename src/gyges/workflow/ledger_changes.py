"""Confirming and withdrawing a recorded release, named by its directory or its number."""

from __future__ import annotations

from pathlib import Path

from gyges.auditing.forms import load
from gyges.errors import ExposureError, LedgerError, ReleaseError
from gyges.exact import counted
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.release.release import Release
from gyges.workflow.data_subjects import place_in
from gyges.workflow.kept_releases import files_of
from gyges.workflow.ledger import Ledger
from gyges.workflow.progress import Progress
from gyges.workflow.recorded_releases import RecordedRelease, release_numbered, uncompared


def open_existing(file: Path) -> Ledger:
    """The ledger in a file that must exist."""
    if not Ledger(file).is_begun:
        raise LedgerError(
            f"there is no ledger {str(file)!r}: `gyges publish gyges.toml` creates one beside the "
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
    """Record that a release leaves the building; refuse one that exposes people."""
    number, directory = _number(release), Path(str(release))
    numbered = None if number is None else release_numbered(ledger.releases(), number)
    if numbered is not None:
        directory = files_of(numbered, ledger.path)
    if not (directory / CERTIFICATE).is_file():
        raise ReleaseError(f"{str(directory)!r} holds no release")
    progress.stage(f"recording {directory} and keeping a copy")
    digest = sha256(directory / CERTIFICATE)
    if numbered is not None and digest != numbered.digest:
        raise ReleaseError(
            f"release {number} is no longer in {str(directory)!r}, and no copy of it was kept: "
            f"another release has taken its place, or it was changed. Name the directory where its "
            f"files are now"
        )
    if not (despite_exposure or already_left):
        _refuse_exposing(ledger, ledger.release_with(digest))
    entry = ledger.confirm(directory, digest, already_left=already_left)
    _warn_of_revealed(directory, progress)
    if entry.n_newly_certain:
        progress.warn(f"with earlier releases it makes the value of {entry.newly_certain} certain")
    for other, why in uncompared(ledger.releases(), entry):
        progress.warn(f"not compared with release {other.number} ({other.place}): {why}")
    return entry


def withdraw_release(ledger: Ledger, release: str | Path | int, *, reason: str) -> RecordedRelease:
    """Record that nobody outside has a release."""
    number = _number(release)
    found = _number_at(ledger, Path(str(release))) if number is None else number
    return ledger.withdraw(found, reason=reason)


def _warn_of_revealed(directory: Path, progress: Progress) -> None:
    """Warn of values that the release reveals by itself."""
    release = load(directory)
    if isinstance(release, Release) and release.roles.sensitive:
        n = int(release.groups.sizes[release.groups.reveals_a_value].sum())
        if n:
            noun = "row" if release.rows_are_people else "person"
            progress.warn(f"the release alone reveals a sensitive value of {counted(n, noun)}")


def _refuse_exposing(ledger: Ledger, release: RecordedRelease) -> None:
    """Refuse a release that exposes people together with earlier ones, or may do so."""
    if release.n_newly_certain:
        raise ExposureError(
            f"not confirmed: with the releases that left before, it makes the value of "
            f"{release.newly_certain} certain. Publish another one, or use --despite-exposure; "
            f"if someone outside has it already, use --already-left"
        )
    outside = ledger.confirmed(release.about)
    unresolved = [other for other in outside if other.number in release.unresolved]
    if unresolved:
        named = ", ".join(f"{other.number} ({other.place})" for other in unresolved)
        raise ExposureError(
            f"not confirmed: it is unknown what it reveals together with release {named}, which "
            f"left before. Publish another one, or use --despite-exposure; "
            f"if someone outside has it already, use --already-left"
        )


def _number(release: str | Path | int) -> int | None:
    """The number in the ledger; None if a directory is given."""
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
