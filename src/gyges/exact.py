"""Exact numbers: thresholds as fractions, comparisons that never round, and numbers as text.

A threshold is given as text, Fraction, Decimal, int or float. A float is read by its shortest
decimal text, so `0.8` means 4/5 and not the binary number next to it. A displayed number never
looks more exact, more certain or more impossible than it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from numbers import Rational
from typing import TypeAlias

import numpy as np

from gyges.arguments import shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.errors import RuleError
from gyges.long_fraction import LongFraction

Number: TypeAlias = str | int | float | Fraction | Decimal

# Far above the rounding of a few double operations on counts below 2^53, far below what matters.
_MARGIN = 1e-9

# What a threshold may be: comparable with a double, and short enough to write out.
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
    """Read a number of any type; a ValueError if it is none or has far too many digits.

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
    """Read a whole number within bounds; `5.0` and numpy integers are accepted."""
    is_number = isinstance(number, (int, float, Fraction, Decimal, np.integer, np.floating))
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > _DIGITS:
        is_number = False  # written out, Decimal("1e999999999") would take all memory
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
        raise RuleError(f"{name} is {shown(number)}: give seconds, at least 0")
    return float(value)


def amount(number: Number, name: str) -> float:
    """Read a whole number that is at least 0, or math.inf (in a certificate "inf"): unlimited."""
    if isinstance(number, (float, str)) and number in (math.inf, "inf"):
        return math.inf
    return whole(number, name)


def compare(numerators: IntArray, denominators: IntArray, threshold: Fraction) -> IntArray:
    """Sign of `numerators/denominators - threshold`, element by element, exactly.

    Doubles decide all but the close calls; those are settled with fractions. A denominator of
    zero reads as infinity: an empty group satisfies no upper bound.
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


def exceeds_log(number: Fraction, of: Fraction) -> bool:
    """Whether a number is larger than the natural logarithm of another, exactly.

    ln of a rational number other than 1 is never rational (Lindemann), so enough digits decide.

    >>> exceeds_log(Fraction(1), Fraction(2718281828, 10**9)), exceeds_log(Fraction(0), Fraction(1))
    (True, False)
    """
    return number > 0 if of == 1 else is_positive(number, [(of.numerator, -1), (of.denominator, 1)])


def is_positive(number: Fraction, logs: Iterable[tuple[int, int]]) -> bool:
    """Whether number + Σ factor · ln(base) > 0 over (base, factor); the sum must not be 0.

    Decided with as many digits as it takes.
    """
    powers, digits = list(logs), 40
    while True:
        with localcontext() as context:
            context.prec = digits
            terms = [Decimal(number.numerator) / Decimal(number.denominator)]
            terms += [Decimal(base).ln() * factor for base, factor in powers]
            total = sum(terms, Decimal(0))
            if abs(total) > sum(map(abs, terms), Decimal(0)).scaleb(5 - digits):
                return total > 0
        digits *= 2


def largest_ratio(numerators: IntArray, denominators: IntArray) -> Fraction | None:
    """The largest numerator/denominator, exactly; None without any. Denominators are positive."""
    if len(numerators) == 0:
        return None
    ratio = numerators / denominators
    near = np.flatnonzero(ratio >= ratio.max() * (1 - _MARGIN) - 1e-300)
    pairs = {(int(numerators[i]), int(denominators[i])) for i in near}
    return max(Fraction(a, b) for a, b in pairs)


# More digits than this in a numerator or denominator are written in hexadecimal: Python refuses to
# write very long decimals (beyond 4,300 digits by default, 640 at the least).
_MOST_DIGITS = 600
_READABLE = 30  # digits of a fraction that a person may want to see
_BOUND = "at most "  # before the upper bound that a certificate states for a very long fraction
_PRECISE = 12  # significant digits that are tried before "just below" and "just above"


def text_of_fraction(number: Fraction | int) -> str:
    """The exact number as text of any length; `fraction_of_text` reads it back.

    >>> text_of_fraction(Fraction(2, 3)), text_of_fraction(Fraction(5))
    ('2/3', '5')
    >>> text_of_fraction(Fraction(1, 16**600))[:12]
    '0x1/0x100000'
    """
    whole = Fraction(number)
    if is_short(whole):
        return str(whole)
    return f"{whole.numerator:#x}/{whole.denominator:#x}"


def exact_text(number: Fraction) -> str:
    """A threshold in a sentence: as a short decimal where that is exact, else as a fraction.

    >>> exact_text(Fraction(1, 5)), exact_text(Fraction(1, 3)), exact_text(Fraction(3))
    ('0.2', '1/3', '3')
    """
    decimal = f"{float(number):.12g}"
    return decimal if Fraction(decimal) == number else text_of_fraction(number)


def stated_risk(risk: Fraction | int | float) -> str:
    """A risk as a certificate states it: exactly, with all digits of a double, or bounded."""
    if isinstance(risk, LongFraction):
        return f"{_BOUND}{risk.bound()}"
    return str(risk) if isinstance(risk, float) else text_of_fraction(risk)


def fraction_of_text(text: str) -> Fraction:
    """The number that `text_of_fraction` wrote; a ValueError for any other text.

    >>> fraction_of_text("2/3"), fraction_of_text("0x10/0x3")
    (Fraction(2, 3), Fraction(16, 3))
    """
    try:
        if "0x" not in text:
            return Fraction(text)
        above, _, below = text.partition("/")
        return Fraction(int(above, 16), int(below, 16))
    except ZeroDivisionError:
        raise ValueError("a fraction has no denominator 0") from None


_RATIO = re.compile(r"-?[0-9]{1,700}/[0-9]{1,700}|0x[0-9a-f]+/0x[0-9a-f]+")
_WHOLE = re.compile(r"-?[0-9]{1,700}")


def risk_of_text(text: str) -> Fraction | int | float:
    """The number that `stated_risk` wrote; a ValueError for any other text.

    >>> risk_of_text("2/3"), risk_of_text("5"), risk_of_text("0.25")
    (Fraction(2, 3), 5, 0.25)
    """
    if _RATIO.fullmatch(text):
        return fraction_of_text(text)
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    if str(number) != text:
        raise ValueError("a double is written in its shortest way")
    return number


def is_short(number: Fraction, digits: int = _MOST_DIGITS) -> bool:
    """Whether numerator and denominator have at most this many digits each."""
    bits = digits * 3321 // 1000  # below digits · log2(10)
    return max(number.numerator.bit_length(), number.denominator.bit_length()) <= bits


def readable_number(number: Fraction | int | float) -> str:
    """A number for people: whole numbers whole, short fractions with their decimal value.

    >>> [readable_number(one) for one in (Fraction(2, 3), 5, 0.25, Fraction(1))]
    ['2/3 (0.667)', '5', '0.25', '1']
    >>> readable_number(Fraction(3160, 3161)), readable_number(Fraction(10**40 - 1, 10**40))
    ('3160/3161 (0.9997)', 'just below 1')
    """
    if isinstance(number, (float, LongFraction)):
        return decimal_text(number, 4 if isinstance(number, float) else 3)
    exact = Fraction(number)
    if exact.denominator == 1 and is_short(exact, _READABLE):
        return str(exact.numerator)
    decimal = decimal_text(exact)
    return f"{exact} ({decimal})" if exact.denominator < 10_000 and is_short(exact) else decimal


def number_aside(number: Fraction | int | float) -> str:
    """A number for people, inside parentheses.

    >>> number_aside(Fraction(2, 3)), number_aside(5)
    ('2/3, 0.667', '5')
    """
    return readable_number(number).replace(" (", ", ").removesuffix(")")


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 group", "2 groups", "1 person", "1,234 people".

    >>> counted(1, "person"), counted(1_234, "person"), counted(0, "group")
    ('1 person', '1,234 people', '0 groups')
    """
    usual = f"{one.removesuffix('person')}people" if one.endswith("person") else f"{one}s"
    return f"{n:,} {one if n == 1 else many or usual}"


def about(number: float) -> str:
    """An estimated number of people: three digits, and never a power of ten.

    >>> about(2494.7), about(480.4), about(1.0123), about(0.00111)
    ('2,495', '480', '1.01', '0.00111')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def worst_case(stated: str) -> str:
    """The worst case that a certificate states for a rule, for people.

    >>> worst_case("14/19")
    'worst case: 14/19, 0.737'
    """
    bound = stated.removeprefix(_BOUND)
    try:
        if bound != stated:
            return f"worst case: {_BOUND}{upper_text(exactly(bound))}"
        return f"worst case: {number_aside(risk_of_text(stated))}"
    except ValueError:
        return f"worst case: {stated}"


def decimal_text(number: Fraction | float, digits: int = 3) -> str:
    """A number to some significant digits; what is rounded never looks exact.

    More digits are written where rounding would end in fewer of them: 0.9997 is not 1, 0.79996 not
    0.8, and what is closer still is "just below" or "just above". A double is itself rounded, so
    it counts as the short number nearest to it, except that only 0 is 0 and only 1 is 1.

    >>> [decimal_text(Fraction(n, 100_000)) for n in (33_333, 99_970, 79_996, 80_000)]
    ['0.333', '0.9997', '0.79996', '0.8']
    >>> decimal_text(0.1 + 0.2), decimal_text(1 - 2**-53), decimal_text(Fraction(1, 10**400))
    ('0.3', 'just below 1', 'just above 0')
    """
    try:
        near = float(number)
    except OverflowError:
        return "more than 1e308" if number > 0 else "less than -1e308"
    if not math.isfinite(near):
        return str(near)
    for precision in range(digits, _PRECISE + 1):
        text = f"{near:.{precision}g}"
        looks_whole = "." not in text and "e" not in text
        if _is_fair(number, text) or (_significant(text) >= precision and not looks_whole):
            return text
    text = f"{near:.{digits}g}"
    return f"just {'below' if number < Fraction(text) else 'above'} {text}"


def upper_text(number: Fraction | float, digits: int = 4) -> str:
    """An upper bound to some significant digits, never below it.

    >>> upper_text(Fraction("1.00004")), upper_text(Fraction(1, 2)), upper_text(0.46211715726)
    ('1.001', '0.5', '0.4622')
    """
    if not math.isfinite(number):
        return str(number)
    exact = Fraction(number) if isinstance(number, Fraction) else Fraction(repr(number))
    up = Context(prec=digits, rounding=ROUND_CEILING)
    return f"{float(up.divide(Decimal(exact.numerator), Decimal(exact.denominator))):.{digits}g}"


def _is_fair(number: Fraction | float, text: str) -> bool:
    """Whether a text is exactly the number, or as close as the double itself is."""
    read = Fraction(text)
    if read == number or read in (0, 1) or not isinstance(number, float):
        return read == number
    return abs(float(read) - number) <= 1e-12 * abs(number)


def _significant(text: str) -> int:
    """How many significant digits a decimal text has."""
    mantissa = text.lstrip("-").partition("e")[0]
    return len(mantissa.replace(".", "").strip("0"))


def amount_text(number: float) -> str:
    """A number of any size: a count with all its digits, anything else to four digits.

    >>> amount_text(13348.0), amount_text(0.123456), amount_text(7.66666)
    ('13,348', '0.1235', '7.667')
    """
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.4g}"


def percent(share: Fraction | float) -> str:
    """A share as a percentage; never rounded to 0 % or 100 %.

    >>> percent(Fraction(77, 97)), percent(Fraction(3160, 3161)), percent(Fraction(1))
    ('79.4%', 'more than 99.9%', '100%')
    >>> percent(Fraction(475, 528)), percent(Fraction(9, 10)), percent(Fraction(1, 10_000))
    ('89.96%', '90%', 'less than 0.1%')
    """
    if 0 < share < Fraction(1, 1000):
        return "less than 0.1%"
    if Fraction(999, 1000) < share < 1:
        return "more than 99.9%"
    hundredfold = Fraction(str(share) if isinstance(share, float) else share) * 100
    if hundredfold.denominator == 1:
        return f"{int(hundredfold)}%"
    text = f"{float(share):.1%}"
    return f"{float(share):.2%}" if text.endswith(".0%") else text  # 89.96% is not 90%
