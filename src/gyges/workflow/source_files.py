"""Where the rows of a project come from: its files, how changes are noticed, its secrets."""

from __future__ import annotations

import re
from glob import escape
from pathlib import Path

from gyges.engines.databases import FILE_DATABASES, database_file, refuse_reading_files
from gyges.engines.file_sources import ENDINGS, find_files
from gyges.engines.spreadsheets import SHEET_ENDINGS, filled_sheets
from gyges.errors import GygesError

DATA_ENDINGS = tuple(ending for endings in ENDINGS.values() for ending in endings)
_PASSWORDS = re.compile(r"""(\b\w+://[^\s:/@"']*:)[^\s"']*(?=@)|([?&]\w*password=)[^&\s"']*""")


def without_passwords(text: str) -> str:
    """A text in which the passwords of URLs are not to be read.

    >>> without_passwords("reading postgresql://ann:s3/cr@et@db/clinic?sslpassword=x&a=1")
    'reading postgresql://ann:•••@db/clinic?sslpassword=•••&a=1'
    """
    return _PASSWORDS.sub(lambda found: f"{found[1] or found[2]}•••", text)


def is_server(source: str) -> bool:
    """Whether the rows are in a database that does not tell when they change."""
    scheme, mark, _ = source.partition("://")
    return bool(mark) and scheme not in FILE_DATABASES


def files_of(source: str) -> list[Path]:
    """The files that a path, a glob or the URL of a database opens; none for a server."""
    if "://" not in source:
        return find_files(source)
    file = database_file(source)
    return [] if file is None else [file]


def refuse_foreign_view(source: str, table: str | None) -> None:
    """Refuse a table of a database that is a view of other files."""
    if "://" in source:
        refuse_reading_files(source, table)


def sheets_of(path: Path) -> list[str]:
    """The sheets of a workbook that are not empty; none of another file."""
    return filled_sheets(path) if path.suffix.lower() in SHEET_ENDINGS else []


def stamp_of(source: str) -> list[object]:
    """What shows that files changed: their names, times and sizes; empty for a server."""
    try:
        files = files_of(source)
        if "://" in source:  # a database writes what is new beside its file first
            files += [one for file in files for one in file.parent.glob(f"{escape(file.name)}-*")]
        found = [(str(file), file.stat()) for file in files]
    except (OSError, ValueError, GygesError):
        return []
    return [(name, one.st_mtime_ns, one.st_size, one.st_ino) for name, one in found]
