"""Guess the role of one column by itself: from its name, its values, and how often they repeat.

In doubt a column is dropped. Free text, names of other people, exact dates of birth and text
without a hierarchy are never proposed for publishing; of other dates only the month is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gyges.arguments import shown
from gyges.auditing.column_values import SINGLES_OUT, TOO_FEW, ColumnValues, propose_hierarchy
from gyges.data.arrow_arrays import numbers_of
from gyges.data.column_names import is_household, is_strong, meaning, words
from gyges.data.column_words import FAMILY
from gyges.data.encoding import dictionary
from gyges.data.hierarchy import Hierarchy
from gyges.data.hipaa import OTHER, identifier_of, identifier_of_quasi
from gyges.data.illness_words import are_illnesses, counts_something, names_illness
from gyges.data.local_formats import DECIMAL_COMMA, THOUSANDS_COMMA
from gyges.data.personal_patterns import ADDRESSES, NAMES, PARTS_OF_NAMES, personal_form
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind
from gyges.engines.in_memory import MemorySource

_SENSITIVE = re.compile(
    r"medic|drug|treatment|therapy|income|einkommen|revenu(?!e)|ingreso|reddito|salary|gehalt|salaire|"
    r"salario|stipendio|wage|lohn|earning|debt|schulden|religio|politic|party|orientation|crime|"
    r"offen[cs]e|occupation|result|ergebnis"
)
_QUASI = re.compile(
    r"age|birth|dob|sex|gender|race|ethnic|zip|post_?code|postal|city|town|county|state|region|"
    r"country|nation|marital|marriage|education|school|degree|job|work|profession|height|weight|"
    r"date|year|child|household|language"
)
_FEWEST_FAMILIES = 6  # fewer values of a column "family" may say what kind of family
_MOST_ROWS_OF_HOUSEHOLD = 20  # on average; a column with more of each value classifies
_AMOUNTS = "to publish it in intervals, list it under quasi_identifiers"
_MANY_ROWS = 20  # of each name or address on average; such names are those of staff

# What an identifier holds; "maybe": perhaps numbers of people, and publishing asks.
Identifies: TypeAlias = Literal[
    "person", "number", "name", "part of a name", "contact", "address", "maybe", ""
]
_Guessed: TypeAlias = tuple[str, str, Identifies]  # the role, the reason, what it identifies


@dataclass(frozen=True, slots=True)
class ColumnGuess:
    """What a column seems to be, and why."""

    name: str
    role: str  # a key of the project: person, household, weight, …; or "dropped"
    kind: Kind
    n_distinct: int
    n_missing: int
    reason: str
    hierarchy: Hierarchy | None = None
    n_rows: int = 0
    identifies: Identifies = ""
    local_format: str | None = None  # of dates and numbers, such as dd.mm.yyyy
    marks: tuple[str, ...] = ()  # that stand for missing values
    is_illness: bool = False
    natural_kind: Kind | None = None  # that reading gives it, unless a project states another one
    may_be_sensitive: bool = False  # beside the sensitive column

    @property
    def n_known(self) -> int:
        """How many rows have a value."""
        return self.n_rows - self.n_missing

    @property
    def repeats(self) -> bool:
        """Whether two rows have the same value."""
        return self.n_distinct < self.n_known

    @property
    def counts_people(self) -> bool:
        """Whether its values may stand for people who have several rows."""
        if self.identifies in ("name", "contact"):
            if self.is_about_others:
                return False
            return self.repeats and self.n_known < _MANY_ROWS * self.n_distinct
        return self.repeats and self.identifies in ("person", "number", "maybe")

    @property
    def is_about_others(self) -> bool:
        """Whether its values are texts about people, or other people's names."""
        return meaning(self.name) in ("text", "somebody")

    @property
    def stated_kind(self) -> Kind | None:
        """The kind that a project states: codes, and months of dates, whose days say too much."""
        if self.kind is Kind.DATE:
            return Kind.MONTH
        is_as_read = self.kind in (self.natural_kind, None) or self.natural_kind is None
        return None if is_as_read and self.kind is not Kind.CODE else self.kind


def sensitive_rank(guess: ColumnGuess) -> tuple[int, int]:
    """The order of preference for the sensitive column: illness, money, the rest."""
    found = _SENSITIVE.search(guess.name.lower())
    is_money = found is not None and found[0] in ("salary", "income")
    return (0 if guess.is_illness else 1 if is_money else 2, guess.n_distinct)


def guess_column(
    source: Source, name: str, *, may_be_sensitive: bool = True, commas_known: bool = False
) -> ColumnGuess:
    """Guess the role of one column by itself, and propose a hierarchy as for a quasi-identifier.

    `commas_known`: another column of the table has decimal commas.
    """
    counted = source.count([name])
    raw, places = dictionary(counted.column(name), name)
    counts = numbers_of(counted.column(COUNT))
    n_rows = int(counts.sum())
    by_value = counts[places != len(raw)][places[places != len(raw)].argsort()]
    label = source.described.get(name, "") if isinstance(source, MemorySource) else ""
    column = ColumnValues.of(name, raw, by_value, commas_known=commas_known)
    column, (role, reason, identifies) = _by_name_or_label(column, label, may_be_sensitive)
    known = column.raw
    return ColumnGuess(
        name,
        role,
        column.kind,
        len(known),
        n_rows - column.n_known,
        reason,
        propose_hierarchy(known, column.kind, name) if len(known) > 1 else None,
        n_rows,
        identifies,
        column.local_format,
        column.marks,
        _is_illness(column),
        column.natural_kind,
    )


def _by_name_or_label(
    column: ColumnValues, label: str, may_be_sensitive: bool
) -> tuple[ColumnValues, _Guessed]:
    """The guess by a column's name, or by its label where a file has one that tells more."""
    role, reason, identifies = _role(column, may_be_sensitive)
    if not label:
        return column, (role, reason, identifies)
    labelled = f"(labelled {shown(label)})"
    as_labelled = replace(column, name=label)
    other, why, what = _role(as_labelled, may_be_sensitive)
    decides = other not in ("quasi-identifier", "dropped") and role == "dropped"
    if decides or (role == "quasi-identifier" != other):
        return as_labelled, (other, f"{why.replace('its name', 'its label')} {labelled}", what)
    return column, (role, f"{reason} {labelled}", identifies)


def _role(column: ColumnValues, may_be_sensitive: bool) -> _Guessed:
    """The role, the reason, and what an identifier holds."""
    if is_household(column.name) and _are_households(column):
        return "household", "its name suggests the number of a household: it is not published", ""
    found = _identifier(column) or _not_to_publish(column)
    if found:
        return found
    name = column.name.lower()
    if may_be_sensitive and column.can_be_sensitive:
        if _is_illness(column):
            by_name = names_illness(column.name)
            why = "its name suggests a sensitive value" if by_name else "its values name illnesses"
            return "sensitive", why, ""
        if _SENSITIVE.search(name) and not counts_something(column.name):
            return "sensitive", "its name suggests a sensitive value", ""
    if column.may_be_people:
        return "dropped", "may be people's numbers", "maybe"
    found = _too_revealing(column)
    if found:
        return found
    hipaa = _hipaa(identifier_of_quasi(column.name, is_date=column.is_date))
    how = "may well" if _QUASI.search(name) else "might"
    of_dates = "; only the month is published" if column.is_date else ""
    codes = "; its numbers are codes" if column.is_coded else ""
    return "quasi-identifier", f"an attacker {how} know it{hipaa}{of_dates}{codes}", ""


def _identifier(column: ColumnValues) -> _Guessed | None:
    """The role of a column that identifies people, by its name or by the form of its values."""
    what, n, many = meaning(column.name), len(column.raw), column.has_many_values
    hipaa = _hipaa(identifier_of(column.name))
    form = None if column.is_date else personal_form(column.texts)
    if form in (NAMES, PARTS_OF_NAMES) or (what == "name" and _may_be_names(column)):
        by = (
            "its name suggests people's names" if what == "name" else f"its values look like {form}"
        )
        why = f"{by}{_hipaa(identifier_of(column.name, form or NAMES))}"
        is_full = what == "person" or (form != PARTS_OF_NAMES and column.are_full_names)
        return "identifier", why, "name" if is_full else "part of a name"
    is_certain = is_strong(column.name) and not column.is_flag
    if what == "person" and (many or is_certain) and not column.is_date:
        return "identifier", f"its name suggests a person's number{hipaa}", "person"
    if form is not None:
        why = f"its values look like {form}{_hipaa(identifier_of(column.name, form))}"
        return "identifier", why, "address" if form == ADDRESSES else "contact"
    if what == "contact" and (n > 4 or many) and not column.is_date:
        return "identifier", f"its name suggests contact details{hipaa}", "contact"
    if what == "number" and not column.is_date and column.is_numbered:
        return "identifier", f"its name suggests an identifying number{hipaa}", "number"
    return None


def _may_be_names(column: ColumnValues) -> bool:
    if column.natural_kind is not Kind.CATEGORY or column.is_flag:
        return False
    return "_".join(words(column.name)) not in FAMILY or len(column.raw) >= _FEWEST_FAMILIES


def _not_to_publish(column: ColumnValues) -> _Guessed | None:
    """The role of a column that is useless, or too revealing although it identifies nobody."""
    what, is_text = meaning(column.name), column.kind is Kind.CATEGORY and not column.is_flag
    if column.are_positive and (what == "weight" or column.is_survey_weight):
        if what == "weight":
            return "weight", "its name suggests a weight of a survey: it is not published", ""
        why = "its name and its numbers suggest a weight of a survey: it is not published"
        return "weight", f"{why}; if it is the weight of bodies, drop it", ""
    if len(column.raw) <= 1:
        return "dropped", "every row has the same value", ""
    if what == "thing" and column.has_many_values and not column.is_date:
        known = identifier_of(column.name)
        hipaa = "" if known == OTHER else _hipaa(known)
        return "dropped", f"its name suggests the number of a thing, such as a visit{hipaa}", ""
    if what == "address" and not column.is_date and (is_text or column.has_many_values):
        return "dropped", "its name suggests an address (HIPAA: places smaller than a state)", ""
    if what == "text" and is_text:
        return "dropped", "its name suggests free text", ""
    if what == "somebody" and is_text:
        return "dropped", "its name suggests another person, such as a physician", ""
    if column.mentions_people:
        return "dropped", "its texts mention people by name", ""
    if column.is_survey_weight or (what == "weight" and column.kind is Kind.NUMBER):
        return "dropped", "a weight of a survey: nobody knows it, and it may single people out", ""
    if column.is_birth:
        return "dropped", "exact dates of birth (HIPAA: dates): publish a year or an age", ""
    if column.has_unread_days:
        return "dropped", _unread_days(column), ""
    if column.has_unread_numbers:
        return "dropped", _unread_numbers(column), ""
    return None


def _are_households(column: ColumnValues) -> bool:
    """Whether values repeat, but each only a few times, as members of a household do."""
    n = len(column.raw)
    return n >= TOO_FEW and n < column.n_known < _MOST_ROWS_OF_HOUSEHOLD * n


def _unread_days(column: ColumnValues) -> str:
    if column.n_formats > 1:
        stated = f'formats = {{ "{column.name}" = "dd/mm/yyyy" }}'
        return f"dates whose days and months can be exchanged: state their format, such as {stated}"
    return "dates in several formats, or with other texts among them: they cannot be read"


def _unread_numbers(column: ColumnValues) -> str:
    stated = f'formats = {{ "{column.name}" = "{DECIMAL_COMMA}" }}'
    return (
        f"numbers with a currency or percent sign that can be read in two ways: give all the same "
        f"sign, and state their format, such as {stated} or {THOUSANDS_COMMA}"
    )


def _too_revealing(column: ColumnValues) -> _Guessed | None:
    """The role of a column whose values are too rare or too long to be published."""
    n, n_known = len(column.raw), column.n_known
    if column.share > SINGLES_OUT and not column.is_date and n_known >= TOO_FEW:
        how = "every value is different" if n == n_known else "nearly unique"
        if column.kind is Kind.NUMBER and not column.numbers_all:
            return "dropped", f"{how}, so it singles people out: {_AMOUNTS}", ""
        if n == n_known:
            return "dropped", f"{how}: if it identifies people, list it under identifiers", ""
        return "dropped", f"{how}: {n:,} different values in {n_known:,} rows", ""
    if column.is_prose or column.is_free_text:
        return "dropped", "texts of several words cannot be generalized", ""
    if column.is_raw_text:
        why = f"{n:,} different values and no hierarchy: groups would show sets of them"
        return "dropped", why, ""
    if _is_illness(column) and not column.can_be_sensitive:
        return "dropped", "may be sensitive, but too few people share a value", ""
    return None


def _is_illness(column: ColumnValues) -> bool:
    """Whether the name or the values suggest illnesses."""
    if column.is_date:
        return False
    is_text = column.kind in (Kind.CATEGORY, Kind.CODE)
    return names_illness(column.name) or (is_text and are_illnesses(column.texts))


def _hipaa(identifier: str) -> str:
    return f" (HIPAA: {identifier})" if identifier else ""
