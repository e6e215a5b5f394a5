"""Numbers that decide: thresholds as exact fractions, comparisons that never round.

A threshold is given as text, Fraction, Decimal, int or float. A float is read by its shortest
decimal text, so `0.8` means 4/5 and not the binary number next to it.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.errors import RuleError

Number: TypeAlias = str | int | float | Fraction | Decimal

_LARGEST = 10**300  # what a double can hold, and more than any threshold, amount or epsilon
_DIGITS = 1000  # of an exponent
_MOST = 2**53  # people, facts or values

# Far above the rounding of a few double operations on counts below 2^53, far below what matters.
_MARGIN = 1e-9


def fraction(number: Number, name: str = "the threshold") -> Fraction:
    """Read a number exactly.

    >>> fraction("0.8"), fraction(0.1), fraction("2/3")
    (Fraction(4, 5), Fraction(1, 10), Fraction(2, 3))
    """
    text = repr(float(number)) if isinstance(number, float) else number
    try:
        if not isinstance(number, bool) and not _is_beyond(text):
            value = Fraction(text)
            if abs(value) <= _LARGEST:
                return value
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        pass
    raise RuleError(f"{name} is {_short(number)}: give a number such as '0.8' or '2/3'")


def _is_beyond(text: object) -> bool:
    """Whether a number is written with an exponent that would take all memory to write out."""
    exponent = re.search(r"[eE]([+-]?\d+)\s*$", str(text)) if isinstance(text, str) else None
    if isinstance(text, Decimal) and text.is_finite():
        return abs(text.adjusted()) > _DIGITS
    return exponent is not None and abs(int(exponent[1])) > _DIGITS


def _short(number: object) -> str:
    """A number as a message shows it."""
    try:
        text = repr(number)
    except ValueError:  # Python writes no whole numbers of more than 4,300 digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:60]}…"


def probability(number: Number, name: str = "the confidence") -> Fraction:
    """Read a number that must lie between 0 and 1."""
    value = fraction(number, name)
    if not 0 <= value <= 1:
        raise RuleError(f"{name} is {number}: a probability lies between 0 and 1")
    return value


def whole(number: int, name: str, least: int = 0) -> int:
    """Read a whole number that is at least `least`; `5.0` and numpy integers are welcome."""
    try:
        is_whole = not isinstance(number, (bool, str)) and int(number) == number
    except (TypeError, ValueError, OverflowError):
        is_whole = False
    if not is_whole or number < least:
        raise RuleError(f"{name} is {_short(number)}: give a whole number, at least {least}")
    if number > _MOST:
        raise RuleError(f"{name} is {_short(number)}: give a whole number, at most {_MOST}")
    return int(number)


def amount(number: Number, name: str) -> float:
    """Read a whole number that is at least 0, or math.inf: however much."""
    if isinstance(number, float) and number == math.inf:
        return math.inf
    return whole(number, name)  # type: ignore[arg-type]


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
