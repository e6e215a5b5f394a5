"""Databases by URL, Ibis tables and Spark frames: what is opened and what is refused."""

from __future__ import annotations

import sqlite3
import sys

import ibis
import pyarrow as pa
import pytest

import gyges as gy
from gyges.engines.read import open_source
from gyges.errors import EngineError, GygesError, SourceError

AGES = pa.table({"age": [1, 2, 2], "disease": ["Flu", "Gout", "Flu"]})
SCHEMA = gy.Schema(quasi_identifiers=["age"], sensitive="disease")


@pytest.fixture
def database(tmp_path):
    engine = ibis.duckdb.connect(tmp_path / "clinic.db")
    engine.create_table("patients", AGES)
    engine.create_table("visits", AGES)
    engine.disconnect()
    return f"duckdb:///{tmp_path / 'clinic.db'}"


def test_a_table_of_a_duckdb_file_is_read_and_the_file_stays_as_it_is(database):
    assert gy.read(database, SCHEMA, table="patients").cells.people.tolist() == [1, 2]
    single = database.replace("duckdb:////", "duckdb:///")  # both spellings are in use
    assert gy.read(single, SCHEMA, table="patients").n_people == 3
    assert gy.read(database, SCHEMA, table="main.patients").n_people == 3


def test_a_wrong_table_name_suggests_the_right_one(database):
    with pytest.raises(SourceError, match="did you mean 'patients'"):
        gy.read(database, SCHEMA, table="patient")
    with pytest.raises(SourceError, match="it has: patients, visits"):
        gy.read(database, SCHEMA)


def test_a_database_file_that_is_not_there_or_is_none(tmp_path):
    with pytest.raises(SourceError, match="there is no file"):
        gy.read(f"duckdb:///{tmp_path}/nothing.db", SCHEMA, table="t")
    (tmp_path / "text.db").write_text("SECRET " * 1000)
    for scheme in ("duckdb", "sqlite"):
        with pytest.raises(GygesError) as caught:
            gy.read(f"{scheme}:///{tmp_path}/text.db", SCHEMA, table="t")
        assert "SECRET" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ibis goes through pandas there
def test_a_table_of_an_sqlite_file_is_read(tmp_path):
    with sqlite3.connect(tmp_path / "clinic.sqlite") as engine:
        engine.execute("CREATE TABLE patients (age INTEGER, disease TEXT)")
        rows = zip(*AGES.to_pydict().values(), strict=True)
        engine.executemany("INSERT INTO patients VALUES (?, ?)", rows)
    engine.close()
    table = gy.read(f"sqlite:///{tmp_path}/clinic.sqlite", SCHEMA, table="patients")
    assert table.cells.people.tolist() == [1, 2]


def test_other_urls_say_what_can_be_read():
    with pytest.raises(SourceError, match=r"cannot read from mysql://"):
        gy.read("mysql://root:hunter2@db/clinic", SCHEMA, table="t")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:hunter2@127.0.0.1:1/clinic",
        "postgresql://ann:hunter2@no-such-host.invalid/clinic",
        "postgresql://ann:hunter2@/clinic?host=/nowhere",
        "postgresql://ann:hunter2@host:notaport/clinic",
        "postgres://ann:hun/ter2@127.0.0.1:1/clinic",
        "postgres://ann:hunter2@[127.0.0.1:1/clinic",
    ],
)
def test_a_failed_connection_does_not_tell_the_password(url):
    pytest.importorskip("psycopg")
    with pytest.raises(GygesError) as caught:
        gy.read(url, SCHEMA, table="patients")
    message = str(caught.value)
    assert "hunter2" not in message and "ter2" not in message and len(message.splitlines()) <= 3


def test_a_missing_driver_says_what_to_install(monkeypatch):
    for name in [
        name for name in sys.modules if name.startswith(("psycopg", "ibis.backends.postgres"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(EngineError, match=r"pip install 'gyges\[postgres\]'"):
        gy.read("postgresql://127.0.0.1:1/clinic", SCHEMA, table="patients")


@pytest.mark.xdist_group("postgres")
def test_postgres_types_that_arrow_does_not_have(postgres):
    engine = ibis.connect(postgres)
    with engine.begin() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE odd (id uuid, cost numeric, about json, code char(5), at time)"
        )
        cursor.execute(
            "INSERT INTO odd VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1.5000000000000001,"
            " '{\"a\": 1}', 'ab', '10:30'), (NULL, 12345678901234567890, NULL, NULL, NULL)"
        )
    rows = engine.table("odd")
    table = gy.read(rows, gy.Schema(quasi_identifiers=list(rows.columns)), missing="value")
    assert len(table.cells) == 2
    cost = table.cells.domains[1].values
    assert cost == (1.5, 12345678901234567890.0)
    mapping = table.source.count(["cost"]).select(["cost"]).append_column("x", pa.array(["a", "b"]))
    assert table.source.recode(["cost"], mapping, keep=["id"]).count(["x"]).num_rows == 2
    engine.disconnect()


@pytest.mark.xdist_group("postgres")
def test_postgres_tables_are_found_by_schema_and_near_names(postgres):
    engine = ibis.connect(postgres)
    engine.raw_sql('CREATE SCHEMA IF NOT EXISTS "cli nic"').close()
    engine.create_table("patients", AGES, database="cli nic", overwrite=True)
    engine.create_table("visitors", AGES, overwrite=True)
    engine.disconnect()
    assert gy.read(postgres, SCHEMA, table="cli nic.patients").n_people == 3
    with pytest.raises(SourceError, match="did you mean 'visitors'"):
        gy.read(postgres, SCHEMA, table="visitor")
    with pytest.raises(EngineError, match="there is no such database"):
        gy.read(postgres.replace("/postgres?", "/nothing?"), SCHEMA, table="visitors")


def test_an_ibis_table_is_read_where_it_is_even_with_tables_of_memory_in_it():
    engine = ibis.duckdb.connect()
    rows = engine.create_table("patients", AGES)
    assert gy.read(rows, SCHEMA).cells.people.tolist() == [1, 2]
    joined = rows.join(ibis.memtable(pa.table({"age": [2]})), "age")
    assert gy.read(joined, SCHEMA).cells.people.tolist() == [2]
    assert gy.read(ibis.memtable(AGES), SCHEMA).n_people == 3
    with pytest.raises(SourceError, match="give an Ibis table"):
        gy.read(rows.age, SCHEMA)
    with pytest.raises(SourceError, match="exactly one connection"):
        gy.read(ibis.table({"age": "int64"}, name="t"), SCHEMA)


def test_an_ibis_table_is_written_beside_itself():
    engine = ibis.duckdb.connect()
    source = open_source(engine.create_table("patients", AGES))[0]
    source.write("copy")
    assert gy.read(engine.table("copy"), SCHEMA).n_people == 3
    with pytest.raises(EngineError, match="already"):
        source.write("copy")


@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_reading_a_spark_frame_leaves_the_session_as_it_was(spark):
    zone = spark.conf.get("spark.sql.session.timeZone")
    frame = spark.createDataFrame(AGES)
    assert gy.read(frame, SCHEMA).cells.people.tolist() == [1, 2]
    assert spark.conf.get("spark.sql.session.timeZone") == zone
    with pytest.raises(SourceError, match="give a Spark DataFrame"):
        gy.read(frame.groupBy("age"), SCHEMA)
