"""How the values of a column are made coarser, each by itself."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Literal, get_args

from gyges.arguments import mapping, shown
from gyges.data.values import Value
from gyges.errors import SchemaError
from gyges.exact import exactly

Period = Literal["year", "quarter", "month", "week"]
_NUMBERS = ("bottom", "top", "round")


@dataclass(frozen=True, slots=True)
class Shape:
    """Of numbers: a least value, a greatest one, and a step to round to; or a period of dates.

    >>> Shape(top=90, round=5).of(93), Shape(round=5).of(32.5), Shape(bottom=18).of(3)
    (90, 35, 18)
    >>> Shape(period="quarter").of(datetime.date(2024, 5, 31))
    '2024-Q2'
    """

    # STRICT, as a certificate states it: see release/statements.py.
    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid", "strict": True}
    bottom: int | float | None = None
    top: int | float | None = None
    round: int | float | None = None
    period: Period | None = None

    def of(self, value: Value) -> Value:
        """The shaped value; half a step is rounded up, and the ends count after rounding."""
        if self.period is not None:
            assert isinstance(value, datetime.date)
            return _period_of(value, self.period)
        assert isinstance(value, (int, float))
        number = exactly(value)
        if self.round is not None:
            step = exactly(self.round)
            number = math.floor(number / step + exactly("1/2")) * step
        if self.bottom is not None:
            number = max(number, exactly(self.bottom))
        if self.top is not None:
            number = min(number, exactly(self.top))
        return int(number) if number.denominator == 1 else float(number)

    def to_data(self) -> dict[str, object]:
        """What is stated of it."""
        return {name: one for name, one in asdict(self).items() if one is not None}


def shape_of(given: object, column: str) -> Shape:
    """Read the shape of a column; refuse one that shapes nothing, or contradicts itself."""
    if isinstance(given, Shape):
        given = given.to_data()
    name = f"the shape of column {column!r}"
    stated = mapping(given, name, "bottom, top, round or period", SchemaError)
    strange = [key for key in stated if key not in (*_NUMBERS, "period")]
    if strange:
        raise SchemaError(f"{name} has {shown(strange[0])}: give bottom, top, round or period")
    for key in _NUMBERS:
        one = stated.get(key)
        is_number = isinstance(one, int | float) and not isinstance(one, bool)
        if one is not None and not (is_number and abs(one) <= 1e15):  # type: ignore[arg-type]
            raise SchemaError(f"{name}: {key} is {shown(one)}: give a number")
    period = stated.get("period")
    if period is not None and period not in get_args(Period):
        raise SchemaError(
            f"{name}: period is {shown(period)}: choose {', '.join(get_args(Period))}"
        )
    if (period is not None) == any(stated.get(key) is not None for key in _NUMBERS):
        raise SchemaError(f"{name} needs bottom, top or round for numbers, or a period of dates")
    shape = Shape(**stated)  # type: ignore[arg-type]
    if shape.round is not None and shape.round < 1e-9:
        raise SchemaError(f"{name}: round is {shown(shape.round)}: give a positive step")
    if shape.bottom is not None and shape.top is not None and shape.bottom >= shape.top:
        raise SchemaError(f"{name}: bottom is not below top")
    return shape


def shapes_of(given: Mapping[str, object]) -> dict[str, Shape]:
    """The shapes of several columns."""
    return {column: shape_of(one, column) for column, one in given.items()}


def _period_of(day: datetime.date, period: Period) -> Value:
    if period == "year":
        return day.year
    if period == "quarter":
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    if period == "month":
        return f"{day.year:04}-{day.month:02}"
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"
