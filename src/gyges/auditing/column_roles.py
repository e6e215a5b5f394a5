"""Guess the role of each column from its name and its values. The user decides.

A column that may identify people is never proposed for publishing: if its name or its values look
like numbers, names or addresses of people, it is an identifier or dropped, however often its values
repeat. So is text without a hierarchy: it would be published as sets of raw values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from gyges.auditing.column_names import is_strong, meaning
from gyges.data.arrow_arrays import numbers_of
from gyges.data.encoding import dictionary
from gyges.data.hierarchy import Hierarchy
from gyges.data.personal_patterns import NAMES, are_long_numbers, personal_form
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind, Value, as_kind, guess_kind, text_of

_SENSITIVE = re.compile(
    r"disease|diagnos|condition|illness|symptom|icd|hiv|drug|medic|treatment|therapy|income|"
    r"salary|wage|earning|debt|religio|politic|party|orientation|crime|offen[cs]e|occupation|result"
)
_QUASI = re.compile(
    r"age|birth|dob|sex|gender|race|ethnic|zip|post_?code|postal|city|town|county|state|region|"
    r"country|nation|marital|marriage|education|school|degree|job|work|profession|height|weight|"
    r"date|year|child|household|language"
)
_CODE = re.compile(r"zip|post_?code|postal|plz|fips|tract")
_SINGLES_OUT = 0.9  # a column with a larger share of distinct values singles people out by itself
_LONGEST_CATEGORY = 60  # characters; a longer text is prose
_MOST_WORDS = 4  # of a category, on average; more are prose
_MOST_TEXTS = 100  # different texts that may be published as sets, without a hierarchy
_TOO_FEW = 20  # rows or values; below, counting shows nothing


Identifies: TypeAlias = Literal["person", "number", "name", "contact", ""]


@dataclass(frozen=True, slots=True)
class ColumnGuess:
    """What a column seems to be, and why."""

    name: str
    role: str  # "person", "identifier", "quasi-identifier", "sensitive" or "dropped"
    kind: Kind
    n_distinct: int
    n_missing: int
    reason: str
    hierarchy: Hierarchy | None = None
    n_rows: int = 0
    identifies: Identifies = ""  # what an identifier holds

    @property
    def repeats(self) -> bool:
        """Whether two rows have the same value."""
        return self.n_distinct < self.n_rows - self.n_missing


def guess_roles(source: Source) -> list[ColumnGuess]:
    """Guess a role for every column; at most one is sensitive, and at most one is the person."""
    guesses = [guess_column(source, name) for name in source.columns]
    likely = [guess for guess in guesses if guess.role == "sensitive"]
    if len(likely) > 1:
        best = min(likely, key=lambda guess: (_rank(guess.name), guess.n_distinct))
        guesses = [
            _not_sensitive(source, guess, best) if guess in likely and guess is not best else guess
            for guess in guesses
        ]
    return _with_person(guesses)


def unnamed_person(source: Source, named: Collection[str]) -> ColumnGuess | None:
    """The column outside `named` that seems to identify people and repeats, if there is one."""
    guesses = [guess_column(source, name) for name in source.columns if name not in named]
    return next((g for g in _with_person(guesses) if g.role == "person" and g.repeats), None)


def _not_sensitive(source: Source, guess: ColumnGuess, best: ColumnGuess) -> ColumnGuess:
    """Guess the role of a column where another one is the sensitive column."""
    again = guess_column(source, guess.name, may_be_sensitive=False)
    if again.role != "quasi-identifier":
        return again
    why = f"may be sensitive too, but only one column is protected at a time: {best.name}"
    return replace(again, reason=why)


def _with_person(guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Choose the person column, where an identifier repeats.

    If a person's number repeats, people have several rows. If it does not, each row is a person,
    although several people share a name or a phone number.
    """
    known = [guess for guess in guesses if guess.role == "identifier"]
    order = ("person", "number")
    repeated = [guess for guess in known if guess.identifies in order and guess.repeats]
    repeated.sort(key=lambda guess: order.index(guess.identifies))
    unique = [g for g in known if g.identifies == "person" and not (g.repeats or g.n_missing)]
    if repeated:
        chosen = repeated[0]
        n_rows = chosen.n_rows - chosen.n_missing
        why = f"repeats: {chosen.n_distinct:,} different values in {n_rows:,} rows"
    elif unique and any(guess.repeats for guess in known):
        chosen, why = unique[0], "identifies people: every row has a different value"
    else:
        return guesses
    return [replace(g, role="person", reason=why) if g is chosen else g for g in guesses]


def _rank(name: str) -> int:
    """The order of preference: illness, money, the rest."""
    found = _SENSITIVE.search(name.lower())
    order = ["disease", "diagnos", "hiv", "condition", "illness", "icd", "salary", "income"]
    return order.index(found[0]) if found and found[0] in order else len(order)


def guess_column(source: Source, name: str, *, may_be_sensitive: bool = True) -> ColumnGuess:
    """Guess the role of one column, and propose a hierarchy as for a quasi-identifier."""
    counted = source.count([name])
    raw, places = dictionary(counted.column(name), name)
    counts = numbers_of(counted.column(COUNT))
    n_rows, n_missing = int(counts.sum()), int(counts[places == len(raw)].sum())
    kind = _kind(raw, name)
    column = _ColumnValues(name, raw, kind, n_rows - n_missing)
    role, reason, identifies = _role(column, may_be_sensitive)
    hierarchy = propose_hierarchy(raw, kind, name) if len(raw) > 1 else None
    return ColumnGuess(name, role, kind, len(raw), n_missing, reason, hierarchy, n_rows, identifies)


def _kind(raw: list[Hashable], name: str) -> Kind:
    kind = guess_kind(raw)  # type: ignore[arg-type]
    return Kind.CODE if kind is Kind.NUMBER and _CODE.search(name.lower()) else kind


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _ColumnValues:
    """A column's name and its distinct values."""

    name: str
    raw: list[Hashable]
    kind: Kind
    n_known: int  # rows that have a value

    @property
    def texts(self) -> list[str]:
        return [text_of(value) for value in self.raw]  # type: ignore[arg-type]

    @property
    def share(self) -> float:
        return len(self.raw) / max(self.n_known, 1)

    @property
    def is_date(self) -> bool:
        return self.kind is Kind.DATE

    @property
    def has_many_values(self) -> bool:
        return len(self.raw) >= _TOO_FEW or self.share > 0.5

    @property
    def can_be_sensitive(self) -> bool:
        """Whether enough people share its values, and none is a date or prose."""
        is_small = self.n_known < _TOO_FEW and self.share < _SINGLES_OUT
        is_shared = self.share < (0.5 if self.kind is Kind.CATEGORY else _SINGLES_OUT)
        return not self.is_date and (is_shared or is_small) and not self.is_prose

    @property
    def is_prose(self) -> bool:
        if self.kind is not Kind.CATEGORY:
            return False
        n_words = sum(len(text.split()) for text in self.texts)
        is_wordy = len(self.raw) >= _TOO_FEW and n_words > _MOST_WORDS * len(self.raw)
        return is_wordy or max(map(len, self.texts)) > _LONGEST_CATEGORY

    @property
    def is_raw_text(self) -> bool:
        """Whether its groups would be published as sets of many raw texts."""
        n = len(self.raw)
        is_rare = n > _TOO_FEW and self.n_known < 5 * n
        return self.kind is Kind.CATEGORY and (n > _MOST_TEXTS or is_rare)


def _role(column: _ColumnValues, may_be_sensitive: bool) -> tuple[str, str, Identifies]:
    """The role, the reason, and what an identifier holds."""
    found = _identifier(column) or _not_to_publish(column)
    if found:
        return found
    name, n, n_known = column.name.lower(), len(column.raw), column.n_known
    if may_be_sensitive and _SENSITIVE.search(name) and column.can_be_sensitive:
        return "sensitive", "its name suggests a sensitive value", ""
    if column.share > _SINGLES_OUT and not column.is_date and n_known >= _TOO_FEW:
        return "dropped", f"nearly unique: {n:,} different values in {n_known:,} rows", ""
    if column.is_prose:
        return "dropped", "long texts cannot be generalized", ""
    if column.is_raw_text:
        why = f"{n:,} different values and no hierarchy: they would be published unchanged"
        return "dropped", why, ""
    if _QUASI.search(name):
        return "quasi-identifier", "an attacker may well know it", ""
    return "quasi-identifier", "an attacker might know it", ""


def _identifier(column: _ColumnValues) -> tuple[str, str, Identifies] | None:
    """The role of a column that identifies people, by its name or by the form of its values."""
    what, n, many = meaning(column.name), len(column.raw), column.has_many_values
    if what == "name" and column.kind is Kind.CATEGORY:
        return "identifier", "its name suggests people's names", "name"
    if what == "person" and (many or is_strong(column.name)) and not column.is_date:
        return "identifier", "its name suggests a person's number", "person"
    form = None if column.is_date else personal_form(column.texts)
    if form is not None:
        return "identifier", f"its values look like {form}", "name" if form == NAMES else "contact"
    if what == "contact" and (n > 4 or many):
        return "identifier", "its name suggests contact details", "contact"
    if what == "number" and not column.is_date and (n > 50 or column.share > 0.5):
        return "identifier", "its name suggests an identifying number", "number"
    return None


def _not_to_publish(column: _ColumnValues) -> tuple[str, str, Identifies] | None:
    """The role of a column that is useless, or too revealing although it identifies nobody."""
    what, many = meaning(column.name), column.has_many_values
    if len(column.raw) <= 1:
        return "dropped", "every row has the same value", ""
    if what == "thing" and many and not column.is_date:
        return "dropped", "its name suggests the number of a thing, such as a visit", ""
    if what == "address" and not column.is_date and (many or column.kind is Kind.CATEGORY):
        return "dropped", "its name suggests an address", ""
    if what == "text" and column.kind is Kind.CATEGORY and many:
        return "dropped", "its name suggests free text", ""
    if column.share > 0.2 and are_long_numbers(column.texts):
        return "dropped", "long numbers of the same length may identify people", ""
    return None


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
