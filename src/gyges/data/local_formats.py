"""Dates and numbers as people write them: 31.12.2024, 12/31/2024, 31-Dec-2024, 1.234,5.

A format is a text that the schema states for a column. In a format of dates, `dd` is the day, `mm`
the month, `Mon` its name, `yyyy` the year, and `yy` a year of this century; all else stands for
itself. A time of day may follow. `1.234,5` is a format of numbers with a decimal comma, `1,234.5`
one with commas between thousands. A format is found only if it fits every value; where days and
months could be exchanged, none is. Where all numbers of a column have the same currency or percent
sign, it is dropped.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final
from unicodedata import combining, normalize

from gyges.arguments import shown
from gyges.data.values import Value, text_of
from gyges.errors import SchemaError

DECIMAL_COMMA: Final = "1.234,5"
THOUSANDS_COMMA: Final = "1,234.5"
_SPACES = "'’\u00a0\u202f "
_NUMBERS = {
    DECIMAL_COMMA: re.compile(rf"[+-]?(\d{{1,3}}([.{_SPACES}]\d{{3}})+|\d+)(,\d+)?"),
    THOUSANDS_COMMA: re.compile(rf"[+-]?(\d{{1,3}}([,{_SPACES}]\d{{3}})+|\d+)(\.\d+)?"),
}
_SIGNS = r"[€$£¥₹₽₺%‰]|EUR|USD|GBP|CHF|JPY|PLN|CZK|HUF|SEK|NOK|DKK|zł|Kč|kr\.?|Fr\."
_SIGNED = re.compile(
    rf"(?P<minus>[+-]?)(?:(?P<before>{_SIGNS})\s*(?P<second>[+-]?)(?P<left>\d.*)"
    rf"|(?P<right>\d.*?)\s*(?P<after>{_SIGNS}))"
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+")
_TOKEN = re.compile(r"yyyy|yy|dd|mm|Mon")
_TIME = (
    r"(?:(?:,? +|T)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
_DATES = (
    "dd.mm.yyyy", "dd/mm/yyyy", "mm/dd/yyyy", "dd-mm-yyyy", "mm-dd-yyyy", "yyyy/mm/dd",
    "yyyy.mm.dd", "yyyymmdd", "dd.mm.yy", "dd/mm/yy", "mm/dd/yy", "dd-mm-yy", "mm-dd-yy",
    "dd-Mon-yyyy", "dd Mon yyyy", "dd. Mon yyyy", "dd.Mon.yyyy", "dd/Mon/yyyy", "dd de Mon de yyyy",
    "Mon dd, yyyy", "Mon dd yyyy", "dd-Mon-yy", "dd Mon yy", "yyyy-Mon-dd",
)  # fmt: skip
FORMATS: Final = (*_DATES, *_NUMBERS)  # that are known; a project may state others
_EARLIEST, _LAST = 1800, 2199  # years; others are numbers that look like dates
_LATEST = 50  # two digits of a year; later ones may mean 1950
_MONTHS = """
    jan january januar janvier enero gennaio janeiro januari styczen stycznia ene gen sty
    feb february februar fevrier febrero febbraio fevereiro februari luty lutego fev fevr lut
    mar march marz maerz mars marzo marco maart marzec marca mrz mrt
    apr april avril abril aprile kwiecien kwietnia avr abr kwi
    may mai mayo maggio maio mei maj mag
    jun june juni juin junio giugno junho czerwiec czerwca giu cze
    jul july juli juillet julio luglio julho lipiec lipca juil lug lip
    aug august aout agosto augustus augusti sierpien sierpnia ago aou sie
    sep september septembre septiembre settembre setembro wrzesien wrzesnia sept set wrz
    oct october oktober octobre octubre ottobre outubro pazdziernik pazdziernika okt ott out paz
    nov november novembre noviembre novembro listopad listopada lis
    dec december dezember decembre diciembre dicembre dezembro grudzien grudnia dez dic gru
    """
_MONTH_OF = {
    word: number
    for number, line in enumerate(_MONTHS.strip().splitlines(), start=1)
    for word in line.split()
}


def check_format(stated: object, column: str) -> str:
    """Read a format from a schema."""
    if isinstance(stated, str) and (stated in _NUMBERS or _is_date_format(stated)):
        return stated
    raise SchemaError(
        f"column {column!r} has the format {shown(stated)}: write dates with dd, mm (or Mon) and "
        f"yyyy (or yy), such as dd.mm.yyyy, and numbers as {DECIMAL_COMMA} or {THOUSANDS_COMMA}"
    )


def _is_date_format(stated: str) -> bool:
    parts = sorted(_TOKEN.findall(stated))
    years = [part for part in parts if part.startswith("y")]
    return "dd" in parts and len(years) == 1 and len(parts) == 3 and bool({"mm", "Mon"} & {*parts})


def in_plain_format(values: Sequence[Value], stated: str, column: str) -> list[Value]:
    """Values in a local format as numbers and dates that every engine writes alike."""
    if stated in _NUMBERS and len(_signs(value for value in values if isinstance(value, str))) > 1:
        raise SchemaError(
            f"column {column!r} has numbers with different currency or percent signs, or with and "
            f"without one: convert them to one unit"
        )
    read = [_plain(value, stated) for value in values]
    strange = read.count(None)
    if strange:
        raise SchemaError(
            f"column {column!r}: {strange:,} different values are not written as {stated}: correct "
            f"them, list marks of missing values under missing_marks, or change the format"
        )
    return [value for value in read if value is not None]


def _plain(value: Value, stated: str) -> Value | None:
    """The value in plain format; None if it is not written in the stated one."""
    if isinstance(value, datetime.date):
        return value
    text = text_of(value).strip()
    if stated in _NUMBERS:
        if not isinstance(value, str):
            return value
        decimal = "," if stated == DECIMAL_COMMA else "."
        _, text = _without_sign(text)
        return _number(text, decimal) if _NUMBERS[stated].fullmatch(text) else None
    return _date(text, stated)


def _without_sign(text: str) -> tuple[str, str]:
    """The currency or percent sign of a number, and the number without it.

    >>> _without_sign("-1.234,50 €"), _without_sign("$-5"), _without_sign("12")
    (('€', '-1.234,50'), ('$', '-5'), ('', '12'))
    """
    found = _SIGNED.fullmatch(text)
    if found is None:
        return "", text
    minus = f"{found['minus']}{found['second'] or ''}"
    return found["before"] or found["after"], f"{minus}{found['left'] or found['right']}"


def _signs(texts: Iterable[str]) -> set[str]:
    return {_without_sign(text.strip())[0] for text in texts}


def _number(text: str, decimal: str) -> str:
    whole, _, fraction = text.partition(decimal)
    digits = "".join(c for c in whole if c.isdigit()).lstrip("0") or "0"
    sign = "-" if text.startswith("-") else ""
    return f"{sign}{digits}.{fraction}" if fraction else f"{sign}{digits}"


def _date(text: str, stated: str) -> str | None:
    """The date, or the point in time, in ISO format."""
    found = _pattern(stated).fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    month = _month(parts["name"]) if parts.get("name") else int(parts.get("month") or 0)
    year = int(parts["year"]) + (2000 if len(parts["year"]) == 2 else 0)
    if not _EARLIEST <= year <= _LAST:
        return None
    try:
        day = datetime.date(year, month, int(parts["day"]))
        return day.isoformat() if parts["hour"] is None else _with_time(day, parts)
    except ValueError:
        return None


def _with_time(day: datetime.date, parts: dict[str, str]) -> str:
    hour = int(parts["hour"])
    if parts["half"]:
        hour = hour % 12 + 12 * (parts["half"].lower() == "p")
    time = datetime.time(hour, int(parts["minute"]), int(parts["second"] or 0))
    return datetime.datetime.combine(day, time).isoformat()


def _month(name: str) -> int:
    """The month of a name in a European language; 0 if it is none."""
    spelled = name.casefold().rstrip(".").replace("ä", "ae")
    plain = "".join(c for c in normalize("NFKD", spelled) if not combining(c))
    return _MONTH_OF.get(plain, _MONTH_OF.get(plain[:3], 0) if len(plain) < 5 else 0)


@lru_cache(maxsize=64)
def _pattern(stated: str) -> re.Pattern[str]:
    """The format as a pattern; parts that follow each other directly have two digits."""
    short = r"\d{2}" if "##" in _TOKEN.sub("#", stated) else r"\d{1,2}"
    forms = {
        "dd": rf"(?P<day>{short})", "mm": rf"(?P<month>{short})", "Mon": r"(?P<name>[^\W\d_]+\.?)",
        "yyyy": r"(?P<year>\d{4})", "yy": r"(?P<year>\d{2})",
    }  # fmt: skip
    pieces = re.split(f"({_TOKEN.pattern})", stated)
    return re.compile("".join(forms.get(piece, re.escape(piece)) for piece in pieces) + _TIME)


def date_formats(texts: Sequence[str]) -> list[str]:
    """The formats in which all texts are dates: several if days and months can be exchanged.

    >>> date_formats(["31.12.2024", "1.2.2025"]), date_formats(["1/2/2024"])
    (['dd.mm.yyyy'], ['dd/mm/yyyy', 'mm/dd/yyyy'])
    """
    return [one for one in _DATES if texts and _all_fit(texts, one) and not _is_old(texts, one)]


def number_format(texts: Sequence[str], *, commas_known: bool = False) -> str | None:
    """The format in which all texts are numbers, if it is certain; None for plain numbers.

    "1,234" may be a decimal or not: a text with another number of decimals, or with both marks,
    decides. `commas_known`: elsewhere in the table commas are decimal marks.

    >>> number_format(["158,5", "170"]), number_format(["1,234.5"]), number_format(["1,234"])
    ('1.234,5', '1,234.5', None)
    >>> number_format(["5 %", "12.5 %"]), number_format(["5 €", "7 $"]), number_format(["5", "7 %"])
    ('1,234.5', None, None)
    """
    signs, plain = set(), []
    for text in texts:
        sign, number = _without_sign(text.strip())
        signs.add(sign)
        plain.append(number)
        if len(signs) > 1 or not number[-1:].isdigit():
            return None
    found = _plain_number_format(plain, commas_known=commas_known)
    if found or "" in signs or any(map(_THOUSANDS.fullmatch, plain)):
        return found
    return THOUSANDS_COMMA if _all_fit(plain, THOUSANDS_COMMA) else None


def are_signed_numbers(texts: Sequence[str]) -> bool:
    """Whether all texts are numbers, and some have a currency or percent sign.

    >>> are_signed_numbers(["5 €", "7 $"]), are_signed_numbers(["5", "7"])
    (True, False)
    """
    some = False
    for text in texts:
        sign, number = _without_sign(text.strip())
        if not any(form.fullmatch(number) for form in _NUMBERS.values()):
            return False
        some = some or bool(sign)
    return some


def _plain_number_format(texts: Sequence[str], *, commas_known: bool) -> str | None:
    """The format of numbers without signs."""
    if not _all_fit(texts, DECIMAL_COMMA):
        is_grouped = _all_fit(texts, THOUSANDS_COMMA) and any("," in text for text in texts)
        return THOUSANDS_COMMA if is_grouped else None
    marked = [text for text in texts if not text.lstrip("+-").isdigit()]
    decides = [text for text in marked if "," in text and not _THOUSANDS.fullmatch(text)]
    return DECIMAL_COMMA if marked and (decides or commas_known) else None


def _all_fit(texts: Sequence[str], stated: str) -> bool:
    return all(_plain(text, stated) is not None for text in texts)


def _is_old(texts: Iterable[str], stated: str) -> bool:
    """Whether some years of two digits may belong to the last century."""
    if "yyyy" in stated:
        return False
    return any(int(str(_plain(text, stated))[2:4]) >= _LATEST for text in texts)
