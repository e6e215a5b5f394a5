"""Hierarchies as certificates describe them: tables of leaves and ancestors, or rules."""

from __future__ import annotations

import datetime
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

MISSING = "(missing)"
UNITS = {
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
    "quarter": lambda day: (day.year, (day.month + 2) // 3),
    "year": lambda day: day.year,
    "decade": lambda day: day.year // 10,
}


class NoHierarchyError(Exception):
    """What is described is no hierarchy, or none of these values."""


def need(condition):
    if not condition:
        raise NoHierarchyError


@dataclass(frozen=True)
class Hierarchy:
    """`rows` (leaf first, top last) of a table, or a rule with its parameters."""

    rows: list | None
    rule: str = ""
    parameters: tuple = ()

    def has_other_leaves(self, values):
        return self.rows is not None and not {row[0] for row in self.rows} <= set(values)

    def paths(self, values):
        """For each value what it is called at every level, itself first."""
        if self.rows is not None:
            known = {row[0]: row for row in self.rows}
            blank = [MISSING] * (len(self.rows[0]) - 1) + [self.rows[0][-1]]
            known.setdefault(MISSING, blank)
            need(all(value in known for value in values))
            return [known[value] for value in values]
        if self.rule == "prefixes":
            length = max((len(value) for value in values if value != MISSING), default=1)
            return [[value, *hidden(value, length), "*"] for value in values]
        read, at = (number, interval) if self.rule == "intervals" else (day, unit)
        return [
            [
                value,
                *(MISSING if value == MISSING else at(read(value), p) for p in self.parameters),
                "*",
            ]
            for value in values
        ]

    def heights(self, values):
        """How high the lowest common ancestor of two values is: 0 to 1, values × values."""
        paths = self.paths(values)
        top = max(len(paths[0]) - 1, 1) if paths else 1
        return [
            [
                Fraction(
                    next(
                        level for level, (a, b) in enumerate(zip(one, other, strict=True)) if a == b
                    ),
                    top,
                )
                for other in paths
            ]
            for one in paths
        ]

    def in_words(self):
        """Between which heights the common ancestors of two leaves lie; the rule, if it is one."""
        if self.rows is None:
            stated = ", ".join(map(str, self.parameters))
            return f" by {self.rule}{f' of {stated}' if stated else ''}"
        if len(self.rows) == 1:
            return ""
        n_labels = [len(set(labels)) for labels in zip(*self.rows, strict=True)]
        top = len(n_labels) - 1
        first = next(level for level, n in enumerate(n_labels) if n < n_labels[0])
        return f", from {Fraction(first, top)} to {Fraction(n_labels.index(1), top)}"


def hidden(text, length):
    """The first characters, one fewer at each level, and a star for each other up to a length."""
    shorter = range(1, length)
    return [MISSING if text == MISSING else text[: length - n] + "*" * n for n in shorter]


def number(text):
    try:
        value = Fraction(text)
        need(math.isfinite(float(value)))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise NoHierarchyError from None
    return value


def day(text):
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise NoHierarchyError from None


def interval(value, width):
    return value // Fraction(str(width))


def unit(value, name):
    return UNITS[name](value)


def read(described):
    """The hierarchy that a mapping describes."""
    if "rows" in described:
        return Hierarchy(read_rows(described["rows"]))
    need(set(described) == {"rule", "parameters"})
    rule, parameters = described["rule"], described["parameters"]
    need(isinstance(rule, str) and rule in ("intervals", "prefixes", "calendar"))
    need(isinstance(parameters, list))
    if rule == "intervals":
        need_nested(parameters)
    if rule == "calendar":
        need(parameters and all(isinstance(one, str) and one in UNITS for one in parameters))
        order = [list(UNITS).index(one) for one in parameters]
        need(all(a < b for a, b in itertools.pairwise(order)))
        need("week" not in parameters or len(parameters) == 1)
    return Hierarchy(None, rule, tuple(parameters))


def need_nested(widths):
    """Positive widths, each a multiple of the one before."""
    need(widths and all(type(width) in (int, float) for width in widths))
    need(all(1e-100 <= width <= 1e100 for width in widths))
    for finer, coarser in itertools.pairwise(widths):
        need(coarser > finer and Fraction(str(coarser)) % Fraction(str(finer)) == 0)


def read_rows(rows):
    """Texts; all rows equally long; each leaf once; one parent at each level; one top."""
    need(isinstance(rows, list) and rows and all(isinstance(row, list) and row for row in rows))
    need(all(isinstance(label, str) and label for row in rows for label in row))
    need(all(len(row) == len(rows[0]) for row in rows))
    need(len({row[0] for row in rows}) == len(rows) and len({row[-1] for row in rows}) == 1)
    for level in range(1, len(rows[0])):
        parents = {}
        need(all(parents.setdefault(row[level - 1], row[level]) == row[level] for row in rows))
    return rows


def is_described(described):
    """Whether a certificate may describe a quasi-identifier's hierarchy so: no leaves in it."""
    if set(described) == {"levels"}:
        return type(described["levels"]) is int and 0 < described["levels"] < 1000
    try:
        return read(described).rows is None
    except NoHierarchyError:
        return False
