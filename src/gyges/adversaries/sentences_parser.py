"""The language of attackers' knowledge: sentences over what single people have.

    sentence    = implication { "<->" implication }
    implication = choice { "->" choice }                a -> b -> c reads a -> (b -> c)
    choice      = union { "or" union }
    union       = part { "and" part }
    part        = "not" part | "(" sentence ")" | atom | count
    atom        = person ("=" | "!=") value
                | person ("<" | "<=" | ">" | ">=") number
                | person "from" number "to" number
                | person "within" number ["%"] "of" number
    count       = amount "of (" sentence { "," sentence } ")"
                | amount "of (" person { "," person } ")" ("have" | "has") value
                | "all of (" person { "," person } ") share a value"
    amount      = ("at least" | "at most" | "exactly") n | "all" | "any" | "none"

A name is a few words, or anything in quotes; `=` reads "has", `!=` "does not have". A person may be
described instead of named: {age=42, sex=M}. The atoms and implications are those of [Martin2007,
Def. 1, Def. 2], closed under the connectives. A count is short for a sentence of these: of a family
it says that exactly one has it, that at least two do, or that all share a value.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import cast, get_args

from gyges.adversaries.sentences_syntax import (
    LOOSE_TO_TIGHT,
    And,
    AtLeast,
    Atom,
    Exactly,
    InRange,
    Not,
    Or,
    Sentence,
    Share,
)  # fmt: skip
from gyges.adversaries.sentences_tokens import COMPARISONS, Tokens
from gyges.errors import RuleError, SentenceError
from gyges.exact import fraction

_MOST_NESTED = 100  # parentheses inside one another
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_AMOUNT = re.compile(
    rf"(?:(at least|at most|exactly) (\d{{1,9}}|{'|'.join(_NUMBERS)})|all|any|none) of"
)
_RANGE = re.compile(r"(?:(.*) )?(?:from (\S+) to (\S+)|within ([^\s%]+)( ?%)? of (\S+))", re.DOTALL)


def parse(text: str | Sentence) -> Sentence:
    """Read a sentence; one that was read is returned.

    >>> parse("not Ed = Mumps and Ed != Flu -> Ed = 'Lung Cancer'")  # doctest: +ELLIPSIS
    Implies(parts=(And(parts=(Not(part=Atom(person='Ed', value='Mumps')), Not(...
    >>> print(parse("exactly one of (Ann, Bob) has Flu"))
    exactly 1 of (Ann = Flu, Bob = Flu)
    """
    if isinstance(text, get_args(Sentence)):
        return cast("Sentence", text)
    if not isinstance(text, str):
        raise SentenceError(f"a sentence is a text such as 'Ed = Flu', not {type(text).__name__}")
    return _Parser(text).sentence()


class _Parser:
    def __init__(self, text: str) -> None:
        self._next = Tokens(text)
        self._depth = 0

    def sentence(self) -> Sentence:
        found = self._compound()
        if self._next.kind != "end":
            raise self._next.error("expected 'and', 'or', '->', '<->' or the end")
        return found

    def _compound(self, looseness: int = 0) -> Sentence:
        """A sentence of a connective, from loose to tight, or of tighter ones only."""
        if looseness == len(LOOSE_TO_TIGHT):
            return self._part()
        kind = LOOSE_TO_TIGHT[looseness]
        parts = [self._compound(looseness + 1)]
        while self._next.took(kind.connective):
            parts.append(self._compound(looseness + 1))
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def _part(self) -> Sentence:
        is_denied = False
        while self._next.took("not"):
            is_denied = not is_denied
        if self._next.comes("("):
            found = self._bracketed()
        else:
            name, words = self._name_and_words()
            is_count = name is None and self._next.comes("(")
            found = self._count(words) if is_count else self._atom(name, words)
        return Not(found) if is_denied else found

    def _bracketed(self) -> Sentence:
        self._open()
        found = self._compound()
        self._close()
        return found

    def _open(self) -> None:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise SentenceError(f"the sentence nests more than {_MOST_NESTED} parentheses")
        self._next.took("(")

    def _close(self) -> None:
        if not self._next.took(")"):
            raise self._next.error("expected ')'")
        self._depth -= 1

    def _name_and_words(self) -> tuple[str | None, str]:
        """A person in quotes or described, and the words up to the next sign."""
        name = None
        if self._next.kind == "quoted":
            name = self._next.unquoted()
        elif self._next.kind == "described":
            name = self._next.token
            self._next.advance()
        words = " ".join(self._next.words())
        if name is None and not words:
            raise self._next.error("expected a person")
        return name, words

    def _atom(self, name: str | None, words: str) -> Sentence:
        """What one person has, once the person and the words after it are read."""
        in_range = _RANGE.fullmatch(words)
        if in_range and (name is None) == (in_range[1] is not None):
            return self._range(name or in_range[1], in_range)
        if name is not None and words:
            raise self._next.error(f"expected '=' or '!=' after {name!r}")
        person = name or words
        if self._next.took("!="):
            return Not(Atom(person, self._value()))
        if self._next.took("="):
            return Atom(person, self._value())
        if self._next.comes(*COMPARISONS):
            return self._comparison(person)
        raise self._next.error(f"expected '=' or '!=' after {person!r}")

    def _comparison(self, person: str) -> InRange:
        sign = self._next.token
        self._next.advance()
        number = self._number(self._value())
        low, high = (None, number) if sign[0] == "<" else (number, None)
        return InRange(person, low, high, is_open=len(sign) == 1)

    def _range(self, person: str, found: re.Match[str]) -> InRange:
        if found[2] is not None:
            low, high = self._number(found[2]), self._number(found[3])
            if low > high:
                raise SentenceError(f"no number is from {found[2]} to {found[3]}: exchange them")
            return InRange(person, low, high)
        margin, middle = self._number(found[4]), self._number(found[6])
        if margin < 0:
            raise SentenceError(f"no number is within {found[4]} of another: give a margin above 0")
        if found[5]:
            margin = abs(middle) * margin / 100
        return InRange(person, middle - margin, middle + margin)

    def _count(self, words: str) -> Sentence:
        amount = _AMOUNT.fullmatch(words)
        if amount is None:
            raise self._next.error(
                "expected '=' or '!=' before '(', or an amount such as 'at least 2 of'"
            )
        self._next.lists_open += 1
        self._open()
        people = [self._listed()]
        while self._next.took(","):
            people.append(self._listed())
        self._next.lists_open -= 1
        self._close()
        parts = [one for one in people if not isinstance(one, str)]
        names = [one for one in people if isinstance(one, str)]
        if parts and names:
            raise self._next.error("a list holds people or sentences, not both")
        if len(set(names)) < len(names):
            raise self._next.error("a person is listed twice")
        return self._amount(amount, parts) if parts else self._about(amount, names)

    def _listed(self) -> Sentence | str:
        """A sentence, or the name of a person before a comma or the end of the list."""
        if self._next.comes("(", "not"):
            return self._compound()
        start = self._next.place
        name, words = self._name_and_words()
        is_name = (name is None or not words) and not _RANGE.fullmatch(words)
        if is_name and self._next.comes(",", ")"):
            return name or words
        self._next.place = start
        return self._compound()

    def _about(self, amount: re.Match[str], names: list[str]) -> Sentence:
        """What the people of a list have, which stands after it."""
        verb = self._next.token if self._next.kind == "word" else ""
        if verb == "share" and amount[0] == "all of":
            if self._next.words() == ["share", "a", "value"]:
                return Share(tuple(names))
        elif verb in ("have", "has"):
            self._next.expects_value = True
            self._next.advance()
            value = self._value()
            return self._amount(amount, [Atom(name, value) for name in names])
        raise self._next.error("expected 'have' and a value, or 'share a value' after 'all of (…)'")

    def _amount(self, amount: re.Match[str], parts: list[Sentence]) -> Sentence:
        if amount[0] == "all of":
            return And(tuple(parts)) if len(parts) > 1 else parts[0]
        some = Or(tuple(parts)) if len(parts) > 1 else parts[0]
        if amount[1] is None:
            return some if amount[0] == "any of" else Not(some)
        n = _NUMBERS[amount[2]] if amount[2] in _NUMBERS else int(amount[2])
        if n > len(parts):
            raise SentenceError(
                f"{amount[0]} {len(parts)} is impossible: list more, or ask for fewer"
            )
        if amount[1] == "exactly":
            return Exactly(n, tuple(parts))
        if amount[1] == "at least":
            return AtLeast(n, tuple(parts))
        return AtLeast(0, tuple(parts)) if n == len(parts) else Not(AtLeast(n + 1, tuple(parts)))

    def _value(self) -> str:
        if self._next.kind == "quoted":
            return self._next.unquoted()
        words = self._next.words()
        if not words:
            raise self._next.error("expected a value")
        return " ".join(words)

    def _number(self, text: str) -> Fraction:
        try:
            return fraction(text)
        except RuleError:
            raise self._next.error(f"{text!r} is not a number") from None
