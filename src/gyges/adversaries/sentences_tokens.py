"""The words and signs of a sentence about people.

What belongs to a word depends on where it stands. In a value only quotes, brackets and connectives
end a word: `<30` is one. In the name of a person `<` and `>` are signs, and within a list a comma
is one too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, TypeAlias

from gyges.errors import SentenceError

COMPARISONS: Final = ("<=", ">=", "<", ">")
KEYWORDS: Final = ("not", "and", "or")
_BEFORE_VALUES = ("=", "!=", *COMPARISONS)

Kind: TypeAlias = Literal["sign", "quoted", "described", "word", "keyword", "end"]


class Tokens:
    """A text read from left to right: `kind` and `token` are what comes next."""

    kind: Kind
    token: str

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._end = 0
        self.expects_value = False
        self.lists_open = 0  # lists inside one another, in which a comma is a sign
        self.advance()

    def advance(self) -> None:
        """Read the next token; what it may be depends on the one before."""
        found = _pattern(self.expects_value, self.lists_open > 0).match(self._text, self._end)
        if found is None or found.lastgroup is None:
            self._at = self._end
            raise self.error("a quote is not closed, or a sign is not part of the language")
        self.kind = found.lastgroup  # type: ignore[assignment]
        self.token = found[found.lastgroup]
        if self.kind == "word" and self.token in KEYWORDS:
            self.kind = "keyword"
        if self.kind in ("sign", "keyword"):
            self.expects_value = self.token in _BEFORE_VALUES
        self._at, self._end = found.start(found.lastgroup), found.end()

    @property
    def place(self) -> tuple[Kind, str, int, int, bool]:
        """Where the reading stands; setting it goes back there."""
        return self.kind, self.token, self._at, self._end, self.expects_value

    @place.setter
    def place(self, place: tuple[Kind, str, int, int, bool]) -> None:
        self.kind, self.token, self._at, self._end, self.expects_value = place

    def took(self, token: str) -> bool:
        """Pass over a sign or keyword, if it comes next."""
        if not self.comes(token):
            return False
        self.advance()
        return True

    def comes(self, *tokens: str) -> bool:
        """Whether one of these signs or keywords comes next."""
        return self.kind in ("sign", "keyword") and self.token in tokens

    def words(self) -> list[str]:
        """The words up to the next sign, keyword or quote."""
        words = []
        while self.kind == "word":
            words.append(self.token)
            self.advance()
        return words

    def unquoted(self) -> str:
        """The text of a quoted name; pass over it."""
        name = re.sub(r"\\(.)", r"\1", self.token[1:-1], flags=re.DOTALL)
        self.advance()
        return name

    def error(self, problem: str) -> SentenceError:
        """What is wrong with the sentence at this place."""
        rest = self._text[self._at :].strip()
        where = f"at {rest[:20]!r}" if rest else "at its end"
        shouted = [word for word in KEYWORDS if f" {word.upper()} " in f" {self._text} "]
        hint = f"; write {shouted[0]!r} in lower case" if shouted else ""
        return SentenceError(
            f"the sentence is malformed {where} (character {self._at + 1}): {problem}{hint}; "
            f'a sentence looks like: 1.1 = "Lung Cancer" and not (1.2 = Flu -> 1.3 = Flu)'
        )


@cache
def _pattern(in_value: bool, in_list: bool) -> re.Pattern[str]:
    """What a token is at one of the four kinds of place."""
    signs = r"<->|->|!=|[()=]" if in_value else r"<->|->|!=|<=|>=|[()=<>]"
    barred = "<" if in_value else "<>"
    inside = r"|-(?!>)|!(?!=)" + (r"|<(?!->)" if in_value else "")
    if in_list:
        signs, barred = signs + "|,", barred + ","
    described = "" if in_value else r"""|(?P<described>\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})"""
    return re.compile(
        rf"""\s*(?:(?P<sign>{signs})
          |(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'){described}
          |(?P<word>(?:[^\s()=!"'{barred}-]{inside})(?:[^\s()=!{barred}-]{inside})*)
          |(?P<end>\Z))""",
        re.VERBOSE | re.DOTALL,
    )
