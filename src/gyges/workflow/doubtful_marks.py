"""Values of a table that may stand for missing ones: found, and asked about."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from math import isfinite

from gyges.auditing.column_guess import ColumnGuess
from gyges.data.source import Source
from gyges.data.values import Kind, text_of

_FILLING = re.compile(r"-?9{2,}|-?9*[1789]")  # numbers that files write for a missing one
_DOUBTFUL_MARKS = ("None", "none", "unknown", "missing", "NA")  # of missing values, or categories


def doubtful_marks(
    source: Source, guesses: Sequence[ColumnGuess], sure: Collection[str]
) -> dict[str, list[str]]:
    """Texts beside the sure marks that may stand for missing values, and in which columns."""
    found: dict[str, list[str]] = {}
    for guess in guesses:
        if guess.role in ("quasi-identifier", "sensitive"):
            values = source.count([guess.name]).column(guess.name).to_pylist()
            texts = {text_of(value) for value in values if value is not None}
            filling = filling_numbers(texts) if guess.kind is Kind.NUMBER else _lone_number(texts)
            for mark in sorted((set(_DOUBTFUL_MARKS) & texts | filling) - set(sure)):
                found.setdefault(mark, []).append(guess.name)
    return dict(sorted(found.items()))


def _lone_number(texts: Collection[str]) -> set[str]:
    """A number that may stand for a missing value among words, such as 99 beside m and f.

    >>> _lone_number({"m", "f", "99"}), _lone_number({"I9", "99", "98"})
    ({'99'}, set())
    """
    numbers = {text for text in texts if is_number(text)}
    are_words = not any(map(str.isdigit, "".join(set(texts) - numbers)))
    is_filling = len(numbers) == 1 and _FILLING.fullmatch(min(numbers))
    return numbers if is_filling and are_words and len(texts) > 2 else set()


def filling_numbers(texts: Collection[str]) -> set[str]:
    """Numbers that may stand for missing ones: 99, 999 or -1, apart from all others.

    >>> filling_numbers({"30", "41", "87", "999"}), filling_numbers({"1", "-1", "60", "99"})
    ({'999'}, {'-1'})
    """
    numbers = {text: float(text) for text in texts if _FILLING.fullmatch(text) or is_number(text)}
    usual = [number for text, number in numbers.items() if not _FILLING.fullmatch(text)]
    if not usual:
        return set()
    low, high = min(usual), max(usual)
    return {
        text
        for text, number in numbers.items()
        if _FILLING.fullmatch(text) and (number < min(low, 0) or number > 2 * max(high, 0))
    }


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return isfinite(float(text))
    except ValueError:
        return False
