"""A project as the text of its file: what a page changes is written back as TOML.

Sections that did not change keep their text, with its comments.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from gyges.errors import GygesError

SECTIONS = ("data", "columns", "hierarchies", "publish", "purpose", "require", "ledger", "dp")
_HEADER = re.compile(r"\s*\[\[?\s*(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TITLE = "# What to publish, and how: `gyges publish` on this file makes the release."


def project_toml(stated: Mapping[str, Any], before: str = "") -> str:
    """The text of a project; sections that are as in the text `before` are taken from there.

    >>> print(project_toml({"data": {"source": "a.csv"}, "require": [{"rule": "k", "k": 5}]}))
    # What to publish, and how: `gyges publish` on this file makes the release.
    <BLANKLINE>
    [data]
    source = "a.csv"
    <BLANKLINE>
    [[require]]
    rule = "k"
    k = 5
    <BLANKLINE>
    """
    try:
        known = tomllib.loads(before)
    except tomllib.TOMLDecodeError:
        known = {}
    kept = _texts(before)
    parts = [kept.pop("").strip() if before.strip() else _TITLE]
    for name in [*SECTIONS, *(key for key in stated if key not in SECTIONS)]:
        if not stated.get(name):
            continue
        is_same = name in kept and known.get(name) == stated[name]
        parts.append(kept[name].strip() if is_same else _section(name, stated[name]))
    text = "\n\n".join(part for part in parts if part) + "\n"
    if _read(text) == _without_empty(stated):
        return text
    fresh = [_section(name, held) for name, held in _without_empty(stated).items()]
    return "\n\n".join([_TITLE, *fresh]) + "\n"


def _read(text: str) -> object:
    try:
        return _without_empty(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return None


def _without_empty(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in stated.items() if held}


def _texts(text: str) -> dict[str, str]:
    """The text of each top-level section, with the comments above its header."""
    found: dict[str, list[str]] = {"": []}
    name, comments = "", list[str]()
    for line in text.split("\n"):  # TOML knows no other end of a line
        header = _HEADER.match(line)
        if header and not name and "" in comments:  # the first paragraph is the file's title
            at = comments.index("")
            found[""], comments = comments[:at], comments[at:]
        if header:
            name = next(part for part in header.groups() if part is not None)
            found.setdefault(name, []).extend(comments)
            comments = []
        if not header and (not line.strip() or line.lstrip().startswith("#")):
            comments.append(line)
        else:
            found[name] += [*comments, line]
            comments = []
    found[name] += comments
    return {key: "\n".join(lines) for key, lines in found.items()}


def _section(name: str, held: object) -> str:
    if isinstance(held, list):
        return "\n\n".join(f"[[{_key(name)}]]\n{_lines(one)}" for one in held)
    if isinstance(held, Mapping):
        return f"[{_key(name)}]\n{_lines(held)}".strip()
    raise GygesError(f"the section {name!r} of a project holds keys, not one value")


def _lines(held: Mapping[str, Any]) -> str:
    return "\n".join(f"{_key(key)} = {toml_value(one)}" for key, one in held.items())


def toml_value(value: object) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {toml_value(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, (str, bool)):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    raise GygesError(f"a project cannot hold a {type(value).__name__}")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_value(name)
