"""The language of attackers' knowledge: sentences over atoms `person = value`.

    sentence    = implication { "<->" implication }
    implication = choice { "->" choice }                a -> b -> c reads a -> (b -> c)
    choice      = union { "or" union }
    union       = part { "and" part }
    part        = "not" part | "(" sentence ")" | name ("=" | "!=") name

A name is a few words, or anything in quotes; `=` reads "has", `!=` "does not have". The atoms and
implications are those of [Martin2007, Def. 1, Def. 2], closed under the connectives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from gyges.errors import SentenceError

_TOKEN = re.compile(
    r"""\s*(?:(?P<sign><->|->|!=|[()=])
      |(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      |(?P<word>(?:[^\s()=!<"'-]|-(?!>)|!(?!=)|<(?!->))(?:[^\s()=!<-]|-(?!>)|!(?!=)|<(?!->))*)
      |(?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)
_UNQUOTED = re.compile(r"[^\W_](?:[\w./-]*\w)?")  # a name that needs no quotes
_KEYWORDS = ("not", "and", "or")
_MOST_NESTED = 100  # parentheses inside one another


@dataclass(frozen=True, slots=True)
class Atom:
    """A person has a value."""

    person: str
    value: str

    def __str__(self) -> str:
        return f"{quoted(self.person)} = {quoted(self.value)}"


@dataclass(frozen=True, slots=True)
class Not:
    """A sentence is false."""

    part: Sentence

    def __str__(self) -> str:
        if isinstance(self.part, Atom):
            return f"{quoted(self.part.person)} != {quoted(self.part.value)}"
        return f"not {_bracketed(self.part)}"


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


Sentence: TypeAlias = Atom | Not | And | Or | Implies | Iff
_LOOSE_TO_TIGHT = (Iff, Implies, Or, And)


def parse(text: str) -> Sentence:
    """Read a sentence.

    >>> parse("not Ed = Mumps and Ed != Flu -> Ed = 'Lung Cancer'")  # doctest: +ELLIPSIS
    Implies(parts=(And(parts=(Not(part=Atom(person='Ed', value='Mumps')), Not(...
    """
    if not isinstance(text, str):
        raise SentenceError(f"a sentence is a text such as 'Ed = Flu', not {type(text).__name__}")
    return _Parser(text).sentence()


def conjunction(parts: tuple[Sentence, ...]) -> Sentence:
    """All of the parts, at least one."""
    return parts[0] if len(parts) == 1 else And(parts)


def quoted(name: str) -> str:
    """A name as it is written in a sentence.

    >>> quoted("Flu"), quoted("Lung Cancer"), quoted("not")
    ('Flu', '"Lung Cancer"', '"not"')
    """
    if _UNQUOTED.fullmatch(name) and name not in _KEYWORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _bracketed(part: Sentence) -> str:
    return str(part) if isinstance(part, (Atom, Not)) else f"({part})"


class _Parser:
    """Reads a text from left to right; `kind` and `token` are what comes next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._tokens = self._read()
        self._advance()

    def sentence(self) -> Sentence:
        found = self._compound()
        if self._kind != "end":
            raise self._error("expected 'and', 'or', '->', '<->' or the end")
        return found

    def _compound(self, looseness: int = 0) -> Sentence:
        """A sentence of a connective, from loose to tight, or of tighter ones only."""
        if looseness == len(_LOOSE_TO_TIGHT):
            return self._part()
        kind = _LOOSE_TO_TIGHT[looseness]
        parts = [self._compound(looseness + 1)]
        while self._took(kind.connective):
            parts.append(self._compound(looseness + 1))
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def _part(self) -> Sentence:
        is_denied = False
        while self._took("not"):
            is_denied = not is_denied
        found = self._group() if self._took("(") else self._atom()
        return Not(found) if is_denied else found

    def _group(self) -> Sentence:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise SentenceError(f"the sentence nests more than {_MOST_NESTED} parentheses")
        found = self._compound()
        if not self._took(")"):
            raise self._error("expected ')'")
        self._depth -= 1
        return found

    def _atom(self) -> Sentence:
        person = self._name("a person")
        if self._took("!="):
            return Not(Atom(person, self._name("a value")))
        if self._took("="):
            return Atom(person, self._name("a value"))
        raise self._error(f"expected '=' or '!=' after {person!r}")

    def _name(self, what: str) -> str:
        if self._kind == "quoted":
            name = re.sub(r"\\(.)", r"\1", self._token[1:-1], flags=re.DOTALL)
            self._advance()
            return name
        words = []
        while self._kind == "word":
            words.append(self._token)
            self._advance()
        if not words:
            raise self._error(f"expected {what}")
        return " ".join(words)

    def _took(self, token: str) -> bool:
        if self._kind not in ("sign", "keyword") or self._token != token:
            return False
        self._advance()
        return True

    def _advance(self) -> None:
        self._kind, self._token, self._at = next(self._tokens)

    def _read(self) -> Iterator[tuple[str, str, int]]:
        at = 0
        while True:
            found = _TOKEN.match(self._text, at)
            if found is None or found.lastgroup is None:
                self._at = at
                raise self._error("a quote is not closed, or a sign is not part of the language")
            kind, token = found.lastgroup, found[found.lastgroup]
            if kind == "word" and token in _KEYWORDS:
                kind = "keyword"
            yield kind, token, found.start(found.lastgroup)
            at = found.end()

    def _error(self, problem: str) -> SentenceError:
        rest = self._text[self._at :].strip()
        where = f"at {rest[:20]!r}" if rest else "at its end"
        shouted = [word for word in _KEYWORDS if f" {word.upper()} " in f" {self._text} "]
        hint = f"; write {shouted[0]!r} in lower case" if shouted else ""
        return SentenceError(
            f"the sentence is malformed {where} (character {self._at + 1}): {problem}{hint}; "
            f'a sentence looks like: 1.1 = "Lung Cancer" and not (1.2 = Flu -> 1.3 = Flu)'
        )
