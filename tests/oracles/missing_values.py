"""Rows with gaps, compared one by one: which fit, and which fit whatever the gaps are in truth."""

from __future__ import annotations

import itertools


def fits(one, other):
    """Whether two rows agree wherever both have a value (a gap is None)."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def rows_that_fit(rows):
    """For each row, how many fit it: sdcMicro's frequency of missing keys."""
    return [sum(fits(row, other) for other in rows) for row in rows]


def truths(row, domains):
    """Every complete row that a row with gaps may be in truth; "else" is a value of nobody."""
    return itertools.product(
        *([*domain, "else"] if value is None else [value]
          for value, domain in zip(row, domains, strict=True))
    )  # fmt: skip


def rows_that_always_fit(rows):
    """For each row, the fewest rows that fit it, over all that it may be in truth."""
    domains = [sorted({*column} - {None}) for column in zip(*rows, strict=True)]
    return [
        min(sum(fits(truth, other) for other in rows) for truth in truths(row, domains))
        for row in rows
    ]


def may_show(label, value):
    """Whether someone with this true value, known or not to the publisher, may have a label.

    A label is `*`, a value, a range a-b, a set {a, b}, one of these with " or (missing)", or
    "(missing)".
    """
    if label in ("*", "(missing)") or label.endswith(" or (missing)"):
        return True
    return covers(label, value)


def covers(label, value):
    """Whether a label speaks of a known value; None is a missing one."""
    if label == "*":
        return True
    is_or_missing = label.endswith(" or (missing)")
    if value is None:
        return is_or_missing or label == "(missing)"
    said = label.removesuffix(" or (missing)")
    if said.startswith("{"):
        return str(value) in said[1:-1].split(", ")
    if isinstance(value, int) and "-" in said:
        low, high = map(int, said.split("-"))
        return low <= value <= high
    return said == str(value)
