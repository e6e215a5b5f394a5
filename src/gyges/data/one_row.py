"""One row per person, by a stated rule: a table of visits becomes a table of people.

The rule is `keep_row` ("first" or "last") by the column `keep_row_by`, which holds numbers or
dates. Pairs of a person and that column's values are counted once; the rows stay in the engine.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.consistency import refuse_nameless_rows, refuse_wrong_columns
from gyges.data.encoding import encoded, make_coder, places_of
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind
from gyges.errors import MissingValuesError, SourceError
from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa


def keep_one_row(
    source: Source, schema: Schema, marks: Collection[str] = ()
) -> tuple[Source, list[str]]:
    """The rows that the schema keeps of each person, and a notice; all rows without such a rule.

    Two different rows of one person that both come first, or last, are refused: any choice between
    them would be arbitrary, and another engine might choose otherwise. Exact copies count once.
    """
    if schema.keep_row is None:
        return source, []
    person, by = str(schema.person), str(schema.keep_row_by)
    refuse_wrong_columns(source, schema)
    refuse_nameless_rows(source, person, marks)
    pairs = source.count([person, by])
    rank = _ranks(pairs, source.name, schema, marks)
    column = encoded(pairs.column(person), person)
    who, n_people = places_of(column).astype(np.int64), len(column.dictionary)
    best = np.full(n_people, -1, dtype=np.int64)
    np.maximum.at(best, who, rank)
    kept = np.flatnonzero(rank == best[who])
    counts = np.asarray(numbers_of(pairs.column(COUNT)))
    n_tied = int((np.bincount(who[kept], weights=counts[kept]) > 1).sum())  # 9 and 9.0 are equal
    chosen = pairs.select([person, by]).take(arrow_numbers(kept))
    columns = [name for name in schema.columns if name in source.columns]
    rows: Source = source.recode([person, by], chosen, columns)
    if n_tied:
        rows = rows.distinct(columns)
        if int(numbers_of(rows.count([]).column(COUNT))[0]) > n_people:
            raise SourceError(
                f"{source.name}: {counted(n_tied, 'person has', 'people have')} several rows with "
                f"the {schema.keep_row} {by!r}: choose another column for keep_row_by, which tells "
                f"them apart"
            )
    copies = " (exact copies of a row count once)" if n_tied else ""
    notice = (
        f"each person's {schema.keep_row} row by {by!r} was kept: {n_people:,} of "
        f"{int(counts.sum()):,} rows{copies}"
    )
    return rows, [notice]


def _ranks(pairs: pa.Table, source: str, schema: Schema, marks: Collection[str]) -> IntArray:
    """A number for each row of `pairs` that is largest for the row to keep."""
    by = str(schema.keep_row_by)
    column = pairs.column(by)
    raw = set(encoded(column, by).dictionary.to_pylist())
    stated = schema.kinds.get(by)
    kind = None if stated in (None, Kind.MONTH) else Kind(stated)  # the days tell rows apart
    coder = make_coder(by, raw, kind=kind, marks=marks, local_format=schema.formats.get(by))
    if not coder.domain.is_ordered:
        raise SourceError(
            f"{source}: keep_row_by names {by!r}, which holds neither numbers nor dates that can "
            f"be read: name another column, or state the format of its dates under `formats`"
        )
    codes: IntArray = coder.encode(column).astype(np.int64)
    n_missing = int(numbers_of(pairs.column(COUNT))[codes < 0].sum())
    if n_missing:
        raise MissingValuesError(
            f"{source}: {counted(n_missing, 'row has', 'rows have')} no value in {by!r}, by which "
            f"one row of each person is kept: fill it in or remove the rows"
        )
    return codes if schema.keep_row == "last" else -codes + int(codes.max(initial=0))
