"""What a command is about to write, so that it can say truthfully what is there when it stops.

Before something appears it is announced here with a way to look whether it is there. Whoever has
to report, after an error or Ctrl-C, looks at the disk, not at how far the code had come.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gyges.errors import GygesError

_announced: dict[str, Callable[[], bool]] = {}


def begin() -> None:
    """Another command begins, in the same process: what the last one announced is not its own."""
    _announced.clear()


def announce(what: str, is_there: Callable[[], bool]) -> None:
    """Say what will be written, and how to tell whether it was; said twice it counts once."""
    _announced.setdefault(what, is_there)


def announce_file(path: Path) -> None:
    """Say that a file will be written: it is there when it is another one than now."""
    before = _stamp(path)
    announce(str(path), lambda: _stamp(path) not in (before, None))


def written() -> list[str]:
    """What was announced and is there."""
    return [what for what, is_there in _announced.items() if _holds(is_there)]


def missing() -> list[str]:
    """What was announced and is not there."""
    return [what for what, is_there in _announced.items() if not _holds(is_there)]


def _holds(is_there: Callable[[], bool]) -> bool:
    with suppress(OSError, GygesError):
        return is_there()
    return False


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
