"""A published table holds rows and nothing else, and is bounded before it takes memory."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gyges as gy
from gyges.auditing.parquet_check import check_parquet_files
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


def footer_of(content):
    """The footer of a Parquet file, and where it starts."""
    length = int.from_bytes(content[-8:-4], "little")
    return content[-8 - length : -8], len(content) - 8 - length


def with_footer(content, footer):
    _, start = footer_of(content)
    return content[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_a_field_that_readers_skip_is_refused(tmp_path):
    """600 bytes of rows of the original in a field that no version of Parquet has."""
    path = written(tmp_path / "data.parquet")
    content, secret = path.read_bytes(), b"Ann Lee,23,HIV;" * 40
    length = bytes([len(secret) & 127 | 128, len(secret) >> 7])
    new = bytes([8 << 4 | 8]) + length + secret  # the last field is 7, this one 15: a text
    path.write_bytes(with_footer(content, footer_of(content)[0][:-1] + new + b"\0"))
    assert pq.read_table(path).equals(ROWS), "another reader sees nothing odd"
    with pytest.raises(ReleaseError, match="more than its rows"):
        read_strictly(path)


def test_bits_after_the_last_value_of_a_page_are_not_confirmed(tmp_path):
    """Of the last page 11 of 16 places are used; readers do not look at the others."""
    rows = pa.table({"d": [*"cabaccabaca"]})
    path = written(tmp_path / "data.parquet", rows, compression="none")
    content = bytearray(path.read_bytes())
    content[footer_of(content)[1] - 1] = 0b10101010
    path.write_bytes(bytes(content))
    assert read_strictly(path).equals(rows)
    [check] = check_parquet_files(tmp_path, [path.name])
    assert check.holds is None


def test_a_file_that_was_written_otherwise_is_not_confirmed(tmp_path):
    rows = pa.table({"d": ["a", "b", "c"]})
    honest = written(tmp_path / "data.parquet", rows)
    assert not [*check_parquet_files(tmp_path, [honest.name])]
    for options in ({"compression": "zstd"}, {"use_dictionary": False}):
        other = written(tmp_path / "other.parquet", rows, **options)
        assert read_strictly(other).equals(read_strictly(honest))
        [check] = check_parquet_files(tmp_path, [other.name])
        assert check.holds is None and "nothing else" in check.claim


@pytest.mark.parametrize("rows", [ROWS, pa.table({"age": [1, 2, None], "w": [0.5, 2.5, 1e9]})])
def test_no_bit_of_a_parquet_file_is_changed_unseen(rows, tmp_path):
    """Refused, other rows, or not confirmed; no bit ends the process, as those of Arrow's own
    metadata did.
    """
    path = written(tmp_path / "data.parquet", rows)
    content, honest = path.read_bytes(), read_strictly(path)
    seen = set()
    for place in range(4, len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << (place * 5 + place // 8) % 8
        path.write_bytes(bytes(changed))
        try:
            found = read_strictly(path)
        except ReleaseError:
            seen.add("refused")
            continue
        is_other = not found.equals(honest)
        is_open = bool([*check_parquet_files(tmp_path, [path.name])])
        assert is_other or is_open, place
        seen.add("other rows" if is_other else "not confirmed")
    assert seen == {"refused", "other rows", "not confirmed"}


def test_a_place_beyond_the_dictionary_is_refused(tmp_path):
    """A page says which of three entries each row has, in two bits: the last is set to 3."""
    rows = pa.table({"d": [*"cabaccabaca"]})
    path = written(tmp_path / "data.parquet", rows, compression="none")
    content = bytearray(path.read_bytes())
    _, end = footer_of(content)
    content[end - 2] |= 0b00110000
    path.write_bytes(bytes(content))
    with pytest.raises(ReleaseError, match="not a readable parquet file"):
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
