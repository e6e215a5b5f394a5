"""Sets of values as labels: `{a, b}`, and `{"a, b", c}` where a value has signs of its own.

A value stands between quotes if it holds a comma, a quote, a brace, a bracket, a bar or a star, if
a blank is at either end of it, if it ends like a label with gaps, or if it is empty; a quote in it
is doubled. So a set is read back as the values that it was written of. A value by itself is written
as it is, unless it would read as another label: then as a set of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gyges.data.hierarchy_rules import TOP
from gyges.release.missing_labels import known_part

_SIGNS = r"\",{}\[\]|*"
_PLAIN = rf"(?!\s)[^{_SIGNS}]+(?<!\s)"
_MEMBER = rf'"(?:[^"]|"")*"|{_PLAIN}'
_ONE = re.compile(_MEMBER)
_SET = re.compile(rf"\{{(?:{_MEMBER})(?:, (?:{_MEMBER}))*\}}")


def set_label(texts: Iterable[str]) -> str:
    """The label of a set of values.

    >>> set_label(["North", "East, rural"])
    '{North, "East, rural"}'
    """
    return "{" + ", ".join(map(_written, texts)) + "}"


def value_label(text: str) -> str:
    """The label of one value.

    >>> value_label("North"), value_label("{a}"), value_label("*")
    ('North', '{"{a}"}', '{"*"}')
    """
    is_another = text == TOP or _is_braced(text) or known_part(text) is not None
    return set_label([text]) if is_another else text


def members_of(label: str) -> list[str] | None:
    """The values of a set as `set_label` writes it; None if the label is no such set.

    >>> members_of('{North, "East, rural"}'), members_of("{a,b}")
    (['North', 'East, rural'], None)
    """
    if not _SET.fullmatch(label):
        return None
    return [_read(member) for member in _ONE.findall(label[1:-1])]


def is_quoted(label: str) -> bool:
    """Whether a set has quotes: earlier versions wrote every value as it is."""
    return '"' in label


def _is_braced(text: str) -> bool:
    return text[:1] == "{" and text[-1:] == "}"


def _written(text: str) -> str:
    is_plain = re.fullmatch(_PLAIN, text) and known_part(text) is None
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def _read(member: str) -> str:
    return member[1:-1].replace('""', '"') if member[:1] == '"' else member
