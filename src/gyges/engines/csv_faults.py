"""What is wrong with a CSV file that the engine refuses: which line, and what to do.

The engine's own message quotes the line. This module reads the file again and names the line
without its content.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gyges.errors import SourceError


class _LineError(Exception):
    """A line that is not text, or longer than lines may be."""

    def __init__(self, error: SourceError) -> None:
        self.error = error


class _Lines:
    """The lines of a file as text, and the kinds of line ends found in it."""

    def __init__(self, path: Path, stream: IO[bytes], longest: int) -> None:
        self.path, self.stream, self.longest = path, stream, longest
        self.endings: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self.stream, start=1):
            if len(line) > self.longest:
                raise _LineError(
                    SourceError(
                        f"{self.path.name}, line {number} is longer than "
                        f"{self.longest // 1_000_000} MB: check its line ends and quotes"
                    )
                )
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise _LineError(not_text(self.path, number)) from None
            self.endings |= _endings(text)
            yield from io.StringIO(text, newline="")


def not_text(path: Path, line: int, found: str = "another encoding") -> SourceError:
    """A file is not in UTF-8; `found` is what it seems to be in."""
    return SourceError(
        f"{path.name} is not in UTF-8 but in {found} (line {line})\n"
        f"state its encoding (encoding = '…' under [data]), or save it as UTF-8, which "
        f"spreadsheets and text editors offer"
    )


def fault_in(
    path: Path, stream: IO[bytes], separator: str, n_columns: int, longest: int, *, n_above: int = 0
) -> SourceError | None:
    """The first fault of a CSV file, or None if it looks right from here.

    The first `n_above` lines come before the header.
    """
    limit = csv.field_size_limit(sys.maxsize)
    lines = _Lines(path, stream, longest)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    good = 0  # the last line of the last good record
    try:
        with stream:
            for record in reader:
                if record and len(record) != n_columns and reader.line_num > n_above:
                    return _ragged(path, reader.line_num, len(record), n_columns)
                good = reader.line_num
    except _LineError as fault:
        return fault.error
    except csv.Error:
        return SourceError(
            f'{path.name}, line {good + 1}: a quote (") is not closed, or text follows the closing '
            f"quote: put a cell between two quotes, and double each quote inside it"
        )
    except (OSError, EOFError):
        return SourceError(f"{path.name} cannot be unpacked: the file is damaged")
    finally:
        csv.field_size_limit(limit)
    return _mixed_ends(path, lines.endings)


def _ragged(path: Path, line: int, n_cells: int, n_columns: int) -> SourceError:
    cells = "1 cell" if n_cells == 1 else f"{n_cells} cells"
    return SourceError(
        f"{path.name}, line {line}: {cells} where the header has {n_columns}: correct the line, "
        f"or put quotes around cells that hold the separator"
    )


def _mixed_ends(path: Path, endings: set[str]) -> SourceError | None:
    if len(endings) < 2:
        return None
    return SourceError(
        f"{path.name} mixes several kinds of line ends (Windows, Unix, old Mac): use one kind, "
        f"for example with dos2unix"
    )


def _endings(line: str) -> set[str]:
    """The kinds of line ends in a line of a binary file, which ends in LF and may hold CRs."""
    found = set()
    if line.endswith("\r\n"):
        found.add("\r\n")
    elif line.endswith("\n"):
        found.add("\n")
    if "\r" in line.removesuffix("\r\n"):
        found.add("\r")
    return found
