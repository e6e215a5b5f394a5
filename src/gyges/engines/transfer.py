"""Arrow in and out of an engine: the few things that engines do not have in common."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.errors import EngineError, GygesError

if TYPE_CHECKING:
    import duckdb
    import ibis
    import pyarrow as pa
    from ibis.backends import BaseBackend

FILE_ENDINGS = (".csv", ".parquet")


@contextmanager
def asked(engine: BaseBackend, name: str) -> Iterator[None]:
    """Whatever an engine raises while it works on a table is told in one sentence.

    What it says when it fails may quote a row, so only the kind of failure is told.
    """
    try:
        yield
    except GygesError:
        raise
    except Exception as problem:
        raise EngineError(
            f"{name}: {engine.name} could not answer ({type(problem).__name__}): check that the "
            f"table is still there, is readable, and fits into the engine's memory"
        ) from None


def to_arrow(rows: ibis.Table, name: str) -> pa.Table:
    """Run an expression where its rows live and bring the answer here."""
    engine = rows.get_backend()
    with asked(engine, name):
        return _collect(engine, rows)


def _collect(engine: BaseBackend, rows: ibis.Table) -> pa.Table:
    if engine.name == "duckdb" and not _holds_memory_tables(rows):
        # Not engine.to_pyarrow: the same answer, but it imports pandas on the way.
        return engine.con.sql(engine.compile(rows)).to_arrow_table()
    if engine.name == "pyspark":
        # Not engine.to_pyarrow: it goes through pandas, where large integers lose digits.
        return _without_zones(engine.raw_sql(engine.compile(rows)).toArrow())
    if engine.name == "postgres":
        return engine.to_pyarrow_batches(rows).read_all()
    return engine.to_pyarrow(rows)


def _holds_memory_tables(rows: ibis.Table) -> bool:
    import ibis.expr.operations as ops

    return bool(rows.op().find(ops.InMemoryTable))


def _without_zones(rows: pa.Table) -> pa.Table:
    """Timestamps of an Ibis table on Spark: by their type they have no zone, so none is shown."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(rows.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            rows = rows.set_column(place, field.name, pc.local_timestamp(rows.column(place)))
    return rows


def table_names(engine: BaseBackend) -> list[str]:
    """The names of the tables in an engine's current schema."""
    if engine.name != "duckdb":
        return list(engine.list_tables())
    # Ibis 12 asks DuckDB 2 for this list in a way that it no longer answers.
    found = engine.con.sql(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    )
    return [name for (name,) in found.fetchall()]


def from_arrow(engine: BaseBackend, rows: pa.Table) -> ibis.Table:
    """Put a small table beside the rows of an engine, for the length of the session."""
    name = f"gyges_{uuid.uuid4().hex}"
    rows = _with_plain_types(rows)
    if engine.name == "pyspark":
        session = engine.raw_sql("SELECT 1").sparkSession
        session.createDataFrame(rows).createOrReplaceTempView(name)
        return engine.table(name)
    return engine.create_table(name, rows, temp=True)


def _with_plain_types(rows: pa.Table) -> pa.Table:
    """Without dictionaries, and without columns whose type nobody knows because all is null."""
    import pyarrow as pa

    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            plain = rows.column(place).cast(field.type.value_type)
            rows = rows.set_column(place, field.name, plain)
        elif pa.types.is_null(field.type):
            rows = rows.set_column(place, field.name, rows.column(place).cast(pa.string()))
    return rows


def write(rows: ibis.Table, target: str) -> None:
    """Write rows to a .csv or .parquet file; any other name is a table beside the rows."""
    engine = rows.get_backend()
    if not is_file(target):
        _write_table(engine, rows, target)
    elif engine.name == "duckdb" and not _holds_memory_tables(rows):
        _write_file(engine.con.sql(engine.compile(rows)), target)
    else:
        write_arrow(_collect(engine, rows), target)


def write_arrow(rows: pa.Table, target: str) -> None:
    """Write an Arrow table to a file as DuckDB writes it, so that every engine's files agree."""
    import duckdb

    with duckdb.connect() as engine:
        _write_file(engine.from_arrow(rows), target)


def _write_file(rows: duckdb.DuckDBPyRelation, target: str) -> None:
    _refuse_target(target)
    if Path(target).suffix.lower() == ".parquet":
        rows.write_parquet(target)
    else:
        rows.write_csv(target, header=True)


def is_file(target: str) -> bool:
    """Whether a target means a file: it ends like one."""
    return Path(target).suffix.lower() in FILE_ENDINGS


def _refuse_target(target: str) -> None:
    if not is_file(target):
        raise EngineError(f"cannot write {target!r}: a file ends in .csv or .parquet")
    if Path(target).exists():
        raise EngineError(f"{target!r} is there already: choose another name or remove it")
    if not Path(target).absolute().parent.is_dir():
        raise EngineError(f"cannot write {target!r}: there is no such folder")


def _write_table(engine: BaseBackend, rows: ibis.Table, target: str) -> None:
    if target in table_names(engine):
        raise EngineError(f"there is a table {target!r} already: choose another name or drop it")
    try:
        engine.create_table(target, rows)
    except Exception as problem:
        raise EngineError(
            f"{engine.name} could not create the table {target!r} ({type(problem).__name__}): "
            f"check that you may create tables there; a file ends in .csv or .parquet"
        ) from None
