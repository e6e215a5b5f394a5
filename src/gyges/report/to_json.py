"""Results as JSON values; docs/json.md describes every shape."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from gyges.exact import risk_of_text
from gyges.long_fraction import LongFraction

_DIGITS = 20  # of the bounds of a fraction that is too long to write
_MOST_BITS = 2_000  # of a whole number that is written as a number
_WITH_SEPARATORS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")  # a whole number for people


@runtime_checkable
class StatesJson(Protocol):
    """A result that defines its own JSON document."""

    def to_json(self) -> Mapping[str, object]:
        """The names and values of its document."""
        ...


def json_value(value: object) -> object:
    """A result as a JSON value: numbers as numbers, arrays as lists, groups counted from 1.

    An exact fraction is an object with its numerator, its denominator and a float. Infinity is the
    text "infinity", and what is not a number is null: JSON has neither.

    >>> json_value({"risk": Fraction(2, 3), "l": math.inf})
    {'risk': {'numerator': 2, 'denominator': 3, 'value': 0.6666666666666666}, 'l': 'infinity'}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    if isinstance(value, int) and not isinstance(value, bool):
        return _whole(value)
    if value is None or isinstance(value, (bool, float, str)):
        return value
    if isinstance(value, (list, tuple)):  # the most frequent, and faster to test than a Sequence
        return [
            one if type(one) is int and one.bit_length() < 64 else json_value(one) for one in value
        ]
    if isinstance(value, Fraction):
        return _fraction(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [json_value(one) for one in value]
    if isinstance(value, StatesJson):
        return json_value(value.to_json())
    if is_dataclass(value) and not isinstance(value, type):
        return _dataclass(value)
    if hasattr(value, "tolist"):
        return json_value(value.tolist())
    return str(value)


def _fraction(number: Fraction) -> dict[str, object]:
    if isinstance(number, LongFraction):
        bounds = {"at_least": number.at_least(_DIGITS), "at_most": number.at_most(_DIGITS)}
        stated = {side: str(bound) for side, bound in bounds.items()}
        return {"numerator": None, "denominator": None, "value": _double(number), **stated}
    return {
        "numerator": _whole(number.numerator),
        "denominator": _whole(number.denominator),
        "value": _double(number),
    }


def _whole(number: int) -> int | str:
    """A whole number; as hexadecimal text where it has hundreds of digits.

    Python itself refuses decimals of more than 4,300 digits.
    """
    return number if number.bit_length() <= _MOST_BITS else hex(number)


def _double(number: Fraction) -> float | str:
    try:
        return float(number)
    except OverflowError:
        return "infinity" if number > 0 else "-infinity"


def _number_or_text(text: str) -> object:
    """A number that is stored as text, such as in a certificate; other text unchanged."""
    try:
        return risk_of_text(text.replace(",", "") if _WITH_SEPARATORS.fullmatch(text) else text)
    except ValueError:
        return text


def _dataclass(result: object) -> dict[str, object]:
    """The fields of a result; the first group has the number 1, as people expect."""
    stated = {}
    for field in fields(result):  # type: ignore[arg-type]
        held = getattr(result, field.name)
        if field.metadata.get("counted_from_0") and held is not None:
            held = held + 1
        if field.metadata.get("may_be_number"):
            held = _number_or_text(held)
        stated[field.name] = json_value(held)
    return stated
