"""The labels of each column of a noisy release, from the schema and what the steward declares.

No row is looked at: a column's values are the leaves of its hierarchy, or values that the steward
declares. So everything here is known before anything is spent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gyges.arguments import items, mapping, shown
from gyges.arrays import IntArray
from gyges.data.cells import Domain
from gyges.data.hierarchy import Ladder
from gyges.data.schema import Schema
from gyges.data.values import Value, check_value, text_of
from gyges.dp.coarser_columns import coarser_columns
from gyges.dp.public_labels import Coarser, Impossible, Universe
from gyges.errors import RuleError
from gyges.exact import whole


@dataclass(frozen=True, eq=False, repr=False)
class PublicColumn:
    """A column's possible values as text, and the labels that show them."""

    values: Mapping[str, int]  # the place of each
    labels: tuple[str, ...]
    label_of: IntArray  # for each value, the place of its label
    ladder: Ladder | None

    def places(self, domain: Domain) -> IntArray:
        """The place of the label of each value in the data; refused where one is not public."""
        found = [
            self.values.get(text_of(v), -1) if p else 0
            for v, p in zip(domain.values, domain.present, strict=True)
        ]
        strangers = sum(code < 0 for code in found)
        if strangers:
            raise RuleError(
                f"column {domain.name!r} has {strangers} values that are not among its public "
                f"ones: declare every value that may occur, or remove these people"
            )
        return self.label_of[np.array(found, dtype=np.int64)]


@dataclass(frozen=True, eq=False, repr=False)
class PublicColumns:
    """The universe of a release, and how values become labels."""

    universe: Universe
    columns: Mapping[str, PublicColumn]


def counted_columns(schema: Schema) -> list[str]:
    """The columns that can be counted with noise: those with one value per person."""
    columns = [*schema.quasi_identifiers]
    if schema.sensitive and schema.values_per_person == "one":
        columns.append(schema.sensitive)
    return columns


def public_columns(
    schema: Schema,
    columns: Collection[str] | None = None,
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    impossible: Sequence[Mapping[str, object]] = (),
    *,
    with_coarser: bool = False,
) -> PublicColumns:
    """Describe some columns, or all that can be counted; the arguments are those of `count`."""
    known = counted_columns(schema)
    declared, level_of = _read_domains(domains), _read_levels(levels)
    _refuse_unknown([*(columns or []), *declared, *level_of], known)
    wanted = [name for name in known if columns is None or name in columns]
    _refuse_private(schema, wanted, declared)
    found: dict[str, PublicColumn] = {}
    coarser: list[Coarser] = []
    for name in wanted:
        level = level_of.get(name, 0)
        found[name] = public = _public(schema, name, declared.get(name), level)
        if with_coarser:
            used = [*known, *(one.name for one in coarser)]
            coarser += coarser_columns(name, public.labels, public.ladder, level, used)
    labels = tuple(public.labels for public in found.values())
    universe = Universe(tuple(found), labels, tuple(coarser))
    zeros = items(impossible, "impossible", "dicts")
    stated = tuple(_read_impossible(universe, one) for one in zeros)
    return PublicColumns(replace(universe, impossible=stated), found)


def _public(
    schema: Schema, name: str, declared: Sequence[Value] | None, level: int
) -> PublicColumn:
    """The possible values of a column, and their labels at a level of its hierarchy."""
    hierarchy = schema.hierarchies.get(name)
    if declared is not None:
        values: list[Value] = list(declared)
    else:
        assert hierarchy is not None  # `_refuse_private`
        values = list(hierarchy.leaves)
    place = {text_of(value): code for code, value in enumerate(values)}
    if len(place) < len(values) or not values:
        raise RuleError(f"the values declared for column {name!r} are empty or repeat")
    if hierarchy is None:
        if level:
            raise RuleError(f"column {name!r} has no hierarchy to generalize it by")
        return PublicColumn(place, tuple(place), np.arange(len(place)), None)
    ladder = hierarchy.bind(values, name)
    if not level:
        return PublicColumn(place, tuple(place), np.arange(len(place)), ladder)
    if level > ladder.height:
        raise RuleError(f"column {name!r} has levels 0 to {ladder.height}, not {level}")
    return PublicColumn(place, ladder.labels[level], ladder.ancestors[level], ladder)


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


def _refuse_private(
    schema: Schema, columns: Sequence[str], domains: Mapping[str, Sequence[Value]]
) -> None:
    """Refuse columns without a list of values that is public, all of them at once."""
    trees = schema.hierarchies
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


def _refuse_unknown(named: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in named if name not in known]
    if unknown:
        raise RuleError(
            f"there is no column {unknown[0]!r} to count; there are: {', '.join(known)} "
            f"(a column with several values per person cannot be counted with noise)"
        )
