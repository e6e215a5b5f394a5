"""Folders that belong to a running process: held by a lock, found by the next run if it was killed.

What does not fit into memory, and what is being written, lies in such folders. The lock ends with
the process, however the process ends, so whoever comes next can tell what was left behind.
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
except ImportError:  # not on this system: nothing is held, and nothing is ever cleared away
    _CAN_HOLD = False

_BEGINNING = 60.0  # seconds in which an empty folder is taken for one just begun
_SPILLED = "gyges-spill-"
_DRAWN = r"[a-z0-9_]{8}"  # how `tempfile.mkdtemp` ends a name
_TRIES = 100  # to remove what other threads are still writing to
_beginning = threading.Lock()  # of a folder: none is begun while all are removed
_held: dict[Path, int] = {}  # the folders of this process, and the open handle that holds each


@contextmanager
def held_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder for this user alone, held and then removed."""
    folder = _make(parent, prefix)
    try:
        yield folder
    finally:
        _remove(folder)


def spill_folder() -> Path:
    """A new folder for rows that do not fit into memory; `remove_with` its owner.

    Those that killed processes of the same user left behind are removed first.
    """
    remove_abandoned_spills()
    return _make(Path(tempfile.gettempdir()), _SPILLED)


def remove_abandoned_spills() -> None:
    """Remove the rows that killed processes of the same user left behind."""
    for left in abandoned(Path(tempfile.gettempdir()), re.escape(_SPILLED)):
        shutil.rmtree(left, ignore_errors=True)


def remove_with(owner: object, folder: Path) -> None:
    """Remove a folder when its owner is gone, or at the end of the process."""
    weakref.finalize(owner, _remove, folder)


def abandoned(parent: Path, beginning: str) -> list[Path]:
    """Our folders whose process has ended, with a name that begins so (a regular expression)."""
    made = re.compile(beginning + _DRAWN)
    try:
        names = sorted(path for path in parent.iterdir() if made.fullmatch(path.name))
    except OSError:
        return []
    return [path for path in names if _is_abandoned(path)]


def remove_held() -> None:
    """Remove every folder of this process, which is about to be stopped.

    Other threads may still be writing: none of them begins a folder from now on, and a folder
    that was written to while it was removed is removed again.
    """
    with _beginning:
        for _ in range(_TRIES):
            left = [folder for folder in _held if folder.exists()]
            for folder in left:
                shutil.rmtree(folder, ignore_errors=True)
            if not left:
                return
            time.sleep(0.005)


def _make(parent: Path, prefix: str) -> Path:
    with _beginning:
        return _begin(parent, prefix)


def _begin(parent: Path, prefix: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    _held[folder] = _lock(folder)
    return folder


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    handle = _held.pop(folder, -1)
    if handle >= 0:
        os.close(handle)


def _lock(folder: Path) -> int:
    """A handle that holds a folder until it is closed; -1 where the system cannot do that."""
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
    """Whether nobody holds it any more; one that is still empty may be about to be held."""
    if not _CAN_HOLD:
        return False
    with suppress(OSError):
        found = folder.lstat()
        is_ours = folder.is_dir() and not folder.is_symlink() and found.st_uid == os.getuid()
        is_new = not any(folder.iterdir()) and time.time() - found.st_mtime < _BEGINNING
        return is_ours and not is_new and _is_free(folder)
    return False


def _is_free(folder: Path) -> bool:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
