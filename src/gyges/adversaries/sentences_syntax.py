"""Sentences about what single people have, as they are written: see sentences_parser.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

from gyges.adversaries.sentences_tokens import KEYWORDS
from gyges.exact import text_of_fraction

_UNQUOTED = re.compile(r"[^\W_](?:[\w./-]*\w)?")  # a name that needs no quotes


@dataclass(frozen=True, slots=True)
class Atom:
    """A person has a value."""

    person: str
    value: str

    def __str__(self) -> str:
        return f"{quoted(self.person)} = {_quoted_value(self.value)}"


@dataclass(frozen=True, slots=True)
class InRange:
    """A person has a number between two, or on one side of a number."""

    person: str
    low: Fraction | None
    high: Fraction | None
    is_open: bool = False  # without the ends

    def holds(self, number: Fraction) -> bool:
        """Whether a number lies in the range."""
        if self.is_open and number in (self.low, self.high):
            return False
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )

    def __str__(self) -> str:
        person, equal = quoted(self.person), "" if self.is_open else "="
        if self.low is None and self.high is not None:
            return f"{person} <{equal} {text_of_fraction(self.high)}"
        assert self.low is not None
        if self.high is None:
            return f"{person} >{equal} {text_of_fraction(self.low)}"
        return f"{person} from {text_of_fraction(self.low)} to {text_of_fraction(self.high)}"


@dataclass(frozen=True, slots=True)
class Share:
    """Some value is had by all of these people."""

    people: tuple[str, ...]

    def __str__(self) -> str:
        return f"all of ({', '.join(map(quoted, self.people))}) share a value"


@dataclass(frozen=True, slots=True)
class Not:
    """A sentence is false."""

    part: Sentence

    def __str__(self) -> str:
        if isinstance(self.part, Atom):
            return f"{quoted(self.part.person)} != {_quoted_value(self.part.value)}"
        return f"not {_bracketed(self.part)}"


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least `n` of the parts are true."""

    n: int
    parts: tuple[Sentence, ...]

    def __str__(self) -> str:
        return f"at least {self.n} of ({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Exactly:
    """`n` of the parts are true, and no more."""

    n: int
    parts: tuple[Sentence, ...]

    def __str__(self) -> str:
        return f"exactly {self.n} of ({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Compound:
    """Sentences with a connective between them."""

    parts: tuple[Sentence, ...]
    connective: ClassVar[str]

    def __str__(self) -> str:
        return f" {self.connective} ".join(map(_bracketed, self.parts))


class And(Compound):
    """All parts are true."""

    __slots__ = ()
    connective = "and"


class Or(Compound):
    """A part is true."""

    __slots__ = ()
    connective = "or"


class Implies(Compound):
    """If all parts but the last are true, so is the last."""

    __slots__ = ()
    connective = "->"


class Iff(Compound):
    """`a <-> b <-> c`, read from the left: each "<->" says that both sides agree."""

    __slots__ = ()
    connective = "<->"


Simple: TypeAlias = Atom | InRange | Share
Sentence: TypeAlias = Simple | Not | And | Or | Implies | Iff | AtLeast | Exactly
LOOSE_TO_TIGHT = (Iff, Implies, Or, And)


def simple_parts(sentence: Sentence) -> Iterator[Simple]:
    """The atoms, ranges and shared values in a sentence."""
    waiting = [sentence]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (Atom, InRange, Share)):
            yield part
        elif isinstance(part, Not):
            waiting.append(part.part)
        else:
            waiting += part.parts


def people_in(sentence: Sentence) -> set[str]:
    """The people whom a sentence names or describes."""
    found = set[str]()
    for part in simple_parts(sentence):
        found.update(part.people if isinstance(part, Share) else (part.person,))
    return found


def conjunction(parts: tuple[Sentence, ...]) -> Sentence:
    """All of the parts, at least one."""
    return parts[0] if len(parts) == 1 else And(parts)


def quoted(name: str) -> str:
    """A name as it is written in a sentence.

    >>> quoted("Flu"), quoted("Lung Cancer"), quoted("not")
    ('Flu', '"Lung Cancer"', '"not"')
    """
    is_described = name.startswith("{") and name.endswith("}")
    return name if is_described else _quoted_value(name)


def _quoted_value(name: str) -> str:
    """A value as it is written in a sentence: in quotes unless it is one plain word."""
    if _UNQUOTED.fullmatch(name) and name not in KEYWORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _bracketed(part: Sentence) -> str:
    inner = part.part if isinstance(part, Not) else part
    return str(part) if isinstance(inner, Atom) else f"({part})"
