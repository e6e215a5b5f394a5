"""What is about to be written, so that a surface can say truthfully what is there if it stops.

Before something appears it is announced with a way to look whether it is there. After an error or
Ctrl-C the answer comes from the disk, not from how far the code had come.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gyges.errors import GygesError


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one run announced, and how to tell of each whether it is there."""

    announced: dict[str, Callable[[], bool]] = field(default_factory=dict)

    def announce(self, what: str, is_there: Callable[[], bool]) -> None:
        """Say what will be written, and how to tell whether it was; said twice it counts once."""
        self.announced.setdefault(what, is_there)

    def announce_file(self, path: Path) -> None:
        """Say that a file will be written: it is there when it is another one than now."""
        before = _stamp(path)
        self.announce(str(path), lambda: _stamp(path) not in (before, None))

    def written(self) -> list[str]:
        """What was announced and is there."""
        return [what for what, is_there in self.announced.items() if _holds(is_there)]

    def missing(self) -> list[str]:
        """What was announced and is not there."""
        return [what for what, is_there in self.announced.items() if not _holds(is_there)]


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
