"""Labels of numbers and dates as spans of the line: `20-29`, `[20, 30)`, `≥40`, `3*`, `2024-Q1`.

Every common spelling is read (ARX, sdcMicro, Amnesia, pandas, R, spreadsheets, our own). Where a
spelling is ambiguous the span covers more, so that nobody is wrongly excluded:

- `20-29`, `20..29` and `20 to 29` include both ends. Ends that are written as whole numbers include
  the fractions above them: 29.5 is in `20-29`.
- A star is one digit: `130**` is 13000 to 13099.99…; a single one may be several (`readings`):
  `19*` is 190 to 199.99… and 1900 to 1999.99….
- `1900s` is a decade and a century: it is read as the century, `1000s` as the thousand.
- A comma or point may separate numbers, thousands or decimals: all readings count (`readings`).
- Comparisons in words ("under 30", "over 65") include the number itself.
- A day includes all of its moments, a month or year all of its days.

What is not read is None: the caller refuses it by name.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gyges.data.values import Kind, Value, as_kind, guess_kind, positions

_TELLS_APART = 2.0**52  # below this a double and the double that is larger by 1 differ
MASK = "*#?_•xX"  # what stands for a hidden character


@dataclass(frozen=True, slots=True)
class Span:
    """Everything from `low` to `high`; whether each of the ends is inside."""

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True


Reader: TypeAlias = Callable[[str], Span | None]  # of one number, day or period

# Signs that mean the same; the dashes of typographers are minus signs here.
DASHES = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‒": "-", "∞": "inf", "…": "..", "＜": "<",
     "＞": ">", "\u00a0": " ", "\u2009": " ", "\u202f": " "}
)  # fmt: skip
_SIGNS = (("≤", "<="), ("⩽", "<="), ("≦", "<="), ("≥", ">="), ("⩾", ">="), ("≧", ">="))
_BRACKETS = re.compile(r"([\[\](])\s*(.*?)\s*(,|;)\s*(.*?)\s*([\[\])])")
_WRAPPED = re.compile(r"[\[(]\s*([^,;]+?)\s*[\])]")
_COMPARED = re.compile(r"(<=|=<|>=|=>|<|>|==?)\s*([^<>=]+)")
_BETWEEN = re.compile(r"([^<>=]+?)\s*(<=|<)\s*[^<>=]+?\s*(<=|<)\s*([^<>=]+)")
_PLUS = re.compile(r"(.+?)\s*\+")
_WORDS_BELOW = re.compile(
    r"(?:under|below|less than|fewer than|at most|up to|until|before)\s+(.+)|"
    r"(.+?)\s+(?:and|or)\s+(?:under|below|less|fewer|younger|lower|earlier|before)",
    re.IGNORECASE,
)
_WORDS_ABOVE = re.compile(
    r"(?:over|above|more than|greater than|at least|from|since|after)\s+(.+)|"
    r"(.+?)\s+(?:and|or)\s+(?:over|above|more|older|higher|up|later|after)",
    re.IGNORECASE,
)
_WORDS_RANGE = re.compile(
    r"(?:from\s+|between\s+)?(.+?)\s*(?:\.{2,3}|~|\s(?:to|and|bis)\s)\s*(.+)", re.IGNORECASE
)
_UNBOUNDED = ("none", "null", "na")
_FLIPPED = {"=<": "<=", "=>": ">=", "=": "==", "==": "=="}


_ONE_STAR = re.compile(r"[+-]?\d+\*")
_MOST_HIDDEN = 15  # digits that a single star may stand for
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POINTS = re.compile(r"(?<=\d)\.(?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_SEPARATED = re.compile(r"[;|]|,\s|\d\s*(?:-|\.\.)|\sto\s")


def readings(label: str) -> list[str]:
    """The ways to read a label of numbers that other software wrote, each without ambiguity.

    >>> readings("[1,000; 2,000]")
    ['[1,000; 2,000]', '[1000; 2000]', '[1.000; 2.000]']
    """
    text = label.translate(DASHES).strip()
    if _ONE_STAR.fullmatch(text):
        return [text + "*" * more for more in range(_MOST_HIDDEN)]
    without_points = _POINTS.sub("", text)
    found = [label, without_points]
    if text[:1] in "[](){}":
        commas = [_THOUSANDS.sub("", text), _DECIMAL.sub(".", text)]
        commas.append(_DECIMAL.sub(".", without_points))
        found += [one for one in commas if text[:1] == "{" or _SEPARATED.search(one)]
    return list(dict.fromkeys(found))


def span_of(label: str, kind: Kind) -> Span | None:
    """The span that a label of numbers or dates means; None where it is not understood."""
    text = label.translate(DASHES).strip()
    for sign, plain in _SIGNS:
        text = text.replace(sign, plain)
    read = _number if kind is Kind.NUMBER else _period
    found = read(text)
    for way in (_in_brackets, _compared, _in_words, _between):
        found = found or way(text, read)
    return found if found is not None and _has_something(found) else None


def _has_something(span: Span) -> bool:
    both = span.with_low and span.with_high
    return span.low < span.high or (span.low == span.high and both)


def _in_brackets(text: str, read: Reader) -> Span | None:
    """`[20, 30)`, `[20,30[`, `]20;30]`, `(-inf, 5]`; `[20-29]` as without brackets."""
    found = _BRACKETS.fullmatch(text)
    if found is None:
        wrapped = _WRAPPED.fullmatch(text)
        return _between(wrapped[1], read) if wrapped else None
    left, low, _, high, right = found.groups()
    below = _endless(low, read, ("", "*", "-inf", "-infinity", *_UNBOUNDED, "min"))
    above = _endless(high, read, ("", "*", "inf", "+inf", "infinity", *_UNBOUNDED, "max"))
    if below is None or above is None:
        return None
    return _joined(below, above, left == "[", right == "]")


def _endless(text: str, read: Reader, signs: tuple[str, ...]) -> Span | None:
    if text.lower() in signs:
        return Span(-math.inf, math.inf)
    return read(text)


def _joined(below: Span, above: Span, with_low: bool, with_high: bool) -> Span:
    """From one period to another: from its start if that is inside, else from its end."""
    low = (below.low, below.with_low) if with_low else (below.high, not below.with_high)
    high = (above.high, above.with_high) if with_high else (above.low, not above.with_low)
    if math.isinf(below.low):
        low = (-math.inf, True)
    if math.isinf(above.high):
        high = (math.inf, True)
    return Span(low[0], high[0], low[1], high[1])


def _compared(text: str, read: Reader) -> Span | None:
    """`<30`, `<= 30`, `>40`, `>=40`, `40+`, `20 <= x < 30`."""
    everything = Span(-math.inf, math.inf)
    both = _BETWEEN.fullmatch(text)
    if both is not None:
        below, above = read(both[1]), read(both[4])
        if below is None or above is None:
            return None
        return _joined(below, above, both[2] == "<=", both[3] == "<=")
    found = _COMPARED.fullmatch(text) or _PLUS.fullmatch(text)
    if found is None:
        return None
    sign, number = (found[1], found[2]) if len(found.groups()) == 2 else (">=", found[1])
    sign, end = _FLIPPED.get(sign, sign), read(number.strip())
    if end is None or sign == "==":
        return end
    if sign.startswith("<"):
        return _joined(everything, end, True, sign == "<=")
    return _joined(end, everything, sign == ">=", True)


def _in_words(text: str, read: Reader) -> Span | None:
    """`under 30`, `at least 40`, `65 and over`: the number itself counts as inside."""
    everything = Span(-math.inf, math.inf)
    for words, is_below in ((_WORDS_BELOW, True), (_WORDS_ABOVE, False)):
        found = words.fullmatch(text)
        end = read((found[1] or found[2]).strip()) if found else None
        if end is not None:
            ends = (everything, end) if is_below else (end, everything)
            return _joined(*ends, True, True)
    return None


def _between(text: str, read: Reader) -> Span | None:
    """`20-29`, `20 - 29`, `20..29`, `20 to 29`, `-10--5`: both ends are inside."""
    found = _WORDS_RANGE.fullmatch(text)
    if found is not None:
        pairs = [(found[1], found[2])]
    else:
        dashes = [place for place, character in enumerate(text) if character == "-"]
        pairs = [(text[:place].strip(), text[place + 1 :].strip()) for place in dashes]
    ends = [(read(low), read(high)) for low, high in pairs]
    spans = [_joined(low, high, True, True) for low, high in ends if low and high]
    if len(spans) != 1:
        return None
    [span], is_whole = spans, all(part.lstrip("+-").isdigit() for pair in pairs for part in pair)
    if read is _number and is_whole and abs(span.high) < _TELLS_APART:
        return Span(span.low, span.high + 1, True, False)  # 29.5 is in 20-29
    return span


_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_TENS = re.compile(r"(\d*0)s")
_MASKED = re.compile(rf"([+-]?)(\d+)(\.?\d*)([{re.escape(MASK)}]+)")


def _number(text: str) -> Span | None:
    """One number, or one whose last digits are hidden: `3*`, `3.1*`, `130XX`, `1980s`."""
    if _PLAIN.fullmatch(text):
        number = float(text)
        return Span(number, number) if math.isfinite(number) else None
    tens = _TENS.fullmatch(text)
    if tens is not None:
        width = 10.0 ** max(len(tens[1]) - len(tens[1].rstrip("0")), 1)
        return Span(float(tens[1]), float(tens[1]) + width, True, False)
    found = _MASKED.fullmatch(text)
    if found is None or len(text) > 300:
        return None
    shown, hidden = float(found[2] + found[3]), len(found[4])
    if found[3]:
        low, width = shown, 10.0 ** -(len(found[3]) - 1)
    else:
        low, width = shown * 10.0**hidden, 10.0**hidden
    if found[1] == "-":
        return Span(-low - width, -low, False, True)
    return Span(low, low + width, True, False)


_X = rf"[{re.escape(MASK)}]"
_PERIODS = re.compile(
    rf"(?P<century>\d\d)(?:00s|{_X}{{2}})(?:[-/.]{_X}{{2}}){{0,2}}|"
    rf"(?P<decade>\d{{3}})(?:0s|{_X})(?:[-/.]{_X}{{2}}){{0,2}}|"
    rf"(?P<year>\d{{4}})(?:[-/.]{_X}{{2}}){{0,2}}|"
    r"(?P<qyear>\d{4})[- ]?[Qq](?P<quarter>[1-4])|[Qq](?P<quarter2>[1-4])[- ](?P<qyear2>\d{4})|"
    r"(?P<wyear>\d{4})-?W(?P<week>\d{2})|"
    rf"(?P<myear>\d{{4}})[-/.](?P<month>\d{{2}})(?:[-/.]{_X}{{2}})?|"
    r"(?P<dyear>\d{4})[-/.]?(?P<dmonth>\d{2})[-/.]?(?P<day>\d{2})"
)


def _period(text: str) -> Span | None:
    """A day, a moment, or a week, month, quarter, year, decade or century of the calendar."""
    if guess_kind([text]) is Kind.DATE and len(text) > len("2024-01-31"):
        values: list[Value] = as_kind([text], Kind.DATE, "label")
        moment = float(positions(values, Kind.DATE)[0])
        return Span(moment, moment)
    found = _PERIODS.fullmatch(text)
    if found is None:
        return None
    parts = {name: int(part) for name, part in found.groupdict().items() if part is not None}
    try:
        first, after = _first_days(parts)
    except ValueError:  # no such day, month or week
        return None
    return Span(first, after, True, False)


def _first_days(parts: dict[str, int]) -> tuple[float, float]:
    """The first day of a period and the first one after it, as ordinals."""
    if "century" in parts:
        return _years(parts["century"] * 100, 100)
    if "decade" in parts:
        return _years(parts["decade"] * 10, 10)
    if "year" in parts:
        return _years(parts["year"], 1)
    if "week" in parts:
        monday = datetime.date.fromisocalendar(parts["wyear"], parts["week"], 1).toordinal()
        return monday, monday + 7
    if "quarter" in parts or "quarter2" in parts:
        year = parts.get("qyear", parts.get("qyear2", 0))
        return _months(year, 3 * parts.get("quarter", parts.get("quarter2", 0)) - 2, 3)
    if "month" in parts:
        return _months(parts["myear"], parts["month"], 1)
    day = datetime.date(parts["dyear"], parts["dmonth"], parts["day"]).toordinal()
    return day, day + 1


def _years(first: int, count: int) -> tuple[float, float]:
    low = datetime.date(max(first, 1), 1, 1).toordinal()
    return low, datetime.date(min(first + count - 1, 9999), 12, 31).toordinal() + 1


def _months(year: int, month: int, count: int) -> tuple[float, float]:
    low = datetime.date(year, month, 1).toordinal()
    year, month = year + (month + count - 1) // 12, (month + count - 1) % 12 + 1
    if year > 9999:
        return low, datetime.date.max.toordinal() + 1
    return low, datetime.date(year, month, 1).toordinal()
