"""Each column of a project: its distribution, whom it singles out, and the levels of its hierarchy.

Everything is computed from the counts of distinct values that the engine returns. People are
counted, not rows, where the project names the columns that identify them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.cells import Domain
from gyges.data.encoding import is_missing, make_coder
from gyges.data.hierarchy import Hierarchy
from gyges.data.source import COUNT, Source
from gyges.data.values import MISSING, Kind, Value, text_of
from gyges.errors import GygesError, HierarchyError
from gyges.workflow.project_file import ProjectFile

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BARS = 12
_MOST_LABELS = 6  # of a level that are shown
MOST_UNPLACED = 50
_MOST_CODED = 100_000  # different values of a column that no rule is about
_MOST_VALUES = 400  # that are listed for making groups of one's own


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Level:
    """A level of a hierarchy: how many labels it has, and some of them."""

    n_labels: int
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnProfile:
    """A column and what a person needs to know to choose its role."""

    name: str
    n_distinct: int  # as the project reads them, without missing ones
    n_written: int  # as they are written: days where the project reads months
    n_alone: int  # people whom this column, as it is written, singles out alone
    bars: tuple[tuple[str, int], ...]  # values or intervals, and how many people have them
    n_more: int  # values that are not shown
    n_missing: int | None = None  # people without a value, as the project reads it, if counted
    values: tuple[str, ...] = ()  # all, if they are not too many
    levels: tuple[Level, ...] = ()
    unplaced: tuple[str, ...] = ()  # values without a place in the hierarchy
    problem: str = ""  # why its hierarchy cannot be used


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountedPeople:
    """The people of a source: one for each value of `who`, or one per row where it is empty."""

    source: Source
    who: tuple[str, ...]  # the columns that identify people
    n_people: int
    has_repeated: bool  # someone has several rows

    @classmethod
    def of(cls, source: Source, project: ProjectFile) -> CountedPeople:
        """The people of a source, by the columns that the project names for them."""
        who = tuple(name for name in project.columns.who if name in source.columns)
        n_rows = _total(source.count([]))
        n_people = _total(source.count_distinct(who, [])) if who else n_rows
        return cls(source, who, n_people, n_people < n_rows)

    def by(self, columns: Sequence[str]) -> pa.Table:
        """How many people (COUNT) have each combination of values."""
        if self.has_repeated:
            return self.source.count_distinct(self.who, columns)
        return self.source.count(columns)

    def n_alone(self, columns: Sequence[str], counted: pa.Table | None = None) -> int:
        """How many people have a combination of values in these columns that nobody else has."""
        if not columns:
            return 0
        counted = self.by(columns) if counted is None else counted
        lone = numbers_of(counted.column(COUNT)) == 1
        if not self.has_repeated or not lone.any():
            return int(lone.sum())
        only = counted.filter(arrow_numbers(lone)).select(list(columns))  # of one person each
        return _total(self.source.recode(columns, only, self.who).count_distinct(self.who, []))


def _total(counted: pa.Table) -> int:
    return int(counted.column(COUNT)[0].as_py())


def column_profile(people: CountedPeople, name: str, project: ProjectFile) -> ColumnProfile:
    """The profile of one column by itself, under the kinds and hierarchies of a project."""
    counts = people.by([name])
    if counts.num_rows > _MOST_CODED and name not in _used(project):
        n_different = counts.num_rows
        n_alone = people.n_alone([name], counts)
        return ColumnProfile(name, n_different, n_different, n_alone, (), n_different)
    raw = counts.column(name).to_pylist()
    n_people = np.asarray(numbers_of(counts.column(COUNT)), dtype=np.int64)
    is_known = _are_known(raw, project)
    known, totals = _domain(name, raw, n_people, project, is_known)
    n_missing = int(n_people[~is_known].sum())
    bars, n_more = _bars(known, totals)
    domain = known if is_known.all() else _domain(name, raw, n_people, project)[0]
    levels, unplaced, problem = _hierarchy(name, domain, project)
    texts = tuple(text_of(value) for value in domain.values)
    return ColumnProfile(
        name=name,
        n_distinct=len(known),
        n_alone=people.n_alone([name], counts),
        n_written=int(is_known.sum()),
        bars=(*bars, (MISSING, n_missing)) if n_missing else bars,
        n_more=n_more,
        n_missing=n_missing,
        values=texts if len(texts) <= _MOST_VALUES else (),
        levels=levels,
        unplaced=unplaced,
        problem=problem,
    )


def n_together(people: CountedPeople, name: str, chosen: Sequence[str], n_chosen: int) -> int:
    """How many people the quasi-identifiers with this column single out.

    `n_chosen` people are singled out by the quasi-identifiers; another column leaves them so.
    """
    if name in chosen or n_chosen == people.n_people:
        return n_chosen
    return people.n_alone([*chosen, name])


def _used(project: ProjectFile) -> list[str | None]:
    """The columns whose values are shown one by one, whatever their number."""
    return [*project.columns.quasi_identifiers, project.columns.sensitive]


def chosen_columns(people: CountedPeople, project: ProjectFile) -> list[str]:
    """The quasi-identifiers that the source has."""
    named = project.columns.quasi_identifiers
    return [name for name in named if name in people.source.columns]


def _are_known(raw: list[Hashable], project: ProjectFile) -> BoolArray:
    """Which raw values the project does not take for missing ones."""
    marks = frozenset(project.data.missing_marks)
    return np.array([not is_missing(value, marks) for value in raw], dtype=bool)


def _domain(
    name: str,
    raw: list[Hashable],
    people: IntArray,
    project: ProjectFile,
    chosen: BoolArray | None = None,
) -> tuple[Domain, IntArray]:
    """The values of a column as the project reads them, and how many people have each.

    With the missing value, or only the `chosen` raw values.
    """
    columns = project.columns
    if chosen is not None:
        raw, people = list(compress(raw, chosen)), people[chosen]
    stated = columns.kinds.get(name)
    coder = make_coder(
        name,
        raw,
        kind=None if stated is None else Kind(stated),
        marks=frozenset(project.data.missing_marks),
        missing_is_value=True,
        local_format=columns.formats.get(name),
    )
    codes = np.array([coder.code_of_raw.get(one, -1) for one in raw], dtype=np.int64)
    kept = codes >= 0
    totals = np.bincount(codes[kept], weights=people[kept], minlength=len(coder.domain))
    return coder.domain, totals.astype(np.int64)


def _bars(domain: Domain, totals: IntArray) -> tuple[tuple[tuple[str, int], ...], int]:
    """Intervals of equal width where values lie on a line; else the most frequent values.

    Months are in order, and each interval has as many of those that occur.
    """
    is_ordered = domain.is_ordered or domain.kind is Kind.MONTH
    if is_ordered and len(domain) > MOST_BARS:
        edges = np.linspace(domain.positions[0], domain.positions[-1], MOST_BARS + 1)
        place = np.clip(np.searchsorted(edges, domain.positions, "right") - 1, 0, MOST_BARS - 1)
        made = []
        for number in range(MOST_BARS):
            inside = np.flatnonzero(place == number)
            if len(inside):
                first, last = (text_of(domain.values[inside[end]]) for end in (0, -1))
                label = first if first == last else f"{first} to {last}"
                made.append((label, int(totals[inside].sum())))
        return tuple(made), 0
    order = range(len(domain)) if is_ordered else np.argsort(-totals, kind="stable")
    shown = [int(code) for code in order][:MOST_BARS]
    bars = tuple((text_of(domain.values[code]), int(totals[code])) for code in shown)
    return bars, len(domain) - len(shown)


def _hierarchy(
    name: str, domain: Domain, project: ProjectFile
) -> tuple[tuple[Level, ...], tuple[str, ...], str]:
    """The levels of a column's hierarchy, the values without a place, and what is wrong."""
    section = project.hierarchies.get(name)
    if section is None:
        return (), (), ""
    try:
        hierarchy = section.build(name, project.folder)
        return hierarchy_levels(hierarchy, domain.values), (), ""
    except HierarchyError as problem:
        return (), _unplaced(section.build(name, project.folder), domain.values), str(problem)
    except GygesError as problem:
        return (), (), str(problem)


def hierarchy_levels(hierarchy: Hierarchy, values: Sequence[Value]) -> tuple[Level, ...]:
    """The levels of a hierarchy over some values, from the values themselves to the top."""
    ladder = hierarchy.bind(list(values))
    return tuple(Level(len(labels), labels[:_MOST_LABELS]) for labels in ladder.labels)


def _unplaced(hierarchy: Hierarchy, values: Sequence[Value]) -> tuple[str, ...]:
    """The values that a hierarchy does not name; for a rule, those that it cannot be applied to."""
    known = set(hierarchy.leaves)
    found = []
    for value in values:
        text = text_of(value)
        if hierarchy.rule is None:
            is_placed = text in known
        else:
            is_placed = _takes(hierarchy, value)
        if not is_placed:
            found.append(text)
        if len(found) == MOST_UNPLACED:
            break
    return tuple(found)


def _takes(hierarchy: Hierarchy, value: Value) -> bool:
    try:
        hierarchy.bind([value])
    except HierarchyError:
        return False
    return True


def coded_tree(
    values: Sequence[str], width: float, bottom: float | None, top: float | None
) -> Mapping[str, list[str]]:
    """Groups of numbers for top and bottom coding: intervals, and one label at either end.

    >>> coded_tree(["17", "34", "38", "95", "101"], 10, 18, 90)
    {'below 18': ['17'], '30-39': ['34', '38'], '90 and over': ['95', '101']}
    """
    values = [one for one in values if one != MISSING]  # it stays a value of its own
    if width <= 0 or (bottom is not None and top is not None and bottom >= top):
        raise HierarchyError("give a positive width, and a lower end below the upper end")
    inner = [one for one in values if _within(float(one), bottom, top)]
    labels = dict(
        zip(inner, Hierarchy.intervals(_plain(width)).bind(inner).ancestors[1], strict=True)
    )
    names = Hierarchy.intervals(_plain(width)).bind(inner).labels[1] if inner else ()
    groups: dict[str, list[str]] = {}
    for one in sorted(values, key=float):
        if bottom is not None and float(one) < bottom:
            label = f"below {_plain(bottom)}"
        elif top is not None and float(one) >= top:
            label = f"{_plain(top)} and over"
        else:
            label = names[labels[one]]
        groups.setdefault(label, []).append(one)
    return groups


def _within(number: float, bottom: float | None, top: float | None) -> bool:
    return (bottom is None or number >= bottom) and (top is None or number < top)


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
