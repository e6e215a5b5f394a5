"""Tables in a database, given by its URL, as an Ibis table or as a Spark frame."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import SplitResult, urlsplit

from gyges.engines.csv_files import refuse_repeated
from gyges.engines.file_sources import find_files
from gyges.engines.ibis import IbisSource, source_of
from gyges.engines.transfer import table_names
from gyges.errors import EngineError, SourceError, suggestion

if TYPE_CHECKING:
    import ibis
    from ibis.backends import BaseBackend
    from pyspark.sql import DataFrame, SparkSession

FILE_DATABASES = ("duckdb", "sqlite")
ENGINES = ("postgresql", "postgres", *FILE_DATABASES)

# What a driver's message means for the user; the message itself may contain a password.
_REASONS = {
    "password": "the user name or password is wrong",
    "no pg_hba.conf entry": "the server does not let this user in from here",
    "role": "the server does not know this user",
    "does not exist": "there is no such database",
    "translate host": "there is no such host",
    "resolve": "there is no such host",
    "refused": "nothing answers there",
    "no such file": "no server runs there",
    "timeout": "the server does not answer",
}


def is_url(location: str) -> bool:
    """Whether a text is a URL, not a path."""
    return "://" in location


def open_database(url: str, table: str | None, wanted: Collection[str] | None) -> IbisSource:
    """Open a table of a database."""
    source = open_table(connect(url), table, wanted)
    if _split(url).scheme == "duckdb":  # its rows have an order, and it is opened read-only
        return replace(source, is_in_order=True, takes_tables=False)
    return source


def open_table(
    engine: BaseBackend, table: str | None, wanted: Collection[str] | None
) -> IbisSource:
    """Open a table by its name, with its schema in front ("clinic.patients") if it needs one."""
    tables = table_names(engine)
    if not table:
        raise SourceError(f"name the table of the database: table='…' ({_listed(tables)})")
    database, _, name = table.rpartition(".")
    if table in tables or not database:
        database, name = "", table
    try:
        rows = engine.table(name, database=database or None)
    except Exception:
        raise SourceError(
            f"the database has no table {table!r}{suggestion(table, tables)}: {_listed(tables)}"
        ) from None
    return source_of(rows, table, wanted)


def connect(url: str) -> BaseBackend:
    """Connect to the database of a URL; no message repeats its password."""
    import ibis

    parts = _split(url)
    if parts.scheme not in ENGINES:
        raise SourceError(
            f"cannot read from {parts.scheme}://: give the path of a file, or a URL that begins "
            f"with {', '.join(f'{name}://' for name in ENGINES)}"
        )
    if parts.scheme in FILE_DATABASES:
        return _connect_file(parts)
    try:
        engine = ibis.connect(url)
    except ImportError:
        raise EngineError(
            "reading from PostgreSQL needs a driver: pip install 'gyges[postgres]'"
        ) from None
    except Exception as problem:
        raise EngineError(
            f"cannot connect to {_without_secrets(parts)}: {_reason(problem)}"
        ) from None
    weakref.finalize(engine, engine.con.close)  # the driver warns of connections left open
    return engine


def _connect_file(parts: SplitResult) -> BaseBackend:
    """A database in a file, opened read-only.

    Both duckdb:///srv/x.db and duckdb:////srv/x.db are in use for an absolute path.
    """
    import ibis

    path = _file_of(parts)
    try:
        if parts.scheme == "duckdb":
            return ibis.duckdb.connect(path, read_only=True)
        return ibis.sqlite.connect(path)
    except Exception as problem:
        raise EngineError(
            f"{path.name} cannot be opened as a {parts.scheme} database "
            f"({type(problem).__name__}): check that it is one and that no other program writes "
            f"to it"
        ) from None


def refuse_reading_files(url: str, table: str | None) -> None:
    """Refuse a table of a DuckDB file that is a view of other files: who made it chose these."""
    parts = _split(url)
    if parts.scheme != "duckdb" or not table:
        return
    import duckdb

    alone: dict[str, str | bool | int | float | list[str]] = {"enable_external_access": False}
    try:
        with duckdb.connect(_file_of(parts), read_only=True, config=alone) as database:
            database.table(table)
    except duckdb.PermissionException:
        raise SourceError(
            f"{table!r} reads files outside of its database: open these files instead"
        ) from None
    except duckdb.Error:  # opening it says what is wrong
        return


def database_file(url: str) -> Path | None:
    """The file that a URL of a database in a file opens; None for a server."""
    parts = _split(url)
    return _file_of(parts) if parts.scheme in FILE_DATABASES else None


def _file_of(parts: SplitResult) -> Path:
    written = f"{parts.netloc}{parts.path}".replace("//", "/", 1)
    is_absolute = Path(written).is_file()
    found = find_files(written if is_absolute else written.removeprefix("/"))
    if len(found) > 1:
        raise SourceError(f"{written!r} matches several files: name one database")
    return found[0]


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise SourceError("the URL of the database is malformed: check its brackets") from None


def _reason(problem: Exception) -> str:
    message = str(problem).lower()
    return next((reason for clue, reason in _REASONS.items() if clue in message), "check the URL")


def _without_secrets(parts: SplitResult) -> str:
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":  # the password broke the URL
        return "the database (write / ? # and @ of a password as %2F %3F %23 and %40 in the URL)"
    host = parts.hostname or "the local server"
    return f"the database {parts.path.removeprefix('/')!r} at {host}"


def _listed(tables: list[str]) -> str:
    if not tables:
        return "it has no tables"
    some = ", ".join(sorted(tables)[:10])
    return f"it has: {some}" + (f" and {len(tables) - 10} more" if len(tables) > 10 else "")


def open_engine_table(
    table: object, wanted: Collection[str] | None = None, engine: BaseBackend | None = None
) -> IbisSource:
    """Open an Ibis table, or a Spark frame through Ibis; in the engine given, if one is."""
    if type(table).__module__.startswith("pyspark"):
        return source_of(_from_spark(table, engine), "the Spark frame", wanted)
    import ibis

    if not isinstance(table, ibis.Table):
        raise SourceError(f"cannot read a {type(table).__name__} here: give an Ibis table")
    try:
        backend = table.get_backend()
    except Exception:
        raise SourceError(
            "the Ibis table does not belong to exactly one connection: give a table of one "
            "connection"
        ) from None
    if engine is not None and backend is not engine:
        raise EngineError("the two Ibis tables belong to different connections: use one for both")
    return source_of(table, "the Ibis table", wanted)


def _from_spark(frame: object, engine: BaseBackend | None) -> ibis.Table:
    """A Spark frame as an Ibis table."""
    if not hasattr(frame, "createOrReplaceTempView"):
        raise SourceError(f"cannot read a Spark {type(frame).__name__}: give a Spark DataFrame")
    if engine is not None and engine.name != "pyspark":
        raise EngineError(f"a Spark frame cannot be joined with a table in {engine.name}")
    refuse_repeated("the Spark frame", frame.columns)  # type: ignore[attr-defined]
    engine = engine or _spark_engine(frame.sparkSession)  # type: ignore[attr-defined]
    view = f"gyges_{uuid.uuid4().hex}"
    _in_local_time(cast("DataFrame", frame)).createOrReplaceTempView(view)
    return engine.table(view)


def _in_local_time(frame: DataFrame) -> DataFrame:
    """Timestamps in the session's time zone, as Spark shows them."""
    from pyspark.sql.functions import col

    moments = [f.name for f in frame.schema.fields if f.dataType.typeName() == "timestamp"]
    quoted = {name: "`" + name.replace("`", "``") + "`" for name in moments}
    return frame.withColumns({name: col(quoted[name]).cast("timestamp_ntz") for name in moments})


def _spark_engine(session: SparkSession) -> BaseBackend:
    """Ibis on a Spark session; the settings that connecting changes are restored."""
    import ibis

    names = ("spark.sql.session.timeZone", "spark.sql.mapKeyDedupPolicy")
    before = {name: session.conf.get(name) for name in names}
    engine = ibis.pyspark.connect(session)
    for name, value in before.items():
        session.conf.set(name, value)
    return engine
