"""How much each quasi-identifier counts in a search, as its user states it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gyges.arguments import mapping, shown
from gyges.arrays import FloatArray
from gyges.errors import RuleError
from gyges.exact import fraction


def column_weights(columns: list[str], weights: Mapping[str, float] | None) -> FloatArray:
    """The weight of each column, 1 where none is given; refuse names and numbers that are wrong."""
    given = {} if weights is None else mapping(weights, "weights", "{column: number}")
    stated = {}
    for name, weight in given.items():
        if name not in columns:
            raise RuleError(f"weights names {shown(name)}, which is not a quasi-identifier")
        stated[name] = float(fraction(weight, f"weights: that of {name!r}"))  # type: ignore[arg-type]
        if stated[name] < 0:
            raise RuleError(f"weights: that of {name!r} is {weight}: give a number, at least 0")
    found = np.array([stated.get(str(name), 1.0) for name in columns])
    if not found.sum() > 0:
        raise RuleError("every weight is 0: give at least one column a positive weight")
    return found
