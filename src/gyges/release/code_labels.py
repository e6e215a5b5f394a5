"""Labels of codes: what hidden characters, first characters and ranges of codes cover.

`130**` hides characters, `130` may be the first ones of a code, `13000-13099` is a range. Tools
differ in what they do with the signs in a code (`02138-1234`, `SW1A 1AA`, `E11.9`): its part after
a sign may be dropped before characters are hidden, and the signs themselves may be. Spreadsheets
drop the zeros in front. Where a label may mean several things it covers all of them.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gyges.release.label_spans import DASHES, MASK

Covers: TypeAlias = Callable[[str], object]

_HIDDEN_DIGITS = re.compile(rf"[\d{re.escape(MASK)}]+")
_OF_SETS = re.compile(r"[{}|;]")
_SIGN = r"[\s./-]"  # between the parts of a code
_SIGNS = re.compile(_SIGN)
_CODE = re.compile(r"(?=.*\d)[\w./ -]+")
_RANGE = re.compile(r"([A-Za-z]?\d+)\s*(?:-|\.\.|:|\sto\s)\s*([A-Za-z]?\d+)")
_SPAN = re.compile(r"([\[\](])\s*(\d+)\s*[,;]\s*(\d+)\s*([\[\])])")
_HIDDEN_END = re.compile(
    rf"(.*?)(\*+|[#?_•]+|[xX]{{2,}}|(?<={_SIGN})[xX]|(?<=[./ ])-|[-.]{{2,}}|%+)"
)
_NUMBERS = re.compile(rf"[1-9]\d*[{re.escape(MASK)}]*(?:\s*-\s*[1-9]\d*)?")
_PARTS = re.compile(rf"[\d{re.escape(MASK)}]+")


@dataclass(frozen=True, eq=False, repr=False)
class CodeLabels:
    """The codes of a column, ready to read labels of other software."""

    codes: Sequence[str]
    labels: Sequence[str]  # all that the column has
    are_declared: bool  # the column is one of codes, by its schema

    @cached_property
    def are_codes(self) -> bool:
        """Whether the values are codes: declared so, or all with a digit and no other signs."""
        return self.are_declared or (bool(self.codes) and all(map(_CODE.fullmatch, self.codes)))

    @cached_property
    def are_digits(self) -> bool:
        """Whether all values are digits."""
        return bool(self.codes) and all(code.isdigit() for code in self.codes)

    @cached_property
    def length(self) -> int | None:
        """The number of characters if all values have as many."""
        lengths = {len(code) for code in self.codes}
        return lengths.pop() if len(lengths) == 1 else None

    @cached_property
    def lost_zeros(self) -> bool:
        """Whether zeros in front of the labels may have been dropped: none of them has one."""
        return (
            self.are_digits
            and self.length is not None
            and any(code.startswith("0") for code in self.codes)
            and not any(label.lstrip(" [(]{").startswith("0") for label in self.labels)
        )

    @cached_property
    def has_terms(self) -> bool:
        """Whether some label is nobody's value, so that others may be general terms as well."""
        return any(label not in self._known and label.strip("*") for label in self.labels)

    def covers(self, label: str) -> Covers | None:
        """What a label of codes covers; None where it is not understood."""
        texts = [label.translate(DASHES).strip()]
        if self.lost_zeros and _NUMBERS.fullmatch(texts[0]):
            texts.append(_PARTS.sub(lambda part: part[0].rjust(self.length or 0, "0"), texts[0]))
        ways = (self._hidden, self._range, self._first_characters)
        found = [read(text) for text in dict.fromkeys(texts) for read in ways]
        found.append(texts[-1].__eq__ if texts[-1] in self._known else None)
        known = [covers for covers in found if covers is not None]
        return (lambda text: any(covers(text) for covers in known)) if known else None

    def _hidden(self, label: str) -> Covers | None:
        """`02138-****`, `021**`, `SW1A ***`, `E11.x`, and `*.*`, which hides everything."""
        ends = _HIDDEN_END.fullmatch(label)
        if ends is None or not self.are_codes or _OF_SETS.search(label):
            return None
        shown, hidden = ends[1], ends[2]
        if not _SIGNS.sub("", shown).strip(MASK):
            return lambda text: True
        plain = _SIGNS.sub("", shown).rstrip(hidden[0])
        n_hidden = sum(sign == hidden[0] for sign in label[len(shown.rstrip(" ./-" + hidden[0])) :])
        is_rest = n_hidden == 1 or hidden[0] == "%"
        rest = ".*" if is_rest else f".{{0,{n_hidden}}}"
        without_signs = re.compile(_characters(plain, hidden[0]) + rest, re.DOTALL)
        rest = ".*" if is_rest else f".{{0,{len(hidden)}}}(?:{_SIGN}.*)?"
        of_a_part = re.compile(_characters(shown, hidden[0]) + rest, re.DOTALL)
        return lambda text: (
            without_signs.fullmatch(_SIGNS.sub("", text)) or of_a_part.fullmatch(text)
        )

    def _range(self, label: str) -> Covers | None:
        """`13000-13099`, `A00-A09`; of digits also `[13000, 13100)`."""
        ends = _RANGE.fullmatch(label) if self.are_codes else None
        if ends and len(ends[1]) == len(ends[2]) and ends[1] <= ends[2]:
            return lambda text: ends[1] <= text[: len(ends[1])] <= ends[2]
        span = _SPAN.fullmatch(label) if self.are_digits else None
        if span is None or len(span[2]) != len(span[3]) or span[2] > span[3]:
            return None
        n, low, high = len(span[2]), span[2], span[3]
        return lambda text: (
            (low <= text[:n] if span[1] == "[" else low < text[:n])
            and (text[:n] <= high if span[4] == "]" else text[:n] < high)
        )

    def _first_characters(self, label: str) -> Covers | None:
        """The first characters of a code, up to one of its signs where codes differ in length."""
        if not self.are_codes or not _CODE.fullmatch(label):
            return None
        longer = frozenset(self.longer(label))
        if not longer and not (self.are_declared and (label.isdigit() or not self.are_digits)):
            return None
        return longer.__contains__

    def longer(self, label: str) -> list[str]:
        """The codes that start with a label and are longer, if it may be a general term of them.

        One that is somebody's code may be where the column has other general terms.
        """
        if not self.are_codes or (self.are_digits and not label.isdigit()):
            return []
        if label in self._known and not self.are_declared and not self.has_terms:
            return []
        first = bisect_right(self._sorted, label)
        after = bisect_right(self._sorted, label + chr(sys.maxunicode))
        longer = self._sorted[first:after]
        if self.are_declared or self.length is not None:
            return longer
        return [code for code in longer if _SIGNS.match(code[len(label) :])]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.codes)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.codes)


def _characters(shown: str, hidden: str) -> str:
    """A pattern of characters, those that are hidden in the middle being any."""
    return "".join("." if sign == hidden == "*" else re.escape(sign) for sign in shown)
