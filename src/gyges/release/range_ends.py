"""Where a published range starts and ends: between the values of the table, at round numbers.

The least and the greatest value of a group are those of real people. So a range ends in the gap
between the last value inside and the first one outside, at the roundest number that is no one's
value, and the next range starts there. Consecutive whole numbers and days leave no such gap: then
both ranges extend past one more value, if an unused number is near, and overlap there. Otherwise,
as with ages, the value itself is the end. Ranges of different values never have the same label.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from gyges.arrays import CodeArray
from gyges.data.cells import Domain, distinct_rows
from gyges.data.values import Value, text_of
from gyges.release.coded_labels import CodedLabels

_SECOND = 1_000_000  # moments are counted in microseconds
_DAY = 86_400 * _SECOND
_DAYS_SEARCHED = 4_000  # more than a decade has
_NEAR = 50  # two numbers are near within a fiftieth of the column's range
_DIGITS = 12  # of a number that is sought inside a gap


def range_labels(domain: Domain, lows: CodeArray, highs: CodeArray) -> CodedLabels:
    """The label of each range of codes; the value itself where both ends are one."""
    pairs, where = distinct_rows(np.stack([lows, highs], axis=1), [len(domain)] * 2)
    return CodedLabels.of(_written(domain, *pairs.T.tolist()), where)


def _written(domain: Domain, lows: Sequence[int], highs: Sequence[int]) -> list[str]:
    codes = [code for code, there in enumerate(domain.present) if there]
    rank = {code: place for place, code in enumerate(codes)}
    label = _labeller([domain.values[code] for code in codes])
    return [
        text_of(domain.values[low]) if low == high else label(rank[low], rank[high])
        for low, high in zip(lows, highs, strict=True)
    ]


def _labeller(values: Sequence[Value]) -> Callable[[int, int], str]:
    """A function that labels the range from the i-th to the j-th of a column's values."""
    if len(values) < 2:
        return lambda i, j: text_of(values[i])
    if isinstance(values[0], datetime.datetime):
        return _moments(values)
    if isinstance(values[0], datetime.date):
        return _days(values)
    if all(isinstance(value, int) for value in values):
        return _whole_numbers(values)  # type: ignore[arg-type]
    return _numbers([float(value) for value in values])  # type: ignore[arg-type]


def _whole_numbers(values: Sequence[int]) -> Callable[[int, int], str]:
    first, last = ends(values, roundest_integer)
    if values[0] >= 0:  # without negative values there is no negative end
        first = [max(end, 0) for end in first]

    def label(i: int, j: int) -> str:
        return f"{first[i]}-{last[j]}" if first[i] >= 0 else f"[{first[i]}, {last[j]}]"

    return label


def _days(values: Sequence[Value]) -> Callable[[int, int], str]:
    days = [value.toordinal() for value in values]  # type: ignore[union-attr]
    first, last = ends(days, roundest_day, (1, datetime.date.max.toordinal()))

    def label(i: int, j: int) -> str:
        return "..".join(datetime.date.fromordinal(day).isoformat() for day in (first[i], last[j]))

    return label


def _moments(values: Sequence[Value]) -> Callable[[int, int], str]:
    zone = values[0].tzinfo  # type: ignore[union-attr]
    zero = datetime.datetime(1, 1, 1, tzinfo=zone)
    one = datetime.timedelta(microseconds=1)
    since: list[int] = [(value - zero) // one for value in values]  # type: ignore[operator, misc]
    latest = (datetime.datetime.max.replace(tzinfo=zone) - zero) // one
    first, last = ends(since, roundest_moment, (0, latest))

    def label(i: int, j: int) -> str:
        whole = last[j] // _SECOND * _SECOND  # …:59 reads better than …:59.999999
        end = whole if whole > since[j] else last[j]
        return "..".join((zero + moment * one).isoformat() for moment in (first[i], end))

    return label


def _numbers(values: Sequence[float]) -> Callable[[int, int], str]:
    beyond = math.nextafter(values[-1], math.inf)  # 2 · last - previous may round to the last
    outer = 2 * values[0] - values[1], max(2 * values[-1] - values[-2], beyond)
    if not all(map(math.isfinite, outer)):
        return lambda i, j: f"[{text_of(values[i])}, {text_of(values[j])}]"
    ends = pairwise([outer[0], *values, outer[1]])
    first = [roundest_number(below, above) for below, above in ends]
    if values[0] >= 0:
        first[0] = max(first[0], 0.0)
    return lambda i, j: f"[{text_of(first[i])}, {text_of(first[j + 1])})"


def ends(
    values: Sequence[int],
    roundest: Callable[[int, int], int],
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[list[int], list[int]]:
    """Where a range starts whose first value is this one, and where it ends whose last one is.

    Beyond the first and the last value a gap as wide as the next one is assumed, within `limits`:
    the calendar ends.

    >>> ends([170, 240, 241, 380], roundest_integer)
    ([150, 200, 239, 300], [199, 242, 299, 499])
    """
    taken, near = set(values), (values[-1] - values[0]) // _NEAR
    least, most = limits
    before = int(max(2 * values[0] - values[1], least - 1))
    beyond = int(min(2 * values[-1] - values[-2], most + 1))
    first, last = [], []
    for below, above in pairwise([before, *values, beyond]):
        if above - below > 2:
            first.append(roundest(below + 2, above - 1))
            last.append(first[-1] - 1)
        else:
            first.append(_free(above, -1, near, taken, limits))
            last.append(_free(below, 1, near, taken, limits))
    return first[:-1], last[1:]


def _free(value: int, step: int, near: int, taken: set[int], limits: tuple[float, float]) -> int:
    """The next number that is no one's value, past one value at most; else the value itself."""
    for place in (value + step, value + 2 * step)[:near]:
        if place not in taken and limits[0] <= place <= limits[1]:
            return place
    return value


def roundest_integer(least: int, most: int) -> int:
    """The integer from `least` to `most` with the most zeros at its end, the greatest of these.

    >>> roundest_integer(37, 52), roundest_integer(43, 49), roundest_integer(43, 43)
    (50, 45, 43)
    """
    power = len(str(max(abs(least), abs(most))))
    for zeros in range(power, -1, -1):
        for digit in (5, 2, 1):
            step = digit * int("1" + "0" * zeros)
            if most // step * step >= least:
                return most // step * step
    return most


def roundest_number(below: float, above: float) -> float:
    """The number between two with the fewest digits; the upper one if doubles have none between.

    >>> roundest_number(3.14159, 3.2), roundest_number(4.9, 27.3)
    (3.15, 20.0)
    """
    low, high = Fraction(str(below)), Fraction(str(above))  # as they are written
    power = len(str(int(max(abs(low), abs(high)))))
    finest = math.floor(math.log10(high - low)) - _DIGITS if high > low else power
    for exponent in range(power, finest, -1):
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** exponent
            number = float((math.ceil(high / step) - 1) * step)
            if below < number < above:
                return number
    return above


def roundest_day(least: int, most: int) -> int:
    """The first day of a decade, else of a year, a quarter, a month, a third of a month.

    >>> day = roundest_day(*(datetime.date(2024, 1, d).toordinal() for d in (3, 20)))
    >>> datetime.date.fromordinal(day)
    datetime.date(2024, 1, 11)
    """
    least, most = max(least, 1), min(most, datetime.date.max.toordinal())
    days = range(most, max(least, most - _DAYS_SEARCHED) - 1, -1)
    return max(days, key=_day_rank, default=most)


def _day_rank(ordinal: int) -> tuple[bool, ...]:
    day = datetime.date.fromordinal(ordinal)
    begins_year = day.day == 1 and day.month == 1
    return (
        begins_year and day.year % 10 == 0,
        begins_year,
        day.day == 1 and day.month in (4, 7, 10),
        day.day == 1,
        day.day in (11, 21),
    )


def roundest_moment(least: int, most: int) -> int:
    """The round day, else the hour, minute or second, between two moments."""
    days = -(-least // _DAY) + 1, most // _DAY + 1  # as ordinals
    if days[0] <= days[1]:
        return (roundest_day(*days) - 1) * _DAY
    for step in (3_600, 600, 60, 10, 1):
        moment = most // (step * _SECOND) * step * _SECOND
        if moment >= least:
            return moment
    return most
