"""CSV files as people have them: separators, quotes, line ends, encodings, compression."""

from __future__ import annotations

import csv
import gzip
import io

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gyges.engines.csv_files import looks_like_data, read_layout
from gyges.engines.read import open_source
from gyges.errors import SourceError
from tests.engines.conftest import examples

CELLS = st.text(st.sampled_from(list("ab1 ,;\t|\"\n'é日*#.-")), max_size=6)
NAMES = st.text(st.sampled_from(list('ab ,;"é')), min_size=1, max_size=5).filter(str.strip)


def fetched(path):
    source = open_source(str(path))[0]
    return source.fetch(list(source.columns))


@st.composite
def sheets(draw):
    """(names, rows) of texts; two columns or more, because one has no separator to find."""
    names = draw(st.lists(NAMES, min_size=2, max_size=4, unique_by=str.casefold))
    row = st.lists(CELLS, min_size=len(names), max_size=len(names))
    return names, draw(
        st.lists(row, min_size=1, max_size=5).filter(lambda rows: any(map(any, rows)))
    )


@settings(max_examples=examples(30))
@given(sheet=sheets(), separator=st.sampled_from(",;\t|"), end=st.sampled_from(["\n", "\r\n"]))
def test_what_the_csv_module_writes_is_read_back(sheet, separator, end, tmp_path_factory):
    names, rows = sheet
    assume(not looks_like_data(names, rows, ()))  # a column that holds its own name is refused
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [names, *rows]
    )
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    got = fetched(path)
    assert got.column_names == names
    columns = [[cell or None for cell in column] for column in zip(*rows, strict=True)]
    assert [column.to_pylist() for column in got.columns] == columns


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "csv.gz"])
def test_the_separator_is_found_whatever_the_file_is_called(tmp_path, separator, ending):
    text = separator.join(["zip", "income, net", "a|b"]).replace("a|b", '"a|b"')
    text = text.replace("income, net", '"income, net"')
    text += "\n" + separator.join(["01234", '"1,5"', "x"]) + "\n"
    path = tmp_path / f"t.{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    got = fetched(path)
    assert got.to_pylist() == [{"zip": "01234", "income, net": "1,5", "a|b": "x"}]


def test_a_decimal_comma_does_not_pass_for_a_separator(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name;height, in m;weight, in kg\nAnn;1,70;60,5\nBob;1,80;80,0\n")
    assert read_layout(path).separator == ";"
    path.write_text("id;x,y\n1;2,5\n2;3,5\n3;4\n")
    assert read_layout(path).separator == ";"


def test_one_column_needs_no_separator(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("disease\nFlu\nGout\n")
    assert fetched(path).to_pydict() == {"disease": ["Flu", "Gout"]}


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfage,zip\n30,01234\n",
        b"age,zip\r\n30,01234\r\n",
        b"age,zip\r30,01234\r",
        b"age,zip\n30,01234",
        b'"age","zip"\n"30","01234"\n',
        b"age,zip\n\n30,01234\n\n",
    ],
    ids=["byte order mark", "windows", "old mac", "no last line end", "quoted", "blank lines"],
)
def test_harmless_variations_are_read(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(content)
    assert fetched(tmp_path / "t.csv").to_pydict() == {"age": ["30"], "zip": ["01234"]}


def test_zeros_and_nuls_and_long_cells_survive(tmp_path):
    long = "x" * 5_000_000
    (tmp_path / "t.csv").write_text(f"code,note\n007,a\0b\n010,{long}\n")
    got = fetched(tmp_path / "t.csv").to_pydict()
    assert got["code"] == ["007", "010"] and got["note"] == ["a\0b", long]


def test_a_header_longer_than_what_is_looked_at_first(tmp_path):
    names = [f"column {i} {'é' * 30}" for i in range(3000)]
    (tmp_path / "t.csv").write_text(";".join(names) + "\n" + ";".join("1" for _ in names) + "\n")
    source = open_source(str(tmp_path / "t.csv"), wanted=names[:2])[0]
    assert list(source.columns) == names
    assert source.fetch(names[:2]).num_rows == 1


def test_files_of_a_glob_are_one_table_in_the_order_of_their_names(tmp_path):
    for name, age in (("b", 2), ("a", 1), ("c", 3)):
        (tmp_path / f"{name}.csv").write_text(f"age,zip\n{age},0\n")
    assert fetched(tmp_path / "*.csv").column("age").to_pylist() == ["1", "2", "3"]
    (tmp_path / "d[1]*.csv").write_text("age,zip\n9,0\n")  # a name, not a pattern
    assert fetched(tmp_path / "d[1]*.csv").column("age").to_pylist() == ["9"]


def fault(folder, content, name="patients.csv"):
    (folder / name).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        fetched(folder / name)
    message = str(caught.value)
    assert "SECRET" not in message and len(message.splitlines()) <= 3
    return message


def test_the_line_of_a_ragged_row_is_named_and_its_content_is_not(tmp_path):
    assert "line 3: 3 cells where the header has 2" in fault(tmp_path, b"a,b\n1,x\n1,x,SECRET\n")
    assert "line 3: 1 cell where the header has 2" in fault(tmp_path, b"a,b\n1,x\nSECRET\n3,y\n")
    after_a_break = b'a,b\n1,"x\ny"\n2,z\n3,z,SECRET\n'
    assert "line 5" in fault(tmp_path, after_a_break)  # as an editor counts


def test_quotes_that_do_not_close_are_named_by_their_line(tmp_path):
    assert "line 2" in fault(tmp_path, b'a,b\n1,"x\n2,SECRET\n')
    assert "line 2" in fault(tmp_path, b'a,b\n1,"x"SECRET\n2,z\n')


def test_mixed_line_ends_are_named(tmp_path):
    assert "line ends" in fault(tmp_path, b"a,b\r\n1,SECRET\n2,y\r\n")


def test_bytes_of_no_text_are_named_by_their_line(tmp_path):
    """A byte that is damaged in a file in UTF-8 makes it no file in another encoding."""
    damaged = "name,b\nä,x\nö,x\nü,y\n".encode() + b"2,\xff\xfeSECRET\n"
    message = fault(tmp_path, damaged)
    assert "not in UTF-8" in message and "line 5" in message and "encoding = " in message
    assert "UTF-16" in fault(tmp_path, "name,b\nSECRET,x\n".encode("utf-16-le"))
    far = "name,b\nä,x\nö,x\n".encode() + b"1,x\n" * 50_000 + b"2,\xff\xfeSECRET\n"
    assert "line 50004" in fault(tmp_path, far)


def test_damaged_compression_is_named(tmp_path):
    whole = gzip.compress(b"a,b\n" + b"1,SECRET\n" * 1000)
    assert "cannot be unpacked" in fault(tmp_path, whole[:-20], "t.csv.gz")
    assert "cannot be unpacked" in fault(tmp_path, b"a,b\n1,SECRET\n", "t.csv.gz")


def test_headers_that_cannot_be_one(tmp_path):
    assert fault(tmp_path, b"") == "patients.csv is empty"
    assert fault(tmp_path, b"\n \n") == "patients.csv is empty"
    assert "two columns are named 'a'" in fault(tmp_path, b"a,b,a\n1,2,3\n")
    assert "'age' and 'Age' differ only in case" in fault(tmp_path, b"age,Age\n1,2\n")
    assert "holds a line break" in fault(tmp_path, b'"a\nb",c\r\n1,2\r\n')
    assert "column 2 has no name" in fault(tmp_path, b"a,,c\n1,2,3\n")


def test_a_first_row_taken_for_a_header_is_not_quoted(tmp_path):
    """A file without a header: its first line is somebody's row."""
    (tmp_path / "t.csv").write_text("39,SECRET,Bachelors\n50,SECRET,HS-grad\n")
    with pytest.raises(SourceError, match="no header") as caught:
        open_source(str(tmp_path / "t.csv"), wanted=["age", "work"])
    assert "SECRET" not in str(caught.value) and "39" not in str(caught.value)


def test_files_that_do_not_fit_together_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("age,zip\n1,2\n")
    for other, why in (
        ("age,city\n1,2\n", "has no column 'zip'"),
        ("age,zip,sex\n1,2,3\n", "has a column 'sex'"),
        ("zip,age\n1,2\n", "another order"),
        ("age;zip\n1;2\n", "the same separator"),
    ):
        (tmp_path / "b.csv").write_text(other)
        with pytest.raises(SourceError, match=why):
            fetched(tmp_path / "*.csv")


def test_only_the_wanted_columns_are_kept(tmp_path):
    (tmp_path / "t.csv").write_text("age,zip,note\n1,2,3\n")
    source = open_source(str(tmp_path / "t.csv"), wanted=["zip"])[0]
    assert list(source.columns) == ["age", "zip", "note"]
    assert source.fetch(["zip"]) == pa.table({"zip": ["2"]})


def test_a_column_name_with_a_nul_is_refused(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_bytes(b"\n\n\0\n\n")
    with pytest.raises(SourceError, match="NUL"):
        fetched(path)
