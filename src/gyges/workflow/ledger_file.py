"""The ledger's file: an append-only SQLite database that detects damage.

Each entry is a line of JSON. A second table holds a chain of hashes: the hash of entry n is the
SHA-256 of the previous hash, n and the entry. Every use of the file first checks SQLite's own
structure, the tables, the count and the whole chain, and refuses a file in which anything differs.
An empty file is damaged, not new. The file `head` in the ledger's folder records the length of the
chain and its last hash, so a ledger that was deleted, or replaced by an older copy, is detected
too.

A write takes the file's lock before it reads (BEGIN IMMEDIATE), so the entries it depends on cannot
change meanwhile. The file uses SQLite's rollback journal and waits for the disk at every commit:
after a crash the next process to open it rolls an unfinished write back, and a copy of the file
taken between writes is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from gyges.errors import LedgerError
from gyges.release.private_files import make_private_folder, write_private
from gyges.release.undisturbed import UNDISTURBED

Content: TypeAlias = Mapping[str, Any]

_APPLICATION = 0x47594753  # "GYGS" in the file's header
_VERSION = 2
_LOCK_TIMEOUT = 60.0  # seconds to wait for another process's write
_REFUSE = "BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END"


def _statements() -> list[str]:
    """The tables, and triggers that allow entries to be added and nothing else.

    Replacing an entry would delete it, so inserting an existing number is refused too.
    """
    made = []
    for name, column in (("entries", "content"), ("chain", "hash")):
        made.append(f"CREATE TABLE {name} (number INTEGER PRIMARY KEY, {column} TEXT NOT NULL)")
        there = f"WHEN EXISTS (SELECT 1 FROM {name} WHERE number = NEW.number)"
        for verb, when in (("UPDATE", ""), ("DELETE", ""), ("INSERT", there)):
            trigger = f"{name}_{verb.lower()} BEFORE {verb} ON {name} {when} {_REFUSE}"
            made.append(f"CREATE TRIGGER {trigger}")
    return made


@dataclass(frozen=True, slots=True)
class Appending:
    """A ledger's entries under its lock; `append` adds to them.

    New entries are committed when the block ends, or earlier by `commit`.
    """

    rows: sqlite3.Connection
    entries: list[Content]
    hashes: list[str] = field(default_factory=list)

    def append(self, content: Content) -> None:
        """Add an entry and its hash."""
        number, text = len(self.entries) + 1, json.dumps(content, ensure_ascii=False)
        self.hashes.append(_hash(self.hashes[-1] if self.hashes else "", number, text))
        self.entries.append(json.loads(text))
        self.rows.execute("INSERT INTO entries VALUES (?, ?)", (number, text))
        self.rows.execute("INSERT INTO chain VALUES (?, ?)", (number, self.hashes[-1]))

    def commit(self) -> None:
        """Commit the new entries; a second call does nothing."""
        with UNDISTURBED:
            if self.rows.in_transaction:
                self.rows.execute("COMMIT")


def begin(path: Path) -> None:
    """Create a ledger in one step if there is none; check an existing one."""
    if os.path.lexists(path):
        read_entries(path)
        return
    if _head(path) is not None:
        raise LedgerError(
            f"the ledger {str(path)!r} is gone, but {str(folder_of(path))!r} shows that there was "
            f"one: restore it from a backup (to begin a new one, move that folder away)"
        )
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _make(beside)
        _appear(beside, path)
    except (OSError, sqlite3.Error) as problem:
        raise LedgerError(f"the ledger {str(path)!r} cannot be created: {_said(problem)}") from None
    finally:
        beside.unlink(missing_ok=True)


def read_entries(path: Path) -> list[Content]:
    """Every entry in order, after checking the ledger."""
    head = _head(path)  # before the entries: they may grow in between
    with _refusing(path), closing(_connect(path)) as rows:
        rows.execute("BEGIN")
        return _checked(rows, head).entries


@contextmanager
def appending(path: Path) -> Iterator[Appending]:
    """A write transaction: it holds the lock from the start, and commits as a whole or not at all.

    An interruption waits only for the commit: before it nothing has changed.
    """
    head = _head(path)
    with _refusing(path), closing(_connect(path)) as rows:
        rows.execute("BEGIN IMMEDIATE")
        try:
            log = _checked(rows, head)
            yield log
            log.commit()
        finally:
            if rows.in_transaction:
                rows.execute("ROLLBACK")
    _note_head(path, log)


def folder_of(path: Path) -> Path:
    """The folder beside a ledger: copies of confirmed releases, and the file `head`."""
    return path.parent / f"{path.name}.kept"


def now() -> str:
    """The time of an entry, UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one sentence."""
    try:
        yield
    except sqlite3.OperationalError as problem:
        raise LedgerError(f"the ledger {str(path)!r} cannot be used: {problem}") from None
    except (sqlite3.Error, _DamageError, UnicodeDecodeError, OverflowError) as problem:
        what = "it is damaged" if isinstance(problem, ValueError) else str(problem)
        raise LedgerError(
            f"{str(path)!r} cannot serve as a ledger: {what}. It was not changed: restore it from "
            f"a backup, or name another ledger"
        ) from None


class _DamageError(Exception):
    """The file is not a whole ledger."""


def _make(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        rows.execute("PRAGMA synchronous = EXTRA")
        rows.execute("BEGIN IMMEDIATE")
        for statement in _statements():
            rows.execute(statement)
        rows.execute(f"PRAGMA application_id = {_APPLICATION}")
        rows.execute(f"PRAGMA user_version = {_VERSION}")
        Appending(rows, []).append({"kind": "begun", "ledger": secrets.token_hex(16)})
        rows.execute("COMMIT")


def _appear(beside: Path, path: Path) -> None:
    """Give a new file its name, unless another process created it first."""
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            beside.rename(path)


def _connect(path: Path) -> sqlite3.Connection:
    """Open an existing file; SQLite would create a missing one, and accept an empty one."""
    if not path.is_file():
        raise LedgerError(f"there is no ledger {str(path)!r}")
    if path.stat().st_size == 0:
        raise _DamageError("it is empty, so its entries are lost")
    address = f"{path.absolute().as_uri()}?mode=rw"
    rows = sqlite3.connect(address, timeout=_LOCK_TIMEOUT, isolation_level=None, uri=True)
    try:
        rows.execute("PRAGMA synchronous = EXTRA")
        rows.execute("PRAGMA cell_size_check = ON")
        rows.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        rows.close()
        raise
    return rows


def _checked(rows: sqlite3.Connection, head: tuple[int, str] | None) -> Appending:
    """The entries, unless anything in the file differs from what was written."""
    if rows.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise _DamageError("it is damaged, or another program's database")
    version = rows.execute("PRAGMA user_version").fetchone()[0]
    if version != _VERSION:
        raise _DamageError(f"its format is {version}, this gyges reads {_VERSION}")
    made = [text for (text,) in rows.execute("SELECT sql FROM sqlite_master")]
    if made != _statements():
        raise _DamageError("it is damaged: its tables are not those of a ledger")
    if rows.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        raise _DamageError("it is damaged")
    entries = rows.execute("SELECT number, content FROM entries ORDER BY number").fetchall()
    chain = rows.execute("SELECT number, hash FROM chain ORDER BY number").fetchall()
    numbers = list(range(1, len(entries) + 1))
    if not entries or [n for n, _ in entries] != numbers or [n for n, _ in chain] != numbers:
        raise _DamageError("it is damaged: entries are missing")
    before, hashes = "", [text for _, text in chain]
    for (number, text), stated in zip(entries, hashes, strict=True):
        before = _hash(before, number, str(text))
        if before != stated:
            raise _DamageError(f"it is damaged: entry {number} is not as it was written")
    if head is not None and (head[0] > len(hashes) or hashes[head[0] - 1] != head[1]):
        raise _DamageError(f"it lacks entries: it had {head[0]}, or it is another ledger")
    return Appending(rows, [json.loads(text) for _, text in entries], hashes)


def _hash(before: str, number: int, text: str) -> str:
    return hashlib.sha256(f"{before}\n{number}\n{text}".encode()).hexdigest()


def _head(path: Path) -> tuple[int, str] | None:
    """The length and last hash of the chain, as last recorded in `head`."""
    note = folder_of(path) / "head"
    try:
        count, _, stated = note.read_text(encoding="ascii").strip().partition(" ")
        return max(int(count), 1), stated
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        raise LedgerError(
            f"{str(note)!r}, which shows whether the ledger is whole, cannot be read: "
            f"{_said(problem)}"
        ) from None


def _note_head(path: Path, log: Appending) -> None:
    make_private_folder(folder_of(path))
    write_private(folder_of(path) / "head", f"{len(log.hashes)} {log.hashes[-1]}\n")


def _said(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem)
