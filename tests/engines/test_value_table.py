"""Sensitive values in a second table, joined by the person where the tables are."""

from __future__ import annotations

import sqlite3
import time

import ibis
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.errors import EngineError, GygesError, GygesWarning, SchemaError, SourceError
from tests.engines.tables import described

PEOPLE = pa.table({"id": [1, 2, 3, 4], "age": [30, 30, 41, 41]})
VALUES = pa.table({"id": [1, 1, 2, 4, 4], "icd": ["250", "250", "401", "401", "402"]})


def schema(kind="multiset"):
    return gy.Schema(
        quasi_identifiers=["age"],
        sensitive="icd",
        person="id",
        values_per_person=kind,
        kinds={"icd": "code"},
    )


@pytest.mark.parametrize("kind", ["set", "multiset"])
def test_people_without_values_count_and_repeated_values_are_kept(kind):
    cells = gy.read(PEOPLE, schema(kind), values=VALUES).cells
    assert cells.people.tolist() == [2, 2]
    assert list(cells.sensitive.values) == ["250", "401", "402"]
    assert cells.value_counts.tolist() == [2 if kind == "multiset" else 1, 1, 1, 1]


@pytest.mark.parametrize("missing", ["error", "drop", "value"])
def test_a_row_without_a_value_in_the_second_table_is_not_used_and_said(missing):
    holes = pa.table({"id": [1, 3, 4, 4, 4], "icd": ["250", "?", "401", "402", None]})
    with pytest.warns(GygesWarning, match="2 rows are not used in .*: no value of 'icd'"):
        table = gy.read(PEOPLE, schema(), values=holes, missing=missing, missing_marks=["?"])
    assert table.n_people == 4 and table.cells.people.tolist() == [2, 2]
    assert list(table.cells.sensitive.values) == ["250", "401", "402"]


@pytest.mark.parametrize("engine_name", ["memory", "csv", "parquet", "mixed", "duckdb"])
def test_the_second_table_gives_the_same_cells_as_one_long_table(engine_name, tmp_path):
    joined = PEOPLE.join(VALUES, "id", join_type="inner")
    all_have_one = PEOPLE.filter(pc.field("id") != 3)
    long = described(gy.read(joined, schema()).cells)
    assert described(gy.read(all_have_one, schema(), values=VALUES).cells) == long
    want = described(gy.read(PEOPLE, schema(), values=VALUES).cells)
    if engine_name == "memory":
        table = gy.read(PEOPLE.to_pydict(), schema(), values=VALUES.to_pandas())
    elif engine_name == "duckdb":
        engine = ibis.duckdb.connect(tmp_path / "t.db")
        engine.create_table("people", PEOPLE)
        engine.create_table("values", VALUES)
        engine.disconnect()
        table = gy.read(f"duckdb:///{tmp_path}/t.db", schema(), table="people", values="values")
    else:
        import pyarrow.csv

        pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
        pyarrow.csv.write_csv(VALUES, tmp_path / "values.csv")
        pq.write_table(PEOPLE, tmp_path / "people.parquet")
        pq.write_table(VALUES, tmp_path / "values.parquet")
        one = "csv" if engine_name in ("csv", "mixed") else "parquet"
        other = "csv" if engine_name == "csv" else "parquet"
        table = gy.read(tmp_path / f"people.{one}", schema(), values=tmp_path / f"values.{other}")
    assert described(table.cells) == want
    assert table.n_rows == joined.num_rows + 1  # person 3 has no value
    assert table.fetch(["id"]).num_rows == table.n_rows


@pytest.mark.xdist_group("postgres")
def test_two_tables_of_postgres_are_joined_there(postgres):
    engine = ibis.connect(postgres)
    engine.create_table("second_people", PEOPLE, overwrite=True)
    engine.create_table("second_values", VALUES, overwrite=True)
    engine.disconnect()
    table = gy.read(postgres, schema(), table="second_people", values="second_values")
    assert described(table.cells) == described(gy.read(PEOPLE, schema(), values=VALUES).cells)
    with pytest.raises(SourceError, match="must name another table"):
        gy.read(postgres, schema(), table="second_people", values=VALUES)


@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_two_spark_frames_are_joined_there(spark):
    people, values = spark.createDataFrame(PEOPLE), spark.createDataFrame(VALUES)
    table = gy.read(people, schema(), values=values)
    assert described(table.cells) == described(gy.read(PEOPLE, schema(), values=VALUES).cells)


def test_values_about_strangers_are_counted_and_not_used():
    more = pa.table({"id": [1, 2, 99, None], "icd": ["250", "401", "250", "401"]})
    with pytest.warns(GygesWarning, match="2 rows of the table are not used"):
        table = gy.read(PEOPLE, schema(), values=more)
    assert table.n_people == 4 and table.cells.value_counts.tolist() == [1, 1]


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(SourceError, match="1 rows repeat a person"):
        gy.read(pa.table({"id": [1, 1], "age": [3, 3]}), schema(), values=VALUES)
    with pytest.raises(GygesError, match="no column 'icd'"):
        gy.read(PEOPLE, schema(), values=VALUES.rename_columns(["id", "code"]))
    with pytest.raises(GygesError, match="no column 'id'"):
        gy.read(PEOPLE.rename_columns(["who", "age"]), schema(), values=VALUES)
    with pytest.raises(SchemaError, match="is both in the table and in the table"):
        gy.read(PEOPLE.append_column("icd", pa.array(list("abcd"))), schema(), values=VALUES)
    with pytest.raises(SchemaError, match="needs a schema with `person`"):
        gy.read(PEOPLE, gy.Schema(quasi_identifiers=["age"]), values=VALUES)
    with pytest.raises(SourceError, match="a path or a frame"):
        gy.read(PEOPLE, schema(), values=3)
    with pytest.raises(GygesError, match="the column that identifies people"):
        gy.read(pa.table({"id": [1, None], "age": [3, 3]}), schema(), values=VALUES)


def test_ibis_tables_of_two_connections_are_not_joined():
    one, other = ibis.duckdb.connect(), ibis.duckdb.connect()
    people, values = one.create_table("p", PEOPLE), other.create_table("v", VALUES)
    with pytest.raises(EngineError, match="different connections"):
        gy.read(people, schema(), values=values)
    values = one.create_table("v", VALUES)
    assert gy.read(people, schema(), values=values).n_people == 4


def test_diagnoses_of_the_real_diabetes_patients(real_data):
    """One person has no diagnosis row; 36,740 rows repeat an earlier (person, value)."""
    rules = gy.Schema(
        quasi_identifiers=["race", "gender", "age"],
        sensitive="value",
        person="person_id",
        values_per_person="multiset",
        kinds={"value": "code"},
    )
    people = real_data / "diabetes130_persons.csv.gz"
    values = real_data / "diabetes130_diagnoses.csv.gz"
    cells = gy.read(people, rules, values=values).cells
    assert cells.n_people == 71_518 and len(cells.sensitive) == 915
    n_values = int(cells.value_counts.sum())
    as_set = gy.read(
        people,
        gy.Schema(
            quasi_identifiers=rules.quasi_identifiers,
            sensitive="value",
            person="person_id",
            values_per_person="set",
            kinds=rules.kinds,
        ),
        values=values,
    ).cells
    assert n_values - int(as_set.value_counts.sum()) == 36_740
    assert as_set.people.tolist() == cells.people.tolist()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ibis goes through pandas there
def test_two_tables_of_sqlite_are_joined_in_proportionate_time(tmp_path):
    """Every pair of rows was compared: twice the people took four times as long."""
    n = 3_000
    ids = [f"p{i:06}" for i in range(n)]
    with sqlite3.connect(tmp_path / "d.sqlite") as rows:
        rows.execute("CREATE TABLE people (id TEXT, age TEXT)")
        rows.executemany("INSERT INTO people VALUES (?, ?)", [(i, str(hash(i) % 7)) for i in ids])
        rows.execute("CREATE TABLE ills (id TEXT, ill TEXT)")
        rows.executemany(
            "INSERT INTO ills VALUES (?, ?)", [(i, f"v{k}") for i in ids for k in "ab"]
        )
    rows.close()
    schema = gy.Schema(
        person="id", quasi_identifiers=["age"], sensitive="ill", values_per_person="set"
    )
    before = time.process_time()
    table = gy.read(f"sqlite:///{tmp_path / 'd.sqlite'}", schema, table="people", values="ills")
    assert table.n_people == n and time.process_time() - before < 10  # 20 s and more before
