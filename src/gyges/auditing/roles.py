"""Guessing what each column is, from its name and its values. A person has the last word."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from gyges.data.encoding import dictionary
from gyges.data.hierarchy import Hierarchy
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind, Value, as_kind, guess_kind, text_of

_IDENTIFIER = re.compile(
    r"(^|_)(id|ids|nr|no|key|ssn|mrn|uuid|guid)($|_)|name|e_?mail|phone|passport|licen[cs]e|"
    r"address|street|account|iban|url|login|username|patient_?n|person_?n"
)
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


@dataclass(frozen=True, slots=True)
class ColumnGuess:
    """What a column seems to be, and why."""

    name: str
    role: str  # "identifier", "quasi-identifier", "sensitive" or "dropped"
    kind: Kind
    n_distinct: int
    n_missing: int
    reason: str
    hierarchy: Hierarchy | None = None


def guess_roles(source: Source) -> list[ColumnGuess]:
    """A role for every column; at most one is sensitive."""
    guesses = [guess_column(source, name) for name in source.columns]
    likely = [guess for guess in guesses if guess.role == "sensitive"]
    if len(likely) <= 1:
        return guesses
    best = min(likely, key=lambda guess: (_rank(guess.name), guess.n_distinct))
    return [
        guess
        if guess.role != "sensitive" or guess is best
        else ColumnGuess(
            guess.name,
            "quasi-identifier",
            guess.kind,
            guess.n_distinct,
            guess.n_missing,
            f"may be sensitive too, but one column is protected at a time ({best.name} is)",
            guess.hierarchy,
        )
        for guess in guesses
    ]


def _rank(name: str) -> int:
    """Illness before money before the rest."""
    found = _SENSITIVE.search(name.lower())
    order = ["disease", "diagnos", "hiv", "condition", "illness", "icd", "salary", "income"]
    return order.index(found[0]) if found and found[0] in order else len(order)


def guess_column(source: Source, name: str) -> ColumnGuess:
    """What one column seems to be, and a hierarchy as if it were a quasi-identifier."""
    counted = source.count([name])
    raw, places = dictionary(counted.column(name), name)
    counts = counted.column(COUNT).to_numpy()
    n_rows, n_missing = int(counts.sum()), int(counts[places == len(raw)].sum())
    kind = _kind(raw, name)
    role, reason = _role(name.lower(), raw, kind, n_rows - n_missing)
    hierarchy = propose_hierarchy(raw, kind, name) if len(raw) > 1 else None
    return ColumnGuess(name, role, kind, len(raw), n_missing, reason, hierarchy)


def _kind(raw: list[Hashable], name: str) -> Kind:
    kind = guess_kind(raw)  # type: ignore[arg-type]
    return Kind.CODE if kind is Kind.NUMBER and _CODE.search(name.lower()) else kind


def _role(name: str, raw: list[Hashable], kind: Kind, n_known: int) -> tuple[str, str]:
    share = len(raw) / max(n_known, 1)
    if len(raw) <= 1:
        return "dropped", "the same everywhere: it tells nothing"
    if _SENSITIVE.search(name) and kind is not Kind.DATE and share < _MANY:
        return "sensitive", "its name says so"
    if _IDENTIFIER.search(name) and (share > 0.5 or n_known < 20):
        return "identifier", "its name, and nearly every value occurs once"
    if share > _MANY and kind is not Kind.DATE and n_known >= 20:
        return "identifier", f"{len(raw):,} different values in {n_known:,} rows"
    if kind is Kind.CATEGORY and max(len(text_of(v)) for v in raw) > _LONG:  # type: ignore[arg-type]
        return "dropped", "long texts cannot be coarsened"
    if _QUASI.search(name):
        return "quasi-identifier", "an attacker may well know it"
    return "quasi-identifier", "nothing says that an attacker cannot know it"


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
