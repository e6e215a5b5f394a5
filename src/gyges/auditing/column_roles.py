"""Guessing what each column is, from its name and its values. A person has the last word.

What may name somebody is never proposed for publishing: a column whose name or whose values look
like numbers, names or addresses of people is an identifier or dropped, however often its values
repeat. So is text that nothing could coarsen: it would be published as sets of raw values.
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
_MANY = 0.9  # a column with so large a share of distinct values singles people out by itself
_LONG = 60  # characters; a longer text is prose, not a category
_WORDS = 4  # on average; more are prose
_MOST_TEXTS = 100  # different texts that may be published as sets, without a hierarchy
_FEW = 20  # rows or values, of which nothing can be told by counting


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
    identifies: Identifies = ""  # by what an identifier names somebody

    @property
    def repeats(self) -> bool:
        """Whether two rows have the same value."""
        return self.n_distinct < self.n_rows - self.n_missing


def guess_roles(source: Source) -> list[ColumnGuess]:
    """A role for every column; at most one is sensitive, and at most one says who is who."""
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
    """The column that seems to say who is who and repeats, if none of those named does."""
    guesses = [guess_column(source, name) for name in source.columns if name not in named]
    return next((g for g in _with_person(guesses) if g.role == "person" and g.repeats), None)


def _not_sensitive(source: Source, guess: ColumnGuess, best: ColumnGuess) -> ColumnGuess:
    """What a column is where another one is protected."""
    again = guess_column(source, guess.name, may_be_sensitive=False)
    if again.role != "quasi-identifier":
        return again
    why = f"may be sensitive too, but one column is protected at a time ({best.name} is)"
    return replace(again, reason=why)


def _with_person(guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Name the column that says who is who, where one repeats or where other identifiers do.

    A number of a person that repeats says that people have several rows. One that does not repeat
    says that each row is a person, though several people share a name or a phone.
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
        chosen, why = unique[0], "says who is who: each row has a value of its own"
    else:
        return guesses
    return [replace(g, role="person", reason=why) if g is chosen else g for g in guesses]


def _rank(name: str) -> int:
    """Illness before money before the rest."""
    found = _SENSITIVE.search(name.lower())
    order = ["disease", "diagnos", "hiv", "condition", "illness", "icd", "salary", "income"]
    return order.index(found[0]) if found and found[0] in order else len(order)


def guess_column(source: Source, name: str, *, may_be_sensitive: bool = True) -> ColumnGuess:
    """What one column seems to be, and a hierarchy as if it were a quasi-identifier."""
    counted = source.count([name])
    raw, places = dictionary(counted.column(name), name)
    counts = numbers_of(counted.column(COUNT))
    n_rows, n_missing = int(counts.sum()), int(counts[places == len(raw)].sum())
    kind = _kind(raw, name)
    held = _Held(name, raw, kind, n_rows - n_missing)
    role, reason, identifies = _role(held, may_be_sensitive)
    hierarchy = propose_hierarchy(raw, kind, name) if len(raw) > 1 else None
    return ColumnGuess(name, role, kind, len(raw), n_missing, reason, hierarchy, n_rows, identifies)


def _kind(raw: list[Hashable], name: str) -> Kind:
    kind = guess_kind(raw)  # type: ignore[arg-type]
    return Kind.CODE if kind is Kind.NUMBER and _CODE.search(name.lower()) else kind


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Held:
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
    def is_prose(self) -> bool:
        if self.kind is not Kind.CATEGORY:
            return False
        n_words = sum(len(text.split()) for text in self.texts)
        is_wordy = len(self.raw) >= _FEW and n_words > _WORDS * len(self.raw)
        return is_wordy or max(map(len, self.texts)) > _LONG

    @property
    def is_raw_text(self) -> bool:
        """Whether groups would be published as sets of many raw texts."""
        n = len(self.raw)
        is_rare = n > _FEW and self.n_known < 5 * n
        return self.kind is Kind.CATEGORY and (n > _MOST_TEXTS or is_rare)


def _role(held: _Held, may_be_sensitive: bool) -> tuple[str, str, Identifies]:
    """The role, why, and by what an identifier names somebody."""
    found = _identifier(held) or _not_to_publish(held)
    if found:
        return found
    name, said = held.name.lower(), held.share < (0.5 if held.kind is Kind.CATEGORY else _MANY)
    is_small = held.n_known < _FEW and held.share < _MANY
    is_sensitive = may_be_sensitive and bool(_SENSITIVE.search(name))
    if is_sensitive and held.kind is not Kind.DATE and (said or is_small) and not held.is_prose:
        return "sensitive", "its name says so", ""
    if held.share > _MANY and held.kind is not Kind.DATE and held.n_known >= _FEW:
        return "dropped", f"{len(held.raw):,} different values in {held.n_known:,} rows", ""
    if held.is_prose:
        return "dropped", "long texts cannot be coarsened", ""
    if held.is_raw_text:
        many = f"{len(held.raw):,} different texts and no hierarchy"
        return "dropped", f"{many}: they would be published as they are", ""
    if _QUASI.search(name):
        return "quasi-identifier", "an attacker may well know it", ""
    return "quasi-identifier", "nothing says that an attacker cannot know it", ""


def _identifier(held: _Held) -> tuple[str, str, Identifies] | None:
    """The role of a column that names people, by its own name or by the form of its values."""
    what, n = meaning(held.name), len(held.raw)
    many = n >= _FEW or held.share > 0.5
    if what == "name" and held.kind is Kind.CATEGORY:
        return "identifier", "its name: names of people", "name"
    if what == "person" and (many or is_strong(held.name)) and held.kind is not Kind.DATE:
        return "identifier", "its name: a number of a person", "person"
    form = personal_form(held.texts) if held.kind is not Kind.DATE else None
    if form is not None:
        names: Identifies = "name" if form == NAMES else "contact"
        return "identifier", f"its values look like {form}", names
    if what == "contact" and (n > 4 or many):
        return "identifier", "its name: how to reach or find a person", "contact"
    if what == "number" and held.kind is not Kind.DATE and (n > 50 or held.share > 0.5):
        return "identifier", "its name: an identifying number", "number"
    return None


def _not_to_publish(held: _Held) -> tuple[str, str, Identifies] | None:
    """The role of a column that tells nothing, or too much and nothing about who is who."""
    what, n = meaning(held.name), len(held.raw)
    many = n >= _FEW or held.share > 0.5
    if n <= 1:
        return "dropped", "the same everywhere: it tells nothing", ""
    if what == "thing" and many and held.kind is not Kind.DATE:
        return "dropped", "a number of something other than a person, such as a visit", ""
    if what == "address" and held.kind is not Kind.DATE and (many or held.kind is Kind.CATEGORY):
        return "dropped", "its name: where a person lives", ""
    if what == "text" and held.kind is Kind.CATEGORY and many:
        return "dropped", "its name: free text", ""
    if held.share > 0.2 and are_long_numbers(held.texts):
        return "dropped", "long numbers of one length may be numbers of people", ""
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
    return Hierarchy.intervals(width, 2 * width, 4 * width, 8 * width)


def _nice(width: float) -> int | float:
    """The nearest of 1, 2, 5, 10, 20, 50, … (or 0.1, 0.2, …)."""
    if width <= 0:
        return 1
    power = 10.0 ** np.floor(np.log10(width))
    nice = min((1, 2, 5, 10), key=lambda step: abs(step * power - width)) * power
    return int(nice) if nice >= 1 else float(f"{nice:.6g}")
