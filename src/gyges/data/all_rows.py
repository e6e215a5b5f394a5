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

A person without a value in one of their rows has none in the description. One pass of the engine
finds what the rows of each person have together; the rows stay there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts, numbers_of
from gyges.data.consistency import agree_on, refuse_nameless_rows, refuse_wrong_columns
from gyges.data.described_source import DescribedSource
from gyges.data.encoding import NO_CODE, Coder, make_coder, places_of
from gyges.data.hierarchy import Hierarchy
from gyges.data.joined_people import MOST_WORDS, WORD, NumberedColumn, join_people
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.values import Kind, text_of
from gyges.errors import SchemaError, SourceError
from gyges.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa

_TOGETHER = " + "  # between the values of a set


def describe_people(
    source: Source, schema: Schema, marks: Collection[str] = ()
) -> tuple[Source, Schema, list[str]]:
    """The rows with each person's description in place of the row's own values, their schema, and
    a notice; everything unchanged unless the schema uses all rows of each person.
    """
    if schema.rows_per_person == "one":
        return source, schema, []
    person = str(schema.person)
    refuse_wrong_columns(source, schema)
    refuse_nameless_rows(source, person, marks)
    _refuse_changing(source, schema)
    coders, numbered = _numbered(source, schema, marks)
    values = _values(source, schema, len(numbered))
    people = join_people(source, person, [*numbered, *values]).fetch()
    rows = _JoinedPeople(source, people)
    columns = [_described(rows, *one) for one in zip(numbered, coders, strict=True)]
    changing = [column for column in columns if column.changes]
    _refuse_taken(source, changing)
    replaced = [column.name for column in changing]
    kept = [n for n in schema.columns if n in source.columns and n not in replaced]
    described = DescribedSource(
        rows=source,
        keep=kept,
        person=person,
        joined=people,
        described={name: part for column in columns for name, part in column.parts.items()},
        new=[name for column in changing for name in column.parts],
        values=values[0] if values else None,
    )
    schema = _with_parts(schema, columns)
    if schema.values_per_person == "one":
        schema = replace(schema, identifiers=[], dropped=[])
        # One row per person: all else agrees.
        return described.recoded.distinct(schema.columns), schema, _notice(changing)
    return described, schema, _notice(changing)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _JoinedPeople:
    """What the rows of each person have together, and the source for what is wider than that."""

    source: Source
    numbers: pa.Table

    def of(self, name: str) -> IntArray:
        return np.asarray(numbers_of(self.numbers.column(name)))

    def ends(self, column: NumberedColumn) -> tuple[IntArray, IntArray]:
        """The least and the greatest code of each person; where sets were joined without missing
        values, and some have several codes, 0 and how many each has.
        """
        if column.with_ends:
            return self.of(column.least), self.of(column.greatest)
        words = [self.of(word) for word in column.words]
        n_codes: IntArray = np.stack([np.bitwise_count(word) for word in words]).sum(
            axis=0, dtype=np.int64
        )
        if (n_codes > 1).any():
            return np.zeros_like(n_codes), n_codes
        bits = [np.frexp(word)[1] + WORD * i for i, word in enumerate(words)]  # of powers of two
        held = [np.where(word > 0, bit - 1, 0) for word, bit in zip(words, bits, strict=True)]
        code = np.asarray(np.stack(held).sum(axis=0), dtype=np.int64)
        return code, code

    def codes(self, name: str, coder: Coder) -> Ragged:
        """Each person's codes of a column, where they are too many for the bits of a few words."""
        import pyarrow.compute as pc

        person = self.numbers.column_names[0]
        pairs = self.source.count([person, name])
        held = pairs.column(person).cast(self.numbers.column(person).type)
        who = pc.index_in(held, self.numbers.column(person).combine_chunks())
        rows = Ragged.group_by(np.asarray(numbers_of(who)), self.numbers.num_rows)
        return rows.of(coder.encode(pairs.column(name)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Described:
    """A quasi-identifier, and the columns that replace it where it changes within people."""

    name: str
    parts: dict[str, pa.Array]  # each person's value in the column, or in those instead of it
    changes: bool
    kind: Kind
    hierarchy: Hierarchy | None


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


def _numbered(
    source: Source, schema: Schema, marks: Collection[str]
) -> tuple[list[Coder], list[NumberedColumn]]:
    """The coders of the quasi-identifiers, and their values numbered by these codes."""
    coders, numbered = [], []
    for place, name in enumerate(schema.quasi_identifiers):
        column = NumberedColumn.of(source, name, place)
        coder = _coder(column.values, name, schema, marks)
        is_set = not coder.domain.is_ordered and len(coder.domain) <= WORD * MOST_WORDS
        codes: IntArray = coder.encode(column.counts.column(name)).astype(np.int64)
        n = len(coder.domain)
        ends = not is_set or bool((codes == NO_CODE).any())
        numbered.append(
            replace(column, numbers=codes, n_numbers=n, with_set=is_set, with_ends=ends)
        )
        coders.append(coder)
    return coders, numbered


def _values(source: Source, schema: Schema, place: int) -> list[NumberedColumn]:
    """The sensitive column where people have a set of few values."""
    if schema.values_per_person != "set":
        return []
    name = str(schema.sensitive)
    column = NumberedColumn.of(source, name, place, with_ends=False, with_set=True)
    return [column] if len(column.words) <= MOST_WORDS else []


def _described(rows: _JoinedPeople, column: NumberedColumn, coder: Coder) -> _Described:
    name, kind = column.name, coder.domain.kind
    low, high = rows.ends(column)
    changes = not (low == high).all()
    if coder.domain.is_ordered or not changes:
        first = np.zeros(len(coder.domain) + 1, dtype=np.int64)
        places = places_of(column.values)
        known = np.flatnonzero(column.numbers != NO_CODE)
        first[column.numbers[known[::-1]]] = places[known[::-1]]  # one raw value of each code
        names, ends = (extreme_names(name), (low, high)) if changes else ([name], (low,))
        parts = [_with_nulls(column.values.dictionary, first[e], low == NO_CODE) for e in ends]
        return _Described(name, dict(zip(names, parts, strict=True)), changes, kind, None)
    if column.with_set:
        sets, place = _sets_of_words([rows.of(word) for word in column.words])
    else:
        sets, place = _sets(coder, rows.codes(name, coder), low, high)
    values = [text_of(value) for value in coder.domain.values]
    texts = [_TOGETHER.join([values[code] for code in one]) for one in sets]
    if len(set(texts)) < len(texts):
        raise SourceError(
            f"column {name!r} changes within people, and some of its values contain "
            f"{_TOGETHER.strip()!r}, which separates the values of a set: write them differently"
        )
    part = _with_nulls(arrow_texts(texts), place, low == NO_CODE)
    over_sets = None if coder.domain.ladder is None else _over_sets(coder, sets, values)
    return _Described(name, {name: part}, changes, Kind.CATEGORY, over_sets)


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

    is_used = np.zeros(len(values), dtype=bool)
    is_used[places[~is_missing]] = True
    place_of_used = (np.cumsum(is_used) - 1).astype(np.int32)
    indices = place_of_used[np.where(is_missing, 0, places)] if is_used.any() else places * 0
    dictionary = values.filter(arrow_numbers(is_used))
    nulls = is_missing if is_missing.any() else None
    return pa.DictionaryArray.from_arrays(arrow_numbers(indices, nulls), dictionary)


def _sets_of_words(words: Sequence[IntArray]) -> tuple[list[tuple[int, ...]], IntArray]:
    """The distinct sets of codes that people have as bits, and each person's place among them."""
    _, place = np.unique(words[0], return_inverse=True)
    for word in words[1:]:
        _, more = np.unique(word, return_inverse=True)
        _, place = np.unique(place * (int(more.max()) + 1) + more, return_inverse=True)
    first = np.empty(int(place.max()) + 1, dtype=np.int64)
    first[place] = np.arange(len(place))  # someone who has the set
    has = np.concatenate([word[first, None] >> np.arange(WORD) & 1 for word in words], axis=1)
    of_set, codes = np.nonzero(has)
    sets = np.split(codes, np.cumsum(np.bincount(of_set, minlength=len(first)))[:-1])
    return [tuple(one.tolist()) for one in sets], place


def _sets(
    coder: Coder, codes: Ragged, low: IntArray, high: IntArray
) -> tuple[list[tuple[int, ...]], IntArray]:
    """As `_sets_of_words`, of many values: only people with several of them take a loop."""
    found = {(code,): code for code in range(len(coder.domain))}
    place = np.maximum(low, 0).astype(np.int64)
    for who in np.flatnonzero((low != high) & (low != NO_CODE)).tolist():
        held = tuple(sorted(set(codes[who].tolist())))
        place[who] = found.setdefault(held, len(found))
    used, place = np.unique(place, return_inverse=True)
    listed = list(found)
    return [listed[i] for i in used.tolist()], place


def _over_sets(coder: Coder, sets: Sequence[tuple[int, ...]], values: Sequence[str]) -> Hierarchy:
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
            rows[one] = (_TOGETHER.join(values[code] for code in one), *map(_TOGETHER.join, names))
    return Hierarchy(tuple(rows.values()))


def _with_parts(schema: Schema, columns: Sequence[_Described]) -> Schema:
    """The schema of the descriptions."""
    replaced = {column.name: column for column in columns if column.changes}
    kinds = {name: kind for name, kind in schema.kinds.items() if name not in replaced}
    formats = {name: stated for name, stated in schema.formats.items() if name not in replaced}
    hierarchies = {name: h for name, h in schema.hierarchies.items() if name not in replaced}
    for column in replaced.values():
        for name in column.parts:
            kinds[name] = column.kind
            hierarchy = column.hierarchy or schema.hierarchies.get(column.name)
            if hierarchy is not None:
                hierarchies[name] = hierarchy
            if name != column.name and column.name in schema.formats:
                formats[name] = schema.formats[column.name]
    return replace(
        schema,
        quasi_identifiers=[name for column in columns for name in column.parts],
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
