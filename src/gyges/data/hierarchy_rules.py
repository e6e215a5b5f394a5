"""Rules that generalize any value: intervals and cuts of numbers, prefixes of codes, calendars.

Each rule turns values into rows of labels: the value itself first, `*` last.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

from gyges.arguments import shown
from gyges.data.values import MISSING, Value, text_of
from gyges.errors import HierarchyError
from gyges.exact import exactly

TOP = "*"
LEAST_WIDTH, MOST_WIDTH = 1e-100, 1e100  # of an interval


def check_widths(widths: Sequence[object]) -> None:
    """Refuse interval widths that do not nest."""
    if not widths or not all(_is_width(width) for width in widths):
        raise HierarchyError(
            "intervals need positive widths from 1e-100 to 1e100, such as intervals(5, 10, 20)"
        )
    for finer, coarser in itertools.pairwise(cast("Sequence[int | float]", widths)):
        if coarser <= finer or _exact(coarser) % _exact(finer):
            raise HierarchyError(
                f"intervals of {coarser} are not unions of intervals of {finer}: each width must "
                f"be a multiple of the one before"
            )


def _is_width(width: object) -> bool:
    if isinstance(width, bool) or not isinstance(width, (int, float)):
        return False
    return LEAST_WIDTH <= width <= MOST_WIDTH


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


def check_cuts(points: Sequence[object]) -> None:
    """Refuse points that are no numbers, or do not grow."""
    are_numbers = all(
        isinstance(one, (int, float)) and not isinstance(one, bool) and abs(one) <= 1e100
        for one in points
    )
    grow = are_numbers and all(float(a) < float(b) for a, b in itertools.pairwise(points))  # type: ignore[arg-type]
    if not points or not grow:
        raise HierarchyError("cuts need numbers that grow, such as cuts(18, 30, 65)")


def cut_rows(values: Sequence[Value], points: Sequence[int | float]) -> list[tuple[str, ...]]:
    """Each number with the interval between two points; the ends are open: <18, 18-64, >=65."""
    numbers = [None if text_of(value) == MISSING else _number(value) for value in values]
    known = [number for number in numbers if number is not None]
    in_whole_numbers = all(n.denominator == 1 for n in [*known, *map(_exact, points)])
    rows: list[tuple[str, ...]] = []
    for value, number in zip(values, numbers, strict=True):
        label = MISSING if number is None else _between(number, points, in_whole_numbers)
        rows.append((text_of(value), label, TOP))
    return rows


def _between(number: Fraction, points: Sequence[int | float], in_whole_numbers: bool) -> str:
    place = sum(_exact(point) <= number for point in points)
    if place == 0:
        return f"<{text_of(points[0])}"
    start = points[place - 1]
    if place == len(points):
        return f">={text_of(start)}"
    if in_whole_numbers and start >= 0:
        return f"{int(start)}-{int(points[place]) - 1}"
    return f"[{text_of(float(start))}, {text_of(float(points[place]))})"


def _number(value: Value) -> Fraction:
    try:
        number = exactly(text_of(value))
        float(number)  # the bounds of its intervals are written as floats
        return number
    except (ValueError, ZeroDivisionError, OverflowError):
        raise HierarchyError(
            f"intervals need numbers, not {shown(text_of(value))}: give the column another "
            f"hierarchy"
        ) from None


def _exact(number: int | float) -> Fraction:
    """A width as it is written: 0.1 means a tenth, so that an interval starts at 0.3."""
    return Fraction(str(number))


def _interval(number: Fraction, width: int | float, in_whole_numbers: bool) -> str:
    start = number // _exact(width) * _exact(width)
    end = start + _exact(width)
    if in_whole_numbers and start >= 0:
        return f"{int(start)}-{int(end) - 1}"
    if float(start) == float(end):
        raise HierarchyError(
            f"intervals of {width} are too narrow for numbers of this size: choose a greater width"
        )
    return f"[{text_of(float(start))}, {text_of(float(end))})"


def prefix_rows(values: Sequence[Value]) -> list[tuple[str, ...]]:
    """Each code with its prefixes, one character shorter per level, padded to the longest code."""
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


def check_units(units: Sequence[object]) -> None:
    """Refuse calendar units that are unknown, out of order, or do not nest."""
    order = list(_UNITS)
    if (
        not units
        or any(not isinstance(unit, str) or unit not in order for unit in units)
        or sorted(set(units), key=order.index) != list(units)  # type: ignore[arg-type]
    ):
        raise HierarchyError(
            f"calendar units are {', '.join(map(shown, units))}: choose from {', '.join(order)}, "
            f"from fine to coarse"
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
    text = text_of(value)
    try:
        return datetime.date.fromisoformat(f"{text}-01" if len(text) == len("2024-01") else text)
    except ValueError:
        raise HierarchyError(
            f"calendar units need dates like 2024-01-31, not {text_of(value)!r}"
        ) from None
