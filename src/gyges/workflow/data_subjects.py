"""Which people a data source is about, as the ledger records it.

Under another name, the same data would escape the comparison with earlier releases and get a new
budget. It is refused unless its owner says that it is about other people now.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from gyges.engines.file_sources import find_files
from gyges.errors import LedgerError
from gyges.release.certificate import sha256
from gyges.workflow.ledger_file import Content, now


def fingerprints(source: str, table: str | None, folder: Path) -> tuple[str, ...]:
    """Hashes that recognize the same data: by its place relative to the ledger, and its content."""
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
    """A directory as the ledger records it: relative to the ledger, unless it is far away."""
    folder, directory = folder.absolute(), directory.absolute()
    near = Path(os.path.relpath(directory, folder))
    return str(directory if near.parts[:2] == ("..", "..") else near)


def new_source_entry(
    entries: Sequence[Content], about: str, sources: Collection[str], other_people: bool
) -> Content | None:
    """The ledger's entry that says which people the data is about; None if it is recorded.

    Refuses data recorded as about other people, unless `other_people` is set.
    """
    bound: dict[str, set[str]] = {}
    for entry in entries:
        if entry["kind"] == "source":
            bound.setdefault(entry["about"], set()).update(entry["sources"])
    new = set(sources) - bound.get(about, set())
    for whom, known in bound.items():
        if known & new and not other_people:
            raise LedgerError(
                f"The ledger says this data is about {whom!r}, not about {about!r}. Under another "
                f"name it would not be compared with earlier releases and would get a new budget. "
                f"Write about = {whom!r}, or use --other-people if it is about other people now"
            )
    if not new:
        return None
    return {"kind": "source", "at": now(), "about": about, "sources": sorted(sources)}
