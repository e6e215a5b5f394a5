"""Which rows a table could have: the values of each column, known without looking at the data.

A noisy table lists a count for every row that could occur, not only for those that do: the list of
rows that occur would reveal people. So every column needs public values: the leaves of its
hierarchy, or values that the steward declares. Values found in the data are never used.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gyges.arguments import items, mapping, shown
from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.cells import Domain
from gyges.data.hierarchy import Ladder
from gyges.data.table import Table
from gyges.data.values import Value, check_value, text_of
from gyges.dp.coarser_columns import coarser_columns
from gyges.dp.public_labels import Coarser, Impossible, Universe
from gyges.errors import RuleError
from gyges.exact import whole


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
        places = [self._places(column) for column in view]
        flat = np.ravel_multi_index(places, shape) if places else np.zeros(len(self.counts), int)
        summed = np.bincount(flat, weights=self.counts, minlength=math.prod(shape))
        return np.asarray(summed.astype(np.int64).reshape(shape))

    def _places(self, column: str) -> IntArray:
        """The place of each entry's label in a column, also in a coarser one."""
        codes = self.codes[:, self.universe.columns.index(self.universe.base(column))]
        return self.universe.parts(column)[codes]


def count(
    table: Table,
    columns: Collection[str] | None = None,
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    impossible: Sequence[Mapping[str, object]] = (),
    *,
    with_coarser: bool = False,
) -> Histogram:
    """Count a table over the public values of some columns, or of all.

    Args:
        domains: for a column without a hierarchy that lists its values, the values it may have.
        levels: how far to generalize a column by its hierarchy; 0, the value itself, by default.
        impossible: combinations that nobody can have, each as labels by column.
        with_coarser: also describe columns that show these ones coarsely.
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
    coarser: list[Coarser] = []
    for (name, domain), column in zip(known.items(), codes, strict=True):
        if columns is None or name in columns:
            public = _public(table, domain, domains.get(name), levels.get(name))
            labels[name] = public.labels
            recoded.append(public.places[column].astype(np.int32))
            if with_coarser:
                used = [*known, *(one.name for one in coarser)]
                level = levels.get(name, 0)
                coarser += coarser_columns(name, public.labels, public.ladder, level, used)
    stacked = np.stack(recoded, axis=1) if recoded else np.zeros((len(counts), 0), np.int32)
    universe = Universe(tuple(labels), tuple(labels.values()), tuple(coarser))
    zeros = tuple(
        _read_impossible(universe, one) for one in items(impossible, "impossible", "dicts")
    )
    found = Histogram(replace(universe, impossible=zeros), stacked, counts)
    _refuse_impossible(found)
    return found


def _read_impossible(universe: Universe, given: object) -> Impossible:
    """Read one impossible combination: {column: label or labels}."""
    stated = mapping(given, "impossible: a combination", "{column: labels}")
    columns = universe.check([str(name) for name in stated])
    places = []
    for column, listed in stated.items():
        name = f"impossible: column {shown(column)}"
        texts = [listed] if isinstance(listed, (str, int)) else items(listed, name, "labels")
        labels = universe.labels_of(str(column))
        unknown = [text for text in texts if text_of(check_value(text, name)) not in labels]
        if unknown or not texts:
            what = f"{shown(unknown[0])} is not a label of it" if unknown else "no label is given"
            raise RuleError(f"{name}: {what}")
        places.append(tuple(labels.index(text_of(check_value(text, name))) for text in texts))
    if len(columns) < 2:
        raise RuleError("impossible: name at least two columns (declare one's values in `domains`)")
    return Impossible(columns, tuple(places))


def _refuse_impossible(found: Histogram) -> None:
    """Refuse a table where somebody has a combination that is stated to be impossible."""
    for zero in found.universe.impossible:
        mask = np.ones(len(found.counts), dtype=bool)
        for column, places in zip(zero.columns, zero.places, strict=True):
            mask &= np.isin(found.codes[:, found.universe.columns.index(column)], places)
        if found.counts[mask].any():
            raise RuleError(
                f"somebody has a combination of {', '.join(zero.columns)} that `impossible` "
                f"excludes: correct the table or the statement"
            )


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


@dataclass(frozen=True, eq=False, repr=False)
class _Public:
    """The labels of a column, their place for each value in the data, and its hierarchy."""

    labels: tuple[str, ...]
    places: IntArray
    ladder: Ladder | None


def _public(
    table: Table, domain: Domain, declared: Sequence[Value] | None, level: int | None
) -> _Public:
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
    if hierarchy is None:
        if level:
            raise RuleError(f"column {domain.name!r} has no hierarchy to generalize it by")
        return _Public(tuple(place), places, None)
    ladder = hierarchy.bind(values, domain.name)
    if not level:
        return _Public(tuple(place), places, ladder)
    if level > ladder.height:
        raise RuleError(f"column {domain.name!r} has levels 0 to {ladder.height}, not {level}")
    return _Public(ladder.labels[level], ladder.ancestors[level][places], ladder)


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
