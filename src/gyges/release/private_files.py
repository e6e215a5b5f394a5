"""Files that must not be published: only their owner may read them, from the first byte on."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from gyges.errors import ReleaseError

CERTIFICATE = "certificate.json"  # the file that makes a directory a release


def write_private(path: Path, text: str) -> Path:
    """Write a file for its owner alone, whole or not at all; an older one is replaced."""
    path = path.absolute()
    try:
        handle, hidden = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(hidden).replace(path)
        finally:
            with suppress(FileNotFoundError):
                Path(hidden).unlink()
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise ReleaseError(f"{str(path)!r} cannot be written: {what}") from None
    return path


def refuse_replacing(path: Path, option: str, *begins: str) -> None:
    """Refuse to replace a file, unless it begins as one of the kind that will be written.

    So a mistyped name never overwrites the ledger, the data or the project file. A place in a
    release is refused too.
    """
    refuse_in_release(path, option)
    if not os.path.lexists(path):
        return
    try:
        with path.open("rb") as file:
            beginning = file.read(max(len(one.encode()) for one in begins))
            is_ours = beginning.startswith(tuple(one.encode() for one in begins))
    except OSError as problem:
        raise ReleaseError(f"{option} {str(path)!r}: {problem.strerror or problem}") from None
    if not is_ours:
        raise ReleaseError(
            f"{option} {str(path)!r} is another file and would be lost: name a new file"
        )


def refuse_in_release(path: Path, option: str) -> None:
    """Refuse a place in any release: it leaves the building with all that is in it."""
    place = Path(os.path.realpath(path))
    for folder in place.parents:
        if (folder / CERTIFICATE).is_file():
            raise ReleaseError(
                f"{option} {str(path)!r} lies in the release {folder.name!r}, which leaves the "
                f"building: choose another place"
            )


def make_private_folder(path: Path) -> Path:
    """Make a folder for its owner alone, unless it exists."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise ReleaseError(f"the folder {str(path)!r} cannot be made: {what}") from None
    return path


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or lies below it, also through links."""
    for one in (path, folder):
        if "\x00" in str(one):
            raise ReleaseError(f"{str(one)!r} has a NUL in it: give a path")
    inner, outer = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    return any(_is_same(place, outer) for place in (inner, *inner.parents))


def _is_same(one: Path, other: Path) -> bool:
    if one == other:
        return True
    try:
        return one.samefile(other)  # for example on a file system that ignores case
    except OSError:
        return False
