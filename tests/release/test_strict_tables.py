"""A published table holds rows and nothing else, and is bounded before it takes memory."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.errors import ReleaseError
from gyges.release.strict_tables import read_strictly
from gyges.release.tables import TableWriter
from tests.auditing.forging import rehash

ROWS = pa.table({"age": ["20-29", "30-39", "20-29"], "d": ["a", "b", "c"]})


def written(path, rows=ROWS, **options):
    options = {"store_schema": False, "write_statistics": False} | options
    pq.write_table(rows, path, **options)
    return path


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_what_the_writer_writes_is_read(name, tmp_path):
    many = pa.table({"age": [str(i) for i in range(5000)], "d": ["x" * 50] * 5000})
    with TableWriter(tmp_path / name, ["age", "d"]) as writer:
        for rows in (ROWS, many, ROWS.slice(0, 1)):  # row groups with other values
            writer.write(rows)
    found = read_strictly(tmp_path / name)
    assert found.num_rows == 5004
    assert found.column("age").to_pylist()[:4] == ["20-29", "30-39", "20-29", "0"]


def test_a_column_too_long_for_a_dictionary_is_read(tmp_path):
    """A writer gives up its dictionary where it grows too large."""
    rows = pa.table({"d": [f"{i:06}" * 10 for i in range(100_000)]})
    with TableWriter(tmp_path / "data.parquet", ["d"]) as writer:
        writer.write(rows)
    assert read_strictly(tmp_path / "data.parquet").column("d").to_pylist()[7] == "000007" * 10


def test_bytes_between_the_rows_and_the_footer_are_refused(tmp_path):
    path = written(tmp_path / "data.parquet")
    content = path.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    path.write_bytes(content[:-footer] + b"a secret" + content[-footer:])
    assert pq.read_table(path).num_rows == 3, "another reader sees nothing odd"
    with pytest.raises(ReleaseError, match="more than its rows"):
        read_strictly(path)


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (ROWS.replace_schema_metadata({"secret": "x"}), {"store_schema": True}),
        (ROWS, {"write_statistics": True}),
        (pa.table({"d": [["a"], ["b"]]}), {}),
        (pa.table({"d": [b"a", b"b"]}), {}),
        (pa.table([["a"], ["b"]], names=["d", "d"]), {}),
    ],
)
def test_anything_beside_plain_rows_is_refused(rows, options, tmp_path):
    with pytest.raises(ReleaseError):
        read_strictly(written(tmp_path / "data.parquet", rows, **options))


def test_values_that_no_row_has_are_refused(tmp_path):
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), ["a", "b", "a secret"])
    path = written(tmp_path / "data.parquet", pa.table({"d": coded}))
    with pytest.raises(ReleaseError, match="no row has"):
        read_strictly(path)


def test_a_small_file_that_unpacks_to_more_than_the_memory_is_refused(tmp_path):
    """200,000 rows of one text of a megabyte, a few kilobytes on disk."""
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000), ["x" * 1_000_000])
    path = written(tmp_path / "data.parquet", pa.table({"d": coded}))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(ReleaseError, match="memory"):
        read_strictly(path)


def test_numbers_in_the_bits_of_nan_are_refused(tmp_path):
    """Every NaN reads as one label, and its bits can number the rows."""
    bits = np.uint64(0x7FF8000000000000) + np.arange(1, 4, dtype=np.uint64)
    rows = pa.table({"age": bits.view(np.float64), "d": ["a", "b", "c"]})
    with pytest.raises(ReleaseError, match="NaN in 'age'"):
        read_strictly(written(tmp_path / "data.parquet", rows))


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@pytest.mark.parametrize("also", [[], ["income"]])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_an_empty_sensitive_cell_is_no_value_more(tmp_path, also, format):
    """A group in which everyone has hiv was "diverse" after one cell was blanked."""
    rows = {"age": [20, 40] * 4, "ill": ["hiv"] * 8}
    rows |= {"income": [*"ab"] * 4} if also else {}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill", also_sensitive=also)
    release = gy.publish(gy.read(rows, schema), [gy.KAnonymity(2)], method="lattice")
    folder = release.save(tmp_path / "out", format=format)
    path = folder / f"data.{format}"
    shown = release.frame().to_pandas().astype(str)
    shown.loc[0, "ill"] = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path.unlink()
        with TableWriter(path, list(shown)) as writer:
            writer.write(pa.Table.from_pandas(shown, preserve_index=False))
    rehash(folder)
    with pytest.raises(ReleaseError, match="empty cells"):
        gy.verify(folder)
