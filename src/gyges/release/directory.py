"""A directory that appears whole or not at all, and never over an older one unless asked.

Everything is written into a hidden directory next to the target and moved into place by one rename.
An older release is exchanged for the new one in one step where the system can do that. Where it
cannot, two renames are needed: if a crash happens between them, the next process that writes or
reads there puts the older release back.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TypeAlias

from gyges.arguments import choice
from gyges.data.held_folders import abandoned, held_folder
from gyges.errors import ReleaseError
from gyges.release.directory_system_calls import exchange
from gyges.release.exchange_files import EXCHANGE_FORMATS, needed_for
from gyges.release.private_files import CERTIFICATE as CERTIFICATE
from gyges.release.tables import FORMATS
from gyges.release.undisturbed import UNDISTURBED

SIGNATURE = "signature.json"  # of a signed release: signature.py
_NEW, _OLD = "new", "old"  # what the hidden directory next to the target holds
_TIMESTAMP = 315_532_800  # 1 January 1980, of every published file


def refuse_target(directory: Path, format: str, overwrite: bool) -> None:
    """Refuse a target before any work is done for it; first recover from an earlier crash."""
    choice(format, [*FORMATS, *EXCHANGE_FORMATS], "format", ReleaseError)
    missing = needed_for(format)
    if missing is not None:
        raise ReleaseError(missing)
    _refuse_places(directory)
    recover(directory)
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir() or directory.is_symlink():
        raise ReleaseError(f"{str(directory)!r} exists and is not a directory: choose another")
    if not overwrite and any(directory.iterdir()):
        raise ReleaseError(
            f"{str(directory)!r} already exists: choose another directory, or replace it "
            f"(--overwrite)"
        )
    _refuse_other_things(directory)


def _refuse_places(directory: Path) -> None:
    if Path.cwd().is_relative_to(directory.resolve()):
        raise ReleaseError(
            f"{str(directory)!r} is or contains the working directory and cannot be replaced as a "
            f"whole: choose another directory"
        )
    for above in directory.absolute().parents:
        if above.is_file():
            raise ReleaseError(f"{str(above)!r} is a file: nothing can be written below it")
        if (above / CERTIFICATE).is_file():
            raise ReleaseError(
                f"{str(directory)!r} is inside the release {str(above)!r}, which may hold only "
                f"certified files: choose a directory outside of it"
            )


def _refuse_other_things(directory: Path) -> None:
    """Refuse to replace anything but an older release."""
    there = {path.name for path in directory.iterdir()}
    if there and CERTIFICATE not in there:
        raise ReleaseError(
            f"{str(directory)!r} has files that are not a release: choose another directory"
        )
    foreign = sorted(there - certified_files(directory).keys() - {CERTIFICATE, SIGNATURE})
    if foreign:
        raise ReleaseError(
            f"{str(directory)!r} also has {foreign[0]!r}, which is not part of its release and "
            f"would be lost: move it, or choose another directory"
        )


def certified_files(directory: Path) -> dict[str, str]:
    """The files that a directory's certificate lists, with their hashes; none if unreadable."""
    try:
        stated = json.loads((directory / CERTIFICATE).read_text(encoding="utf-8"))
        return {str(name): str(digest) for name, digest in stated["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


Step: TypeAlias = Callable[[Path], object]
Entry: TypeAlias = Callable[[Path], AbstractContextManager[Callable[[], object]]]


def write_whole(directory: Path, fill: Step, before: Entry | None = None) -> Path:
    """Let `fill` write into a directory next to the target, then move it into place by one rename.

    `before` gets the finished directory, for example to enter it in a ledger. It does at once
    whatever takes long, and yields a function that takes milliseconds. This is called just before
    the rename, and nothing interrupts the two: a directory in place is always entered.
    """
    directory = directory.absolute()
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with held_folder(directory.parent, hidden_prefix(directory)) as hidden:
            made = hidden / _NEW
            made.mkdir()
            fill(made)
            _settle(made)
            entering = nullcontext(lambda: None) if before is None else before(made)
            with entering as enter, UNDISTURBED:  # in this order: to enter may wait for a lock
                enter()
                _put_in_place(made, directory, hidden)
            flush(directory.parent)
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise ReleaseError(f"{str(directory)!r} cannot be written: {what}") from None
    return directory


def hidden_prefix(directory: Path) -> str:
    """How the names of hidden directories next to a target begin."""
    return f".{directory.name}.gyges-"


def _settle(made: Path) -> None:
    """Give every file the same mode and time, and flush them to the disk."""
    for path in made.iterdir():
        path.chmod(0o644)
        os.utime(path, (_TIMESTAMP, _TIMESTAMP))
        flush(path)
    made.chmod(0o755)
    os.utime(made, (_TIMESTAMP, _TIMESTAMP))
    flush(made)


def _put_in_place(made: Path, directory: Path, hidden: Path) -> None:
    if not directory.exists() or not any(directory.iterdir()):
        made.rename(directory)
    elif not exchange(made, directory):
        directory.rename(hidden / _OLD)
        try:
            made.rename(directory)
        except OSError:
            (hidden / _OLD).rename(directory)
            raise


def recover(directory: Path) -> None:
    """Put back the older release after a crash, and remove unfinished files.

    Of every release in the same folder: the process that was killed may have written another one.
    """
    recover_folder(directory.absolute().parent)


def recover_folder(parent: Path) -> None:
    """As `recover`, for all releases, inside files and mappings in a folder."""
    for hidden in abandoned(parent, r"\..+\.gyges-"):
        directory = parent / hidden.name[1 : hidden.name.rindex(".gyges-")]
        with suppress(OSError):  # another process may recover at the same time
            if (hidden / _OLD).is_dir() and not directory.exists():
                (hidden / _OLD).rename(directory)
            shutil.rmtree(hidden, ignore_errors=True)


def flush(path: Path) -> None:
    """Flush a file or directory to the disk before the next step."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
