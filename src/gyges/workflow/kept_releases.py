"""Copies of the releases that left the building, kept in a folder beside the ledger.

They hold only what was published. A later release is compared with the copy, so it does not matter
where the release itself is now. A copy is named by the SHA-256 of its certificate, which states the
SHA-256 of every other file: a copy that differs is not used.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gyges.data.held_folders import held_folder
from gyges.errors import LedgerError, ReleaseError
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE, certified_files
from gyges.release.private_files import make_private_folder
from gyges.workflow.ledger_file import folder_of
from gyges.workflow.recorded_releases import RecordedRelease


@contextmanager
def copying(directory: Path, folder: Path, digest: str) -> Iterator[Callable[[], object]]:
    """Copy a release for its owner only; calling the yielded function keeps the copy.

    All slow work is done before the yield. A copy that was kept earlier stays.
    """
    kept = folder / digest
    with ExitStack() as beside:
        try:
            refuse_changed(directory, digest)
            if kept.is_dir():
                refuse_changed(kept, digest)
                made = kept
            else:
                make_private_folder(folder)
                place = beside.enter_context(held_folder(folder, f".{digest[:16]}."))
                made = _copy(directory, place / "copy")
                refuse_changed(made, digest)
        except OSError as problem:
            what = problem.strerror or str(problem)
            raise LedgerError(f"the release cannot be copied to {str(folder)!r}: {what}") from None
        yield lambda: made.rename(kept)


def _copy(directory: Path, made: Path) -> Path:
    made.mkdir(mode=0o700)
    for name in (CERTIFICATE, *certified_files(directory)):
        shutil.copyfile(directory / name, made / name)
        (made / name).chmod(0o600)
    return made


def refuse_changed(directory: Path, digest: str) -> None:
    """Refuse a release whose files differ from those stated in the certificate with this hash."""
    if not (directory / CERTIFICATE).is_file() or sha256(directory / CERTIFICATE) != digest:
        raise ReleaseError("another release has taken its place, or it was changed")
    for name, stated in certified_files(directory).items():
        if not (directory / name).is_file() or sha256(directory / name) != stated:
            raise ReleaseError(f"its file {name!r} was changed, or is missing")


def files_of(entry: RecordedRelease, ledger: Path) -> Path:
    """Where the files of a release are: the ledger's copy, else the release itself."""
    copy = folder_of(ledger) / entry.digest
    return copy if copy.is_dir() else ledger.parent / entry.place


def state_of(entry: RecordedRelease, folder: Path) -> str:
    """Whether a release is still in the place that the ledger records, and unchanged."""
    certificate = folder / entry.place / CERTIFICATE
    if not certificate.is_file():
        return "not there"
    return "there" if sha256(certificate) == entry.digest else "another one is there"
