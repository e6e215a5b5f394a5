"""`gy.read`: a table from wherever it is."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args, overload

from gyges import arguments
from gyges.arguments import choice, instance, items, shown
from gyges.data.counting import Missing
from gyges.data.joint_person import with_joint_person
from gyges.data.large_table import LargeTable, read_within
from gyges.data.memory_limit import MemoryBudget, MemoryLimit
from gyges.data.pseudonyms import opened_key
from gyges.data.rows_of_people import MOST_ROWS_OF_A_PERSON, RowsOfPeople, rows_of_people
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.table import FrameKind, Table, make_table
from gyges.engines.databases import is_url, open_database, open_engine_table
from gyges.engines.file_sources import embedded, find_files, kind_of, open_files
from gyges.engines.frames import is_engine_table, open_frame
from gyges.engines.ibis import IbisSource
from gyges.engines.in_memory import MemorySource
from gyges.engines.parquet_rows import open_parquet
from gyges.engines.small_files import open_small_files
from gyges.engines.value_table import with_values
from gyges.errors import GygesWarning, SchemaError, SourceError
from gyges.exact import whole


@overload
def read(
    source: object,
    schema: Schema,
    *,
    table: str | None = ...,
    values: object = ...,
    missing: Missing = ...,
    missing_marks: Collection[str] = ...,
    encoding: str | None = ...,
    pseudonym_key: object = ...,
    memory_limit: None = ...,
) -> Table: ...


@overload
def read(
    source: object,
    schema: Schema,
    *,
    table: str | None = ...,
    values: object = ...,
    missing: Missing = ...,
    missing_marks: Collection[str] = ...,
    encoding: str | None = ...,
    pseudonym_key: object = ...,
    memory_limit: MemoryLimit | None,
) -> Table | LargeTable: ...


def read(
    source: object,
    schema: Schema,
    *,
    table: str | None = None,
    values: object = None,
    missing: Missing = "error",
    missing_marks: Collection[str] = (),
    encoding: str | None = None,
    pseudonym_key: object = None,
    memory_limit: MemoryLimit | None = None,
) -> Table | LargeTable:
    """Read a table and count it.

    >>> from gyges import Schema
    >>> rows = {"age": [30, 30, 41], "disease": ["Flu", "Gout", "Flu"]}
    >>> read(rows, Schema(quasi_identifiers=["age"], sensitive="disease")).cells.people
    array([2, 1])

    Args:
        source: a path or glob of CSV or Parquet files, a workbook (Excel, OpenDocument), a file of
            SPSS, Stata or SAS, an Arrow table, a pandas or polars frame, a dict of lists, an Ibis
            table, a Spark frame, or a database URL.
        table: the name of the table, with a database URL; of the sheet, in a workbook.
        values: a second table with one sensitive value per row, where `source` has one row per
            person; both have the column `schema.person`. A path or a frame, an Ibis table or
            Spark frame of the same engine or, with a database URL, the name of another table.
        missing: "error" counts missing values and stops, "drop" drops these people,
            "value" makes a missing value a separate value, "any" says that a missing
            quasi-identifier may be any value (docs/missing_values.md). A person without a row in
            `values` has no value, which is not a missing one.
        missing_marks: texts that stand for a missing value, such as "?".
        encoding: of a CSV file, such as "cp1252"; without it, it is found, and a guess is said.
        pseudonym_key: for `schema.pseudonyms`, a file of a key (a new one is written if there is
            none), or 32 bytes. Without it a key is drawn and forgotten: no two releases can be
            linked by pseudonyms.
        memory_limit: bytes, or text such as "2GB"; where the cells of the table do not fit, they
            stay in the engine, and `gy.publish` searches them part by part.
    """
    if not isinstance(schema, Schema):
        raise SourceError(f"the schema is a {type(schema).__name__}: make one with gy.Schema(…)")
    choice(missing, get_args(Missing), "missing", SchemaError)
    marks = _marks(missing_marks)
    if table is not None:
        instance(table, str, "table", "give the name of a table", SourceError)
    memory = None if memory_limit is None else MemoryBudget.of(memory_limit).engine
    opened = open_source(source, table, schema.columns, memory, encoding=encoding)
    where = (source, table, encoding)
    with opened_key(pseudonym_key) as key:
        return read_opened(where, opened, schema, values, missing, marks, memory_limit, key)


def read_rows(
    source: object,
    schema: Schema,
    *,
    most: int,
    table: str | None = None,
    missing: Missing = "error",
    missing_marks: Collection[str] = (),
    encoding: str | None = None,
) -> RowsOfPeople:
    """Read a table with several rows per person, for a release with noise that counts rows.

    Of each person (the schema's `person`) at most `most` rows are counted, drawn at random: so what
    one person changes has a limit, and ε protects people, not rows.

    The other arguments are those of `read`.
    """
    if not isinstance(schema, Schema):
        raise SourceError(f"the schema is a {type(schema).__name__}: make one with gy.Schema(…)")
    whole(most, "the most rows of a person", least=1, most=MOST_ROWS_OF_A_PERSON)
    choice(missing, ("error", "drop", "value"), "missing", SchemaError)
    marks = _marks(missing_marks)
    rows, frame_kind = open_source(source, table, schema.columns, encoding=encoding)
    notices, _ = _about(rows)
    found = rows_of_people(
        with_joint_person(rows, schema, marks),
        schema,
        most,
        MemorySource,
        missing=missing,
        marks=marks,
        frame_kind=frame_kind,
        notices=notices,
    )
    for notice in found.notices:
        warnings.warn(notice, GygesWarning, stacklevel=2)
    return found


def read_opened(
    where: tuple[object, str | None, str | None],
    opened: tuple[Source, FrameKind],
    schema: Schema,
    values: object,
    missing: Missing,
    marks: Collection[str],
    memory_limit: MemoryLimit | None = None,
    key: bytes | None = None,
) -> Table | LargeTable:
    """Count what `open_source` opened: `where` is the source, its table and its encoding.

    The other arguments are those of `read`.
    """
    (source, _, _), (rows, frame_kind) = where, opened
    notices, labelled = _about(rows)
    rows = with_joint_person(rows, schema, marks)
    if values is not None:
        if schema.also_sensitive:
            raise SchemaError("a second table holds the values of one sensitive column: name one")
        rows, joined = with_values(source, rows, values, schema, marks)
        notices += joined
    count = (
        partial(make_table, has_value_table=values is not None, pseudonym_key=key)
        if memory_limit is None
        else partial(read_within, limit=memory_limit)
    )
    made: Table | LargeTable = count(
        rows,
        schema,
        missing=missing,
        marks=marks,
        frame_kind=frame_kind,
        notices=notices,
    )
    is_row = not schema.keep_row and schema.rows_per_person == "one"
    is_row = is_row and not schema.person_columns  # these were joined, in any order
    if isinstance(made, Table):
        made = replace(made, labelled=labelled)
        if values is None and is_row and _keeps_order(source):
            made = replace(made, read_again=partial(_read_again, where, marks))
    for notice in made.notices:
        warnings.warn(notice, GygesWarning, stacklevel=3)
    return made


def _keeps_order(source: object) -> bool:
    """Whether reading other columns gives the same rows in the same order: files and frames."""
    if not isinstance(source, (str, Path)):
        return not is_engine_table(source)
    return not is_url(str(source))


def _about(rows: Source) -> tuple[list[str], tuple[str, ...]]:
    """What a user should know about how a source was read, and its columns with labels."""
    if isinstance(rows, MemorySource):
        return list(rows.notices), rows.labelled
    return list(rows.notices) if isinstance(rows, IbisSource) else [], ()


def _read_again(
    where: tuple[object, str | None, str | None], marks: Collection[str], schema: Schema
) -> Table:
    """The same rows under another schema, each a person, with missing values as values."""
    source, table, encoding = where
    rows, kind = open_source(source, table, schema.columns, encoding=encoding)
    return make_table(rows, schema, missing="value", marks=marks, frame_kind=kind)


def _marks(given: object) -> frozenset[str]:
    listed = items(given, "missing_marks", "texts that stand for a missing value", SourceError)
    strange = [mark for mark in listed if not isinstance(mark, str)]
    if strange:
        raise SourceError(f"missing_marks holds {shown(strange[0])}: give texts, such as ['?']")
    return frozenset(mark for mark in listed if isinstance(mark, str))


def open_source(
    source: object,
    table: str | None = None,
    wanted: Collection[str] | None = None,
    memory: int | None = None,
    *,
    encoding: str | None = None,
) -> tuple[Source, FrameKind]:
    """Open a source, and say what kind of frame the caller works with.

    `table` is a table of a database, or a sheet of a workbook. `wanted` names the columns that will
    be used; None stands for all. An embedded engine that reads files takes at most `memory` bytes.
    `encoding` is that of CSV files.
    """
    if isinstance(source, (str, Path)):
        arguments.path(source, "source", SourceError)
        return _open_location(str(source), table, wanted, memory, encoding), "arrow"
    if table is not None:
        raise SourceError("`table` names a table of a database: give the URL of one as the source")
    if encoding is not None:
        raise SourceError("`encoding` is for CSV files: omit it")
    if is_engine_table(source):
        return open_engine_table(source, wanted), "arrow"
    frame = open_frame(source)
    if frame is None:
        raise SourceError(
            f"cannot read a {type(source).__name__}: give a path, an Arrow table, a pandas or "
            f"polars frame, a dict of lists, an Ibis table, a Spark frame, or a database URL"
        )
    return frame


def _open_location(
    location: str,
    table: str | None,
    wanted: Collection[str] | None,
    memory: int | None,
    encoding: str | None,
) -> Source:
    kind = "database" if is_url(location) else kind_of(find_files(location))
    if encoding is not None and kind != "csv":
        raise SourceError(f"{location!r} is not a CSV file: omit its encoding")
    if kind == "database":
        return open_database(location, table, wanted)
    if table is not None and kind != "sheet":
        raise SourceError(f"{location!r} is a file, not a database: omit the table's name")
    if memory is not None:
        return open_files(location, wanted, embedded(memory), encoding=encoding, sheet=table)
    small = open_small_files(location, wanted, encoding=encoding, sheet=table)
    here = small or (open_parquet(location, wanted) if kind == "parquet" else None)
    return here or open_files(location, wanted, encoding=encoding)
