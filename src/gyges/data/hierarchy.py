"""Hierarchies: how the values of a column may be generalized, level by level, up to one top.

A `Hierarchy` is either a table of leaves and their ancestors, or a rule (intervals, cuts, prefixes,
calendar units) that makes such a table for any values. `bind` gives the `Ladder` of a column.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gyges import arguments
from gyges.arguments import choice, items, mapping, shown
from gyges.arrays import IntArray, frozen
from gyges.data import hierarchy_rules
from gyges.data.hierarchy_rules import TOP
from gyges.data.plain_files import read_plain_file
from gyges.data.values import MISSING, Value, check_value, sort_key, text_of
from gyges.errors import HierarchyError

Tree: TypeAlias = "Mapping[str, Tree] | Sequence[str]"
Rule: TypeAlias = Literal["intervals", "cuts", "prefixes", "calendar"]
_MOST_LEVELS = 100  # of a tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ladder:
    """A hierarchy over the values of one column, as codes.

    `ancestors[level, i]` is the code of value i's ancestor at that level; `labels[level][code]`
    its name. Level 0 is the value itself, the last level is one label for all.
    """

    labels: tuple[tuple[str, ...], ...]
    ancestors: IntArray

    def __post_init__(self) -> None:
        frozen(self.ancestors)

    @property
    def height(self) -> int:
        """The number of steps from a value to the top."""
        return len(self.labels) - 1

    def leaves_under(self, level: int) -> IntArray:
        """How many values of the domain each label of a level covers."""
        return np.bincount(self.ancestors[level], minlength=len(self.labels[level]))


@dataclass(frozen=True, slots=True, repr=False)
class Hierarchy:
    """How values may be generalized: a table of leaves and ancestors, or a rule that makes one."""

    rows: tuple[tuple[str, ...], ...] = ()  # leaf first, top last; empty for a rule
    rule: Rule | None = None
    parameters: tuple[int | float | str, ...] = ()  # widths, points, or units of the calendar

    def __post_init__(self) -> None:
        if self.rule is None:
            object.__setattr__(self, "rows", _as_rows(self.rows))
            _validate(self.rows)
            return
        choice(self.rule, get_args(Rule), "the rule of a hierarchy", HierarchyError)
        object.__setattr__(self, "rows", ())
        given = tuple(items(self.parameters, "parameters", "widths or units", HierarchyError))
        object.__setattr__(self, "parameters", given)
        if self.rule == "intervals":
            hierarchy_rules.check_widths(given)
        if self.rule == "cuts":
            hierarchy_rules.check_cuts(given)
        if self.rule == "calendar":
            hierarchy_rules.check_units(given)

    def __repr__(self) -> str:
        """Its rule or its size; not its leaves, which may be people's values."""
        if self.rule is not None:
            return f"<Hierarchy: {' '.join([self.rule, *map(str, self.parameters)])}>"
        return f"<Hierarchy: {len(self.rows):,} leaves, {len(self.rows[0])} levels>"

    @classmethod
    def from_csv(cls, path: str | Path) -> Hierarchy:
        """Read one leaf per line, leaf first, one column per level, no header; any separator."""
        path = arguments.path(path, "path", HierarchyError)
        try:
            text = read_plain_file(path).decode("utf-8-sig")
        except FileNotFoundError:
            raise HierarchyError(f"there is no hierarchy file {str(path)!r}") from None
        except OSError as problem:
            raise HierarchyError(
                f"the hierarchy {str(path)!r} cannot be read: {problem.strerror}"
            ) from None
        except UnicodeDecodeError as problem:
            raise HierarchyError(f"the hierarchy {str(path)!r} is not UTF-8: {problem}") from None
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines:
            raise HierarchyError(f"the hierarchy {str(path)!r} is empty")
        separator = max(";,\t|", key=lines[0].count)
        try:
            rows = csv.reader(lines, delimiter=separator)
            return cls(tuple(tuple(cell.strip() for cell in row) for row in rows))
        except (HierarchyError, csv.Error) as problem:
            raise HierarchyError(f"in {str(path)!r}: {problem}") from None

    @classmethod
    def from_tree(cls, tree: Tree) -> Hierarchy:
        """Make a hierarchy from a list of leaves or a dict of label → subtree.

        A root `*` is put on top unless there is one label on top already. The level of a label is
        its longest path down to a leaf, so shorter branches are padded below their parent.

        >>> Hierarchy.from_tree({"lung": ["Flu", "Asthma"], "other": ["Gout"]}).rows[2]
        ('Gout', 'other', '*')
        """
        _check_tree(tree)
        if isinstance(tree, Mapping) and len(tree) == 1:
            [(top, below)] = tree.items()
        else:
            top, below = TOP, tree
        chains = [[*chain, (top, _height(below) + 1)] for chain in _chains(below)]
        height = chains[0][-1][1] if chains else 0
        rows = [
            tuple(
                next(label for label, at in reversed(chain) if at <= level)
                for level in range(height + 1)
            )
            for chain in chains
        ]
        return cls(tuple(rows))

    @classmethod
    def intervals(cls, *widths: int | float) -> Hierarchy:
        """Generalize numbers to intervals that start at multiples of their width, then to `*`.

        >>> Hierarchy.intervals(5, 10).bind([17, 23]).labels[1]
        ('15-19', '20-24')
        """
        return cls(rule="intervals", parameters=widths)

    @classmethod
    def cuts(cls, *points: int | float) -> Hierarchy:
        """Generalize numbers to the intervals between these points, with open ends; then to `*`.

        >>> Hierarchy.cuts(18, 30, 65).bind([17, 18, 64, 65, 101]).labels[1]
        ('<18', '18-29', '30-64', '>=65')
        """
        return cls(rule="cuts", parameters=points)

    @classmethod
    def prefixes(cls) -> Hierarchy:
        """Generalize codes by masking characters from the end: 14850 → 1485* → … → 1**** → *.

        >>> Hierarchy.prefixes().bind(["14850", "13068"]).labels[3]
        ('13***', '14***')
        """
        return cls(rule="prefixes")

    @classmethod
    def calendar(cls, *units: str) -> Hierarchy:
        """Generalize dates to calendar units (week, month, quarter, year, decade), then to `*`."""
        units = units or ("month", "quarter", "year", "decade")
        return cls(rule="calendar", parameters=units)

    def to_data(self) -> dict[str, object]:
        """The hierarchy as dicts and lists, for JSON."""
        if self.rule is None:
            return {"rows": [list(row) for row in self.rows]}
        return {"rule": self.rule, "parameters": list(self.parameters)}

    @classmethod
    def from_data(cls, stated: Mapping[str, Any]) -> Hierarchy:
        """The hierarchy that `to_data` described.

        >>> Hierarchy.from_data(Hierarchy.intervals(5, 10).to_data()) == Hierarchy.intervals(5, 10)
        True
        """
        described = mapping(stated, "stated", "a hierarchy as to_data gives it", HierarchyError)
        if "rows" in described:
            return cls(described["rows"])  # type: ignore[arg-type]  # checked when it is made
        if set(described) != {"rule", "parameters"}:
            raise HierarchyError(
                "stated describes no hierarchy: it needs rows, or a rule with parameters"
            )
        return cls(rule=described["rule"], parameters=described["parameters"])  # type: ignore[arg-type]

    def restricted(self, values: Sequence[Value]) -> Hierarchy:
        """The same hierarchy without the leaves of other values; a rule has no leaves."""
        if self.rule is not None:
            return self
        kept = {text_of(value) for value in values}
        return Hierarchy(tuple(row for row in self.rows if row[0] in kept) or ((TOP,),))

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values that the table names; empty for a rule, which covers every value."""
        return tuple(row[0] for row in self.rows)

    def bind(self, values: Sequence[Value], column: str | None = None) -> Ladder:
        """The ladder over these values; an error names the first values that are not leaves."""
        if column is not None and not isinstance(column, str):
            raise HierarchyError(f"column is {shown(column)}: give the name of a column")
        values = [
            MISSING
            if one is None
            else check_value(one, f"{f'column {column!r}' if column else 'the hierarchy'}: a value")
            for one in items(values, "values", "values")
        ]
        rows = self._rows_by_rule(values, column) if self.rule else self._rows_of(values, column)
        if not rows:
            return Ladder(((), (TOP,)), np.zeros((2, 0), dtype=np.int64))
        labels, ancestors = [], np.empty((len(rows[0]), len(values)), dtype=np.int64)
        for level, at_level in enumerate(zip(*rows, strict=True)):
            names = list(dict.fromkeys(at_level))
            if level > 0:
                names.sort(key=_label_key)
            place = {name: code for code, name in enumerate(names)}
            ancestors[level] = [place[label] for label in at_level]
            labels.append(tuple(names))
        return Ladder(tuple(labels), ancestors)

    def _rows_by_rule(self, values: Sequence[Value], column: str | None) -> list[tuple[str, ...]]:
        parameters: Any = self.parameters
        try:
            if self.rule == "intervals":
                return hierarchy_rules.interval_rows(values, parameters)
            if self.rule == "cuts":
                return hierarchy_rules.cut_rows(values, parameters)
            if self.rule == "calendar":
                return hierarchy_rules.calendar_rows(values, parameters)
            return hierarchy_rules.prefix_rows(values)
        except HierarchyError as problem:
            where = f"column {column!r}: " if column else ""
            raise HierarchyError(f"{where}{problem}") from None

    def _rows_of(self, values: Sequence[Value], column: str | None) -> list[tuple[str, ...]]:
        known = {row[0]: row for row in self.rows}
        height = len(self.rows[0])
        known.setdefault(MISSING, (MISSING,) * (height - 1) + (self.rows[0][-1],))
        missing = [text for text in map(text_of, values) if text not in known]
        if missing:
            where = f"the hierarchy of column {column!r}" if column else "the hierarchy"
            some = ", ".join(repr(text) for text in missing[:5])
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise HierarchyError(f"{where} does not contain {some}{more}: add them as leaves")
        return [known[text_of(value)] for value in values]


def _as_rows(given: object) -> tuple[tuple[str, ...], ...]:
    """The rows of a hierarchy: lists of labels."""
    rows = items(given, "rows", "rows of a hierarchy, leaf first", HierarchyError)
    if not rows:
        raise HierarchyError("a hierarchy needs at least one leaf")
    made = []
    for number, row in enumerate(rows, start=1):
        labels = items(row, f"line {number} of the hierarchy's rows", "labels", HierarchyError)
        if not labels or not all(isinstance(label, str) for label in labels):
            raise HierarchyError(f"line {number} of the hierarchy's rows: labels are texts")
        made.append(tuple(labels))
    return tuple(made)  # type: ignore[arg-type]


def _validate(rows: Sequence[tuple[str, ...]]) -> None:
    """Refuse a value with two parents, levels that get finer, and several labels on top."""
    height = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != height:
            raise HierarchyError(
                f"line {number} has {len(row)} levels, the first has {height}: "
                f"every leaf needs the same number of levels (repeat a label to fill the row)"
            )
        if "" in row:
            raise HierarchyError(f"line {number} has an empty label at level {row.index('')}")
    leaves: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        if leaves.setdefault(row[0], number) != number:
            raise HierarchyError(
                f"leaf {row[0]!r} is in lines {leaves[row[0]]} and {number}: remove one of them"
            )
    for level in range(1, height):
        parents: dict[str, str] = {}
        for row in rows:
            below, above = row[level - 1], row[level]
            if parents.setdefault(below, above) != above:
                raise HierarchyError(
                    f"{below!r} has two parents at level {level}, {parents[below]!r} and "
                    f"{above!r}: levels may only get coarser"
                )
    tops = {row[-1] for row in rows}
    if len(tops) > 1:
        some = ", ".join(repr(top) for top in sorted(tops)[:3])
        raise HierarchyError(
            f"the top level has {len(tops)} labels ({some}, …): add a last level with one label, "
            f"such as {TOP!r}"
        )


def _check_tree(tree: object, depth: int = 0) -> None:
    """Refuse what is neither a dict of label → subtree nor a list of leaves."""
    if depth > _MOST_LEVELS:
        raise HierarchyError(f"the tree has more than {_MOST_LEVELS} levels: give fewer")
    below: list[object] = []
    if isinstance(tree, Mapping):
        labels, below = list(tree), list(tree.values())
    else:
        labels = items(tree, "the tree", "leaves, or a dict of label → subtree", HierarchyError)
    if not labels:
        raise HierarchyError("the tree has a label without leaves: add leaves, or remove it")
    for label in labels:
        check_value(label, "a label of the tree", HierarchyError)
    for one in below:
        _check_tree(one, depth + 1)


def _chains(tree: Tree) -> Iterable[list[tuple[str, int]]]:
    """Every path from a leaf up to just below the root, as (label, height of the label)."""
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            for chain in _chains(below):
                yield [*chain, (text_of(label), _height(below) + 1)]
    else:
        for leaf in tree:
            yield [(text_of(leaf), 0)]


def _height(tree: Tree) -> int:
    if isinstance(tree, Mapping):
        return 1 + max((_height(below) for below in tree.values()), default=0)
    return 0


_INTERVAL = re.compile(r"(\d+)-\d+|(?:\[|>=)(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:, .*\))?")


def _label_key(label: str) -> tuple[int, float, str]:
    """Intervals sort by where they start, everything else as text."""
    if label.startswith("<"):
        return sort_key(-math.inf)
    found = _INTERVAL.fullmatch(label)
    return sort_key(float(found[1] or found[2]) if found else label)
