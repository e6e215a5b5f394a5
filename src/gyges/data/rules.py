"""Rules that coarsen any value: intervals of numbers, prefixes of codes, units of the calendar.

Each rule turns values into rows of labels: the value itself first, `*` last.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from gyges.data.values import MISSING, Value, text_of
from gyges.errors import HierarchyError

TOP = "*"


def check_widths(widths: Sequence[int | float]) -> None:
    """Refuse interval widths that do not nest."""
    if not widths or any(not (isinstance(w, (int, float)) and 0 < w < math.inf) for w in widths):
        raise HierarchyError("intervals need positive widths, such as intervals(5, 10, 20)")
    for finer, coarser in itertools.pairwise(widths):
        if coarser <= finer or _exact(coarser) % _exact(finer):
            raise HierarchyError(
                f"intervals of {coarser} cannot be put together from intervals of {finer}: "
                f"each width must be a multiple of the one before"
            )


def interval_rows(values: Sequence[Value], widths: Sequence[int | float]) -> list[tuple[str, ...]]:
    """Each number with its interval of every width; intervals start at multiples of the width."""
    numbers = [None if text_of(value) == MISSING else _number(value) for value in values]
    known = [number for number in numbers if number is not None]
    in_whole_numbers = all(n.denominator == 1 for n in [*known, *map(_exact, widths)])
    rows = []
    for value, number in zip(values, numbers, strict=True):
        if number is None:
            labels = [MISSING for _ in widths]
        else:
            labels = [_interval(number, width, in_whole_numbers) for width in widths]
        rows.append((text_of(value), *labels, TOP))
    return rows


def _number(value: Value) -> Fraction:
    try:
        return Fraction(text_of(value))
    except (ValueError, ZeroDivisionError):
        raise HierarchyError(
            f"intervals need numbers, not {text_of(value)!r}: give the column another hierarchy"
        ) from None


def _exact(number: int | float) -> Fraction:
    """A width as it is written: 0.1 means a tenth, so that 0.3 begins an interval."""
    return Fraction(str(number))


def _interval(number: Fraction, width: int | float, in_whole_numbers: bool) -> str:
    start = number // _exact(width) * _exact(width)
    end = start + _exact(width)
    if in_whole_numbers and start >= 0:
        return f"{int(start)}-{int(end) - 1}"
    return f"[{text_of(float(start))}, {text_of(float(end))})"


def prefix_rows(values: Sequence[Value]) -> list[tuple[str, ...]]:
    """Each code with its prefixes, one character shorter a level, masked to the longest length."""
    texts = [text_of(value) for value in values]
    length = max((len(text) for text in texts if text != MISSING), default=1)
    rows = []
    for text in texts:
        if text == MISSING:
            rows.append((MISSING,) * length + (TOP,))
        else:
            masked = [text[: length - hidden] + "*" * hidden for hidden in range(1, length)]
            rows.append((text, *masked, TOP))
    return rows


_UNITS: dict[str, Callable[[datetime.date], str]] = {
    "week": lambda date: f"{date.isocalendar().year}-W{date.isocalendar().week:02d}",
    "month": lambda date: f"{date.year:04d}-{date.month:02d}",
    "quarter": lambda date: f"{date.year:04d}-Q{(date.month + 2) // 3}",
    "year": lambda date: f"{date.year:04d}",
    "decade": lambda date: f"{date.year // 10 * 10}s",
}


def check_units(units: Sequence[str]) -> None:
    """Refuse calendar units that are unknown, out of order, or do not nest."""
    order = list(_UNITS)
    if any(unit not in order for unit in units) or sorted(units, key=order.index) != list(units):
        raise HierarchyError(
            f"calendar units are {', '.join(order)}, from fine to coarse; "
            f"these were given: {', '.join(map(str, units))}"
        )
    if "week" in units and len(units) > 1:
        raise HierarchyError("a week may lie in two months or two years: use 'week' alone")


def calendar_rows(values: Sequence[Value], units: Sequence[str]) -> list[tuple[str, ...]]:
    """Each date with the month, quarter, … that it lies in."""
    rows = []
    for value in values:
        if text_of(value) == MISSING:
            labels = [MISSING for _ in units]
        else:
            date = _date(value)
            labels = [_UNITS[unit](date) for unit in units]
        rows.append((text_of(value), *labels, TOP))
    return rows


def _date(value: Value) -> datetime.date:
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(text_of(value))
    except ValueError:
        raise HierarchyError(
            f"calendar units need dates like 2024-01-31, not {text_of(value)!r}"
        ) from None
