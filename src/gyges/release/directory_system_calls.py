"""What the file system does in one step: two directories change places, a directory is held.

Linux exchanges two names by one call (renameat2). Where there is no such call, or the file system
does not know it, `exchange` says so and changes nothing.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl

    _CAN_HOLD = True
except ImportError:  # not on this system: nothing is held, and nothing is ever cleared away
    _CAN_HOLD = False

_HERE = -100  # AT_FDCWD: names are relative to the current directory
_EXCHANGE = 2  # RENAME_EXCHANGE
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM, errno.EXDEV}


def exchange(one: Path, other: Path) -> bool:
    """Let two directories change places in one step; False if the system cannot do that."""
    call = (
        getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name != "nt" else None
    )
    if call is None:
        return False
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    problem = ctypes.get_errno()
    if problem in _UNABLE:
        return False
    raise OSError(problem, os.strerror(problem), str(other))


@contextmanager
def hold(directory: Path) -> Iterator[None]:
    """Hold a directory until the end, however this process ends."""
    if not _CAN_HOLD:
        yield
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def is_abandoned(directory: Path) -> bool:
    """Whether nobody holds a directory any more: its process ended, or was ended."""
    if not _CAN_HOLD:
        return False
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
