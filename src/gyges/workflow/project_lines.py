"""The line of each key in a project file, for error messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Keys: TypeAlias = tuple[str, ...]  # ("require", "1", "k"): arrays of tables are counted from 0

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")


@dataclass(frozen=True, slots=True)
class Place:
    """A project file and the line of every key in it; no file if options describe the project."""

    path: Path | None = None
    lines: Mapping[Keys, int] = field(default_factory=dict)

    def of(self, keys: Sequence[str | int]) -> str:
        """`gyges.toml, line 12: ` for a key, or for the nearest one above it."""
        named = tuple(str(key) for key in keys)
        for length in range(len(named), 0, -1):
            if named[:length] in self.lines:
                return f"{self.path}, line {self.lines[named[:length]]}: "
        return "" if self.path is None else f"{self.path}: "


def key_lines(text: str) -> dict[Keys, int]:
    """The line of every section and key.

    >>> key_lines('[data]\\nsource = "a.csv"\\n[[require]]\\nk = 5')
    {('data',): 1, ('data', 'source'): 2, ('require', '0'): 3, ('require', '0', 'k'): 4}
    """
    found: dict[Keys, int] = {}
    counts: dict[Keys, int] = {}
    section: Keys = ()
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = _HEADER.fullmatch(line), _KEY.match(line)
        if header:
            section = _parts(header[2])
            if header[1] == "[[":
                counts[section] = counts.get(section, -1) + 1
                section = (*section, str(counts[section]))
            found.setdefault(section, number)
        elif key:
            found.setdefault((*section, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> Keys:
    return tuple(a or b or c for a, b, c in _PART.findall(dotted))
