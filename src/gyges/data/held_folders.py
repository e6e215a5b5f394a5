"""Folders locked by a running process, so that the next run finds those that a killed one left.

They hold what does not fit into memory and what is being written. The lock ends with the process,
however the process ends: a folder without a lock is abandoned.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl

    _CAN_HOLD = True
except ImportError:  # not on this system: nothing is locked, and nothing is ever removed
    _CAN_HOLD = False

_SECONDS_TO_LOCK = 60.0  # an empty folder younger than this may not be locked yet
_SPILL_PREFIX = "gyges-spill-"
_RANDOM_ENDING = r"[a-z0-9_]{8}"  # of a name by `tempfile.mkdtemp`
_TRIES = 100  # to remove what other threads are still writing to
_making = threading.Lock()  # no folder is made while all are removed
_held: dict[Path, int] = {}  # the folders of this process, and the open handle that locks each


@contextmanager
def held_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder for this user alone, locked and then removed."""
    folder = _make(parent, prefix)
    try:
        yield folder
    finally:
        _remove(folder)


def spill_folder() -> Path:
    """A new folder for rows that do not fit into memory; `remove_with` its owner.

    Folders that killed processes of the same user left are removed first.
    """
    remove_abandoned_spills()
    return _make(Path(tempfile.gettempdir()), _SPILL_PREFIX)


@contextmanager
def held_spill() -> Iterator[Path]:
    """As `spill_folder`, removed at the end of the context."""
    folder = spill_folder()
    try:
        yield folder
    finally:
        _remove(folder)


def remove_abandoned_spills() -> None:
    """Remove the rows that killed processes of the same user left."""
    for left in abandoned(Path(tempfile.gettempdir()), re.escape(_SPILL_PREFIX)):
        shutil.rmtree(left, ignore_errors=True)


def remove_with(owner: object, folder: Path) -> None:
    """Remove a folder when its owner is gone, or at the end of the process."""
    weakref.finalize(owner, _remove, folder)


def abandoned(parent: Path, beginning: str) -> list[Path]:
    """Our folders whose process has ended, with a name that begins so (a regular expression)."""
    made = re.compile(beginning + _RANDOM_ENDING)
    try:
        names = sorted(path for path in parent.iterdir() if made.fullmatch(path.name))
    except OSError:
        return []
    return [path for path in names if _is_abandoned(path)]


def remove_held() -> None:
    """Remove every folder of this process, which is about to be stopped.

    Other threads may still be writing: none of them makes a folder from now on, and a folder
    that was written to while it was removed is removed again.
    """
    with _making:
        for _ in range(_TRIES):
            left = [folder for folder in _held if folder.exists()]
            for folder in left:
                shutil.rmtree(folder, ignore_errors=True)
            if not left:
                return
            time.sleep(0.005)


def _make(parent: Path, prefix: str) -> Path:
    with _making:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        _held[folder] = _lock(folder)
        return folder


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    handle = _held.pop(folder, -1)
    if handle >= 0:
        os.close(handle)


def _lock(folder: Path) -> int:
    """A handle that locks a folder until it is closed; -1 where it is locked or cannot be."""
    if not _CAN_HOLD:
        return -1
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return -1
    return handle


def _is_abandoned(folder: Path) -> bool:
    """Whether no process locks it any more; one that is still empty may be about to be locked."""
    if not _CAN_HOLD:
        return False
    with suppress(OSError):
        found = folder.lstat()
        is_ours = folder.is_dir() and not folder.is_symlink() and found.st_uid == os.getuid()
        is_new = not any(folder.iterdir()) and time.time() - found.st_mtime < _SECONDS_TO_LOCK
        return is_ours and not is_new and _is_free(folder)
    return False


def _is_free(folder: Path) -> bool:
    handle = _lock(folder)
    if handle >= 0:
        os.close(handle)
    return handle >= 0
