"""A result as JSON knows it; docs/json.md describes every shape."""

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

_MOST_BITS = 2_000  # of a whole number that readers of JSON are expected to write out
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")  # a whole number as people read it


@runtime_checkable
class StatesJson(Protocol):
    """A result that says itself what programs read of it."""

    def to_json(self) -> Mapping[str, object]:
        """The names and values of its document."""
        ...


def plain(value: object) -> object:
    """A result as JSON knows it: numbers as numbers, arrays as lists, groups counted from 1.

    An exact fraction is its numerator, its denominator, and a float beside them. What is
    infinite is the text "infinity", what is no number is null: JSON has neither.

    >>> plain({"risk": Fraction(2, 3), "l": math.inf})
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
    if isinstance(value, StatesJson):
        return plain(value.to_json())
    if is_dataclass(value) and not isinstance(value, type):
        return _dataclass(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def _fraction(number: Fraction) -> dict[str, object]:
    return {
        "numerator": _whole(number.numerator),
        "denominator": _whole(number.denominator),
        "value": _double(number),
    }


def _whole(number: int) -> int | str:
    """A whole number; as hexadecimal text where it has hundreds of digits.

    Python itself writes and reads no decimal of more than 4,300 digits.
    """
    return number if number.bit_length() <= _MOST_BITS else hex(number)


def _double(number: Fraction) -> float | str:
    try:
        return float(number)
    except OverflowError:
        return "infinity" if number > 0 else "-infinity"


def _number_or_text(text: str) -> object:
    """A number that is kept as text, such as in a certificate, as a number; other text as it is."""
    try:
        return risk_of_text(text.replace(",", "") if _THOUSANDS.fullmatch(text) else text)
    except ValueError:
        return text


def _dataclass(result: object) -> dict[str, object]:
    """The fields of a result; the number of a group is 1 for the first, as people read it."""
    stated = {}
    for field in fields(result):  # type: ignore[arg-type]
        held = getattr(result, field.name)
        if field.metadata.get("counted_from_0") and held is not None:
            held = held + 1
        if field.metadata.get("may_be_number"):
            held = _number_or_text(held)
        stated[field.name] = plain(held)
    return stated
