"""Workbooks, files of SPSS, Stata and SAS, and texts in other encodings read as a CSV would."""

from __future__ import annotations

import datetime
import gzip

import pandas as pd
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.engines.read import open_source
from gyges.engines.text_encodings import encoding_of
from gyges.errors import GygesWarning, SourceError

HEADER = ["age", "sex", "admitted", "disease"]
ROWS = [
    [34.0, "f", datetime.date(2024, 1, 31), "Grippe"],
    [35.5, "m", datetime.date(2024, 2, 1), "Röteln"],
    [None, "f", None, "Grippe"],
]
AS_TEXT = {
    "age": ["34", "35.5", None],
    "sex": ["f", "m", "f"],
    "admitted": ["2024-01-31", "2024-02-01", None],
    "disease": ["Grippe", "Röteln", "Grippe"],
}


def content(path, **options):
    source, _ = open_source(path, **options)
    return source.fetch(source.columns).to_pydict()


def workbook(path, sheets):
    with xlsxwriter.Workbook(path) as book:
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, datetime.date):
                        sheet.write_datetime(i, j, cell, day)
                    elif cell is not None:
                        sheet.write(i, j, cell)
    return path


def test_a_sheet_is_read_as_its_csv_would_be(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"People": [HEADER, *ROWS], "Empty": []})
    assert content(path) == AS_TEXT
    some, _ = open_source(path, wanted=["age"])
    assert some.fetch(["age"]).to_pydict() == {"age": AS_TEXT["age"]}
    assert list(some.columns) == HEADER


def test_of_several_sheets_one_must_be_named(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"People": [HEADER, *ROWS], "Notes": [["note"], ["x"]]})
    with pytest.raises(SourceError, match="several sheets, People, Notes: name one as the table"):
        open_source(path)
    assert content(path, table="People") == AS_TEXT
    with pytest.raises(SourceError, match=r"no sheet 'Poeple' .did you mean 'People'"):
        open_source(path, table="Poeple")


def test_cells_merged_over_several_rows_are_refused(tmp_path):
    """Everyone but the first row of each merged cell had no ward, and nothing said so."""
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["ward", "age"])
        sheet.write_column(1, 1, range(30, 36))
        sheet.merge_range(1, 0, 3, 0, "North")
        sheet.merge_range(4, 0, 6, 0, "South")
    with pytest.raises(SourceError, match=r"2 cells merged over several rows.* rows 2 to 4"):
        open_source(path)


def test_a_title_above_the_names_is_no_header(tmp_path):
    """The advice was to add a line with names, which did not help; a CSV became one column."""
    people = [["id", "age", "s"], *[[f"p{i}", 30 + i, "ab"[i % 2]] for i in range(9)]]
    sheet = workbook(tmp_path / "t.xlsx", {"People": [["Report 2024"], *people]})
    text = "\n".join(",".join(map(str, row)) for row in people)
    for name, title in (
        ("one", "Report 2024\nprinted 12/03/2024\n\n"),
        ("two", "Report 2024,,\n,,\n"),
    ):
        (tmp_path / f"{name}.csv").write_text(title + text + "\n")
    for path in (sheet, tmp_path / "one.csv", tmp_path / "two.csv"):
        with pytest.raises(SourceError, match="seems to be a title"):
            open_source(path)
    (tmp_path / "names.csv").write_text('name\n"Lee, Ann"\n"Abt, Jo"\n')
    assert open_source(tmp_path / "names.csv")[0].columns == ("name",)


def test_a_workbook_without_names_of_columns_is_refused(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"People": [[34, "m", 14850], [35, "f", 14853]]})
    with pytest.raises(SourceError, match="seems to have no header"):
        open_source(path)


@pytest.mark.parametrize("name", ["t.xlsx", "t.ods", "t.xls", "t.sav", "t.dta", "t.sas7bdat"])
def test_a_damaged_file_is_named_without_a_traceback(tmp_path, name):
    for damaged in (b"", b"PK\x03\x04 SECRET", b"\x00\xff" * 500):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(SourceError, match=r"damaged|empty|no columns") as problem:
            open_source(tmp_path / name)
        assert "SECRET" not in str(problem.value)


def labelled(tmp_path, format, **labels):
    frame = pd.DataFrame(
        {
            "sex": pd.array([1, 2, 1, 9, None], dtype="Int32"),
            "age": [34.0, 35.0, None, 40.0, 41.5],
            "town": ["Köln", "Łódź", "", "Köln", "Köln"],
        }
    )
    write = {"dta": pyreadstat.write_dta, "sav": pyreadstat.write_sav}[format]
    write(frame, str(tmp_path / f"t.{format}"), variable_value_labels=labels)
    return tmp_path / f"t.{format}"


@pytest.mark.parametrize("format", ["dta", "sav"])
def test_codes_are_read_as_their_labels(tmp_path, format):
    path = labelled(tmp_path, format, sex={1: "Male", 2: "Female"})
    assert content(path) == {
        "sex": ["Male", "Female", "Male", "9", None],
        "age": ["34", "35", None, "40", "41.5"],
        "town": ["Köln", "Łódź", None, "Köln", "Köln"],
    }
    table = gy.read(
        path,
        gy.Schema(quasi_identifiers=["sex"], dropped=["age", "town"]),
        missing="value",
    )
    assert table.labelled == ("sex",)


def test_codes_of_one_label_stay_apart(tmp_path):
    path = labelled(tmp_path, "dta", sex={1: "known", 2: "known", 9: "?"})
    assert content(path)["sex"] == ["known (1)", "known (2)", "known (1)", "?", None]


TEXT = "name;Größe;Straße\nMüller;1,70;Weg 1\nFrançois;1,80;Köln\nJosé;1,75;Øster\n"
POLISH = "miasto;płeć\nŁódź;mężczyzna\nGdańsk;kobieta\nŚwinoujście;kobieta\nKraków;mężczyzna\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(TEXT, "latin-1"), (TEXT, "cp1252"), (TEXT, "utf-16"), (TEXT, "utf-8-sig"), (TEXT, "utf-8"),
     (POLISH, "cp1250")],
)  # fmt: skip
def test_other_encodings_are_found(tmp_path, text, encoding):
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode(encoding)))
    lines = [line.split(";") for line in text.splitlines()]
    expected = dict(zip(lines[0], map(list, zip(*lines[1:], strict=True)), strict=True))
    assert content(tmp_path / "t.csv") == content(tmp_path / "t.csv.gz") == expected
    large, _ = open_source(tmp_path / "t.csv", None, list(expected), 2**30)
    assert large.fetch(large.columns).to_pydict() == expected


WESTERN = {
    "French": "Élodie Hélène Zoé François Ardèche Côte-d’Or Noël Lefèvre Besançon",
    "Italian": "Città Forlì Cefalù però Niccolò Cantù perché",
    "Portuguese": "João Conceição São Corações Região Antônio Açores",
    "German": "Müller Köln Größe Straße Düsseldorf Übung Ärzte",
    "Spanish": "José Peña España Muñoz García Ñuñoa",
    "Danish": "Søren Rødovre Jørgen Ærø Århus Åse",
    "Catalan": "Barça Núria Gràcia col·legi Peñíscola",
}


@pytest.mark.parametrize("language", WESTERN)
@given(rng=st.randoms(use_true_random=False), money=st.sampled_from(["", " €", " £"]))
def test_western_text_is_not_taken_for_another_encoding(tmp_path_factory, language, rng, money):
    """A column of amounts in euros made French text Cyrillic, and first names unknown words."""
    words = WESTERN[language].split()
    lines = [f"{i};{rng.choice(words)};{rng.choice(words)};{i},50{money}" for i in range(30)]
    path = tmp_path_factory.mktemp("western") / "people.csv"
    path.write_bytes("\n".join(["nr;name;place;amount", *lines]).encode("cp1252"))
    assert encoding_of(path) == "cp1252"


def test_a_guessed_encoding_is_said_and_a_stated_one_is_not(tmp_path):
    (tmp_path / "t.csv").write_bytes("age,town\n30,Köln\n31,Köln\n".encode("latin-1"))
    schema = gy.Schema(quasi_identifiers=["age", "town"])
    with pytest.warns(GygesWarning, match="t.csv is not in UTF-8: it is read as cp1252, a guess"):
        gy.read(tmp_path / "t.csv", schema)
    table = gy.read(tmp_path / "t.csv", schema, encoding="latin-1")
    assert table.notices == tuple(n for n in table.notices if "UTF-8" not in n)
    for wrong in ("latin-99", "hex", ""):
        with pytest.raises(SourceError, match=r"encoding .* is unknown"):
            gy.read(tmp_path / "t.csv", schema, encoding=wrong)
    with pytest.raises(SourceError, match="is for CSV files"):
        gy.read({"age": [1], "town": ["x"]}, schema, encoding="latin-1")


def test_copies_in_utf_8_are_removed(tmp_path, monkeypatch):
    """They hold people's rows."""
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spill"))
    (tmp_path / "spill").mkdir()
    (tmp_path / "t.csv").write_bytes("age,town\n30,Köln\n31,Köln\n".encode("latin-1"))
    assert encoding_of(tmp_path / "t.csv") == "cp1252"
    content(tmp_path / "t.csv")
    assert list((tmp_path / "spill").iterdir()) == []
