"""How many people, in words.

Where no column identifies people, rows were counted: then no text may state a number of people.
Every surface takes its words from here.
"""

from __future__ import annotations

import re

from gyges.exact import counted

_NUMBER_OF_PEOPLE = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)( more)? (people|person)\b")
_SHARE_OF_PEOPLE = re.compile(r"(%\)? of (?:all|the)) people\b")
_UNIQUE = re.compile(r"(rows?(?: \([^()]*\))?) (has|have) a unique row")
_PAIRS_OF_PEOPLE = re.compile(r"\b(pairs of|combinations of values as) people\b")
_LABEL = re.compile(r"^people in (the smallest|a) group")


def counted_people(n: int, rows_are_people: bool) -> str:
    """A number of people; if rows were counted, of rows.

    >>> counted_people(8001, False), counted_people(8001, True)
    ('8,001 people', '8,001 rows, each counted as one person,')
    """
    if rows_are_people:
        return f"{counted(n, 'row')}, each counted as one person,"
    return counted(n, "person")


def as_counted(text: str, rows_are_people: bool) -> str:
    """A sentence about the people of a release; if rows were counted, about rows.

    >>> as_counted("every group has at least 5 people", True)
    'every group has at least 5 rows'
    >>> as_counted("age: 1 person is unique; 20% of the people are exposed", True)
    'age: 1 row is unique; 20% of the rows are exposed'
    """
    if not rows_are_people or "population" in text:  # the population is counted by itself
        return text
    said = _about(text, "row", "rows")
    return _UNIQUE.sub(
        lambda found: f"{found[1]} {'looks' if found[2] == 'has' else 'look'} like no other", said
    )


def as_members(text: str) -> str:
    """A sentence about the people of a release in which some values belong to nobody.

    >>> as_members("20 of 45 people (44.4%) have a unique row")
    '20 of 45 members (44.4%) have a unique row'
    """
    return text if "population" in text else _about(text, "member", "members")


def _about(text: str, one: str, many: str) -> str:
    """The sentence with another noun where it states a number or a share of people."""

    def number(found: re.Match[str]) -> str:
        n, more, noun = found.groups()
        return f"{n}{more or ''} {one if noun == 'person' else many}"

    said = _NUMBER_OF_PEOPLE.sub(number, _LABEL.sub(rf"{many} in \1 group", text))
    return _PAIRS_OF_PEOPLE.sub(rf"\1 {many}", _SHARE_OF_PEOPLE.sub(rf"\1 {many}", said))
