"""A single value of a column: its kind, its text, its place in the sorted order.

Kinds are guessed from the distinct values of a column, never from its rows: a few hundred distinct
values are enough for a billion rows.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from gyges.arguments import shown
from gyges.errors import GygesError, RuleError, SchemaError, SourceError

Value: TypeAlias = str | int | float | bool | datetime.date | datetime.datetime

MISSING = "(missing)"  # the label of a missing value that is published as a value of its own

_MOST_BITS = 1_000  # of a whole number that is a value
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|[+-]?\.\d+")
_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?"
)
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_NOT_FINITE = frozenset({"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"})


class Kind(StrEnum):
    """How the values of a column relate: on a line, in a calendar, as a code, or not at all."""

    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"
    CODE = "code"  # text such as a zip, even where it looks like a number
    MONTH = "month"  # a date of which only the month is kept


def check_value(value: object, name: str, error: type[GygesError] = RuleError) -> Value:
    """Read a value given as an argument: a text, a number, a boolean or a date."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > _MOST_BITS:
        raise error(f"{name} is {shown(value)}: give a smaller number, or a text")
    if isinstance(value, float) and not math.isfinite(value):
        raise error(f"{name} is {value}: give a finite number, or a text")
    if not isinstance(value, (str, int, float, datetime.date)) or value != value:
        raise error(f"{name} is {shown(value)}: give a text, a number or a date")
    return value


def stated_value(value: object, name: str) -> Value:
    """Read a value that a rule names, as a certificate states it: a date as its text."""
    checked = check_value(value, name)
    return text_of(checked) if isinstance(checked, datetime.date) else checked


def stated_text(value: object, name: str) -> str:
    """Read a value that a rule has an entry for, as a certificate states it: 45.0 is "45"."""
    return text_of(check_value(value, name))


def kind_named(name: object, column: str) -> Kind:
    """Read a kind from a schema."""
    if not isinstance(name, str) or name not in list(Kind):
        kinds = ", ".join(Kind)
        raise SchemaError(f"column {column!r} has the kind {shown(name)}: choose from {kinds}")
    return Kind(name)


def text_of(value: Value | None) -> str:
    """The text that stands for a value in a hierarchy: 45, 45.0 and "45" are one leaf.

    >>> text_of(45.0), text_of("0450"), text_of(4.5)
    ('45', '0450', '4.5')
    """
    if value is None:
        return MISSING
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def guess_kind(values: Iterable[Value]) -> Kind:
    """The kind of a column from its distinct values; an empty column is a category.

    Text that always reads as a number is a number, unless a leading zero shows that it is a code.
    """
    kinds = {_kind_of_one(value) for value in values}
    if kinds == {Kind.NUMBER} or kinds == {Kind.DATE}:
        return kinds.pop()
    return Kind.CODE if Kind.CODE in kinds and kinds <= {Kind.CODE, Kind.NUMBER} else Kind.CATEGORY


def _kind_of_one(value: Value) -> Kind:
    if isinstance(value, str):
        if _NUMBER.fullmatch(value) or value.lower() in _NOT_FINITE:
            return Kind.NUMBER
        if value.isdigit():
            return Kind.CODE
        return Kind.DATE if _is_date(value) else Kind.CATEGORY
    if isinstance(value, bool):
        return Kind.CATEGORY
    return Kind.DATE if isinstance(value, datetime.date) else Kind.NUMBER


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        _date(text)
    except (ValueError, OverflowError):
        return False
    return True


def _date(text: str) -> datetime.date:
    """A date, or a point in time, converted to UTC if it has a time zone."""
    if len(text) == len("2024-01-31"):
        return datetime.date.fromisoformat(text)
    return in_utc(datetime.datetime.fromisoformat(text))


def about_missing(column: str | None, values: Sequence[Value]) -> list[str]:
    """What a missing sensitive value counts as, if there is one among the values."""
    if MISSING not in values:
        return []
    return [f"A missing value of {column!r} counts as one more value, {MISSING}."]


def in_utc(moment: datetime.datetime) -> datetime.datetime:
    """The same moment in UTC if it has a time zone, so that all engines agree on it."""
    try:
        return moment.astimezone(datetime.UTC) if moment.tzinfo is not None else moment
    except OverflowError:
        raise SourceError(
            "a point in time is before the year 1 or after the year 9999 in UTC: correct it, or "
            "drop the column"
        ) from None


def as_kind(values: Sequence[Value], kind: Kind, column: str) -> list[Value]:
    """The same values as Python objects of one kind, in the same order."""
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        raise _not_finite(column)
    if kind is Kind.NUMBER:
        return _as_numbers(values, column)
    if kind is Kind.DATE:
        return _as_dates(values, column)
    if kind is Kind.MONTH:
        return _as_months(values, column)
    if kind is Kind.CODE or any(isinstance(value, str) for value in values):
        return [text_of(value) for value in values]
    return list(values)


def _as_numbers(values: Sequence[Value], column: str) -> list[Value]:
    try:
        numbers = [value if isinstance(value, int) else _number(value) for value in values]
    except (ValueError, TypeError):
        raise SchemaError(
            f"column {column!r} is declared a number but holds other values: declare it a "
            f"category or a code"
        ) from None
    if not all(_is_finite(number) for number in numbers):
        raise _not_finite(column)
    if all(isinstance(number, int) or number.is_integer() for number in numbers):
        return [int(number) for number in numbers]
    return [float(number) for number in numbers]


def _number(value: Value) -> int | float:
    text = str(value)
    try:
        return int(text)  # not through a float: an id of 17 digits keeps its last one
    except ValueError:
        return float(text)


def _is_finite(number: int | float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer that is larger than every float
        return False


def _not_finite(column: str) -> SourceError:
    return SourceError(
        f"column {column!r} holds NaN or an infinite number, which cannot be published: "
        f"correct the column, or make these cells empty and choose missing='drop' or 'value'"
    )


def _as_months(values: Sequence[Value], column: str) -> list[Value]:
    """2024-01 for each date; a text that is a month already stays."""
    whole = [v for v in values if not (isinstance(v, str) and _MONTH.fullmatch(v))]
    month_of = dict(zip(whole, _as_dates(whole, column), strict=True))
    return [text_of(month_of.get(value, value))[: len("2024-01")] for value in values]


def _as_dates(values: Sequence[Value], column: str) -> list[Value]:
    """Dates where every value is a whole day, else points in time."""
    try:
        dates = [v if isinstance(v, datetime.date) else _date(str(v)) for v in values]
    except ValueError:
        raise SchemaError(
            f"column {column!r} is declared a date but holds other values: write dates as "
            f"2024-01-31, or declare it a category"
        ) from None
    if all(_is_whole_day(date) for date in dates):
        return [d.date() if isinstance(d, datetime.datetime) else d for d in dates]
    return list(dates)


def _is_whole_day(date: datetime.date) -> bool:
    if not isinstance(date, datetime.datetime):
        return True
    return date.tzinfo is None and date.time() == datetime.time()


def sort_key(value: Value | None) -> tuple[int, float, str]:
    """Numbers by size, then dates by time, then texts; a missing value comes last."""
    if value is None or value == MISSING:
        return (3, 0.0, "")
    if isinstance(value, (bool, int, float)):
        return (0, value, "")  # not as a float, in which large integers are equal
    if isinstance(value, datetime.date):
        return (1, 0.0, value.isoformat())
    return (2, 0.0, value)


def positions(values: Sequence[Value], kind: Kind) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Where numbers and dates (in days) lie on the line; other kinds at 0, 1, 2, … as sorted."""
    if kind is Kind.NUMBER:
        return np.array([float(v) for v in values], dtype=np.float64)  # type: ignore[arg-type]
    if kind is Kind.DATE:
        return np.array([_day(v) for v in values], dtype=np.float64)
    return np.arange(len(values), dtype=np.float64)


def _day(value: Value) -> float:
    if not isinstance(value, datetime.date):
        return math.nan
    day = float(value.toordinal())
    if isinstance(value, datetime.datetime):
        since_midnight = datetime.datetime.combine(datetime.date.min, value.time())
        day += (since_midnight - datetime.datetime.min) / datetime.timedelta(days=1)
    return day
