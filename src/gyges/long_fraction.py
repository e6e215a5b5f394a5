"""Fractions of millions of digits that are multiplied out only where their digits are asked for.

A `LongFraction` is a Fraction that remembers how it is computed. Numbers on either side of it,
to as many digits as it takes, answer comparisons and give the nearest double.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

LONG = 100_000  # bits, from which logarithms and enclosures are quicker than products
_FIRST_DIGITS = 50
_MOST_DIGITS = 800  # numbers that agree in so many are multiplied out

Enclosure: TypeAlias = tuple[Decimal, Decimal]  # the number is neither below nor above


class LongFraction(Fraction):
    """An exact number, made of powers by sums, differences, products and quotients.

    >>> chance = 1 - power(999_999, 200_000) / power(10**6, 200_000)
    >>> round(float(chance), 6), chance < Fraction(1813, 10**4), chance == Fraction(1, 3)
    (0.181269, True, False)
    """

    __slots__ = ("_exact", "_how", "_near", "_one", "_other")

    _how: str  # one of + - * / **; of the last `_one` is the base
    _one: Fraction
    _other: Fraction
    _near: Enclosure
    _exact: Fraction | None

    def __new__(cls, how: str, one: Fraction, other: Fraction) -> LongFraction:
        """The number `one how other`."""
        made: LongFraction = object.__new__(cls)
        made._how, made._one, made._other, made._exact = how, one, other, None
        made._near = _combined(how, one, other, _FIRST_DIGITS)
        return made

    @property
    def _numerator(self) -> int:  # what Fraction computes with: all else then works
        return self.exact().numerator

    @property
    def _denominator(self) -> int:
        return self.exact().denominator

    def exact(self) -> Fraction:
        """The number multiplied out and reduced: may take minutes."""
        left: list[Fraction] = [self]
        while left:
            number = left[-1]
            parts = [number._one, number._other] if isinstance(number, LongFraction) else []
            waiting = [p for p in parts if isinstance(p, LongFraction) and p._exact is None]
            left += waiting
            if not waiting:
                left.pop()
                if isinstance(number, LongFraction) and number._exact is None:
                    number._exact = _EXACTLY[number._how](*map(_multiplied, parts))
        return _multiplied(self)

    def enclosure(self, digits: int) -> Enclosure:
        """Two decimals of so many digits that have the number between them."""
        if digits <= _FIRST_DIGITS:
            return self._near
        found: dict[int, Enclosure] = {}
        left: list[Fraction] = [self]
        while left:
            number = left.pop()
            if not isinstance(number, LongFraction) or id(number) in found:
                continue
            parts = [p for p in (number._one, number._other) if isinstance(p, LongFraction)]
            if all(id(part) in found for part in parts):
                found[id(number)] = _combined(
                    number._how, number._one, number._other, digits, found
                )
            else:
                left += [number, *parts]
        return found[id(self)]

    def at_most(self, digits: int) -> Decimal:
        """The least decimal of so many digits that is not below the number."""
        return self._rounded(_rounding(digits)[1])

    def at_least(self, digits: int) -> Decimal:
        """The largest decimal of so many digits that is not above the number."""
        return self._rounded(_rounding(digits)[0])

    def bound(self) -> str:
        """An upper bound in as few digits as tell it from 1, at least 20 and at most 320."""
        digits = 20
        while self.at_most(digits) == 1 and digits < 320:
            digits *= 2
        bound = self.at_most(digits)
        return "1" if bound == 1 else str(bound)

    def _rounded(self, context: Context) -> Decimal:
        more = max(_FIRST_DIGITS, 2 * context.prec)
        while more <= _MOST_DIGITS:
            low, high = map(context.plus, self.enclosure(more))
            if low == high:
                return low
            more *= 2
        exact = self.exact()
        return context.divide(Decimal(exact.numerator), Decimal(exact.denominator))

    def _sign(self, other: Any) -> int:
        """-1, 0 or 1: less than another number, equal, more."""
        digits = _FIRST_DIGITS
        while digits <= _MOST_DIGITS:
            low, high = self.enclosure(digits)
            below, above = _enclosed(other, digits)
            if low > above or high < below:
                return 1 if low > above else -1
            digits *= 2
        difference = self.exact() - _multiplied(other)
        return (difference > 0) - (difference < 0)

    def __float__(self) -> float:
        digits = _FIRST_DIGITS
        while digits <= _MOST_DIGITS:
            low, high = map(float, self.enclosure(digits))
            if low == high and not math.isinf(low):
                return low
            digits *= 2
        return float(self.exact())

    def __bool__(self) -> bool:
        return self._sign(Fraction(0)) != 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, Fraction)):
            return self._sign(Fraction(other) if isinstance(other, int) else other) == 0
        return NotImplemented if not isinstance(other, float) else self.exact() == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.exact())

    def __lt__(self, other: Any) -> bool:
        return _compared(self, other) < 0

    def __le__(self, other: Any) -> bool:
        return _compared(self, other) <= 0

    def __gt__(self, other: Any) -> bool:
        return _compared(self, other) > 0

    def __ge__(self, other: Any) -> bool:
        return _compared(self, other) >= 0

    def __add__(self, other: Any) -> Any:
        return _made("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _made("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _made("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _made("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return _made("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _made("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _made("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _made("/", other, self)

    def __str__(self) -> str:
        return repr(float(self))

    def __repr__(self) -> str:
        return f"LongFraction({float(self)!r})"  # the digits would fill books

    def __format__(self, form: str) -> str:
        return format(float(self), form)

    def __reduce__(self) -> tuple[Any, ...]:
        return LongFraction, (self._how, self._one, self._other)

    def __copy__(self) -> LongFraction:
        return self

    def __deepcopy__(self, memo: Any) -> LongFraction:
        return self


def power(base: int, exponent: int) -> Fraction:
    """base^exponent, not multiplied out where it is long; neither may be negative."""
    if base.bit_length() * exponent <= LONG:
        return Fraction(base**exponent)
    return LongFraction("**", Fraction(base), Fraction(exponent))


def product(powers: Iterable[tuple[int, int]]) -> Fraction:
    """Π base^exponent; an exponent may be negative."""
    above = below = Fraction(1)
    for base, exponent in powers:
        if exponent > 0:
            above *= power(base, exponent)
        else:
            below *= power(base, -exponent)
    return above / below


def _made(how: str, one: Any, other: Any) -> Any:
    """A sum, difference, product or quotient, without steps that change nothing."""
    if isinstance(one, float) or isinstance(other, float):
        return _EXACTLY[how](float(one), float(other))
    if not isinstance(one, (int, Fraction)) or not isinstance(other, (int, Fraction)):
        return NotImplemented
    a = Fraction(one) if isinstance(one, int) else one
    b = Fraction(other) if isinstance(other, int) else other
    if (how in "+-" and _is(b, 0)) or (how in "*/" and _is(b, 1)):
        return a
    if (how == "+" and _is(a, 0)) or (how == "*" and _is(a, 1)):
        return b
    if (how == "*" and (_is(a, 0) or _is(b, 0))) or (how == "/" and _is(a, 0) and b):
        return Fraction(0)
    if how == "/" and not b:
        raise ZeroDivisionError("a number is divided by 0")
    return LongFraction(how, a, b)


def _is(number: Fraction, short: int) -> bool:
    return not isinstance(number, LongFraction) and number == short


def _compared(one: LongFraction, other: Any) -> int:
    if isinstance(other, float) and math.isinf(other):
        return -1 if other > 0 else 1
    return one._sign(other if isinstance(other, Fraction) else Fraction(other))


def _multiplied(number: Fraction) -> Fraction:
    if isinstance(number, LongFraction):
        return number._exact if number._exact is not None else number.exact()
    return number


def _rounding(digits: int) -> tuple[Context, Context]:
    down = Context(digits, ROUND_FLOOR, MIN_EMIN, MAX_EMAX)
    return down, Context(digits, ROUND_CEILING, MIN_EMIN, MAX_EMAX)


def _enclosed(number: Fraction, digits: int) -> Enclosure:
    if isinstance(number, LongFraction):
        return number.enclosure(digits)
    above, below = Decimal(number.numerator), Decimal(number.denominator)
    down, up = _rounding(digits)
    return down.divide(above, below), up.divide(above, below)


def _combined(
    how: str,
    one: Fraction,
    other: Fraction,
    digits: int,
    found: dict[int, Enclosure] | None = None,
) -> Enclosure:
    """An enclosure from those of the parts, each end rounded outwards."""
    down, up = _rounding(digits)
    if how == "**":
        base, exponent = Decimal(one.numerator), other.numerator
        return _power(base, exponent, down), _power(base, exponent, up)
    a, b = ((found or {}).get(id(part)) or _enclosed(part, digits) for part in (one, other))
    if how == "+":
        return down.add(a[0], b[0]), up.add(a[1], b[1])
    if how == "-":
        return down.subtract(a[0], b[1]), up.subtract(a[1], b[0])
    if how == "/" and b[0] <= 0 <= b[1]:
        return Decimal("-Infinity"), Decimal("Infinity")
    ends = [(x, y) for x in a for y in b]
    lower, upper = (down.divide, up.divide) if how == "/" else (down.multiply, up.multiply)
    if any(not end.is_finite() for pair in ends for end in pair):
        return Decimal("-Infinity"), Decimal("Infinity")
    return min(lower(x, y) for x, y in ends), max(upper(x, y) for x, y in ends)


def _power(base: Decimal, exponent: int, context: Context) -> Decimal:
    """A power by squares, each product rounded in the direction of the context."""
    result, square = Decimal(1), base
    while exponent:
        if exponent & 1:
            result = context.multiply(result, square)
        exponent >>= 1
        if exponent:
            square = context.multiply(square, square)
    return result


_EXACTLY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: Fraction(a.numerator**b.numerator),
}
