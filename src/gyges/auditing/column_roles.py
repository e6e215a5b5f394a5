"""Guess the role of each column from its name and its values. The user decides.

A column that may identify people is not proposed for publishing. If its name, the form of its
values or the way they repeat looks like numbers, names or addresses of people, it is an identifier;
in doubt it is dropped, and publishing asks about it. Text without a hierarchy is dropped too: it
would be published as sets of raw values. Guesses can be wrong: docs/weaknesses.md says where.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gyges.auditing.column_values import SINGLES_OUT, TOO_FEW, ColumnValues, propose_hierarchy
from gyges.auditing.people_in_rows import agreeing_columns, may_be_same_people
from gyges.data.arrow_arrays import numbers_of
from gyges.data.column_names import is_strong, meaning
from gyges.data.encoding import dictionary
from gyges.data.hierarchy import Hierarchy
from gyges.data.hipaa import identifier_of, identifier_of_quasi
from gyges.data.personal_patterns import NAMES, personal_form
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind
from gyges.errors import GygesError

_SENSITIVE = re.compile(
    r"disease|diagnos|condition|illness|symptom|icd|hiv|drug|medic|treatment|therapy|income|"
    r"salary|wage|earning|debt|religio|politic|party|orientation|crime|offen[cs]e|occupation|result"
)
_QUASI = re.compile(
    r"age|birth|dob|sex|gender|race|ethnic|zip|post_?code|postal|city|town|county|state|region|"
    r"country|nation|marital|marriage|education|school|degree|job|work|profession|height|weight|"
    r"date|year|child|household|language"
)

# What an identifier holds; "maybe": perhaps numbers of people, and publishing asks.
Identifies: TypeAlias = Literal["person", "number", "name", "contact", "maybe", ""]
_Guessed: TypeAlias = tuple[str, str, Identifies]  # the role, the reason, what it identifies


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
    identifies: Identifies = ""

    @property
    def repeats(self) -> bool:
        """Whether two rows have the same value."""
        return self.n_distinct < self.n_rows - self.n_missing

    @property
    def counts_people(self) -> bool:
        """Whether its values may stand for people who have several rows."""
        return self.repeats and self.identifies in ("person", "number", "maybe")


def guess_roles(source: Source, *, only_readable: bool = False) -> list[ColumnGuess]:
    """Guess a role for every column; at most one is sensitive, and at most one is the person.

    A column of lists or records is refused, or skipped if `only_readable`.
    """
    columns = [one for one in source.columns if not only_readable or _is_readable(source, one)]
    guesses = _with_repeated_people(source, [guess_column(source, c) for c in columns])
    likely = [guess for guess in guesses if guess.role == "sensitive"]
    if len(likely) > 1:
        best = min(likely, key=lambda guess: (_rank(guess.name), guess.n_distinct))
        guesses = [
            _not_sensitive(source, guess, best) if guess in likely and guess is not best else guess
            for guess in guesses
        ]
    return _with_person(guesses)


def _is_readable(source: Source, name: str) -> bool:
    try:
        dictionary(source.count([name]).column(name), name)
    except GygesError:
        return False
    return True


def unnamed_person(source: Source, named: Collection[str]) -> ColumnGuess | None:
    """The column outside `named` that seems to identify people and repeats, if there is one."""
    guesses = [guess_column(source, name) for name in source.columns if name not in named]
    return next((g for g in _with_person(guesses) if g.role == "person" and g.repeats), None)


def guess_by_names(source: Source, names: Collection[str]) -> list[ColumnGuess]:
    """Guess which columns hold numbers of people by their names; no value leaves the engine."""
    n_rows = int(numbers_of(source.count([]).column(COUNT))[0])
    found = []
    for name in (c for c in names if meaning(c) in ("person", "number")):
        n = int(numbers_of(source.count_distinct([name], by=[]).column(COUNT))[0])
        n_missing = source.count_missing([name])[name]
        if n >= TOO_FEW or is_strong(name):
            why = f"its name suggests a person's number: {n:,} different values in {n_rows:,} rows"
            guess = ColumnGuess(
                name, "identifier", Kind.NUMBER, n - (n_missing > 0), n_missing, why
            )
            found.append(replace(guess, n_rows=n_rows, identifies="number"))
    return found


def _with_repeated_people(source: Source, guesses: Sequence[ColumnGuess]) -> list[ColumnGuess]:
    """Find columns whose repeated values stand for people, whatever they are called."""
    telling = [g for g in guesses if g.n_distinct > 1 and g.n_distinct < 0.9 * g.n_rows]
    found: list[ColumnGuess] = []
    for guess in guesses:
        agreed = (
            []
            if guess.identifies in ("person", "number")
            else agreeing_columns(
                source, guess.name, guess.kind, [g.name for g in telling if g is not guess]
            )
        )
        if agreed:
            why = f"rows with the same value agree on {_enumerated(agreed)}, as rows of one person"
            guess = replace(guess, role="identifier", identifies="person", reason=why)
        found.append(guess)
    return found if any(g.identifies for g in found) else _with_same_days(source, found)


def _with_same_days(source: Source, guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Where nothing identifies people, find rows that agree on a day and on all else."""
    others = [g.name for g in guesses if g.role == "quasi-identifier" and g.kind != "date"]
    days = [g for g in guesses if g.kind == "date" and g.n_distinct > 1]
    n = may_be_same_people(source, days[0].name, others) if days and others else 0
    if not n:
        return guesses
    why = (
        f"{n:,} rows agree with another row on it and on {_enumerated(others)}, more than chance "
        f"explains: they may be several rows of one person"
    )
    changed = replace(days[0], role="dropped", identifies="maybe", reason=why)
    return [changed if guess is days[0] else guess for guess in guesses]


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
        why += f"; {chosen.reason}"
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
    """Guess the role of one column by itself, and propose a hierarchy as for a quasi-identifier."""
    counted = source.count([name])
    raw, places = dictionary(counted.column(name), name)
    counts = numbers_of(counted.column(COUNT))
    n_rows, n_missing = int(counts.sum()), int(counts[places == len(raw)].sum())
    by_value = counts[places != len(raw)][places[places != len(raw)].argsort()]
    column = ColumnValues(name, raw, by_value)
    role, reason, identifies = _role(column, may_be_sensitive)
    hierarchy = propose_hierarchy(raw, column.kind, name) if len(raw) > 1 else None
    return ColumnGuess(
        name, role, column.kind, len(raw), n_missing, reason, hierarchy, n_rows, identifies
    )


def _role(column: ColumnValues, may_be_sensitive: bool) -> _Guessed:
    """The role, the reason, and what an identifier holds."""
    found = _identifier(column) or _not_to_publish(column)
    if found:
        return found
    name, n, n_known = column.name.lower(), len(column.raw), column.n_known
    if may_be_sensitive and _SENSITIVE.search(name) and column.can_be_sensitive:
        return "sensitive", "its name suggests a sensitive value", ""
    if column.may_be_people:
        why = f"may be people's numbers: {n:,} different values in {n_known:,} rows"
        return "dropped", why, "maybe"
    if column.share > SINGLES_OUT and not column.is_date and n_known >= TOO_FEW:
        return "dropped", f"nearly unique: {n:,} different values in {n_known:,} rows", ""
    if column.is_prose:
        return "dropped", "long texts cannot be generalized", ""
    if column.is_raw_text:
        why = f"{n:,} different values and no hierarchy: they would be published unchanged"
        return "dropped", why, ""
    hipaa = _hipaa(identifier_of_quasi(column.name, is_date=column.is_date))
    if _QUASI.search(name):
        return "quasi-identifier", f"an attacker may well know it{hipaa}", ""
    return "quasi-identifier", f"an attacker might know it{hipaa}", ""


def _identifier(column: ColumnValues) -> _Guessed | None:
    """The role of a column that identifies people, by its name or by the form of its values."""
    what, n, many = meaning(column.name), len(column.raw), column.has_many_values
    hipaa = _hipaa(identifier_of(column.name))
    if what == "name" and column.kind is Kind.CATEGORY:
        return "identifier", f"its name suggests people's names{hipaa}", "name"
    is_certain = is_strong(column.name) and not column.is_flag
    if what == "person" and (many or is_certain) and not column.is_date:
        return "identifier", f"its name suggests a person's number{hipaa}", "person"
    form = None if column.is_date else personal_form(column.texts)
    if form is not None:
        why = f"its values look like {form}{_hipaa(identifier_of(column.name, form))}"
        return "identifier", why, "name" if form == NAMES else "contact"
    if what == "contact" and (n > 4 or many):
        return "identifier", f"its name suggests contact details{hipaa}", "contact"
    if what == "number" and not column.is_date and column.is_numbered:
        return "identifier", f"its name suggests an identifying number{hipaa}", "number"
    return None


def _not_to_publish(column: ColumnValues) -> _Guessed | None:
    """The role of a column that is useless, or too revealing although it identifies nobody."""
    what, many = meaning(column.name), column.has_many_values
    if len(column.raw) <= 1:
        return "dropped", "every row has the same value", ""
    if what == "thing" and many and not column.is_date:
        return "dropped", "its name suggests the number of a thing, such as a visit", ""
    if what == "address" and not column.is_date and (many or column.kind is Kind.CATEGORY):
        return "dropped", "its name suggests an address (HIPAA: places smaller than a state)", ""
    if what == "text" and column.kind is Kind.CATEGORY and many:
        return "dropped", "its name suggests free text", ""
    if column.is_birth:
        return "dropped", "exact dates of birth (HIPAA: dates): publish a year or an age", ""
    return None


def _hipaa(identifier: str) -> str:
    return f" (HIPAA: {identifier})" if identifier else ""


def _enumerated(names: Sequence[str]) -> str:
    """The first names of a list, in words."""
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more columns"
