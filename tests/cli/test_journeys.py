"""Journeys: a messy file gives the release of its clean twin, in the format that it came in."""

from __future__ import annotations

import csv
import datetime
import random

import pandas as pd
import pyreadstat
import pytest
import xlsxwriter

import gyges as gy
from gyges.engines.labelled_files import read_labelled
from gyges.engines.spreadsheets import read_sheet
from tests.cli.commands import gyges

NAMES = ["patient_no", "age", "sex", "town", "height", "admitted", "charge", "diagnosis"]
TOWNS = ["Köln", "Düsseldorf", "Besançon", "Malmö"]
ILL = ["Grippe", "Röteln", "Gicht", "Asthma"]
SEXES = {1: "male", 2: "female"}


def people(n=240):
    rng = random.Random(4)
    for number in range(n):
        yield {
            "patient_no": 500_000 + 7 * number,
            "age": rng.randrange(18, 90),
            "sex": rng.choice([1, 2]),
            "town": rng.choice(TOWNS),
            "height": rng.randrange(1500, 2000) / 10,
            "admitted": datetime.date(2023, 1, 1) + datetime.timedelta(days=rng.randrange(500)),
            "charge": rng.randrange(1000, 90_000) / 4,
            "diagnosis": rng.choice(ILL),
        }


PEOPLE = list(people())


def plain(value):
    return SEXES.get(value, value) if isinstance(value, int) and value < 3 else value


def write(path, separator=",", encoding="utf-8", as_text=str):
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(NAMES)
        writer.writerows([as_text(plain(one[name])) for name in NAMES] for one in PEOPLE)


def german(value):
    """1.234,50 and 31.12.2024, ages as 34.0 would be."""
    if isinstance(value, datetime.date):
        return value.strftime("%d.%m.%Y")
    if isinstance(value, float):
        return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))
    return str(value)


def clean(path):
    write(path.with_suffix(".csv"))
    return path.with_suffix(".csv")


def semicolons(path):
    write(path.with_suffix(".csv"), ";", "utf-8", german)
    return path.with_suffix(".csv")


def latin(path):
    write(path.with_suffix(".csv"), ";", "latin-1", german)
    return path.with_suffix(".csv")


def utf_16(path):
    write(path.with_suffix(".txt"), "\t", "utf-16")
    return path.with_suffix(".txt")


def floats(path):
    """Ages as floats: 34.0."""

    def written(value):
        is_age = isinstance(value, int) and value < 100
        return f"{value}.0" if is_age else str(value)

    write(path.with_suffix(".csv"), as_text=written)
    return path.with_suffix(".csv")


def excel(path):
    with xlsxwriter.Workbook(path.with_suffix(".xlsx")) as book:
        day, sheet = book.add_format({"num_format": "dd.mm.yyyy"}), book.add_worksheet("Patienten")
        sheet.write_row(0, 0, NAMES)
        for row, one in enumerate(PEOPLE, start=1):
            for place, name in enumerate(NAMES):
                value = plain(one[name])
                is_day = isinstance(value, datetime.date)
                sheet.write(row, place, value, day if is_day else None)
    return path.with_suffix(".xlsx")


def _statistics(path, write, suffix):
    frame = pd.DataFrame(PEOPLE, columns=NAMES)
    write(frame, str(path.with_suffix(suffix)), variable_value_labels={"sex": SEXES})
    return path.with_suffix(suffix)


def stata(path):
    return _statistics(path, pyreadstat.write_dta, ".dta")


def spss(path):
    return _statistics(path, pyreadstat.write_sav, ".sav")


def released(folder, make):
    folder.mkdir()
    data = make(folder / "patients")
    code, out, err = gyges("init", data.name, folder=folder)
    assert code == 0, err
    words = ("publish", "gyges.toml", "--k", "3", "--seed", "7", "--no-report")
    code, out, err = gyges(*words, folder=folder)
    assert code == 0, out + err
    code, out, err = gyges("verify", "release", folder=folder)
    assert code == 0, out + err
    return folder / "release"


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    return released(tmp_path_factory.mktemp("clean") / "made", clean)


@pytest.mark.parametrize("make", [semicolons, latin, utf_16, floats, excel, stata, spss])
def test_a_messy_file_gives_the_release_of_its_clean_twin(tmp_path, twin, make):
    release = released(tmp_path / "made", make)
    assert (release / "data.csv").read_bytes() == (twin / "data.csv").read_bytes()


def test_what_is_odd_about_a_file_is_said_in_the_project(tmp_path):
    latin(tmp_path / "patients")
    assert gyges("init", "patients.csv", folder=tmp_path)[0] == 0
    text = (tmp_path / "gyges.toml").read_text(encoding="utf-8")
    assert "patients.csv is not in UTF-8: it is read as cp1252, a guess." in text
    assert "# Cells are separated by ';'." in text and 'encoding = "cp1252"' in text
    assert '"admitted" = "dd.mm.yyyy"' in text and '"height" = "1.234,5"' in text


def test_a_release_comes_in_the_format_of_its_source_with_labels(tmp_path):
    release = released(tmp_path / "stata", stata)
    assert {path.name for path in release.iterdir()} == {
        "data.csv", "data.dta", "certificate.json",
    }  # fmt: skip
    rows, _, labelled = read_labelled(release / "data.dta")
    assert "sex" in labelled
    published = gy.load(release).frame()
    assert rows.to_pydict() == published.to_pydict()
    workbook = released(tmp_path / "excel", excel)
    assert read_sheet(workbook / "data.xlsx", None).to_pydict() == published.to_pydict()


@pytest.mark.parametrize("format", ["xlsx", "dta", "sav", "xpt"])
def test_the_same_release_has_the_same_bytes(tmp_path, format):
    """No date and no name of the writer: nothing about when and where it was made."""
    stata(tmp_path / "patients")
    table = gy.read(
        tmp_path / "patients.dta",
        gy.Schema(quasi_identifiers=["age", "sex"], sensitive="diagnosis", dropped=NAMES[3:7],
                  identifiers=["patient_no"]),
    )  # fmt: skip
    release = gy.publish(table, [gy.KAnonymity(5)], seed=3)
    for name in ("one", "two"):
        release.save(tmp_path / name, format=format)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    verified = gy.verify(tmp_path / "one")
    assert verified.holds and f"data.{format} holds the table data.csv" in str(verified)
