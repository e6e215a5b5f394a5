"""Arrow in and out of an engine: the few things in which engines differ."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
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
def engine_errors(engine: BaseBackend, name: str) -> Iterator[None]:
    """Turn any error of an engine into an EngineError with the type of the failure.

    The engine's own message may quote a row, so it is not repeated.
    """
    try:
        yield
    except GygesError:
        raise
    except Exception as problem:
        raise EngineError(
            f"{name}: {engine.name} failed ({type(problem).__name__}): {_what_to_do(problem)}"
        ) from None


# What an engine says where a setting is too small, and what to do then.
_KNOWN = {
    "maxResultSize": (
        "an answer is larger than the setting spark.driver.maxResultSize allows: give a "
        "memory_limit, with which rows stay in the cluster, or raise the setting"
    ),
    "ModuleNotFoundError": (
        "the Python of its workers lacks a package: install gyges there, and name that Python in "
        "PYSPARK_PYTHON"
    ),
    "Out of Memory Error": "it has too little memory: raise the memory limit",
    "OutOfMemoryError": "it has too little memory: raise spark.driver.memory",
}


def _what_to_do(problem: Exception) -> str:
    """What to do about an engine's error, whose own words may quote a row."""
    said = str(problem)
    usual = "check that the table still exists, is readable, and fits into the engine's memory"
    return next((what for sign, what in _KNOWN.items() if sign in said), usual)


def to_arrow(rows: ibis.Table, name: str) -> pa.Table:
    """Run an expression where its rows live and fetch the answer."""
    engine = rows.get_backend()
    with engine_errors(engine, name):
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
    """Timestamps of an Ibis table on Spark, whose type has no time zone, without a zone."""
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
    # Ibis 12 lists tables by a query that DuckDB 2 no longer supports.
    found = engine.con.sql(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    )
    return [name for (name,) in found.fetchall()]


def from_arrow(engine: BaseBackend, rows: pa.Table) -> ibis.Table:
    """Put a small table into an engine, for the length of the session."""
    name = f"gyges_{uuid.uuid4().hex}"
    rows = _with_simple_types(rows)
    if engine.name == "pyspark":
        session = engine.raw_sql("SELECT 1").sparkSession
        session.createDataFrame(rows).createOrReplaceTempView(name)
        return engine.table(name)
    return engine.create_table(name, rows, temp=True)


def _with_simple_types(rows: pa.Table) -> pa.Table:
    """The same rows without dictionaries, and with a type for columns in which all is null."""
    import pyarrow as pa

    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            decoded = rows.column(place).cast(field.type.value_type)
            rows = rows.set_column(place, field.name, decoded)
        elif pa.types.is_null(field.type):
            rows = rows.set_column(place, field.name, rows.column(place).cast(pa.string()))
    return rows


def write(rows: ibis.Table, target: str) -> None:
    """Write rows to a .csv or .parquet file; any other name is a table of the same engine."""
    engine = rows.get_backend()
    if not is_file(target):
        _write_table(engine, rows, target)
    elif engine.name == "duckdb" and not _holds_memory_tables(rows):
        _write_file(engine.con.sql(engine.compile(rows)), target)
    else:
        write_arrow(_collect(engine, rows), target)


def write_arrow(rows: pa.Table, target: str) -> None:
    """Write an Arrow table to a file by DuckDB, so that every engine's files agree."""
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
    """Whether a target is a file, by its ending."""
    return Path(target).suffix.lower() in FILE_ENDINGS


def _refuse_target(target: str) -> None:
    if not is_file(target):
        raise EngineError(f"cannot write {target!r}: a file ends in .csv or .parquet")
    if Path(target).exists():
        raise EngineError(f"{target!r} already exists: choose another name or remove it")
    if not Path(target).absolute().parent.is_dir():
        raise EngineError(f"cannot write {target!r}: its folder does not exist")


def refuse_existing(engine: BaseBackend, names: Iterable[str]) -> None:
    """Refuse to create a table whose name is taken."""
    taken = sorted(set(names) & set(table_names(engine)))
    if taken:
        raise EngineError(f"the table {taken[0]!r} already exists: choose another name or drop it")


def _write_table(engine: BaseBackend, rows: ibis.Table, target: str) -> None:
    refuse_existing(engine, [target])
    try:
        engine.create_table(target, rows)
    except Exception as problem:
        raise EngineError(
            f"{engine.name} could not create the table {target!r} ({type(problem).__name__}): "
            f"check that you may create tables there; a file ends in .csv or .parquet"
        ) from None
