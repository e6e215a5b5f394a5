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
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TypeAlias

from gyges.arguments import choice
from gyges.data.held_folders import abandoned, held_folder
from gyges.errors import ReleaseError
from gyges.release.directory_system_calls import exchange
from gyges.release.tables import FORMATS
from gyges.release.undisturbed import UNDISTURBED

CERTIFICATE = "certificate.json"
_NEW, _OLD = "new", "old"  # what a hidden directory beside the target holds
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
    if Path.cwd().is_relative_to(directory.resolve()):
        raise ReleaseError(
            f"{str(directory)!r} is the working directory, or holds it, and cannot be replaced as "
            f"a whole: choose another directory"
        )
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
    foreign = sorted(there - certified_files(directory).keys() - {CERTIFICATE})
    if foreign:
        raise ReleaseError(
            f"{str(directory)!r} also holds {foreign[0]!r}, which is no part of its release and "
            f"would be lost: move it away, or choose another directory"
        )


def certified_files(directory: Path) -> dict[str, str]:
    """The files that a directory's certificate names, with their hashes; none if it is unread."""
    try:
        stated = json.loads((directory / CERTIFICATE).read_text(encoding="utf-8"))
        return {str(name): str(digest) for name, digest in stated["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


Step: TypeAlias = Callable[[Path], object]
Entry: TypeAlias = Callable[[Path], AbstractContextManager[Callable[[], object]]]


def write_whole(directory: Path, fill: Step, before: Entry | None = None) -> Path:
    """Let `fill` write into a directory beside the target, then put it in place by one rename.

    `before` sees the finished directory last, such as to enter it in a ledger. Whatever takes
    long it does at once; it yields a function that takes milliseconds and is called just before
    the rename, together with which nothing interrupts it: what was put in place is entered for
    certain.
    """
    directory = directory.absolute()
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with held_folder(directory.parent, hidden_prefix(directory)) as workshop:
            made = workshop / _NEW
            made.mkdir()
            fill(made)
            _settle(made)
            entering = nullcontext(lambda: None) if before is None else before(made)
            with entering as enter, UNDISTURBED:  # in this order: to enter may wait for a lock
                enter()
                _put_in_place(made, directory, workshop)
            flush(directory.parent)
    except OSError as problem:
        what = problem.strerror or str(problem)
        raise ReleaseError(f"{str(directory)!r} cannot be written: {what}") from None
    return directory


def hidden_prefix(directory: Path) -> str:
    """How the hidden directories beside a target are called."""
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
    """Put back older releases that crashes left aside, and clear away what they left unfinished.

    That of every release in the same folder: the one that was killed may have had another name.
    """
    heal_folder(directory.absolute().parent)


def heal_folder(parent: Path) -> None:
    """The same for all releases, inside files and mappings in a folder."""
    for workshop in abandoned(parent, r"\..+\.gyges-"):
        directory = parent / workshop.name[1 : workshop.name.rindex(".gyges-")]
        with suppress(OSError):  # somebody else heals at the same time
            if (workshop / _OLD).is_dir() and not directory.exists():
                (workshop / _OLD).rename(directory)
            shutil.rmtree(workshop, ignore_errors=True)


def flush(path: Path) -> None:
    """Ask the disk to keep a file or directory before the next step."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
