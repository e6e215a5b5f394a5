"""Sensitive values in a second table: one value per row, joined by the person."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.data.spelling import respelled_in_words
from gyges.engines.databases import is_url, open_engine_table, open_table
from gyges.engines.file_sources import embedded, open_files
from gyges.engines.frames import is_engine_table, open_frame
from gyges.engines.ibis import IbisSource, source_of
from gyges.engines.in_memory import MemorySource
from gyges.engines.parquet_rows import ParquetSource
from gyges.engines.transfer import from_arrow, to_arrow
from gyges.errors import EngineError, MissingColumnsError, SchemaError, SourceError

if TYPE_CHECKING:
    import ibis
    from ibis.backends import BaseBackend


def with_values(
    source: object, people: Source, values: object, schema: Schema, marks: Collection[str] = ()
) -> tuple[IbisSource, list[str]]:
    """Each person's row with each of their values; people without any keep one row with a null.

    `source` is what the caller gave, `people` the same opened; `marks` stand for missing values.
    Also returns notices, about rows that are not used.
    """
    if schema.person is None or schema.person_columns or schema.sensitive is None:
        raise SchemaError(
            "a second table of values needs a schema with `person` (the column that both tables "
            "have) and `sensitive` (the column of the values)"
        )
    here, there = _in_one_engine(source, people, values, (schema.person, schema.sensitive))
    _refuse_wrong_tables(here, there, schema.person, schema.sensitive)
    filled, n_empty = _without_empty(there, schema.sensitive, marks)
    if here.rows.get_backend().name == "sqlite":  # it joins expressions by comparing all pairs
        here, filled = (replace(one, rows=one.rows.cache()) for one in (here, filled))
    rows, n_strangers = _join_values(here, filled, schema.person, schema.sensitive)
    if n_strangers and not schema.exact_spelling:
        _refuse_respelled(here, filled, schema.person, marks)
    notices = []
    if n_strangers:
        notices.append(
            f"{n_strangers:,} rows of {there.name} are not used: their person is not in {here.name}"
        )
    if n_empty:
        are = "row is" if n_empty == 1 else "rows are"
        notices.append(
            f"{n_empty:,} {are} not used in {there.name}: no value of {schema.sensitive!r}"
        )
    columns = (*here.columns, schema.sensitive)
    return replace(here, rows=rows, columns=columns, is_in_order=False), notices


def _refuse_wrong_tables(
    people: IbisSource, values: IbisSource, person: str, sensitive: str
) -> None:
    if sensitive in people.columns:
        raise SchemaError(
            f"column {sensitive!r} is both in {people.name} and in {values.name}: omit the second "
            f"table or rename the column"
        )
    for source, needed in ((people, [person]), (values, [person, sensitive])):
        missing = [name for name in needed if name not in source.columns]
        if missing:
            raise MissingColumnsError(missing, source.columns)
    n_rows = int(people.count([]).column(COUNT)[0].as_py())
    n_people = int(people.count_distinct([person], by=[]).column(COUNT)[0].as_py())
    if n_people < n_rows:
        raise SourceError(
            f"{people.name}: {n_rows - n_people:,} rows repeat a person ({person}): with a second "
            f"table of values each person must have one row"
        )


def _refuse_respelled(
    people: IbisSource, values: IbisSource, person: str, marks: Collection[str]
) -> None:
    """Refuse values whose person may be in the other table, in another spelling."""
    sources = people.rows, values.rows
    ours, theirs = (rows.select(who=rows[person].cast("string")) for rows in sources)
    strangers = theirs.anti_join(ours, "who")
    n, *n_each = (
        replace(people, rows=rows).count_respelled("who", marks)
        for rows in (ours.union(strangers), ours, strangers)
    )
    n -= sum(n_each)  # only those that are in both tables
    if n > 0:
        raise SourceError(
            f"{values.name}: {respelled_in_words(n, person, 'one in ' + people.name)}, and the "
            f"rows of these people would be dropped\n"
            f"write the same person in the same way in both; if they are different people, write "
            f"exact_spelling = true"
        )


def _without_empty(
    values: IbisSource, sensitive: str, marks: Collection[str]
) -> tuple[IbisSource, int]:
    """The rows that have a value, and how many have none."""
    value = values.rows[sensitive]
    is_empty = value.isnull()
    if marks and value.type().is_string():
        is_empty = is_empty | value.isin(sorted(marks))
    filled = replace(values, rows=values.rows.filter(~is_empty))
    n_all, n_filled = (int(t.count([]).column(COUNT)[0].as_py()) for t in (values, filled))
    return filled, n_all - n_filled


def _join_values(
    people: IbisSource, values: IbisSource, person: str, sensitive: str
) -> tuple[ibis.Table, int]:
    """People's rows with their values, and how many values are of other people."""
    one = people.rows
    other = values.rows.select(gyges_person=person, gyges_value=sensitive)
    if one[person].type() != other["gyges_person"].type():  # a number in one, text in the other
        one = one.mutate(one[person].cast("string").name(person))
        other = other.mutate(gyges_person=other["gyges_person"].cast("string"))
    same = one[person] == other["gyges_person"]
    both = one.left_join(other, same)
    rows = both.select([*one.columns, both["gyges_value"].name(sensitive)])
    strangers = other.anti_join(one, same).aggregate(lambda t: t.count().name(COUNT))
    return rows, int(to_arrow(strangers, values.name).column(COUNT)[0].as_py())


def _in_one_engine(
    source: object, people: Source, values: object, wanted: Collection[str]
) -> tuple[IbisSource, IbisSource]:
    """Both tables in one engine: files and frames in an embedded DuckDB, others where they are."""
    if isinstance(people, MemorySource):
        people = _moved(embedded(), people)
    if isinstance(people, ParquetSource):
        people = people.engine
    if not isinstance(people, IbisSource):
        raise EngineError(f"{people.name} cannot be joined with a second table")
    engine = people.rows.get_backend()
    if isinstance(source, (str, Path)) and is_url(str(source)):
        if not isinstance(values, str):
            raise SourceError("with a database URL, `values` must name another table there")
        return people, open_table(engine, values, wanted)
    if is_engine_table(source):
        return people, open_engine_table(values, wanted, engine)
    if isinstance(values, (str, Path)) and not is_url(str(values)):
        return people, open_files(str(values), wanted, engine)
    frame = open_frame(values)
    if frame is None:
        raise SourceError("`values` must be a path or a frame, as the table of people is")
    return people, _moved(engine, frame[0])


def _moved(engine: BaseBackend, frame: MemorySource) -> IbisSource:
    return source_of(from_arrow(engine, frame.rows), frame.name)
