"""The ledger's file: SQLite, which only grows, safe under several processes and after a crash.

Triggers refuse to change or delete an entry. A write takes the file's lock before it reads (BEGIN
IMMEDIATE), so what it decides on cannot change under it. The file uses SQLite's rollback journal
and waits for the disk at every commit: after a crash the next one to open it rolls an unfinished
write back, and a copy of the one file, taken between writes, is whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gyges.errors import ReleaseError

_APPLICATION = 0x47594753  # "GYGS" in the file's header
_VERSION = 1
_PATIENCE = 60.0  # seconds to wait for another process's write

_TABLES = """
CREATE TABLE releases (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, about TEXT NOT NULL, place TEXT NOT NULL,
    digest TEXT NOT NULL, statement TEXT NOT NULL
);
CREATE TABLE budgets (
    name TEXT PRIMARY KEY, at TEXT NOT NULL, relation TEXT NOT NULL
);
CREATE TABLE limits (
    budget TEXT NOT NULL REFERENCES budgets, unit TEXT NOT NULL, amount TEXT NOT NULL,
    PRIMARY KEY (budget, unit)
);
CREATE TABLE spends (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, budget TEXT NOT NULL REFERENCES budgets,
    note TEXT NOT NULL
);
CREATE TABLE amounts (
    spend INTEGER NOT NULL REFERENCES spends, unit TEXT NOT NULL, amount TEXT NOT NULL,
    PRIMARY KEY (spend, unit)
);
"""
_KEYS = {
    "releases": ["number"],
    "budgets": ["name"],
    "limits": ["budget", "unit"],
    "spends": ["number"],
    "amounts": ["spend", "unit"],
}


def begin(path: Path) -> None:
    """Make the tables where there are none, and the triggers that guard them."""
    with writing(path) as rows:
        if not _is_empty(rows):
            return
        for statement in _TABLES.split(";"):
            rows.execute(statement)
        for name, keys in _KEYS.items():
            _guard(rows, name, keys)
        rows.execute(f"PRAGMA application_id = {_APPLICATION}")
        rows.execute(f"PRAGMA user_version = {_VERSION}")


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that writes: it has the lock from its first moment, and happens or does not."""
    with closing(_connect(path)) as rows:
        try:
            rows.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as problem:
            raise ReleaseError(f"the ledger {str(path)!r} cannot be written: {problem}") from None
        try:
            yield rows
            rows.execute("COMMIT")
        except sqlite3.Error as problem:
            raise ReleaseError(f"the ledger {str(path)!r} was not written: {problem}") from None
        finally:
            if rows.in_transaction:
                rows.execute("ROLLBACK")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that reads: all of it sees the same moment."""
    if not path.exists():
        raise ReleaseError(f"there is no ledger {str(path)!r}")
    with closing(_connect(path)) as rows:
        rows.execute("BEGIN")
        yield rows


def _guard(rows: sqlite3.Connection, name: str, keys: list[str]) -> None:
    """Let entries be added to a table, and nothing else; replacing is deleting in disguise."""
    refuse = "BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END"
    same = " AND ".join(f"{key} = NEW.{key}" for key in keys)
    for verb, when in (
        ("UPDATE", ""),
        ("DELETE", ""),
        ("INSERT", f"WHEN EXISTS (SELECT 1 FROM {name} WHERE {same})"),
    ):
        rows.execute(
            f"CREATE TRIGGER {name}_{verb.lower()} BEFORE {verb} ON {name} {when} {refuse}"
        )


def _connect(path: Path) -> sqlite3.Connection:
    try:
        rows = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    except sqlite3.OperationalError as problem:
        raise ReleaseError(f"the ledger {str(path)!r} cannot be opened: {problem}") from None
    try:
        rows.execute("PRAGMA synchronous = EXTRA")
        rows.execute("PRAGMA foreign_keys = ON")
        _refuse_foreign(rows)
    except (sqlite3.DatabaseError, ReleaseError) as problem:
        rows.close()
        raise ReleaseError(f"{str(path)!r} cannot serve as a ledger: {problem}") from None
    return rows


def _refuse_foreign(rows: sqlite3.Connection) -> None:
    if _is_empty(rows):
        return  # a new file
    if rows.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise ReleaseError("it is another program's database")
    version = rows.execute("PRAGMA user_version").fetchone()[0]
    if version != _VERSION:
        raise ReleaseError(f"its format is {version}, this gyges reads {_VERSION}")


def _is_empty(rows: sqlite3.Connection) -> bool:
    return bool(rows.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0])
