"""Hierarchies: how the values of a column may be coarsened, level by level, up to one top.

A `Hierarchy` is either a table of leaves and their ancestors, or a rule (intervals, prefixes,
calendar units) that makes such a table for any values. `bind` gives the `Ladder` of a column.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from gyges.arrays import IntArray, frozen
from gyges.data import rules
from gyges.data.rules import TOP
from gyges.data.values import MISSING, Value, sort_key, text_of
from gyges.errors import HierarchyError

Tree: TypeAlias = "Mapping[str, Tree] | Sequence[str]"
Rule: TypeAlias = Literal["intervals", "prefixes", "calendar"]


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
    """How values may be coarsened: a table of leaves and ancestors, or a rule that makes one."""

    rows: tuple[tuple[str, ...], ...] = ()  # leaf first, top last; empty for a rule
    rule: Rule | None = None
    parameters: tuple[int | float | str, ...] = ()  # widths of intervals, units of the calendar

    def __post_init__(self) -> None:
        if self.rule is None:
            _validate(self.rows)

    def __repr__(self) -> str:
        """What kind of hierarchy it is: its leaves may be people's values."""
        if self.rule is not None:
            return f"<Hierarchy: {' '.join([self.rule, *map(str, self.parameters)])}>"
        return f"<Hierarchy: {len(self.rows):,} leaves, {len(self.rows[0])} levels>"

    @classmethod
    def from_csv(cls, path: str | Path) -> Hierarchy:
        """Read one leaf a line, leaf first, one column a level, no header; any separator."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise HierarchyError(f"there is no hierarchy file {str(path)!r}") from None
        except (OSError, UnicodeDecodeError) as problem:
            raise HierarchyError(f"the hierarchy {str(path)!r} cannot be read: {problem}") from None
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

        A root `*` is put on top unless there is one label on top already. A label stands at the
        level of its longest path down to a leaf, so shorter branches are padded below their parent.

        >>> Hierarchy.from_tree({"lung": ["Flu", "Asthma"], "other": ["Gout"]}).rows[2]
        ('Gout', 'other', '*')
        """
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
        """Coarsen numbers to intervals that start at multiples of their width, then to `*`.

        >>> Hierarchy.intervals(5, 10).bind([17, 23]).labels[1]
        ('15-19', '20-24')
        """
        rules.check_widths(widths)
        return cls(rule="intervals", parameters=widths)

    @classmethod
    def prefixes(cls) -> Hierarchy:
        """Coarsen codes by masking characters from the end: 14850 → 1485* → … → 1**** → *.

        >>> Hierarchy.prefixes().bind(["14850", "13068"]).labels[3]
        ('13***', '14***')
        """
        return cls(rule="prefixes")

    @classmethod
    def calendar(cls, *units: str) -> Hierarchy:
        """Coarsen dates to calendar units (week, month, quarter, year, decade), then to `*`."""
        units = units or ("month", "quarter", "year", "decade")
        rules.check_units(units)
        return cls(rule="calendar", parameters=units)

    def to_data(self) -> dict[str, object]:
        """The hierarchy as plain data, fit for JSON."""
        if self.rule is None:
            return {"rows": [list(row) for row in self.rows]}
        return {"rule": self.rule, "parameters": list(self.parameters)}

    @classmethod
    def from_data(cls, stated: Mapping[str, Any]) -> Hierarchy:
        """The hierarchy that `to_data` described.

        >>> Hierarchy.from_data(Hierarchy.intervals(5, 10).to_data()) == Hierarchy.intervals(5, 10)
        True
        """
        if set(stated) == {"rows"} and _are_rows(stated["rows"]):
            return cls(tuple(tuple(row) for row in stated["rows"]))
        made_by = {"intervals": cls.intervals, "prefixes": cls.prefixes, "calendar": cls.calendar}
        if (
            set(stated) != {"rule", "parameters"}
            or str(stated["rule"]) not in made_by
            or not isinstance(stated["parameters"], (list, tuple))
            or (stated["rule"] == "prefixes" and stated["parameters"])
        ):
            raise HierarchyError("a stated hierarchy is neither a rule nor a table of labels")
        return made_by[str(stated["rule"])](*stated["parameters"])

    def restricted(self, values: Sequence[Value]) -> Hierarchy:
        """The same hierarchy without the leaves of other values; a rule has no leaves to hide."""
        if self.rule is not None:
            return self
        kept = {text_of(value) for value in values}
        return Hierarchy(tuple(row for row in self.rows if row[0] in kept) or ((TOP,),))

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values that the table names; empty for a rule, which knows every value."""
        return tuple(row[0] for row in self.rows)

    def bind(self, values: Sequence[Value], column: str | None = None) -> Ladder:
        """The ladder over these values; an error names the first values that are not leaves."""
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
        try:
            if self.rule == "intervals":
                return rules.interval_rows(values, self.parameters)  # type: ignore[arg-type]
            if self.rule == "calendar":
                return rules.calendar_rows(values, self.parameters)  # type: ignore[arg-type]
            return rules.prefix_rows(values)
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
            raise HierarchyError(f"{where} does not hold {some}{more}: add them as leaves")
        return [known[text_of(value)] for value in values]


def _are_rows(stated: object) -> bool:
    return isinstance(stated, (list, tuple)) and all(
        isinstance(row, (list, tuple)) and all(isinstance(label, str) for label in row)
        for row in stated
    )


def _validate(rows: Sequence[tuple[str, ...]]) -> None:
    """Check that every value has one parent a level, levels only get coarser, the top is one."""
    if not rows:
        raise HierarchyError("a hierarchy needs at least one leaf")
    height = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != height:
            raise HierarchyError(
                f"line {number} has {len(row)} levels, the first has {height}: "
                f"every leaf needs the same number of levels (repeat a label to fill up)"
            )
        if "" in row:
            raise HierarchyError(f"line {number} has an empty label at level {row.index('')}")
    leaves: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        if leaves.setdefault(row[0], number) != number:
            raise HierarchyError(f"leaf {row[0]!r} stands in lines {leaves[row[0]]} and {number}")
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


def _chains(tree: Tree) -> Iterable[list[tuple[str, int]]]:
    """Every path from a leaf up to just below the root, as (label, height of the label)."""
    if isinstance(tree, str):
        raise HierarchyError(f"{tree!r} stands where a list of leaves was expected")
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


_INTERVAL = re.compile(r"(\d+)-\d+|\[(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?), .*\)")


def _label_key(label: str) -> tuple[int, float, str]:
    """Intervals sort by where they start, everything else as text."""
    found = _INTERVAL.fullmatch(label)
    return sort_key(float(found[1] or found[2]) if found else label)
