"""A directory that appears whole or not at all, and never over an older one unless asked.

Everything is written into a hidden directory beside the target and put in place by one rename. An
older release is exchanged for the new one in one step where the system can do that. Where it
cannot, two renames are needed: whoever next writes or reads there puts back what a crash between
the two left aside.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from gyges.arguments import choice
from gyges.errors import ReleaseError
from gyges.release.directory_system_calls import exchange, hold, is_abandoned
from gyges.release.tables import FORMATS

CERTIFICATE = "certificate.json"
_NEW, _OLD = "new", "old"  # what a hidden directory beside the target holds
_BEGINNING = 60.0  # seconds in which an empty hidden directory is taken for one just begun
_THEN = 315_532_800  # 1 January 1980, the time that every published file bears


def refuse_target(directory: Path, format: str, overwrite: bool) -> None:
    """Refuse a target before any work is done for it; heal what a crash left of it first."""
    choice(format, list(FORMATS), "format", ReleaseError)
    _refuse_places(directory)
    heal(directory)
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir() or directory.is_symlink():
        raise ReleaseError(f"{str(directory)!r} is no directory and stays as it is: choose another")
    if not overwrite and any(directory.iterdir()):
        raise ReleaseError(
            f"{str(directory)!r} exists already and stays as it is: choose another directory, or "
            f"ask to replace it (--overwrite)"
        )
    _refuse_other_things(directory)


def _refuse_places(directory: Path) -> None:
    for above in directory.absolute().parents:
        if above.is_file():
            raise ReleaseError(f"{str(above)!r} is a file: nothing can be written below it")
        if (above / CERTIFICATE).is_file():
            raise ReleaseError(
                f"{str(directory)!r} lies inside the release {str(above)!r}, which holds only what "
                f"was certified: choose a directory outside of it"
            )


def _refuse_other_things(directory: Path) -> None:
    """An older release may be replaced; anything else that lies there may not."""
    there = {path.name for path in directory.iterdir()}
    if there and CERTIFICATE not in there:
        raise ReleaseError(
            f"{str(directory)!r} holds no release but other things, which stay: choose another "
            f"directory"
        )
    foreign = sorted(there - certified_names(directory) - {CERTIFICATE})
    if foreign:
        raise ReleaseError(
            f"{str(directory)!r} also holds {foreign[0]!r}, which is no part of its release and "
            f"would be lost: move it away, or choose another directory"
        )


def certified_names(directory: Path) -> set[str]:
    """The files that a directory's certificate names; none if it cannot be read."""
    try:
        stated = json.loads((directory / CERTIFICATE).read_text(encoding="utf-8"))
        return {str(name) for name in stated["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


Step: TypeAlias = Callable[[Path], object]


def write_whole(directory: Path, fill: Step, before: Step | None = None) -> Path:
    """Let `fill` write into a directory beside the target, then put it in place by one rename.

    `before` sees the finished directory last, such as to enter it in a ledger: what was put in
    place is entered for certain.
    """
    directory = directory.absolute()
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with _workshop(directory) as workshop:
            made = workshop / _NEW
            made.mkdir()
            fill(made)
            _settle(made)
            if before is not None:
                before(made)
            _put_in_place(made, directory, workshop)
            flush(directory.parent)
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise ReleaseError(f"{str(directory)!r} cannot be written: {what}") from None
    return directory


@contextmanager
def _workshop(directory: Path) -> Iterator[Path]:
    """A hidden directory beside the target, ours as long as this process lives."""
    workshop = Path(tempfile.mkdtemp(prefix=_prefix(directory), dir=directory.parent))
    with hold(workshop):
        try:
            yield workshop
        finally:
            shutil.rmtree(workshop, ignore_errors=True)


def _prefix(directory: Path) -> str:
    return f".{directory.name}.gyges-"


def _settle(made: Path) -> None:
    """Give every file the same mode and time, and have the disk keep them."""
    for path in made.iterdir():
        path.chmod(0o644)
        os.utime(path, (_THEN, _THEN))
        flush(path)
    made.chmod(0o755)
    os.utime(made, (_THEN, _THEN))
    flush(made)


def _put_in_place(made: Path, directory: Path, workshop: Path) -> None:
    if not directory.exists() or not any(directory.iterdir()):
        made.rename(directory)
    elif not exchange(made, directory):
        directory.rename(workshop / _OLD)
        try:
            made.rename(directory)
        except OSError:
            (workshop / _OLD).rename(directory)
            raise


def heal(directory: Path) -> None:
    """Put back an older release that a crash left aside, and clear away what it left unfinished."""
    directory = directory.absolute()
    if not directory.parent.is_dir():
        return
    for workshop in sorted(directory.parent.iterdir()):
        if not workshop.name.startswith(_prefix(directory)) or not _is_left_over(workshop):
            continue
        with suppress(OSError):  # somebody else heals at the same time
            if (workshop / _OLD).is_dir() and not directory.exists():
                (workshop / _OLD).rename(directory)
            shutil.rmtree(workshop, ignore_errors=True)


def _is_left_over(workshop: Path) -> bool:
    """Whether its process is gone; one that is still empty may be about to be held."""
    with suppress(OSError):
        is_new = not any(workshop.iterdir()) and time.time() - workshop.stat().st_mtime < _BEGINNING
        return workshop.is_dir() and not is_new and is_abandoned(workshop)
    return False


def flush(path: Path) -> None:
    """Ask the disk to keep a file or directory before the next step."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
