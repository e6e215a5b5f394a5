"""A result as JSON knows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path


def plain(value: object) -> object:
    """A result as JSON knows it: fractions as text, infinities as text, arrays as lists.

    >>> plain({"risk": Fraction(2, 3), "l": math.inf})
    {'risk': '2/3', 'l': 'inf'}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):  # by far the most, and quicker to tell than a Sequence
        return [plain(one) for one in value]
    if isinstance(value, (Fraction, Path)):
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
