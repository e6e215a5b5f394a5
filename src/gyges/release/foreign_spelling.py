"""Labels of numbers and dates as other software and other languages write them, in plain spellings.

`$10,000 to $19,999`, `20 bis unter 30`, `65 years and over`, `>=20 and <30`, `Interval(20, 30,
closed='left')` and `１０～１９` become what label_spans.py reads: `10000 to 19999`, `20 <= x < 30`,
`65 and over`, `[20;30)`. What stays ambiguous (is `1.000` a thousand?) is returned in every
reading.
"""

from __future__ import annotations

import html
import re
import unicodedata

from gyges.release.label_spans import DASHES

_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_WRAPPED = re.compile(r"(?:frozenset|set|c|list|tuple)\((.*)\)", re.DOTALL)
_QUOTED = re.compile(r"(['\"])([^'\"]*)\1")
_PANDAS = re.compile(r"Interval\(([^,]+),\s*([^,]+),\s*closed='(left|right|both|neither)'\)")
_BRACKETS = {"left": ("[", ")"), "right": ("(", "]"), "both": ("[", "]"), "neither": ("(", ")")}

_MONEY = re.compile(r"\b(?:usd|eur|gbp|chf)\b|[$€£¥]", re.IGNORECASE)
_UNITS = re.compile(
    r"(?<=[\d\s])(?:years?(?: of age| old)?|yrs?|y/?o|y|ans|an|jahren?|años|anni|anos|jaar)\b\.?|"
    r"^(?:ages?|aged|alter|âge)\b\s*:?",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d)[ '’_](?=\d{3}(?!\d))")
_SHORT = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)\s?([km])\b", re.IGNORECASE)
_SHORT_BOTH = re.compile(r"(\d+)(\s*(?:-|to)\s*\d+)\s?([km])\b", re.IGNORECASE)
_POWERS = {"k": 3, "m": 6}

# Words of other languages, and longer English ones, in those that are read.
_WORDS = [
    (r"(?<=\d)\s*(?:bis|à|a|hasta|até|tot|till|until|through|thru|do|до)\s+(?=\D{0,15}\d)", " to "),
    (r"(?<=\d)-?to-?(?=\d)", " to "),
    (r"(?:über|plus de|más de|mais de|più di|meer dan|older than|ouder dan|gt)\s*(?=\d)", "over "),
    (r"(?:unter|weniger als|jünger als|moins de|menos de|meno di|minder dan|onder|younger than"
     r"|smaller than|lower than|prior to|vor|lt)\s*(?=\d)", "under "),
    (r"(?:bis|jusqu'à|hasta|até|fino a|max\.?|upto|no more than|not more than|le)\s*(?=\d)",
     "up to "),
    (r"(?:ab|von|à partir de|desde|a partir de|vanaf|min\.?|no less than|not less than|ge)"
     r"\s*(?=\d)(?!.*\sto\s)", "at least "),
    (r"(?:von|de|da|van)\s+(?=\d)", "from "),
    (r"(?<=[\d\s])(?:\+|(?:und|et|oder|y|o|en|e|ou|and|or|&)\s+(?:älter|mehr|plus|más|mais|oltre"
     r"|meer|ouder|over|above|older|more|up|upwards?)|plus|upwards?)$", " and over"),
    (r"(?<=[\d\s])(?:und|et|oder|y|o|en|e|ou|and|or|&)\s+(?:jünger|weniger|moins|menos|meno"
     r"|minder|jonger|under|below|younger|less)$", " and under"),
]  # fmt: skip
_PATTERNS = [(re.compile(rf"(?:^|(?<=\W)|(?<=\d)){words}", re.IGNORECASE), plain) for words, plain
             in _WORDS]  # fmt: skip

_N = r"([+-]?\d(?:[\d.,/-]*\d)?)"
_NAME = r"(?:[A-Za-z]\w*\s*)?"
_BOTH = re.compile(
    rf"{_NAME}>(=?)\s*{_N}?\s*(?:and|und|et|y|e|en|&+|,|;|\s)\s*{_NAME}<(=?)\s*{_N}", re.IGNORECASE
)
_TO_BELOW = re.compile(rf"{_N}\s*(?:-|\.\.|to)\s*(?:<|under|below|less than)\s*{_N}", re.IGNORECASE)
_MIXED = re.compile(rf"([\[\](])\s*{_N}\s*(?:\s-\s|-|\.\.+|:|\sto\s)\s*{_N}\s*([\[\])])")
_ANGLES = re.compile(r"([<⟨\[(\]])([^<>=⟨⟩]+)[,;]([^<>=⟨⟩]+)([>⟩\])\[])")
_COLON = re.compile(r"(\[?)(-?\d+)\s*:\s*(-?\d+)(\]?)")
_ENDLESS = re.compile(rf"(?:-inf|-infinity)\s*(?:-|\.\.|to)\s*{_N}", re.IGNORECASE)
_ENDLESS_UP = re.compile(rf"{_N}\s*(?:-|\.\.|to)\s*\+?inf(?:inity)?", re.IGNORECASE)

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_FULL = "uary|ruary|ch|il|e|y|ust|t|tember|ober|ember"
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})(?:{_FULL})?\.?"
_YEAR = r"(?P<year>\d{4})"
_NAME_MONTH = re.compile(rf"{_MONTH}[\s-]*{_YEAR}", re.IGNORECASE)
_MONTH_NAME = re.compile(rf"{_YEAR}[\s-]*{_MONTH}", re.IGNORECASE)
_HALF = re.compile(rf"(?:[HS](?=[12])|(?=[12][HS]))(?P<n>[12])[HS]?[\s/-]*{_YEAR}", re.IGNORECASE)
_YEAR_HALF = re.compile(rf"{_YEAR}[\s/-]*[HS](?P<n>[12])", re.IGNORECASE)
_ISO = r"\d{4}-\d\d(?:-\d\d)?"
_ISO_SPAN = re.compile(rf"^({_ISO})\s*[/:]\s*({_ISO})$")
_ANY = r"[*#?_xX]+"
_PERIODS = [
    (re.compile(r"[Qq]([1-4])[/.-](\d{4})"), r"\2-Q\1"),
    (re.compile(r"([1-4])[Qq]\s*(\d{4})"), r"\2-Q\1"),
    (re.compile(r"(\d{4})/[Qq]([1-4])"), r"\1-Q\2"),
    (re.compile(r"(\d{4})[-\s]?[Mm](0[1-9]|1[0-2])"), r"\1-\2"),
    (re.compile(r"(\d{4})(0[1-9]|1[0-2])"), r"\1-\2"),
    (re.compile(rf"(?:{_ANY}[/.-])?(0[1-9]|1[0-2])[/.-](\d{{4}})"), r"\2-\1"),
    (re.compile(rf"(\d{{4}}-\d\d)-{_ANY}"), r"\1"),
    (re.compile(rf"(\d{{4}})(?:[-/.]?{_ANY})+"), r"\1"),
    (re.compile(rf"(?:{_ANY}[/.-])+(\d{{4}})"), r"\1"),
]  # fmt: skip

_COMMA_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POINT_THOUSANDS = re.compile(r"(?<=\d)\.(?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_NUMBERS = re.compile(r"\d(?:[\d.,]*\d)?")
_THOUSAND = 1000
_IS_A_SPAN = re.compile(
    r"[<>+]|\d\s*-\s*\d|\.\.|\b(?:to|over|under|up|from|between|more|less|at)\b|^[\[(\]]"
)


def visible(label: str) -> str:
    """A label without the marks that nobody sees: of byte order, of direction, of no width.

    Those that join letters or keep them apart belong to words of some languages, and stay.

    >>> visible("\ufeff130**"), visible("20\u200b-29")
    ('130**', '20-29')
    """
    return label if label.isprintable() else _INVISIBLE.sub("", label)


def unwrapped(label: str) -> str:
    """A label without quotes around it, `set(…)` or `c(…)`, and HTML's names of signs."""
    text = html.unescape(label).strip()
    quoted, wrapped = _QUOTED.fullmatch(text), _WRAPPED.fullmatch(text)
    if quoted:
        return quoted[2].strip()
    if wrapped is None:
        return text
    inner = wrapped[1].strip()
    return inner if inner[:1] in "[{(" else "{" + inner + "}"


def plain_spellings(label: str, *, up_to: float = 0) -> list[str]:
    """The ways to read a label of numbers that other software wrote.

    `up_to`: the largest value of a column of whole numbers, in which `1,000` is a thousand.

    >>> plain_spellings("$10,000 to $19,999"), plain_spellings("20 bis unter 30")
    (['10000 to 19999', '10.000 to 19.999'], ['20 <= x < 30'])
    """
    text = _THOUSANDS.sub("", _UNITS.sub("", _MONEY.sub("", _plain_signs(label))))
    for words, plain in _PATTERNS:
        text = words.sub(plain, text)
    text = _SHORT_BOTH.sub(r"\1\3\2\3", _in_signs(" ".join(text.split())))
    return [_SHORT.sub(_written_out, one) for one in _separated(text, up_to)]


def plain_period(label: str) -> str:
    """A label of dates that other software wrote, as `label_spans` reads it.

    >>> plain_period("Jan 2024"), plain_period("H1 2024"), plain_period("**.01.2024")
    ('2024-01', '2024-01..2024-06', '2024-01')
    """
    text = _plain_signs(label)
    for words, plain in _PATTERNS:
        text = words.sub(plain, text)
    text = _ISO_SPAN.sub(r"\1..\2", _in_signs(" ".join(text.split())))
    month = _MONTH_NAME.fullmatch(text) or _NAME_MONTH.fullmatch(text)
    if month:
        return f"{month['year']}-{_MONTHS.index(month['name'][:3].lower()) + 1:02}"
    half = _HALF.fullmatch(text) or _YEAR_HALF.fullmatch(text)
    if half:
        return f"{half['year']}-" + ("01..{0}-06" if half["n"] == "1" else "07..{0}-12").format(
            half["year"]
        )
    for pattern, plain in _PERIODS:
        found = pattern.fullmatch(text)
        if found:
            return found.expand(plain)
    return text


def _plain_signs(label: str) -> str:
    """Without quotes, with the signs of ASCII, and pandas' intervals in brackets."""
    text = unicodedata.normalize("NFKC", unwrapped(label).replace("…", "..")).translate(DASHES)
    interval = _PANDAS.fullmatch(text)
    if interval:
        left, right = _BRACKETS[interval[3]]
        text = f"{left}{interval[1]};{interval[2]}{right}"
    for sign, plain in (("≤", "<="), ("≥", ">="), ("⩽", "<="), ("⩾", ">=")):
        text = text.replace(sign, plain)
    return text


def _in_signs(text: str) -> str:
    """Two comparisons, brackets around a range, and endless ranges as `label_spans` reads them."""
    both, below, colon = (one.fullmatch(text) for one in (_BOTH, _TO_BELOW, _COLON))
    if both and both[2]:
        return f"{both[2]} <{both[1]} x <{both[3]} {both[4]}"
    if below:
        return f"{below[1]} <= x < {below[2]}"
    if colon and bool(colon[1]) == bool(colon[4]):
        return f"{colon[2]}..{colon[3]}"
    mixed, angles = _MIXED.fullmatch(text), _ANGLES.fullmatch(text)
    if mixed and mixed[1] + mixed[4] not in ("()", "[]"):
        return f"{mixed[1]}{mixed[2]};{mixed[3]}{mixed[4]}"
    if angles and {angles[1], angles[4]} & set("<>⟨⟩"):
        left, right = (_SQUARE.get(sign, sign) for sign in (angles[1], angles[4]))
        return f"{left}{angles[2]};{angles[3]}{right}"
    down, up = _ENDLESS.fullmatch(text), _ENDLESS_UP.fullmatch(text)
    return f"<={down[1]}" if down else f">={up[1]}" if up else text


_SQUARE = {"<": "[", ">": "]", "⟨": "[", "⟩": "]"}


def _separated(text: str, up_to: float) -> list[str]:
    """The readings of commas and points between digits, where the label is a range or comparison.

    A lone `1,000` or `1,5` is refused: nothing tells a thousand, a decimal and a list apart.
    """
    is_list = text[:1] == "{"
    numbers = _NUMBERS.findall(text)
    marks = {mark for mark in ",." if any(mark in one for one in numbers)}
    if len(marks) == 1 and up_to >= _THOUSAND and not is_list and _IS_A_SPAN.search(text):
        [mark] = marks
        if all(re.fullmatch(rf"[1-9]\d{{0,2}}(?:\{mark}\d{{3}})+|\d{{1,3}}", n) for n in numbers):
            return [re.sub(rf"(?<=\d)\{mark}(?=\d{{3}})", "", text)]
    if not _DECIMAL.search(text) or text[:1] in "[](){}" or not _IS_A_SPAN.search(text):
        return [text]
    whole = _COMMA_THOUSANDS.sub("", text)
    readings = [] if _DECIMAL.search(whole) else [whole]
    if not re.search(r",\d{3},", text):
        readings.append(_DECIMAL.sub(".", _POINT_THOUSANDS.sub("", text)))
    return readings


def _written_out(found: re.Match[str]) -> str:
    """`10k` as `10000`."""
    number = float(found[1]) * 10 ** _POWERS[found[2].lower()]
    return f"{number:.0f}" if number.is_integer() else str(number)
