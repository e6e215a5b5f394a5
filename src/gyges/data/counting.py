"""From rows in an engine to cells: one count, checked against the schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray, distinct_pairs
from gyges.data.arrow_arrays import numbers_of
from gyges.data.cells import Cells, Domain, locate
from gyges.data.consistency import (
    refuse_bad_samples,
    refuse_inconsistent_people,
    refuse_wrong_columns,
)
from gyges.data.described_source import DescribedSource
from gyges.data.encoding import NO_CODE, Coder, dictionary, encoded_columns, make_coder
from gyges.data.joined_people import CountedSets, count_sets
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind
from gyges.errors import MissingValuesError, SourceError
from gyges.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa

# What a missing value means; "any": a missing quasi-identifier may be any value (stand_ins.py).
Missing: TypeAlias = Literal["error", "drop", "value", "any"]


def count_cells(
    source: Source,
    schema: Schema,
    missing: Missing,
    marks: Collection[str],
    has_value_table: bool = False,
) -> tuple[Cells, dict[str, Coder]]:
    """Count the distinct rows of a source and give every value a code.

    `has_value_table` says that the sensitive values came from a second table: a person without
    one there has no value. Elsewhere a cell without a value is a missing value, as `missing` says.
    """
    refuse_wrong_columns(source, schema)
    refuse_bad_samples(source, schema, marks)
    people, values = _counted(source, schema)
    refuse_inconsistent_people(source, schema, int(people.counts.sum()), marks)
    coders = {
        name: _coder(people, name, schema, missing, marks) for name in schema.quasi_identifiers
    }
    if schema.sensitive:
        as_value: Missing = "drop" if has_value_table else missing
        coders[schema.sensitive] = _sensitive_coder(values, schema, as_value, marks)
        if schema.shared_columns and not has_value_table:
            _refuse_missing_in_rows(values, coders[schema.sensitive], missing, source.name)
    quasi = [coders[name] for name in schema.quasi_identifiers]
    codes = people.codes(quasi)
    kept = _kept(people, codes, schema, coders, missing, source.name)
    about, of_value = values.rows_of_people, codes
    if about is None and values is not people:
        of_value = values.codes(quasi)
    inside = (of_value != NO_CODE).all(axis=1)
    inside = inside if about is None else inside[about]
    rows, value_codes, value_counts = _entries(values, inside, schema, coders)
    if about is not None:
        about = _places_kept(about if rows is None else about[rows], kept)
    cells = Cells.from_entries(
        domains=[coder.domain for coder in quasi],
        codes=codes if kept is None else codes[kept],
        people=people.counts if kept is None else people.counts[kept],
        sensitive=coders[schema.sensitive].domain if schema.sensitive else no_domain(),
        entry_codes=of_value if rows is None or about is not None else of_value[rows],
        entry_rows=about,
        value_codes=value_codes,
        value_counts=value_counts,
        values_per_person=schema.values_per_person if schema.sensitive else "set",
    )
    if schema.household is not None:
        homes = _households(source, schema, coders, cells)
        cells = replace(cells, households=homes)
    return cells, coders


def _households(
    source: Source, schema: Schema, coders: Mapping[str, Coder], cells: Cells
) -> Ragged:
    """The households of the people in each cell, as codes."""
    home, quasi = str(schema.household), list(schema.quasi_identifiers)
    by_value = bool(schema.sensitive) and schema.values_per_person == "one"
    values = [str(schema.sensitive)] if by_value else []
    pairs = _Count.of(source.count([home, *quasi, *values]))
    codes = pairs.codes([coders[name] for name in quasi])
    used = (codes != NO_CODE).all(axis=1)
    for value in values:
        used &= coders[value].encode(pairs.rows.column(value)) != NO_CODE
    who = dictionary(pairs.rows.column(home), home)[1][used].astype(np.int64)
    cell, homes = distinct_pairs(locate(codes[used], cells), who)
    starts = np.searchsorted(cell, np.arange(len(cells) + 1))
    return Ragged(homes, starts.astype(np.int64))


def code_column_alone(
    counted: pa.Table, name: str, schema: Schema, missing: Missing, marks: Collection[str]
) -> Coder:
    """The coder of a column that was counted by itself: the same as that of the whole count."""
    count = _Count.of(counted)
    if name == schema.sensitive:
        return _sensitive_coder(count, schema, missing, marks)
    return _coder(count, name, schema, missing, marks)


def refuse_missing(holes: dict[str, int], source: str) -> None:
    """Raise the error that says how many people have a missing value in which column."""
    listed = [f"{n:,} in column {name!r}" for name, n in holes.items()]
    raise MissingValuesError(
        f"{source} has missing values: {', '.join(listed)}\n"
        f"choose missing='drop' to drop these people, missing='value' to publish a missing value "
        f"as a separate value, or missing='any' if a missing quasi-identifier may be any value"
    )


def refuse_missing_sensitive(holes: dict[str, int], source: str) -> None:
    """Raise the error for sensitive values that are missing where they would match anything.

    No rule about values can be judged then: a group may have one value or several.
    """
    [(name, n)] = holes.items()
    raise MissingValuesError(
        f"{source} has missing values: {n:,} in column {name!r}, which is sensitive\n"
        f"missing='any' says that a missing value may be any value, and whether rules hold would "
        f"depend on which: fill them in, remove these rows, or choose 'drop' or 'value'"
    )


def refuse_nobody_left(source: str) -> None:
    """Raise the error for a table in which everyone has a missing value."""
    raise MissingValuesError(
        f"{source}: every row has a missing value, so no one is left: choose missing='value'"
    )


def refuse_empty(n_people: int, source: str) -> None:
    """Refuse a table without rows."""
    if n_people == 0:
        raise SourceError(f"{source} has no rows: there is nothing to publish")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Count:
    """An engine's count: distinct rows, dictionary-encoded, and how often each occurs."""

    rows: pa.Table
    counts: IntArray
    rows_of_people: IntArray | None = None  # where rows hold values alone: whose they are

    @classmethod
    def of(cls, counted: pa.Table, rows_of_people: IntArray | None = None) -> _Count:
        import pyarrow as pa

        names = [name for name in counted.column_names if name != COUNT]
        counts = np.asarray(numbers_of(counted.column(COUNT)), dtype=np.int64)
        return cls(pa.table(encoded_columns(counted, names), names=names), counts, rows_of_people)

    def codes(self, coders: Sequence[Coder]) -> CodeArray:
        """The codes of some columns, rows × columns; there may be no column."""
        if not coders:
            return np.zeros((len(self.counts), 0), dtype=np.int32)
        return encode_rows(self.rows, coders)


def _counted(source: Source, schema: Schema) -> tuple[_Count, _Count]:
    """People by quasi-identifiers, and values by quasi-identifiers; one count where that is all."""
    quasi, person = list(schema.quasi_identifiers), schema.shared_columns
    both = quasi + ([schema.sensitive] if schema.sensitive else [])
    if not person:
        people = values = _Count.of(source.count(both))
    elif found := _counted_at_once(source, schema):
        people, values = _Count.of(found.people), _Count.of(found.values, found.row_of_value)
    else:
        people = _Count.of(source.count_distinct(person, by=quasi))
        is_multiset = schema.values_per_person == "multiset"
        counted = source.count(both) if is_multiset else source.count_distinct(person, by=both)
        values = _Count.of(counted)
    refuse_empty(int(people.counts.sum()), source.name)
    return people, values


def _counted_at_once(source: Source, schema: Schema) -> CountedSets | None:
    """Both counts of people with sets of values, where one pass finds them."""
    if schema.values_per_person != "set":
        return None
    if isinstance(source, DescribedSource):
        return source.count_sets()
    quasi, person = schema.quasi_identifiers, schema.shared_columns
    if len(person) != 1 or schema.shapes or not quasi:
        return None
    return count_sets(source, person[0], quasi, str(schema.sensitive))


def encode_rows(rows: pa.Table, coders: Sequence[Coder]) -> CodeArray:
    """The codes of the given columns, rows × columns; NO_CODE where a value is missing."""
    codes = np.empty((rows.num_rows, len(coders)), dtype=np.int32, order="F")
    for place, coder in enumerate(coders):
        codes[:, place] = coder.encode(rows.column(coder.domain.name))
    return codes


def split_cell(text: Hashable, separator: str, as_set: bool) -> list[str | None]:
    """The values in one cell: "Flu; Gout" → Flu, Gout; in a set a repeated value counts once.

    A cell without any value holds one missing value, None.
    """
    parts = [] if text is None else [part.strip() for part in str(text).split(separator)]
    held: list[str | None] = [part for part in parts if part] or [None]
    return list(dict.fromkeys(held)) if as_set else held


def no_domain() -> Domain:
    """The domain of a sensitive column where there is none."""
    return Domain("", Kind.CATEGORY, (), np.zeros(0, dtype=bool))


def _coder(
    counted: _Count, name: str, schema: Schema, missing: Missing, marks: Collection[str]
) -> Coder:
    raw, places = dictionary(counted.rows.column(name), name)
    kind = schema.kinds.get(name)
    return make_coder(
        name,
        [*raw, None] if (places == len(raw)).any() else raw,
        kind=Kind(kind) if kind else None,
        hierarchy=schema.hierarchies.get(name),
        marks=marks,
        missing_is_value=missing == "value" or (missing == "any" and name != schema.sensitive),
        local_format=schema.formats.get(name),
    )


def _sensitive_coder(
    counted: _Count, schema: Schema, missing: Missing, marks: Collection[str]
) -> Coder:
    name = str(schema.sensitive)
    if schema.separator is None:
        coder = _coder(counted, name, schema, missing, marks)
    else:
        raw, places = dictionary(counted.rows.column(name), name)
        texts = [*raw, None] if (places == len(raw)).any() else raw
        coder = make_coder(
            name,
            {part for text in texts for part in split_cell(text, schema.separator, as_set=True)},
            hierarchy=schema.hierarchies.get(name),
            marks=marks,
            missing_is_value=missing == "value",
        )
    return Coder(_only_present(coder.domain), _renumbered(coder))


def _refuse_missing_in_rows(values: _Count, coder: Coder, missing: Missing, source: str) -> None:
    """Refuse rows without a sensitive value where people have several rows."""
    name = coder.domain.name
    n_missing = int(values.counts[coder.encode(values.rows.column(name)) == NO_CODE].sum())
    if not n_missing:
        return
    if missing == "error":
        refuse_missing({name: n_missing}, source)
    if missing == "any":
        refuse_missing_sensitive({name: n_missing}, source)
    raise MissingValuesError(
        f"{source} has missing values: {n_missing:,} in column {name!r}\n"
        f"where people have several rows, these people cannot be dropped: fill the values in, "
        f"remove the rows, or choose missing='value'"
    )


def _only_present(domain: Domain) -> Domain:
    """The domain of a sensitive column: the values that occur, and a ladder over these."""
    there = np.flatnonzero(domain.present)
    values = tuple(domain.values[i] for i in there)
    ladder = domain.ladder
    if ladder is not None and len(there) < len(domain):
        labels = (tuple(ladder.labels[0][i] for i in there), *ladder.labels[1:])
        ancestors = ladder.ancestors[:, there].copy()
        ancestors[0] = np.arange(len(there))
        ladder = type(ladder)(labels, ancestors)
    return Domain(domain.name, domain.kind, values, np.ones(len(values), dtype=bool), ladder)


def _renumbered(coder: Coder) -> dict[Hashable, int]:
    place = np.cumsum(coder.domain.present) - 1
    return {raw: int(place[code]) for raw, code in coder.code_of_raw.items()}


def _kept(
    people: _Count,
    codes: CodeArray,
    schema: Schema,
    coders: dict[str, Coder],
    missing: Missing,
    source: str,
) -> BoolArray | None:
    """Which rows of the count are kept; None for all."""
    holes = {name: codes[:, i] == NO_CODE for i, name in enumerate(schema.quasi_identifiers)}
    if schema.sensitive and not schema.shared_columns:
        column = people.rows.column(schema.sensitive)
        holes[schema.sensitive] = lacks_value(column, coders[schema.sensitive], schema)
    holes = {name: where for name, where in holes.items() if where.any()}
    if not holes:
        return None
    n_missing = {n: int(people.counts[holes[n]].sum()) for n in holes}
    if missing == "error":
        refuse_missing(n_missing, source)
    if missing == "any":
        refuse_missing_sensitive(n_missing, source)
    kept = ~np.logical_or.reduce(list(holes.values()))
    if not kept.any():
        refuse_nobody_left(source)
    return np.asarray(kept)


def _entries(
    values: _Count, inside: BoolArray, schema: Schema, coders: dict[str, Coder]
) -> tuple[IntArray | None, CodeArray, IntArray]:
    """(row of the count, value code, how often) for every sensitive value of the people kept:
    those whose row is `inside`.

    The rows are None where every row of the count has one value.
    """
    if schema.sensitive is None:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing.astype(np.int32), nothing
    coder = coders[schema.sensitive]
    if schema.separator is not None:
        column = values.rows.column(schema.sensitive)
        held, times = _split(column, coder, schema)
        inside &= ~_lacks_part(held)
        stay = inside[held.segment_of_value]
        rows = held.segment_of_value[stay]
        return rows, held.values[stay], times.values[stay] * values.counts[rows]
    value_codes = coder.encode(values.rows.column(schema.sensitive))
    inside &= value_codes != NO_CODE
    if inside.all():
        return None, value_codes, values.counts
    rows = np.flatnonzero(inside)
    return rows, value_codes[rows], values.counts[rows]


def _places_kept(rows: IntArray, kept: BoolArray | None) -> IntArray:
    """The places of some rows that are kept among all that are."""
    return rows if kept is None else (np.cumsum(kept) - 1)[rows]


def lacks_value(column: pa.ChunkedArray, coder: Coder, schema: Schema) -> BoolArray:
    """Which rows miss a sensitive value: their cell, or a value among several in it."""
    if schema.separator is None:
        return np.asarray(coder.encode(column) == NO_CODE)
    held, _ = _split(column, coder, schema)
    return _lacks_part(held)


def _lacks_part(held: Ragged) -> BoolArray:
    missing = np.zeros(len(held), dtype=bool)
    missing[held.segment_of_value[held.values == NO_CODE]] = True
    return missing


def _split(column: pa.ChunkedArray, coder: Coder, schema: Schema) -> tuple[Ragged, Ragged]:
    """The codes in each row's cell of several values, and how often each is there.

    Each distinct cell is split once.
    """
    raw, places = dictionary(column, coder.domain.name)
    as_set = schema.values_per_person == "set"
    held = [Counter(split_cell(text, str(schema.separator), as_set)) for text in [*raw, None]]
    codes = np.array([coder.code_of_raw.get(part, NO_CODE) for h in held for part in h], np.int32)
    times = np.array([n for h in held for n in h.values()], dtype=np.int64)
    lengths = [len(parts) for parts in held]
    return (
        Ragged.from_lengths(codes, lengths).take(places),
        Ragged.from_lengths(times, lengths).take(places),
    )
