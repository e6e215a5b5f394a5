"""From rows in an engine to cells: one count, and a check that the table is what the schema says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray
from gyges.data.cells import Cells, Domain
from gyges.data.consistency import refuse_inconsistent_people, refuse_wrong_columns
from gyges.data.encoding import NO_CODE, Coder, dictionary, make_coder
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind, kind_named
from gyges.errors import MissingValuesError, SourceError

if TYPE_CHECKING:
    import pyarrow as pa

Missing: TypeAlias = Literal["error", "drop", "value"]


def count_cells(
    source: Source, schema: Schema, missing: Missing, marks: Collection[str]
) -> tuple[Cells, dict[str, Coder]]:
    """Count the distinct rows of a source and give every value its code."""
    refuse_wrong_columns(source, schema)
    refuse_inconsistent_people(source, schema)
    people, values = _counted(source, schema)
    coders = {
        name: _coder(values, name, schema, missing, marks) for name in schema.quasi_identifiers
    }
    if schema.sensitive:
        coders[schema.sensitive] = _sensitive_coder(values, schema, missing, marks)
    quasi = [coders[name] for name in schema.quasi_identifiers]
    kept = _kept(people, schema, coders, missing, source.name)
    rows, value_codes, value_counts = _entries(values, schema, coders)
    entry_codes = encode_rows(values, quasi)[rows]
    inside = (entry_codes != NO_CODE).all(axis=1)
    cells = Cells.from_entries(
        domains=[coder.domain for coder in quasi],
        codes=encode_rows(people, quasi)[kept],
        people=_counts(people)[kept],
        sensitive=coders[schema.sensitive].domain if schema.sensitive else _nothing(),
        entry_codes=entry_codes[inside],
        value_codes=value_codes[inside],
        value_counts=value_counts[inside],
        values_per_person=schema.values_per_person if schema.sensitive else "set",
    )
    return cells, coders


def _counted(source: Source, schema: Schema) -> tuple[pa.Table, pa.Table]:
    """People by quasi-identifiers, and values by quasi-identifiers; one count where it serves."""
    quasi = list(schema.quasi_identifiers)
    both = quasi + ([schema.sensitive] if schema.sensitive else [])
    if not schema.person_columns:
        people = values = source.count(both)
    else:
        people = source.count_distinct(schema.person_columns, by=quasi)
        if schema.values_per_person == "multiset":
            values = source.count(both)
        else:
            values = source.count_distinct(schema.person_columns, by=both)
    if people.num_rows == 0 or _counts(people).sum() == 0:
        raise SourceError(f"{source.name} has no rows: there is nobody to publish anything about")
    return people, values


def encode_rows(rows: pa.Table, coders: Iterable[Coder]) -> CodeArray:
    """The codes of the given columns, rows × columns."""
    columns = [coder.encode(rows.column(coder.domain.name)) for coder in coders]
    return np.stack(columns, axis=1) if columns else np.zeros((rows.num_rows, 0), dtype=np.int32)


def split_cell(text: Hashable, separator: str, as_set: bool) -> list[str]:
    """The values in one cell: "Flu; Gout" → Flu, Gout; in a set a repeated value counts once."""
    if text is None:
        return []
    parts = [part.strip() for part in str(text).split(separator)]
    parts = [part for part in parts if part]
    return list(dict.fromkeys(parts)) if as_set else parts


def _nothing() -> Domain:
    return Domain("", Kind.CATEGORY, (), np.zeros(0, dtype=bool))


def _counts(rows: pa.Table) -> IntArray:
    return np.asarray(rows.column(COUNT).to_numpy(), dtype=np.int64)


def _coder(
    rows: pa.Table, name: str, schema: Schema, missing: Missing, marks: Collection[str]
) -> Coder:
    raw, places = dictionary(rows.column(name))
    kind = schema.kinds.get(name)
    return make_coder(
        name,
        [*raw, None] if (places == len(raw)).any() else raw,
        kind=kind_named(str(kind), name) if kind else None,
        hierarchy=schema.hierarchies.get(name),
        marks=marks,
        missing_is_value=missing == "value",
    )


def _sensitive_coder(
    rows: pa.Table, schema: Schema, missing: Missing, marks: Collection[str]
) -> Coder:
    name = str(schema.sensitive)
    if schema.separator is None:
        as_value = missing if schema.values_per_person == "one" else "drop"
        coder = _coder(rows, name, schema, as_value, marks)
        return Coder(_only_present(coder.domain), _renumbered(coder))
    raw, _ = dictionary(rows.column(name))
    known = [text for text in raw if text not in marks]
    parts = {part for text in known for part in split_cell(text, schema.separator, as_set=True)}
    coder = make_coder(name, sorted(parts), hierarchy=schema.hierarchies.get(name))
    return Coder(_only_present(coder.domain), _renumbered(coder))


def _only_present(domain: Domain) -> Domain:
    """A sensitive column's domain is the values that occur; its ladder is bound to these."""
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
    people: pa.Table, schema: Schema, coders: dict[str, Coder], missing: Missing, source: str
) -> BoolArray:
    """Which rows of the count stay: all, unless values are missing and may be dropped."""
    required = [*schema.quasi_identifiers]
    if schema.sensitive and schema.values_per_person == "one":
        required.append(schema.sensitive)
    required = [name for name in required if name in people.column_names]
    holes = encode_rows(people, [coders[name] for name in required]) == NO_CODE
    if not holes.any():
        return np.ones(people.num_rows, dtype=bool)
    if missing == "error":
        counts = _counts(people)
        where = {
            name: int(counts[holes[:, i]].sum())
            for i, name in enumerate(required)
            if holes[:, i].any()
        }
        listed = ", ".join(f"{n:,} in column {name!r}" for name, n in where.items())
        raise MissingValuesError(
            f"{source} has missing values: {listed}\n"
            f"choose missing='drop' to leave these people out, or missing='value' to publish "
            f"a missing value as a value of its own"
        )
    return np.asarray(~holes.any(axis=1))


def _entries(
    values: pa.Table, schema: Schema, coders: dict[str, Coder]
) -> tuple[IntArray, CodeArray, IntArray]:
    """(row of the count, value code, how often) for every sensitive value."""
    if schema.sensitive is None:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing.astype(np.int32), nothing
    coder, counts = coders[schema.sensitive], _counts(values)
    if schema.separator is None:
        codes = coder.encode(values.column(schema.sensitive))
        rows = np.flatnonzero(codes != NO_CODE)
        return rows, codes[rows], counts[rows]
    raw, places = dictionary(values.column(schema.sensitive))
    as_set = schema.values_per_person == "set"
    held = [Counter(split_cell(text, schema.separator, as_set)) for text in [*raw, None]]
    lengths = np.array([len(parts) for parts in held])
    first = np.concatenate([[0], np.cumsum(lengths)])
    codes = np.array([coder.code_of_raw.get(part, NO_CODE) for h in held for part in h], np.int32)
    times = np.array([n for h in held for n in h.values()], dtype=np.int64)
    of_row = lengths[places]
    rows = np.repeat(np.arange(len(places)), of_row)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(of_row) - of_row, of_row)
    entry = first[places[rows]] + within
    known = codes[entry] != NO_CODE
    return rows[known], codes[entry][known], (times[entry] * counts[rows])[known]
