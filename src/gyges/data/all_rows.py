"""All rows of each person: a table of visits becomes a table of people, described by their rows.

Each person has one description, made from all of their rows. In a column that changes within some
person it is

    the lowest and the highest value  of numbers and dates: "lowest age" and "highest age"
    the set of values                 of anything else: "Cardiology + Surgery" is one value

and the value itself in a column that changes within nobody. The release is one of descriptions:
it groups people, counts people, and holds no row of a visit, so nothing links two rows of a person.

What is promised. An attacker who knows some or all rows of their target can compute at most the
target's description from them, and everyone in the target's group has the same labels for it. So
whatever rows the attacker knows and however they intersect what groups say about them, everyone in
the target's group remains a candidate, and the rules judge that group.
`tests/data/test_all_rows.py` enumerates this attacker.

A person without a value in one of their rows has none in the description. Pairs of a person and
their values are counted once; the rows stay in the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.consistency import agree_on, refuse_nameless_rows, refuse_wrong_columns
from gyges.data.encoding import NO_CODE, Coder, encoded, make_coder, places_of
from gyges.data.hierarchy import Hierarchy
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.values import Kind, text_of
from gyges.errors import SchemaError, SourceError
from gyges.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa

_TOGETHER = " + "  # between the values of a set
_MOST_BITS = 62  # values of a column, up to which a set of them is one number


def describe_people(
    source: Source, schema: Schema, marks: Collection[str] = ()
) -> tuple[Source, Schema, list[str]]:
    """The rows with each person's description in place of the row's own values, their schema, and
    a notice; everything unchanged unless the schema uses all rows of each person.
    """
    if schema.rows_per_person == "one":
        return source, schema, []
    person, quasi = str(schema.person), list(schema.quasi_identifiers)
    refuse_wrong_columns(source, schema)
    refuse_nameless_rows(source, person, marks)
    _refuse_changing(source, schema)
    pairs = source.count([person, *quasi])
    people = encoded(pairs.column(person), person)
    rows_of_person = Ragged.group_by(places_of(people), len(people.dictionary))
    columns = [_described(pairs, rows_of_person, name, schema, marks) for name in quasi]
    changing = [column for column in columns if column.parts]
    _refuse_taken(source, changing)
    if changing:
        mapping = {person: people.dictionary}
        for column in changing:
            mapping |= column.parts
        replaced = [column.name for column in changing]
        kept = [n for n in schema.columns if n in source.columns and n not in replaced]
        source = source.recode([person], _table(mapping), kept)
    schema = _with_parts(schema, columns)
    if schema.values_per_person == "one":
        schema = replace(schema, identifiers=[], dropped=[])
        source = source.distinct(schema.columns)  # one row per person: all else agrees
    return source, schema, _notice(changing)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Described:
    """A quasi-identifier, and the columns that replace it where it changes within people."""

    name: str
    parts: dict[str, pa.Array]  # each person's value; none where the column changes within nobody
    kind: Kind
    hierarchy: Hierarchy | None

    @property
    def names(self) -> list[str]:
        return list(self.parts) or [self.name]


def extreme_names(name: str) -> tuple[str, str]:
    """The columns of the lowest and the highest of a person's values.

    >>> extreme_names("age")
    ('lowest age', 'highest age')
    """
    return f"lowest {name}", f"highest {name}"


def schema_of_rows(described: Schema) -> Schema:
    """The schema of rows from which people were described by these columns."""
    listed = described.quasi_identifiers
    ends = {name: extreme_names(name.removeprefix("lowest ")) for name in listed}
    pairs = {low: high for name, (low, high) in ends.items() if name == low and high in listed}
    rows = [
        name.removeprefix("lowest ") if name in pairs else name
        for name in listed
        if name not in pairs.values()
    ]
    return replace(
        described,
        quasi_identifiers=rows,
        kinds={name: kind for name, kind in described.kinds.items() if name in rows},
        hierarchies={name: h for name, h in described.hierarchies.items() if name in rows},
    )


def _described(
    pairs: pa.Table, rows: Ragged, name: str, schema: Schema, marks: Collection[str]
) -> _Described:
    column = encoded(pairs.column(name), name)
    coder = _coder(column, name, schema, marks)
    raw = column.dictionary.to_pylist()
    code_of_place = np.array([coder.code_of_raw.get(v, NO_CODE) for v in [*raw, None]], np.int32)
    codes = rows.of(code_of_place[places_of(column)])
    low, high = codes.minima(), codes.maxima()
    hierarchy = schema.hierarchies.get(name)
    if (low == high).all():
        return _Described(name, {}, coder.domain.kind, hierarchy)
    if coder.domain.is_ordered:
        first = np.zeros(len(coder.domain), dtype=np.int64)
        known = np.flatnonzero(code_of_place[:-1] != NO_CODE)
        first[code_of_place[known[::-1]]] = known[::-1]  # one raw value of each code
        ends = [_with_nulls(column.dictionary, first[e], low == NO_CODE) for e in (low, high)]
        parts = dict(zip(extreme_names(name), ends, strict=True))
        return _Described(name, parts, coder.domain.kind, hierarchy)
    sets, place = _sets(coder, codes, low, high)
    texts = [_text(coder, one) for one in sets]
    if len(set(texts)) < len(texts):
        raise SourceError(
            f"column {name!r} changes within people, and some of its values contain "
            f"{_TOGETHER.strip()!r}, which stands between the values of a set: write them otherwise"
        )
    parts = {name: _with_nulls(arrow_texts(texts), place, low == NO_CODE)}
    over_sets = None if hierarchy is None else _over_sets(coder, sets)
    return _Described(name, parts, Kind.CATEGORY, over_sets)


def _coder(column: pa.DictionaryArray, name: str, schema: Schema, marks: Collection[str]) -> Coder:
    stated = schema.kinds.get(name)
    return make_coder(
        name,
        column.dictionary.to_pylist(),
        kind=None if stated is None else Kind(stated),
        hierarchy=schema.hierarchies.get(name),
        marks=marks,
        local_format=schema.formats.get(name),
    )


def _with_nulls(values: pa.Array, places: IntArray, is_missing: BoolArray) -> pa.Array:
    """Some of the values, in this order; null where one is missing.

    The dictionary has no value that nobody has: it would count as one that occurs.
    """
    import pyarrow as pa

    used, of_used = np.unique(places[~is_missing], return_inverse=True)
    indices = np.zeros(len(places), dtype=np.int32)
    indices[~is_missing] = of_used
    dictionary = values.take(arrow_numbers(used.astype(np.int64)))
    return pa.DictionaryArray.from_arrays(arrow_numbers(indices, is_missing), dictionary)


def _sets(
    coder: Coder, codes: Ragged, low: CodeArray, high: CodeArray
) -> tuple[list[tuple[int, ...]], IntArray]:
    """The distinct sets of codes that people have, and each person's place among them.

    Few values are bits of one number. Otherwise only people with several values take a loop.
    """
    if len(coder.domain) <= _MOST_BITS:
        bits = np.where(codes.values == NO_CODE, 0, np.int64(1) << np.maximum(codes.values, 0))
        masks = Ragged(bits, codes.starts).reduced(np.bitwise_or, 0)
        distinct, place = np.unique(masks, return_inverse=True)
        width = range(len(coder.domain))
        return [tuple(i for i in width if mask >> i & 1) for mask in distinct.tolist()], place
    found = {(code,): code for code in range(len(coder.domain))}
    place = np.maximum(low, 0).astype(np.int64)
    for who in np.flatnonzero((low != high) & (low != NO_CODE)).tolist():
        held = tuple(sorted(set(codes[who].tolist())))
        place[who] = found.setdefault(held, len(found))
    used, place = np.unique(place, return_inverse=True)
    listed = list(found)
    return [listed[i] for i in used.tolist()], place


def _over_sets(coder: Coder, sets: Sequence[tuple[int, ...]]) -> Hierarchy:
    """The hierarchy in which a set of values is generalized to the set of their ancestors."""
    ladder = coder.domain.ladder
    assert ladder is not None
    singles = [(code,) for code in range(len(coder.domain))]
    rows = {}
    for one in dict.fromkeys([*singles, *sets]):
        if one:
            names = [
                sorted({ladder.labels[level][a] for a in ladder.ancestors[level][list(one)]})
                for level in range(1, ladder.height + 1)
            ]
            rows[one] = (_text(coder, one), *map(_TOGETHER.join, names))
    return Hierarchy(tuple(rows.values()))


def _text(coder: Coder, codes: Sequence[int]) -> str:
    return _TOGETHER.join(text_of(coder.domain.values[code]) for code in codes)


def _table(columns: dict[str, pa.Array]) -> pa.Table:
    import pyarrow as pa

    return pa.table(columns)


def _with_parts(schema: Schema, columns: Sequence[_Described]) -> Schema:
    """The schema of the descriptions."""
    replaced = {column.name: column for column in columns if column.parts}
    kinds = {name: kind for name, kind in schema.kinds.items() if name not in replaced}
    formats = {name: stated for name, stated in schema.formats.items() if name not in replaced}
    hierarchies = {name: h for name, h in schema.hierarchies.items() if name not in replaced}
    for column in replaced.values():
        for name in column.parts:
            kinds[name] = column.kind
            if column.hierarchy is not None:
                hierarchies[name] = column.hierarchy
            if name != column.name and column.name in schema.formats:
                formats[name] = schema.formats[column.name]
    return replace(
        schema,
        quasi_identifiers=[name for column in columns for name in column.names],
        kinds=kinds,
        formats=formats,
        hierarchies=hierarchies,
        do_not_identify=[],  # said about columns of the rows
    )


def _refuse_changing(source: Source, schema: Schema) -> None:
    """Refuse columns that describe a person once and differ between rows of one person."""
    person = str(schema.person)
    value = schema.sensitive if schema.values_per_person == "one" else None
    if value is not None and not agree_on(source, person, [value]):
        raise SourceError(
            f"{source.name}: rows of one person differ in {value!r}, so a person has several "
            f"values: write values_per_person = 'set'"
        )
    once = [*schema.published, *filter(None, [schema.household, schema.weight])]
    for name in once:
        if not agree_on(source, person, [name]):
            raise SourceError(
                f"{source.name}: rows of one person differ in {name!r}, and with rows_per_person = "
                f"'all' each person has one value of it: make it a quasi-identifier, or drop it"
            )


def _refuse_taken(source: Source, changing: Sequence[_Described]) -> None:
    for column in changing:
        for name in column.parts:
            if name != column.name and name in source.columns:
                raise SchemaError(
                    f"column {column.name!r} changes within people and needs the name {name!r}, "
                    f"which another column has: rename that one"
                )


def _notice(changing: Sequence[_Described]) -> list[str]:
    """What the columns of the descriptions are."""
    ends = [column.name for column in changing if len(column.parts) > 1]
    sets = [column.name for column in changing if len(column.parts) == 1]
    said = ["each person is described by all of their rows"]
    if ends:
        said.append(f"by the lowest and highest value of {', '.join(map(repr, ends))}")
    if sets:
        said.append(f"by the set of values of {', '.join(map(repr, sets))}")
    return [", ".join(said)]
