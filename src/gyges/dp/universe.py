"""Which rows a table could have: the values of each column, known without looking at the data.

A noisy table lists a count for every row that could occur, not only for those that do: the list of
rows that occur would reveal people. So every column needs public values: the leaves of its
hierarchy, or values that the steward declares. Values found in the data are never used.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arguments import items, mapping, shown
from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.cells import Domain
from gyges.data.table import Table
from gyges.data.values import Value, check_value, text_of
from gyges.errors import RuleError
from gyges.exact import whole

MOST_CELLS = 2_000_000  # of one view; OpenDP draws about 100,000 numbers a second


@dataclass(frozen=True, slots=True)
class Universe:
    """The columns of a noisy release and their possible labels."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    def shape(self, view: Sequence[str]) -> tuple[int, ...]:
        """How many labels each column of a view has."""
        return tuple(len(self.labels[self.columns.index(column)]) for column in view)

    def check(self, view: Sequence[str]) -> tuple[str, ...]:
        """Read a view: known columns, each once, not too many cells."""
        unknown = [column for column in view if column not in self.columns]
        if unknown:
            raise RuleError(
                f"a view names the column {unknown[0]!r}; there are: {', '.join(self.columns)}"
            )
        if len(set(view)) < len(view):
            raise RuleError("a view names a column twice")
        cells = math.prod(self.shape(view))
        if cells > MOST_CELLS:
            raise RuleError(
                f"the view of {', '.join(view)} has {cells:,} cells, more than {MOST_CELLS:,}: "
                f"remove a column, or generalize one with `levels`"
            )
        return tuple(view)


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """How many people have each combination of labels; only combinations that occur are stored."""

    universe: Universe
    codes: CodeArray  # entries × columns
    counts: IntArray  # entries

    def __post_init__(self) -> None:
        frozen(self.codes, self.counts)

    def of(self, view: Sequence[str]) -> IntArray:
        """The counts of a view, one axis per column, with zeros."""
        shape = self.universe.shape(view)
        places = [self.codes[:, self.universe.columns.index(column)] for column in view]
        flat = np.ravel_multi_index(places, shape) if places else np.zeros(len(self.counts), int)
        summed = np.bincount(flat, weights=self.counts, minlength=math.prod(shape))
        return np.asarray(summed.astype(np.int64).reshape(shape))


def count(
    table: Table,
    columns: Collection[str] | None = None,
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
) -> Histogram:
    """Count a table over the public values of some columns, or of all.

    Args:
        domains: for a column without a hierarchy that lists its values, the values it may have.
        levels: how far to generalize a column by its hierarchy; 0, the value itself, by default.
    """
    cells, schema = table.cells, table.schema
    domains, levels = _read_domains(domains), _read_levels(levels)
    known = {domain.name: domain for domain in cells.domains}
    codes = [cells.codes[:, i] for i in range(len(cells.domains))]
    counts = cells.people
    if schema.sensitive and cells.values_per_person == "one":
        known[schema.sensitive] = cells.sensitive
        codes = [column[cells.cell_of_entry] for column in codes] + [cells.value_codes]
        counts = cells.value_counts
    _refuse_unknown([*(columns or []), *domains, *levels], known)
    _refuse_private(table, [name for name in known if columns is None or name in columns], domains)
    labels, recoded = {}, []
    for (name, domain), column in zip(known.items(), codes, strict=True):
        if columns is None or name in columns:
            shown, places = _public(table, domain, domains.get(name), levels.get(name))
            labels[name] = shown
            recoded.append(places[column].astype(np.int32))
    stacked = np.stack(recoded, axis=1) if recoded else np.zeros((len(counts), 0), np.int32)
    return Histogram(Universe(tuple(labels), tuple(labels.values())), stacked, counts)


def _refuse_private(
    table: Table, columns: Sequence[str], domains: Mapping[str, Sequence[Value]]
) -> None:
    """Refuse columns without a list of values that is public, all of them at once."""
    trees = table.schema.hierarchies
    private = [c for c in columns if c not in domains and not (c in trees and trees[c].leaves)]
    if private:
        which = f"column {private[0]!r} has"
        if len(private) > 1:
            which = f"columns {', '.join(map(repr, private))} have"
        lists = ", ".join(f"{name!r}: [...]" for name in private)
        raise RuleError(
            f"{which} no public list of values, and the values in the data would reveal who is in "
            f"it: declare them (domains={{{lists}}}; in a project file under [dp.domains]), or "
            f"give a hierarchy that lists the values"
        )


def _public(
    table: Table, domain: Domain, declared: Sequence[Value] | None, level: int | None
) -> tuple[tuple[str, ...], IntArray]:
    """The possible labels of a column, and the place among them of each value in the data."""
    hierarchy = table.schema.hierarchies.get(domain.name)
    if declared is not None:
        values: list[Value] = list(declared)
    else:
        assert hierarchy is not None  # `_refuse_private`
        values = list(hierarchy.leaves)
    place = {text_of(value): code for code, value in enumerate(values)}
    if len(place) < len(values) or not values:
        raise RuleError(f"the values declared for column {domain.name!r} are empty or repeat")
    found = [
        place.get(text_of(v), -1) if p else 0
        for v, p in zip(domain.values, domain.present, strict=True)
    ]
    strangers = sum(code < 0 for code in found)
    if strangers:
        raise RuleError(
            f"column {domain.name!r} has {strangers} values that are not among its public ones: "
            f"declare every value that may occur, or remove these people"
        )
    places = np.array(found, dtype=np.int64)
    if not level:
        return tuple(place), places
    if hierarchy is None:
        raise RuleError(f"column {domain.name!r} has no hierarchy to generalize it by")
    ladder = hierarchy.bind(values, domain.name)
    if level > ladder.height:
        raise RuleError(f"column {domain.name!r} has levels 0 to {ladder.height}, not {level}")
    return ladder.labels[level], ladder.ancestors[level][places]


def _read_domains(given: object) -> dict[str, list[Value]]:
    """The declared public values, by column."""
    stated = {} if given is None else mapping(given, "domains", "{column: values}")
    read = {}
    for column, values in stated.items():
        name = f"domains: column {shown(column)}"
        listed = items(values, name, "the values that it may have")
        read[str(column)] = [check_value(value, f"{name}: a value") for value in listed]
    return read


def _read_levels(given: object) -> dict[str, int]:
    """How far to generalize each column."""
    stated = {} if given is None else mapping(given, "levels", "{column: level}")
    return {str(c): whole(level, f"levels: the level of {c!r}") for c, level in stated.items()}


def _refuse_unknown(named: Sequence[str], known: Mapping[str, Domain]) -> None:
    unknown = [name for name in named if name not in known]
    if unknown:
        raise RuleError(
            f"there is no column {unknown[0]!r} to count; there are: {', '.join(known)} "
            f"(a column with several values per person cannot be counted with noise)"
        )
