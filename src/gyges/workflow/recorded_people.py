"""Who is in a release, kept beside the ledger: people come and go between releases.

A newcomer's value is the difference of two groups for anyone who knows that they are new. So the
next comparison must know who was in the earlier releases. If columns identify people, a file beside
the ledger, readable by its owner only, holds a salted hash of each person in a release. Hashes of
names can be found by trying names: the file stays inside.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from gyges.arrays import BoolArray
from gyges.data.table import Table
from gyges.errors import LedgerError
from gyges.release.private_files import make_private_folder, write_private
from gyges.release.release import Release
from gyges.workflow.ledger_file import folder_of


@dataclass(frozen=True, slots=True)
class RecordedPeople:
    """Hashes of the people in a release, and the columns that identify them."""

    columns: tuple[str, ...]
    salt: str
    hashes: frozenset[str]

    def are_in(self, table: Table) -> BoolArray | None:
        """For each used row of a table, whether that person is in the release; None if unknown."""
        if any(name not in table.schema.columns for name in self.columns):
            return None
        hashes = _hashes(table, self.columns, self.salt)
        return np.fromiter((one in self.hashes for one in hashes), dtype=bool, count=len(hashes))

    def save(self, path: Path) -> None:
        """Write the file for its owner only."""
        stated = {"columns": self.columns, "salt": self.salt}
        make_private_folder(path.parent)
        write_private(path, "\n".join([json.dumps(stated), *sorted(self.hashes)]) + "\n")


def people_file(digest: str, ledger: Path) -> Path:
    """Where the people of a release are recorded; the digest is its certificate's."""
    return folder_of(ledger) / f"{digest}.people"


def people_of(release: object) -> RecordedPeople | None:
    """The people in a release that was just made; None where no column identifies them."""
    if not isinstance(release, Release) or release.table is None or release.partition is None:
        return None
    schema = release.table.schema
    columns = (schema.person,) if schema.person else schema.identifiers
    if not columns:
        return None
    salt = secrets.token_hex(16)
    hashes = np.array(_hashes(release.table, columns, salt), dtype=object)
    return RecordedPeople(tuple(columns), salt, frozenset(hashes[release.group_of_row >= 0]))


def read_people(path: Path) -> RecordedPeople | None:
    """The people that were recorded in a file; None if there is no such file."""
    if not path.is_file():
        return None
    try:
        first, *hashes = path.read_text(encoding="utf-8").split("\n")
        stated = json.loads(first)
        return RecordedPeople(tuple(stated["columns"]), stated["salt"], frozenset(hashes[:-1]))
    except (OSError, ValueError, KeyError, TypeError):
        raise LedgerError(f"{str(path)!r} cannot be read: who was in that release?") from None


def _hashes(table: Table, columns: tuple[str, ...], salt: str) -> list[str]:
    rows = zip(*(column.to_pylist() for column in table.fetch(columns).columns), strict=True)
    texts = (json.dumps([str(value) for value in row]).encode() for row in rows)
    return [blake2b(text, key=salt.encode(), digest_size=16).hexdigest() for text in texts]
