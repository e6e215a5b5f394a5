"""What the name of a column suggests, in English and other European languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias
from unicodedata import combining, normalize

from gyges.data import column_words as listed

Meaning: TypeAlias = Literal[
    "person", "number", "name", "contact", "address", "thing", "text", "somebody", "weight", ""
]

_LETTERS = {"ß": "ss", "ø": "o", "ł": "l", "ä": "ae", "ö": "oe", "ü": "ue"}
_MOST_LISTED, _FIRST_LISTED = 20, 8  # names in a sentence
_NOT_STRONG = {"person", "individual", "member", "record", "personal", "persona"}


def some_of(names: Sequence[str], what: str = "columns") -> str:
    """The names for a sentence: all, or the first of many and how many more there are.

    >>> some_of(["age", "sex"]), some_of([f"c{i}" for i in range(1201)])
    ('age, sex', 'c0, c1, c2, c3, c4, c5, c6, c7 and 1,193 more columns')
    """
    if len(names) <= _MOST_LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:_FIRST_LISTED])} and {len(names) - _FIRST_LISTED:,} more {what}"


def words(name: str) -> list[str]:
    """The words of a column's name, in lower case and without accents.

    >>> words("PatientNr."), words("E-Mail"), words("Größe (cm)")
    (['patient', 'nr'], ['e', 'mail'], ['groesse', 'cm'])
    """
    split = re.sub(r"(?<=[^\W\d_])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", name).casefold()
    spelled = "".join(_LETTERS.get(letter, letter) for letter in split)
    unaccented = "".join(c for c in normalize("NFKD", spelled) if not combining(c))
    return [word for word in re.split(r"[\W_]+", unaccented) if word]


def meaning(name: str) -> Meaning:
    """What the name of a column suggests about its values.

    "person": a number that identifies a person; "number": a number of a person or a thing; "name",
    "contact", "address": of a person; "thing": the number of a visit, a household, …; "text": free
    text; "somebody": another person, such as a physician; "weight": of a survey; "": nothing.

    >>> [meaning(name) for name in ("patient_nbr", "encounter_id", "Nachname", "zip", "pid")]
    ['person', 'thing', 'name', '', 'number']
    """
    said = words(name)
    joined, known = "_".join(said), set(said)
    if listed.CONTACT.search(joined):
        return "contact"
    if listed.SURVEY_WEIGHT.search(joined):
        return "weight"
    if listed.NATIONAL.search(joined) or _is_person_number(said):
        return "person"
    if listed.ADDRESS.search(joined):
        return "address"
    if listed.TEXT.search(joined):
        return "text"
    if (known & listed.NAME and not known & listed.THING) or joined in listed.FAMILY:
        return "name"
    is_number = bool(known & listed.NUMBER) or joined.endswith("id")
    is_thing = bool(listed.OTHER_THING.search(joined) or known & listed.THING)
    if is_thing and (is_number or "hid" in known):
        return "thing"
    if _is_number(said) or joined in listed.LONE_NUMBER:
        return "number"
    return "somebody" if listed.SOMEBODY.search(joined) else ""


def is_frequency(name: str) -> bool:
    """Whether the name suggests how many people a row stands for.

    >>> [is_frequency(name) for name in ("Count", "Anzahl", "n", "n_visits", "cell count")]
    [True, True, True, False, False]
    """
    return "_".join(words(name)) in listed.FREQUENCY


def is_age(name: str) -> bool:
    """Whether the name suggests ages.

    >>> [is_age(name) for name in ("Age", "AGEP", "Alter (Jahre)", "image", "stage")]
    [True, True, True, False, False]
    """
    return bool(set(words(name)) & listed.AGE)


def is_household(name: str) -> bool:
    """Whether the name suggests the number of a household or a family."""
    return bool(listed.HOUSEHOLD.search("_".join(words(name)))) and meaning(name) != "weight"


def is_of_household(name: str) -> bool:
    """Whether the name of a survey weight suggests that it is one of households: hhwt, wgtp."""
    joined = "_".join(words(name))
    return bool(listed.HOUSEHOLD.search(joined) or listed.HOUSEHOLD_WEIGHT.search(joined))


def is_strong(name: str) -> bool:
    """Whether a number identifies people even if it has few values: patient_id, ssn."""
    said = words(name)
    joined = "_".join(said)
    strong = set(said) & (listed.PERSON - _NOT_STRONG)
    return bool(listed.NATIONAL.search(joined) or strong or joined.endswith("id"))


def is_quantity(name: str) -> bool:
    """Whether the name suggests an amount, a time or a place that many people share.

    >>> is_quantity("capital-gain"), is_quantity("PWGTP"), is_quantity("page_no")
    (True, True, False)
    """
    said = words(name)
    is_known = set(said) & (listed.QUANTITY | listed.PLACE)
    return bool(is_known) or any(map(listed.QUANTITY_STEM.search, said[-1:]))


def is_code(name: str) -> bool:
    """Whether the name suggests categories, which may be written as numbers: sex, state, race.

    >>> is_code("istatenum"), is_code("marital_status"), is_code("donation"), is_code("age")
    (True, True, False, False)
    """
    joined = "_".join(words(name))
    return bool(listed.SEX.search(joined) or listed.CODED.search(joined))


def is_trait(name: str) -> bool:
    """Whether all rows of one person agree on the column: sex, date of birth."""
    return bool(listed.SEX.search("_".join(words(name)))) or is_birth(name)


def is_birth(name: str) -> bool:
    """Whether the name suggests a date or a year of birth: not a place, not a country."""
    said = words(name)
    return bool(listed.BIRTH.search("_".join(said))) and not set(said) & listed.THING


def _is_number(said: list[str]) -> bool:
    """Whether the words name a number that identifies something: pid, chart no, hash, seqn."""
    if not said:
        return False
    known, last = set(said), said[-1]
    if known & listed.ID or any(map(_is_id, said)) or listed.RECORD_COMPOUND.fullmatch(last):
        return True
    if known & listed.RECORD and known & listed.NUMBER:
        return True
    stem = re.fullmatch(r"(\w{2,})(nr|nbr|num|nummer|numero|number)", last)
    if stem:
        return not any(len(thing) > 3 and thing in stem[1] for thing in listed.THING)
    return last in listed.NUMBER and not known & listed.QUANTITY  # zip code


def _is_id(word: str) -> bool:
    """Whether a word ends in "id" as "utilityid" and "pid" do, unlike "covid" and "paid"."""
    return word.endswith("id") and len(word) > 2 and not listed.NOT_AN_ID.search(word)


def _is_person_number(said: list[str]) -> bool:
    """Whether the words name a person's number: patient number, Kundennummer, or just patient."""
    if any(map(listed.PERSON_COMPOUND.fullmatch, said)):
        return True
    if len(said) == 1:
        return said[0] in (listed.PERSON | listed.LONE_PERSON) - {"personal", "record"}
    return any({*pair} & listed.PERSON and {*pair} & listed.NUMBER for pair in pairwise(said))
