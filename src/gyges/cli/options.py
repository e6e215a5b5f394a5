"""How several verbs read an option alike."""

from __future__ import annotations


def names_in(text: str | None) -> list[str]:
    """Names with commas between them.

    >>> names_in("age, zip,"), names_in(None)
    (['age', 'zip'], [])
    """
    return [name.strip() for name in (text or "").split(",") if name.strip()]
