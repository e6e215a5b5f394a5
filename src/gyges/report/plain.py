"""A result as JSON knows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path

from gyges.exact import is_short, text_of_fraction


def plain(value: object) -> object:
    """A result as JSON knows it: infinities as text, arrays as lists, fractions as exact numbers.

    A fraction is its numerator, its denominator and the nearest double. Where these have more
    digits than programs read, the exact number is given as text in hexadecimal.

    >>> plain({"risk": Fraction(1, 4), "l": math.inf})
    {'risk': {'numerator': 1, 'denominator': 4, 'value': 0.25}, 'l': 'inf'}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):  # by far the most, and quicker to tell than a Sequence
        return [plain(one) for one in value]
    if isinstance(value, Fraction):
        return _fraction(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [plain(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def _fraction(number: Fraction) -> dict[str, object]:
    try:
        value: object = float(number)
    except OverflowError:
        value = "inf" if number > 0 else "-inf"
    if not is_short(number):
        return {"exact": text_of_fraction(number), "value": value}
    return {"numerator": number.numerator, "denominator": number.denominator, "value": value}
