"""A column's name and its distinct values, and what they look like."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import IntArray
from gyges.data.column_names import is_birth, is_quantity
from gyges.data.hierarchy import Hierarchy
from gyges.data.personal_patterns import are_days, are_long_numbers
from gyges.data.repeated_people import looks_numbered
from gyges.data.values import Kind, Value, as_kind, guess_kind, text_of

_CODE = re.compile(r"zip|post_?code|postal|plz|fips|tract")
SINGLES_OUT = 0.9  # a column with a larger share of distinct values singles people out by itself
TOO_FEW = 20  # rows or values; below, counting shows nothing
_LONGEST_CATEGORY = 60  # characters; a longer text is prose
_MOST_WORDS = 4  # of a category, on average; more are prose
_MOST_TEXTS = 100  # different texts that may be published as sets, without a hierarchy
_LONG = 4  # characters of a number that has room for many people
_LIFETIME = 50  # years; days that lie further apart may be dates of birth
_FLAGS = frozenset(
    [
        "0",
        "1",
        "y",
        "n",
        "yes",
        "no",
        "true",
        "false",
        "t",
        "f",
        "ja",
        "nein",
        "oui",
        "non",
        "si",
        "no",
        "sim",
        "nao",
        "tak",
        "nie",
        "nej",
    ]
)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnValues:
    """A column's name, its distinct values, and how many rows have each."""

    name: str
    raw: list[Hashable]
    counts: IntArray  # rows of each value

    @cached_property
    def kind(self) -> Kind:
        """The kind of the values; of a zip code that looks like a number, a code."""
        kind = guess_kind(self.raw)  # type: ignore[arg-type]
        return Kind.CODE if kind is Kind.NUMBER and _CODE.search(self.name.lower()) else kind

    @cached_property
    def texts(self) -> list[str]:
        """The values as texts."""
        return [text_of(value) for value in self.raw]  # type: ignore[arg-type]

    @property
    def n_known(self) -> int:
        """How many rows have a value."""
        return int(self.counts.sum())

    @property
    def share(self) -> float:
        """Distinct values per row."""
        return len(self.raw) / max(self.n_known, 1)

    @property
    def is_date(self) -> bool:
        """Whether all values are dates."""
        return self.kind is Kind.DATE

    @property
    def is_flag(self) -> bool:
        """Whether the values say yes or no."""
        return len(self.raw) == 2 and {text.lower() for text in self.texts} <= _FLAGS

    @property
    def has_many_values(self) -> bool:
        """Whether the values may stand for people, by their number."""
        return len(self.raw) >= TOO_FEW or self.share > 0.5

    @property
    def is_numbered(self) -> bool:
        """Whether there are many values, with few rows each: numbers of people or things."""
        n = len(self.raw)
        is_long = n >= 8 and min(map(len, self.texts)) >= _LONG
        return n > 50 or self.share > 0.5 or ((n >= TOO_FEW or is_long) and self.n_known < 20 * n)

    @property
    def may_be_people(self) -> bool:
        """Whether the values may be people's numbers, although nothing else says so."""
        if self.is_date or is_quantity(self.name) or _CODE.search(self.name.lower()):
            return False
        is_long = self.share > 0.2 and are_long_numbers(self.texts)
        return is_long or looks_numbered(self.raw, self.counts)

    @property
    def is_birth(self) -> bool:
        """Whether the values are exact dates of birth, by the name or as days of a lifetime."""
        if len(self.raw) < TOO_FEW:
            return False
        if is_birth(self.name):
            return self.is_date or are_days(self.texts)
        years = [int(text[:4]) for text in self.texts] if self.is_date else [0]
        return len(self.raw) > 50 and max(years) - min(years) >= _LIFETIME

    @property
    def can_be_sensitive(self) -> bool:
        """Whether enough people share its values, and none is a date or prose."""
        is_small = self.n_known < TOO_FEW and self.share < SINGLES_OUT
        is_shared = self.share < (0.5 if self.kind is Kind.CATEGORY else SINGLES_OUT)
        return not self.is_date and (is_shared or is_small) and not self.is_prose

    @property
    def is_prose(self) -> bool:
        """Whether the values are long texts."""
        if self.kind is not Kind.CATEGORY:
            return False
        n_words = sum(len(text.split()) for text in self.texts)
        is_wordy = len(self.raw) >= TOO_FEW and n_words > _MOST_WORDS * len(self.raw)
        return is_wordy or max(map(len, self.texts)) > _LONGEST_CATEGORY

    @property
    def is_raw_text(self) -> bool:
        """Whether its groups would be published as sets of many raw texts."""
        n = len(self.raw)
        is_rare = n > TOO_FEW and self.n_known < 5 * n
        return self.kind is Kind.CATEGORY and (n > _MOST_TEXTS or is_rare)


def propose_hierarchy(raw: list[Hashable], kind: Kind, name: str) -> Hierarchy | None:
    """Intervals for numbers, calendar units for dates, prefixes for codes; none for a category."""
    if kind is Kind.CODE:
        return Hierarchy.prefixes()
    if kind is Kind.DATE:
        return Hierarchy.calendar()
    if kind is not Kind.NUMBER:
        return None
    known: list[Value] = as_kind(raw, kind, name)  # type: ignore[arg-type]
    numbers = np.array([float(value) for value in known])  # type: ignore[arg-type]
    width = _nice(float(np.ptp(numbers)) / 16)
    if all(number.is_integer() for number in numbers):
        width = max(1, width)
    return Hierarchy.intervals(width, 2 * width, 4 * width, 8 * width)


def _nice(width: float) -> int | float:
    """The nearest of 1, 2, 5, 10, 20, 50, … (or 0.1, 0.2, …)."""
    if width <= 0:
        return 1
    power = 10.0 ** np.floor(np.log10(width))
    nice = min((1, 2, 5, 10), key=lambda step: abs(step * power - width)) * power
    return int(nice) if nice >= 1 else float(f"{nice:.6g}")
