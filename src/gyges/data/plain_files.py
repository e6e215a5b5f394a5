"""Read a whole file that anyone may have chosen: a pipe or an endless device is refused."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 1 << 28  # of a project, a hierarchy or a mapping


def read_plain_file(path: Path, most: int = MOST_BYTES, *, flags: int = 0) -> bytes:
    """The bytes of a regular file of limited size; anything else is an OSError with a reason."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        found = file.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"too large: at most {most:,} bytes")
    return found
