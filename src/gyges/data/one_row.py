"""One row per person, by a stated rule: a table of visits becomes a table of people.

`keep_row` is "first" or "last" by the column `keep_row_by`, which holds numbers or dates, or "most
sensitive": the row whose sensitive value comes first in `worst_first`; of several such rows the
last by `keep_row_by`, if it is stated. The engine finds the rows; they stay there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.consistency import refuse_nameless_rows, refuse_wrong_columns
from gyges.data.encoding import as_value, dictionary, is_missing, make_coder
from gyges.data.schema import MOST_SENSITIVE, Schema
from gyges.data.source import COUNT, Best, Source
from gyges.data.values import Kind, text_of
from gyges.errors import MissingValuesError, SourceError
from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa

_RANK = "gyges_rank"  # a column that is added for a while


def keep_one_row(
    source: Source, schema: Schema, marks: Collection[str] = ()
) -> tuple[Source, list[str]]:
    """The rows that the schema keeps of each person, and a notice; all rows without such a rule.

    Two different rows of one person that both come first are refused: any choice between them
    would be arbitrary, and another engine might choose otherwise. Exact copies count once.
    """
    if schema.keep_row is None:
        return source, []
    person, by = str(schema.person), schema.keep_row_by
    refuse_wrong_columns(source, schema)
    refuse_nameless_rows(source, person, marks)
    n_rows, rows, strange = _n_rows(source), source, list[str]()
    if schema.keep_row == MOST_SENSITIVE:
        rows, strange = _keep_worst(rows, schema, marks)
    if by is not None:
        rows = _keep_by(rows, schema, by, marks)
    columns = _used(source, schema)
    n_kept, n_people = _n_rows(rows), _n_people(rows, person)
    if n_kept > n_people:
        rows = rows.distinct(columns)
        if _n_rows(rows) > n_people:
            raise SourceError(_undecided(rows, schema, columns))
    copies = " (exact copies of a row count once)" if n_kept > n_people else ""
    order = "" if by is None else f" by {by!r}"
    notice = (
        f"each person's {schema.keep_row} row{order} was kept: {n_people:,} of {n_rows:,} rows"
        f"{copies}"
    )
    return rows, [notice, *strange]


def _keep_by(source: Source, schema: Schema, by: str, marks: Collection[str]) -> Source:
    """The rows of each person that are first or last by a column."""
    columns = _used(source, schema)
    rows, ordered = source, by
    if _is_in_order(source, schema, by, marks):
        _refuse_gaps(source.count_missing([by])[by], source.name, by)
    else:
        rows, ordered = source.recode([by], _ranks(source, schema, by, marks), columns), _RANK
    best: Best = "least" if schema.keep_row == "first" else "greatest"
    return rows.keep_best(str(schema.person), ordered, best, columns)


def _is_in_order(source: Source, schema: Schema, by: str, marks: Collection[str]) -> bool:
    """Whether the engine orders the column as its values mean: whole numbers and dates by type."""
    from pyarrow import types

    stated, kind = schema.kinds.get(by), source.type_of(by)
    if by in schema.formats or any(_is_number(mark) for mark in marks):
        return False
    if types.is_date(kind) or types.is_timestamp(kind):
        return stated in (None, Kind.DATE, Kind.MONTH)  # the days tell rows of a month apart
    return stated in (None, Kind.NUMBER) and types.is_integer(kind)


def _is_number(mark: str) -> bool:
    try:
        float(mark)
    except ValueError:
        return False
    return True


def _ranks(source: Source, schema: Schema, by: str, marks: Collection[str]) -> pa.Table:
    """The column's distinct values, and a number for each that grows with it."""
    counts = source.count([by])
    stated = schema.kinds.get(by)
    kind = None if stated in (None, Kind.MONTH) else Kind(stated)
    raw = set(dictionary(counts.column(by), by)[0])
    coder = make_coder(by, raw, kind=kind, marks=marks, local_format=schema.formats.get(by))
    if not coder.domain.is_ordered:
        raise SourceError(
            f"{source.name}: keep_row_by names {by!r}, which holds neither numbers nor dates that "
            f"can be read: name another column, or state the format of its dates under `formats`"
        )
    codes: IntArray = coder.encode(counts.column(by)).astype(np.int64)
    _refuse_gaps(int(numbers_of(counts.column(COUNT))[codes < 0].sum()), source.name, by)
    return counts.select([by]).append_column(_RANK, arrow_numbers(codes))


def _refuse_gaps(n_missing: int, source: str, by: str) -> None:
    if n_missing:
        raise MissingValuesError(
            f"{source}: {counted(n_missing, 'row has', 'rows have')} no value in {by!r}, by which "
            f"one row of each person is kept: fill it in or remove the rows"
        )


def _keep_worst(source: Source, schema: Schema, marks: Collection[str]) -> tuple[Source, list[str]]:
    """The rows of each person with their worst value, and a notice about values that nobody has.

    Values that are not listed come after all others, and a missing one last.
    """
    name, columns = str(schema.sensitive), _used(source, schema)
    counts = source.count([name])
    held = counts.column(name).to_pylist()
    place = {value: i for i, value in enumerate(schema.worst_first)}
    ranks = [
        len(place) + 1 if is_missing(one, marks) else place.get(text_of(as_value(one)), len(place))
        for one in held
    ]
    mapping = counts.select([name]).append_column(_RANK, arrow_numbers(np.array(ranks, np.int64)))
    rows = source.recode([name], mapping, columns)
    rows = rows.keep_best(str(schema.person), _RANK, "least", columns)
    absent = sorted(set(place.values()) - set(ranks))
    if not absent:
        return rows, []
    listed = ", ".join(schema.worst_first[i] for i in absent)
    return rows, [f"nobody has these values of worst_first: {listed}"]


def _undecided(rows: Source, schema: Schema, columns: list[str]) -> str:
    """The message about people of whom several rows come first: how many, and what to do."""
    person = str(schema.person)
    n_rows = np.asarray(numbers_of(rows.count([person]).column(COUNT)))
    many = counted(int((n_rows > 1).sum()), "person has", "people have")
    if schema.keep_row_by is None:
        return (
            f"{rows.name}: {many} several rows with their most sensitive value, which differ in "
            f"other columns: name a column of numbers or dates as keep_row_by; the last of these "
            f"rows is then kept"
        )
    by, which = schema.keep_row_by, "first" if schema.keep_row == "first" else "last"
    if _n_rows(rows.distinct([name for name in columns if name != by])) == _n_people(rows, person):
        return (
            f"{rows.name}: {many} several rows with the {which} {by!r}, which differ only in how "
            f"it is written, such as 9 and 9.0: write it in one way"
        )
    return (
        f"{rows.name}: {many} several rows with the {which} {by!r}: choose another column for "
        f"keep_row_by, which tells them apart"
    )


def _used(source: Source, schema: Schema) -> list[str]:
    return [name for name in schema.columns if name in source.columns]


def _n_rows(source: Source) -> int:
    return int(numbers_of(source.count([]).column(COUNT))[0])


def _n_people(source: Source, person: str) -> int:
    return int(numbers_of(source.count_distinct([person], by=[]).column(COUNT))[0])
