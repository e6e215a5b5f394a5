"""Exchanging two directories in one system call.

Linux exchanges two names by one call (renameat2). Where there is no such call, or the file system
does not support it, `exchange` returns False and changes nothing.
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_HERE = -100  # AT_FDCWD: names are relative to the current directory
_EXCHANGE = 2  # RENAME_EXCHANGE
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM, errno.EXDEV}


def exchange(one: Path, other: Path) -> bool:
    """Exchange two directories in one step; False if the system cannot do that."""
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
