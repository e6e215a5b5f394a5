"""A column's name and its distinct values, and what they look like."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import IntArray
from gyges.data.column_names import is_birth, is_code, is_quantity, words
from gyges.data.encoding import SURE_MARKS
from gyges.data.hierarchy import Hierarchy
from gyges.data.hierarchy_rules import LEAST_WIDTH, MOST_WIDTH
from gyges.data.local_formats import (
    are_signed_numbers,
    date_formats,
    in_plain_format,
    number_format,
)
from gyges.data.people_names import mention_people
from gyges.data.personal_patterns import are_days, are_long_numbers
from gyges.data.repeated_people import looks_numbered
from gyges.data.values import Kind, Value, as_kind, guess_kind, text_of

_CODE = re.compile(r"zip|post_?code|postal|plz|fips|tract")
SINGLES_OUT = 0.9  # a column with a larger share of distinct values singles people out by itself
TOO_FEW = 20  # rows or values; below, counting shows nothing
_LONGEST_CATEGORY = 60  # characters; a longer text is prose
_MOST_WORDS = 4  # of a category, on average; more are prose
_MOST_TEXTS = 100  # different texts that may be published as sets, without a hierarchy
_MOST_CODES = 12  # different whole numbers that are codes, unless the name suggests an amount
_FEWEST_AMOUNTS = 4  # different whole numbers that are amounts if the name suggests it
_LONG = 4  # characters of a number that has room for many people
_LIFETIME = 50  # years; days that lie further apart may be dates of birth
_YES_OR_NO = "0 1 y n yes no true false t f ja nein j oui non o si s sim nao tak nie nej on off + -"
_FLAGS = frozenset(_YES_OR_NO.split())
# Texts that may stand for missing values; the sure ones do.
_MARKS = SURE_MARKS | frozenset(
    ["N", "n", "X", "x", "None", "none", "na", "NAN", "n.a.", "missing", "Missing", "MISSING",
     "unknown", "Unknown", "UNKNOWN", "unbekannt", "k.A.", "k. A.", "inconnu", "keine Angabe",
     "desconocido", "ND", "n.d.", "N.D.", "s/d", "S/D", "brak", "okänt", "onbekend"]
)  # fmt: skip
_MOST_WORDS_OF_A_LABEL = 3  # on average; texts with more are free text
_HEAVIEST = 700  # kilograms or pounds; larger numbers are weights of a survey
_WEIGHT = re.compile(r"(weights?|wgts?|wts?|gewicht|poids|peso|waga|vikt)(_?\d+)?")
_NEAR_1 = 0.05  # weights that are scaled to the sample are 1 on average
_PADDED = re.compile(r"[+-]?\d+(\.\d+)?")
_PLACES = 3  # decimal places that scales do not show
_HARDLY_REPEAT = 0.5  # a larger share of distinct values


@dataclass(frozen=True, eq=False, repr=False)
class ColumnValues:
    """A column's name, its distinct values, and how many rows have each."""

    name: str
    raw: list[Hashable]  # without marks of missing values, dates and numbers in plain format
    counts: IntArray  # rows of each value
    local_format: str | None = None  # of the dates or numbers
    marks: tuple[str, ...] = ()  # that stand for missing values
    n_formats: int = 0  # of dates; more than one if days and months can be exchanged

    @classmethod
    def of(
        cls, name: str, raw: list[Hashable], counts: IntArray, *, commas_known: bool = False
    ) -> ColumnValues:
        """Set marks of missing values aside, and read dates and numbers in local formats."""
        marks = _marks(raw)
        kept = np.array([value not in marks for value in raw], dtype=bool)
        known = [value for value in raw if value not in marks] if marks else raw
        found = _formats(known, commas_known=commas_known)
        stated = found[0] if len(found) == 1 else None
        if stated is not None:
            known = list(in_plain_format(known, stated, name))  # type: ignore[arg-type]
        return cls(name, known, counts[kept], stated, tuple(sorted(marks)), len(found))

    @cached_property
    def kind(self) -> Kind:
        """The kind of the values: whole numbers may be codes, of a place or of categories."""
        kind = self.natural_kind
        if kind is Kind.CATEGORY and self._are_padded_amounts:
            return Kind.NUMBER
        if self.local_format is not None or kind not in (Kind.NUMBER, Kind.CODE):
            return kind
        if _CODE.search(self.name.lower()):
            return Kind.CODE
        if self.is_coded:
            return Kind.CATEGORY if len(self.raw) <= _MOST_TEXTS else Kind.CODE
        is_amount = kind is Kind.CODE and is_quantity(self.name)  # an age written 034
        return Kind.NUMBER if is_amount else kind

    @cached_property
    def natural_kind(self) -> Kind:
        """The kind that reading the values gives them, unless a schema states another one."""
        return guess_kind(self.raw)  # type: ignore[arg-type]

    @property
    def _are_padded_amounts(self) -> bool:
        """Whether amounts have zeros in front: an income written 0012.50 or -00300."""
        return is_quantity(self.name) and all(map(_PADDED.fullmatch, self.texts))

    @property
    def is_coded(self) -> bool:
        """Whether whole numbers stand for categories: by the name, or because there are few.

        A sex coded 1 and 2 has no middle, and states 20 to 23 are no neighbours.
        """
        if self.natural_kind not in (Kind.NUMBER, Kind.CODE) or not self._are_whole:
            return False
        if self.local_format is not None:
            return False
        return is_code(self.name) or len(self.raw) <= self._most_codes

    @property
    def _most_codes(self) -> int:
        return _MOST_CODES if not is_quantity(self.name) else _FEWEST_AMOUNTS - 1

    @property
    def _are_whole(self) -> bool:
        return all(text.lstrip("+-").removesuffix(".0").isdigit() for text in self.texts)

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
        if is_birth(self.name):
            return len(self.raw) > 1 and (self.is_date or are_days(self.texts))
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
    def is_free_text(self) -> bool:
        """Whether the values are phrases, or mention people by name."""
        if self.kind is not Kind.CATEGORY:
            return False
        n_words = sum(len(text.split()) for text in self.texts)
        return n_words >= _MOST_WORDS_OF_A_LABEL * len(self.raw)

    @property
    def mentions_people(self) -> bool:
        """Whether texts mention people with their titles."""
        return self.kind is Kind.CATEGORY and mention_people(self.texts)

    @property
    def has_unread_days(self) -> bool:
        """Whether most texts are days that cannot be read, or can be read in two ways."""
        return self.kind is Kind.CATEGORY and (self.n_formats > 1 or are_days(self.texts))

    @property
    def has_unread_numbers(self) -> bool:
        """Whether the values are numbers with signs of currencies that cannot be read for sure."""
        return self.kind is Kind.CATEGORY and are_signed_numbers(self.texts)

    @property
    def are_positive(self) -> bool:
        """Whether all values are positive numbers."""
        if self.natural_kind is not Kind.NUMBER:
            return False
        try:
            return all(float(text) > 0 for text in self.texts)
        except ValueError:  # times of a day, or bytes
            return False

    @property
    def numbers_all(self) -> bool:
        """Whether every row has a number or code of its own."""
        are_codes = all(any(map(str.isdigit, t)) and " " not in t for t in self.texts)
        is_amount = self.kind is Kind.NUMBER and not self._are_whole
        return self.share == 1 and are_codes and not is_amount and not self.is_date

    @property
    def is_survey_weight(self) -> bool:
        """Whether numbers called weights are of a survey rather than of bodies.

        They are too large for bodies, or they are 1 on average, or most have more decimal places
        than a scale shows and they hardly repeat.
        """
        if self.kind is not Kind.NUMBER or not _WEIGHT.fullmatch("_".join(words(self.name))):
            return False
        numbers = np.array([float(text) for text in self.texts])
        if numbers.max() > _HEAVIEST or not self.are_positive:
            return bool(numbers.max() > _HEAVIEST)
        mean = float((numbers * self.counts).sum()) / max(self.n_known, 1)
        n_long = sum(len(text.partition(".")[2]) >= _PLACES for text in self.texts)
        is_fine = 2 * n_long > len(self.texts) and self.share > _HARDLY_REPEAT
        return is_fine or (len(numbers) > 1 and abs(mean - 1) < _NEAR_1)

    @property
    def are_full_names(self) -> bool:
        """Whether most texts have several words: a surname alone is shared by many people."""
        n_full = sum(" " in text.strip() for text in self.texts)
        return 2 * n_full > len(self.texts)

    @property
    def is_raw_text(self) -> bool:
        """Whether its groups would be published as sets of many raw texts."""
        n = len(self.raw)
        is_rare = n > TOO_FEW and self.n_known < 5 * n
        return self.kind is Kind.CATEGORY and (n > _MOST_TEXTS or is_rare)


def _marks(raw: list[Hashable]) -> set[str]:
    """The texts that stand for missing values: any mark among numbers and dates, else sure ones."""
    found = {value for value in raw if isinstance(value, str) and value.strip() in _MARKS}
    found -= {"-"} if "+" in raw else set()  # negative
    if not found:
        return found
    known = [value for value in raw if value not in found]
    if not known or _formats(known) or guess_kind(known) in (Kind.NUMBER, Kind.DATE, Kind.CODE):  # type: ignore[arg-type]
        return found
    sure = {value for value in found if value.strip() in SURE_MARKS}
    codes = [value for value in known if len(str(value)) == len("NA") and str(value).isupper()]
    return sure - {"NA"} if 2 * len(codes) > len(known) else sure  # NA may be a country


def _formats(known: list[Hashable], *, commas_known: bool = False) -> list[str]:
    """The local formats that the values may have; none if they are plain."""
    if not known or not {str, int} >= set(map(type, known)):
        return []
    texts = [str(value) for value in known]
    found = date_formats(texts) if any(map(str.isdigit, texts[0])) or len(texts[0]) > 6 else []
    if found or str not in set(map(type, known)):
        return found
    number = number_format(texts, commas_known=commas_known)
    return [number] if number else []


def propose_hierarchy(raw: list[Hashable], kind: Kind, name: str) -> Hierarchy | None:
    """Intervals for numbers, calendar units for dates, prefixes for codes; none for a category.

    None either for numbers so far apart, or so near, that no width of an interval can be written.
    """
    if kind is Kind.CODE:
        return Hierarchy.prefixes()
    if kind is Kind.DATE:
        return Hierarchy.calendar("quarter", "year", "decade")  # of months: see `ColumnGuess`
    if kind is not Kind.NUMBER:
        return None
    known: list[Value] = as_kind(raw, kind, name)  # type: ignore[arg-type]
    numbers = np.array([float(value) for value in known])  # type: ignore[arg-type]
    width = _nice(float(np.ptp(numbers)) / 16)
    if all(number.is_integer() for number in numbers):
        width = max(1, width)
    if not LEAST_WIDTH <= width <= 8 * width <= MOST_WIDTH:
        return None
    return Hierarchy.intervals(width, 2 * width, 4 * width, 8 * width)


def _nice(width: float) -> int | float:
    """The nearest of 1, 2, 5, 10, 20, 50, … (or 0.1, 0.2, …)."""
    if width <= 0:
        return 1
    power = 10.0 ** np.floor(np.log10(width))
    nice = min((1, 2, 5, 10), key=lambda step: abs(step * power - width)) * power
    return int(nice) if nice >= 1 else float(f"{nice:.6g}")
