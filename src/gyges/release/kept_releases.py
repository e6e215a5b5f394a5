"""Copies of the releases that left the building, kept inside beside the ledger.

They hold only what was published. A later release is compared with the copy, so that it does not
matter where the release itself is now. A copy is named after the SHA-256 of its certificate, which
states the SHA-256 of every other file: what differs is not used.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from gyges.data.held_folders import held_folder
from gyges.errors import LedgerError, ReleaseError
from gyges.release.certificate import NAME, sha256
from gyges.release.directory import certified_files
from gyges.release.private_files import make_private_folder


def keep_copy(directory: Path, folder: Path, digest: str) -> Path:
    """Copy a release for its owner alone, whole or not at all; one that is kept already stays."""
    kept = folder / digest
    try:
        refuse_changed(directory, digest)
        if kept.is_dir():
            refuse_changed(kept, digest)
            return kept
        make_private_folder(folder)
        with held_folder(folder, f".{digest[:16]}.") as beside:
            made = beside / "copy"
            made.mkdir(mode=0o700)
            for name in (NAME, *certified_files(directory)):
                shutil.copyfile(directory / name, made / name)
                (made / name).chmod(0o600)
            refuse_changed(made, digest)
            made.rename(kept)
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise LedgerError(
            f"no copy of the release can be kept in {str(folder)!r}: {what}"
        ) from None
    return kept


def refuse_changed(directory: Path, digest: str) -> None:
    """Refuse a release whose files are not those that the certificate of this hash states."""
    if not (directory / NAME).is_file() or sha256(directory / NAME) != digest:
        raise ReleaseError("another release has taken its place, or it was changed")
    for name, stated in certified_files(directory).items():
        if not (directory / name).is_file() or sha256(directory / name) != stated:
            raise ReleaseError(f"its file {name!r} was changed, or is missing")
