"""The values of several sensitive columns as one value: a text that names each column.

    {"disease": "Flu", "income": 20}

Rules, searches and groups treat it as one value of one column. A rule about one of the columns
(criteria/about.py) reads its part.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence

from gyges.data.values import Value, text_of
from gyges.errors import RuleError

_BETWEEN = " + "


def joint_name(columns: Sequence[str]) -> str:
    """The name of the column that stands for several.

    >>> joint_name(["disease", "income"])
    'disease + income'
    """
    return _BETWEEN.join(columns)


def joint_text(values: Mapping[str, Value]) -> str:
    """One text for the values of several columns: numbers as numbers, everything else as text.

    >>> joint_text({"disease": "Flu", "income": 20.0})
    '{"disease": "Flu", "income": 20}'
    """
    return json.dumps({name: _plain(value) for name, value in values.items()}, ensure_ascii=False)


def part_of(value: Value, column: str) -> Value:
    """The value of one column.

    >>> part_of('{"disease": "Flu", "income": 20}', "income")
    20
    """
    try:
        parts = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, dict) or not isinstance(parts.get(column), str | int | float):
        raise RuleError(
            f"the rule is about the sensitive column {column!r}, and this table has other "
            f"sensitive columns, or only one: omit the column, or name it in the schema"
        )
    found: Value = parts[column]
    return found


def _plain(value: Value) -> str | int | float:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, str | bool | datetime.date):
        return text_of(value)
    return value
