"""Which data is about whom, as the ledger remembers it.

The same data under another name would not be compared with earlier releases and would have a fresh
budget, so it is refused unless its owner says that it is about other people now.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from gyges.errors import LedgerError
from gyges.release.certificate import sha256
from gyges.workflow.ledger_file import Content, now


def fingerprints(source: str, table: str | None, folder: Path) -> tuple[str, ...]:
    """What identifies the same data again: its place seen from the ledger, and its content."""
    from gyges.engines.file_sources import (
        find_files,  # only engines know which files a source means
    )

    if "://" in source:
        parts = urlsplit(source)
        server = parts.netloc.rpartition("@")[2]  # without a password
        return (_key("database", parts.scheme, server, parts.path, table or ""),)
    files = find_files(source)
    place = _key("place", place_in(folder, Path(source)))
    return place, _key("content", *(sha256(path) for path in files))


def _key(kind: str, *parts: str) -> str:
    return f"{kind} {hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def place_in(folder: Path, directory: Path) -> str:
    """A directory as the ledger remembers it: relative to the ledger where that is near."""
    folder, directory = folder.absolute(), directory.absolute()
    near = Path(os.path.relpath(directory, folder))
    return str(directory if near.parts[:2] == ("..", "..") else near)


def new_source_entry(
    entries: Sequence[Content], about: str, sources: Collection[str], other_people: bool
) -> Content | None:
    """What is written into the ledger to bind data to people; nothing where that is known.

    Refuses data that was about other people so far, unless `other_people` says so.
    """
    if not other_people:
        refuse_other_people(entries, about, sources)
    if not set(sources) - _bound(entries).get(about, set()):
        return None
    return {"kind": "source", "at": now(), "about": about, "sources": sorted(sources)}


def refuse_other_people(entries: Sequence[Content], about: str, sources: Collection[str]) -> None:
    """Refuse data that was about other people so far."""
    bound = _bound(entries)
    new = set(sources) - bound.get(about, set())
    for whom, known in bound.items():
        if known & new:
            raise LedgerError(
                f"The ledger says this data is about {whom!r}, not about {about!r}. Under another "
                f"name it would not be compared with earlier releases and would have a budget of "
                f"its own. Write about = {whom!r}, or --other-people if it is about other people "
                f"now"
            )


def _bound(entries: Sequence[Content]) -> dict[str, set[str]]:
    """The fingerprints of the data about each group of people."""
    found: dict[str, set[str]] = {}
    for entry in entries:
        if entry["kind"] == "source":
            found.setdefault(entry["about"], set()).update(entry["sources"])
    return found
