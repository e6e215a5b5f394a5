"""A directory that appears whole or not at all, and never over an older one unless asked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from gyges.errors import ReleaseError
from gyges.release.tables import FORMATS


def refuse_target(directory: Path, format: str, overwrite: bool) -> None:
    """Refuse a target before any work is done for it."""
    if format not in FORMATS:
        raise ReleaseError(f"format is {format!r}: choose one of {', '.join(FORMATS)}")
    if directory.exists() and not overwrite:
        raise ReleaseError(
            f"{str(directory)!r} exists already and stays as it is: choose another directory, or "
            f"ask to overwrite it"
        )


def write_whole(directory: Path, fill: Callable[[Path], None]) -> Path:
    """Let `fill` write into a directory beside the target, then put it in place by one rename."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    try:
        fill(beside)
        for path in beside.iterdir():
            path.chmod(0o644)
            flush(path)
        beside.chmod(0o755)
        flush(beside)
        _put_in_place(beside, directory)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return directory


def _put_in_place(beside: Path, directory: Path) -> None:
    """Rename the finished directory to its place; an older one moves aside first."""
    if not directory.exists():
        beside.rename(directory)
    else:
        aside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-old-", dir=directory.parent))
        directory.rename(aside / "old")
        try:
            beside.rename(directory)
        except OSError:
            (aside / "old").rename(directory)
            raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    flush(directory.parent)


def flush(path: Path) -> None:
    """Ask the disk to keep a file or directory before the next step."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
