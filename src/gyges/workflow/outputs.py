"""What is about to be written, so that a surface can say truthfully what exists when it stops.

Before something is written it is announced, with a function that checks whether it exists. After an
error or Ctrl-C the answer comes from the disk, not from how far the code had come.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gyges.errors import GygesError


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one run announced, each with a check whether it exists."""

    announced: dict[str, Callable[[], bool]] = field(default_factory=dict)

    def announce(self, what: str, is_there: Callable[[], bool]) -> None:
        """Announce what will be written, with a check whether it was; twice counts once."""
        self.announced.setdefault(what, is_there)

    def announce_file(self, path: Path) -> None:
        """Announce a file: it is written once it differs from the file that is there now."""
        before = _stamp(path)
        self.announce(str(path), lambda: _stamp(path) not in (before, None))

    def written(self) -> list[str]:
        """What was announced and exists."""
        return [what for what, is_there in self.announced.items() if _holds(is_there)]

    def missing(self) -> list[str]:
        """What was announced and does not exist."""
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
