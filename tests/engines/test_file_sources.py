"""Paths, globs and Parquet files."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.engines.read import open_source
from gyges.errors import GygesError, SourceError

AGES = pa.table({"age": [1, 2], "zip": ["0", "1"]})


def refusal(location, **options):
    with pytest.raises(SourceError) as caught:
        open_source(str(location), **options)
    return str(caught.value)


def test_a_missing_file_suggests_one_that_is_there(tmp_path):
    (tmp_path / "patients.csv").write_text("a,b\n1,2\n")
    message = refusal(tmp_path / "patient.csv")
    assert "there is no file" in message and "did you mean" in message and "patients.csv" in message
    assert "no folder" in refusal(tmp_path / "nowhere" / "x.csv")
    assert "no file matches" in refusal(tmp_path / "*.parquet")
    assert "is a folder" in refusal(tmp_path) and "*.parquet" in refusal(tmp_path)
    assert "give a path" in refusal("")
    assert "the name is too long" in refusal("x" * 5000 + ".csv")


def test_a_name_that_says_nothing_about_its_content_is_refused(tmp_path):
    (tmp_path / "patients.doc").write_bytes(b"PK")
    assert "is unknown" in refusal(tmp_path / "patients.doc")
    (tmp_path / "a.csv").write_text("age,zip\n1,2\n")
    pq.write_table(AGES, tmp_path / "b.parquet")
    assert "one kind at a time" in refusal(tmp_path / "[ab].*")


def test_a_table_name_goes_with_a_database_only(tmp_path):
    (tmp_path / "a.csv").write_text("age,zip\n1,2\n")
    assert "not a database" in refusal(tmp_path / "a.csv", table="people")
    with pytest.raises(SourceError, match="names a table of a database"):
        open_source(AGES, table="people")


def test_a_damaged_parquet_file_is_named(tmp_path):
    path = tmp_path / "p.parquet"
    path.write_bytes(b"PAR1 this is none PAR1")
    assert "p.parquet is not a Parquet file" in refusal(path)
    path.write_bytes(b"")
    assert refusal(path) == "p.parquet is empty"
    pq.write_table(pa.table({"age": list(range(100_000)), "zip": ["SECRET"] * 100_000}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:1000] + b"\xff" * 200_000 + whole[201_000:])
    with pytest.raises(GygesError) as caught:
        gy.read(path, gy.Schema(quasi_identifiers=["age", "zip"]))
    assert "SECRET" not in str(caught.value)


def test_parquet_files_of_a_glob_need_the_same_columns(tmp_path):
    pq.write_table(AGES, tmp_path / "a.parquet")
    pq.write_table(AGES.slice(1), tmp_path / "b.parquet")
    source = open_source(str(tmp_path / "*.parquet"))[0]
    assert source.fetch(["age"]).column("age").to_pylist() == [1, 2, 2]
    pq.write_table(AGES.select(["age"]), tmp_path / "b.parquet")
    assert "b.parquet has no column 'zip'" in refusal(tmp_path / "*.parquet")


def test_columns_that_duckdb_would_rename_are_refused(tmp_path):
    """DuckDB calls the second of two columns `age_1` without a word."""
    twice = pa.table([pa.array([1]), pa.array([2])], names=["age", "age"])
    pq.write_table(twice, tmp_path / "p.parquet")
    assert "two columns are named 'age'" in refusal(tmp_path / "p.parquet")
    pq.write_table(twice.rename_columns(["age", "AGE"]), tmp_path / "p.parquet")
    assert "differ only in case" in refusal(tmp_path / "p.parquet")


def test_lists_in_a_column_are_refused_only_if_the_column_has_a_role(tmp_path):
    rows = pa.table({"age": [1, 2], "visits": [[1], [2, 3]], "disease": ["Flu", "Gout"]})
    pq.write_table(rows, tmp_path / "p.parquet")
    for source in (rows, tmp_path / "p.parquet"):
        with pytest.raises(SourceError, match="'visits' holds lists"):
            gy.read(source, gy.Schema(quasi_identifiers=["visits"], dropped=["age", "disease"]))
        schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", dropped=[])
        with pytest.warns(gy.errors.GygesWarning, match="visits"):
            assert gy.read(source, schema).n_people == 2


def test_moments_with_a_time_zone_are_told_in_utc(tmp_path):
    zone = datetime.timezone(datetime.timedelta(hours=2))
    moments = [datetime.datetime(2020, 1, 1, 1, 30, tzinfo=zone)]
    rows = pa.table({"seen": pa.array(moments, pa.timestamp("us", "Europe/Vienna"))})
    pq.write_table(rows, tmp_path / "p.parquet")
    (tmp_path / "t.csv").write_text("seen,x\n2020-01-01 01:30:00+02:00,1\n")
    schema = gy.Schema(quasi_identifiers=["seen"])
    for source in (rows, tmp_path / "p.parquet"):
        [moment] = gy.read(source, schema).cells.domains[0].values
        assert moment.isoformat() == "2019-12-31T23:30:00+00:00"
    schema = gy.Schema(quasi_identifiers=["seen"], dropped=["x"])
    [moment] = gy.read(tmp_path / "t.csv", schema).cells.domains[0].values
    assert moment.isoformat() == "2019-12-31T23:30:00+00:00"


def test_a_file_that_changes_after_reading_does_not_change_a_csv_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,disease\n1,Flu\n2,Gout\n")
    table = gy.read(path, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))
    path.write_text("age,disease\n7,Flu\n")
    assert table.cell_of_row.tolist() == [0, 1]
