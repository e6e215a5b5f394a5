"""Files for other programs: what they hold is what was judged, and nothing else."""

from __future__ import annotations

import hashlib
import json
import random
import time
import zipfile

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
import xlsxwriter

import gyges as gy
from gyges.engines.labelled_files import read_labelled
from gyges.engines.spreadsheets import read_sheet
from gyges.errors import ReleaseError, SourceError
from gyges.release.exchange_files import as_numbers, codes_of, short_names, write_exchange_file

ROWS = {
    "age group": ["30-39", "30-39", "40-49", ""],
    "zip": ["014", "014", "015", "015"],
    "n": ["1", "2.5", "-3", ""],
    "if": ["=1+1", "Łódź", "a\nb", "x" * 100],
}


@pytest.mark.parametrize("format", ["xlsx", "dta", "sav", "xpt"])
def test_what_is_written_is_read_again(tmp_path, format):
    rows = pa.table(ROWS)
    path = tmp_path / f"data.{format}"
    write_exchange_file(rows, path, ["age group"])
    if format == "xlsx":
        found = read_sheet(path, None)
        assert found.column_names == list(ROWS)
    else:
        found, names, labels = read_labelled(path)
        assert list(names) == ["age_group", "zip", "n", "if_"]
        assert labels == (("age_group",) if format != "xpt" else ())
    assert found.rename_columns(list(ROWS)).to_pydict() == {
        name: [text or None for text in column] for name, column in ROWS.items()
    }


def test_a_text_is_a_number_only_if_the_number_has_that_text():
    assert as_numbers(["1", "", "2.5"]) == [1.0, None, 2.5]
    for text in ("01", "1.50", "1e5", "12345678901234567", "+1", "1-2", "0.1234567890123"):
        assert as_numbers([text, "1"]) is None, text
    assert as_numbers(["", ""]) is None


def test_codes_number_the_labels_in_sorted_order():
    assert codes_of(["b", "x", "", "a"]) == {"a": 1, "b": 2, "x": 3}


@pytest.mark.parametrize("format", ["dta", "sav"])
@pytest.mark.parametrize(("first", "holds"), [(1, True), (1984, None)])
def test_codes_that_say_something_are_not_confirmed(tmp_path, format, first, holds):
    """A forger numbered the ages by the people's diseases, and verify confirmed the file."""
    path = save(tmp_path / "release", format)
    rows, _, _ = read_labelled(path)
    if first == 1:
        write_exchange_file(rows, path, ["age"])
    else:
        texts = rows.column("age").to_pylist()
        code = {text: first + at for at, text in enumerate(sorted(set(texts)))}
        columns = {**rows.to_pydict(), "age": [code[text] for text in texts]}
        labels = {"age": {number: text for text, number in code.items()}}
        write = {"dta": pyreadstat.write_dta, "sav": pyreadstat.write_sav}[format]
        frame = pd.DataFrame(columns).astype({"age": "Int32"})
        write(frame, str(path), variable_value_labels=labels)
    certify(path)
    [check] = [one for one in gy.verify(path.parent).checks if "and nothing else" in one.claim]
    assert check.holds is holds


def test_names_are_made_short_and_different():
    long = ["x" * 40, "x" * 41, "X" * 30, "1st", "_n", "größe", ""]
    made = short_names(long)
    assert len({name.casefold() for name in made}) == len(long)
    assert all(len(name) <= 32 and name.isascii() and name[0].isalpha() for name in made)


def save(directory, format):
    people = {"age": [30, 31, 32, 33] * 3, "sex": ["f", "m"] * 6, "disease": ["Flu", "Gout"] * 6}
    table = gy.read(people, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="disease"))
    gy.publish(table, [gy.KAnonymity(3)]).save(directory, format=format)
    return directory / f"data.{format}"


def certify(path):
    """As a publisher who wants to deceive: the certificate lists the forged file."""
    stated = json.loads((path.parent / "certificate.json").read_text())
    stated["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (path.parent / "certificate.json").write_text(json.dumps(stated))


def forged_workbook(path):
    rows = read_sheet(path, None).to_pydict()
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("data")
        for place, (name, column) in enumerate(rows.items()):
            sheet.write_column(0, place, [name, "SECRET", *column[1:]])


def forged_stata(path):
    rows, _, _ = read_labelled(path)
    frame = pd.DataFrame(rows.to_pydict())
    frame.iloc[0, 0] = "SECRET"
    pyreadstat.write_dta(frame, str(path))


def hidden_in_workbook(path):
    with zipfile.ZipFile(path, "a") as book:
        book.writestr("xl/people.txt", "SECRET")


def hidden_in_stata(path):
    """A label of the file, which no cell shows."""
    rows, _, _ = read_labelled(path)
    pyreadstat.write_dta(pd.DataFrame(rows.to_pydict()), str(path), file_label="SECRET")


@pytest.mark.parametrize(
    ("format", "forge", "holds"),
    [("xlsx", forged_workbook, False), ("dta", forged_stata, False),
     ("xlsx", hidden_in_workbook, None), ("dta", hidden_in_stata, None)],
)  # fmt: skip
def test_a_file_with_other_content_is_never_confirmed(tmp_path, format, forge, holds):
    path = save(tmp_path / "release", format)
    assert gy.verify(path.parent).holds
    forge(path)
    assert gy.verify(path.parent).refuted  # by its hash
    certify(path)
    found = gy.verify(path.parent)
    assert not found.holds
    [check] = [check for check in found.checks if "and nothing else" in check.claim]
    assert check.holds is holds


def test_a_file_that_is_no_file_of_its_program_is_refuted(tmp_path):
    for format in ("xlsx", "dta", "sav"):
        path = save(tmp_path / format, format)
        path.write_bytes(b"SECRET" * 100)
        certify(path)
        assert gy.verify(path.parent).refuted
        path.write_bytes(b"SECRET" * 1_000_000)
        certify(path)
        assert gy.verify(path.parent).refuted


def test_a_file_without_its_table_is_malformed(tmp_path):
    path = save(tmp_path / "release", "xlsx")
    other = path.with_name("people.xlsx")
    path.rename(other)
    stated = json.loads((path.parent / "certificate.json").read_text())
    stated["files"][other.name] = stated["files"].pop(path.name)
    (path.parent / "certificate.json").write_text(json.dumps(stated))
    with pytest.raises(ReleaseError, match="cannot have"):
        gy.verify(path.parent)


def test_an_unknown_format_is_refused_before_any_work(tmp_path):
    with pytest.raises(ReleaseError, match="format"):
        save(tmp_path / "release", "docx")
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("format", ["xlsx", "dta", "sav", "xpt"])
@pytest.mark.parametrize("where", ["a value", "a name", "an empty row"])
def test_what_a_program_does_not_keep_refutes_no_honest_file(tmp_path, format, where):
    """Blanks at the ends of texts, and rows without any value, are not read again as written."""
    disease = ["HIV " if where == "a value" else "HIV", "Flu", "Gout"]
    zip_code = "zip " if where == "a name" else "zip"
    zips = ["A", "A", "A", *(["B"] * 3 if where != "an empty row" else [None] * 3)]
    people = {zip_code: zips * 4, "disease": disease * 8}
    if where == "an empty row":
        people["disease"] = ["Flu", "Gout", None] * 8
    schema = gy.Schema(quasi_identifiers=[zip_code], sensitive="disease")
    table = gy.read(people, schema, missing="value")
    gy.publish(table, [gy.KAnonymity(3)]).save(tmp_path / "release", format=format)
    assert gy.verify(tmp_path / "release").holds


def altered(written, rng):
    """Bytes of a file, some of them changed, moved, dropped or doubled, the first ones often."""
    found = bytearray(written)
    for _ in range(rng.choice([1, 1, 2, 4])):
        place = rng.randrange(min(len(found), rng.choice([600, len(found)])))
        length = rng.choice([1, 1, 4, 8, 100])
        match rng.randrange(5):
            case 0:
                found[place] ^= 1 << rng.randrange(8)
            case 1:
                found[place : place + 4] = rng.choice([b"\xff\xff\xff\x7f", bytes(4), b"\xff" * 4])
            case 2:
                del found[place : place + length]
            case 3:
                found[place:place] = rng.randbytes(length)
            case 4:
                other = rng.randrange(len(found))
                found[place : place + length] = found[other : other + length]
    return bytes(found)


@pytest.mark.parametrize("format", ["xlsx", "dta", "sav", "xpt"])
def test_no_altered_file_is_confirmed_and_none_ends_the_check(tmp_path, format):
    """Names that are missing ended it with an AttributeError."""
    path = save(tmp_path / "release", format)
    written = path.read_bytes()
    for seed in range(300):
        path.write_bytes(altered(written, random.Random(seed)))
        if path.read_bytes() != written:
            certify(path)
            assert not gy.verify(path.parent).holds, seed


def test_a_file_that_states_more_rows_than_its_bytes_can_hold_is_damaged(tmp_path):
    """The 540 million rows that a file of 2 kB states were read one by one, for 40 seconds."""
    path = tmp_path / "data.sav"
    write_exchange_file(pa.table(ROWS), path, [])
    written = bytearray(path.read_bytes())
    assert written[80:84] == (4).to_bytes(4, "little")  # the number of rows
    written[80:84] = (540_000_000).to_bytes(4, "little")
    path.write_bytes(written)
    started = time.process_time()
    with pytest.raises(SourceError, match="not a file of SPSS, or is damaged"):
        read_labelled(path)
    assert time.process_time() - started < 2
