"""Numbers that decide: thresholds as exact fractions, comparisons that never round.

A threshold is given as text, Fraction, Decimal, int or float. A float is read by its shortest
decimal text, so `0.8` means 4/5 and not the binary number next to it.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import TypeAlias

import numpy as np

from gyges.arguments import shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.errors import RuleError

Number: TypeAlias = str | int | float | Fraction | Decimal

# Far above the rounding of a few double operations on counts below 2^53, far below what matters.
_MARGIN = 1e-9

# What a threshold may be: a double can stand beside it, and it can be written out.
_DIGITS = 1_000
_LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)
_EXPONENT = re.compile(r"[eE]([+-]?[\d_]+)\s*$")


def fraction(number: Number, name: str = "the threshold") -> Fraction:
    """Read a number exactly; 0, or from 1e-300 to 1e300 on either side of it.

    >>> fraction("0.8"), fraction(0.1), fraction("2/3")
    (Fraction(4, 5), Fraction(1, 10), Fraction(2, 3))
    """
    try:
        value = exactly(number)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        raise RuleError(
            f"{name} is {shown(number)}: give a number such as '0.8' or '2/3'"
        ) from None
    if value and not _LEAST <= abs(value) <= _MOST:
        raise RuleError(f"{name} is {shown(number)}: give a number between 1e-300 and 1e300")
    return value


def exactly(number: object) -> Fraction:
    """Read a number of any kind; a ValueError for what is none, or has too many digits.

    What is written with an exponent is bounded before it is written out: "1e999999999" would
    take all memory.
    """
    if isinstance(number, (bool, np.bool_)):
        raise ValueError
    if isinstance(number, (float, np.floating)):
        return Fraction(repr(float(number)))
    if isinstance(number, Decimal):
        number = str(number)
    if isinstance(number, str):
        match = _EXPONENT.search(number)
        if len(number) > _DIGITS or (match and len(match[1].strip("+-")) > 4):
            raise ValueError
        return Fraction(number)
    if not isinstance(number, Rational):
        raise TypeError
    value = Fraction(int(number.numerator), int(number.denominator))
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * _DIGITS:
        raise ValueError
    return value


def probability(number: Number, name: str = "the confidence") -> Fraction:
    """Read a number that must lie between 0 and 1."""
    value = fraction(number, name)
    if not 0 <= value <= 1:
        raise RuleError(f"{name} is {shown(number)}: a probability lies between 0 and 1")
    return value


def whole(number: object, name: str, least: int = 0, most: int = 2**53) -> int:
    """Read a whole number within bounds; `5.0` and numpy integers are welcome."""
    is_number = isinstance(number, (int, float, Fraction, Decimal, np.integer, np.floating))
    try:
        is_whole = is_number and not isinstance(number, bool) and int(number) == number  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        is_whole = False
    if not is_whole or not least <= number <= most:  # type: ignore[operator]
        raise RuleError(
            f"{name} is {shown(number)}: give a whole number, at least {least}"
            + (f" and at most {most:,}" if is_whole and number > most else "")  # type: ignore[operator]
        )
    return int(number)  # type: ignore[call-overload, no-any-return]


def seconds(number: object, name: str) -> float:
    """Read a time limit: a number of seconds, not negative; math.inf is no limit."""
    if isinstance(number, float) and number == math.inf:
        return math.inf
    value = fraction(number, name)  # type: ignore[arg-type]
    if value < 0:
        raise RuleError(f"{name} is {shown(number)}: give seconds, not fewer than 0")
    return float(value)


def amount(number: Number, name: str) -> float:
    """Read a whole number that is at least 0, or math.inf: however much."""
    if isinstance(number, float) and number == math.inf:
        return math.inf
    return whole(number, name)


def compare(numerators: IntArray, denominators: IntArray, threshold: Fraction) -> IntArray:
    """Sign of `numerators/denominators - threshold`, element by element, exactly.

    Doubles decide all but the close calls; those are settled with fractions. A denominator of
    zero reads as infinity (nothing is known about an empty group, so nothing is promised).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(denominators > 0, numerators / denominators, np.inf)
    distance: FloatArray = ratio - float(threshold)
    sign = np.sign(distance).astype(np.int64)
    close: BoolArray = np.abs(distance) <= _MARGIN * max(1.0, abs(float(threshold)))
    if not close.any():
        return sign
    pairs, where = np.unique(
        np.stack([numerators[close], denominators[close]]), axis=1, return_inverse=True
    )
    exact = [Fraction(int(a), int(b)) - threshold for a, b in pairs.T]
    settled = np.array([(d > 0) - (d < 0) for d in exact], dtype=np.int64)
    sign[close] = settled[where.ravel()] if len(settled) else sign[close]
    return sign


def largest_ratio(numerators: IntArray, denominators: IntArray) -> Fraction | None:
    """The largest numerator/denominator as an exact fraction; None of an empty array.

    Denominators are positive.
    """
    if len(numerators) == 0:
        return None
    ratio = numerators / denominators
    near = np.flatnonzero(ratio >= ratio.max() * (1 - _MARGIN) - 1e-300)
    pairs = {(int(numerators[i]), int(denominators[i])) for i in near}
    return max(Fraction(a, b) for a, b in pairs)
