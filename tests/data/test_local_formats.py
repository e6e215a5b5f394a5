"""Dates and numbers in local formats, against `strptime` and `Decimal`."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.local_formats import (
    DECIMAL_COMMA,
    THOUSANDS_COMMA,
    check_format,
    date_formats,
    in_plain_format,
    number_format,
)
from gyges.errors import SchemaError

PYTHON = {
    "dd.mm.yyyy": "%d.%m.%Y",
    "dd/mm/yyyy": "%d/%m/%Y",
    "mm/dd/yyyy": "%m/%d/%Y",
    "dd-mm-yyyy": "%d-%m-%Y",
    "yyyy/mm/dd": "%Y/%m/%d",
    "yyyymmdd": "%Y%m%d",
    "dd.mm.yy": "%d.%m.%y",
    "mm/dd/yy": "%m/%d/%y",
    "dd-Mon-yyyy": "%d-%b-%Y",
    "Mon dd, yyyy": "%B %d, %Y",
}
MOMENTS = st.datetimes(datetime.datetime(2000, 1, 1), datetime.datetime(2049, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0)
)


@pytest.mark.parametrize("stated", PYTHON)
@given(moments=st.lists(MOMENTS, min_size=1, max_size=30, unique=True), with_time=st.booleans())
def test_dates_are_read_as_strptime_reads_them(stated, moments, with_time):
    form = PYTHON[stated] + (" %H:%M:%S" if with_time else "")
    texts = [moment.strftime(form) for moment in moments]
    oracle = [datetime.datetime.strptime(text, form) for text in texts]
    read = [datetime.datetime.fromisoformat(str(v)) for v in in_plain_format(texts, stated, "x")]
    assert read == oracle
    assert stated in date_formats(texts)


@given(days=st.lists(st.dates(datetime.date(1950, 1, 1), datetime.date(2049, 1, 1)), min_size=1))
def test_days_and_months_are_told_apart_only_if_a_day_is_above_twelve(days):
    found = date_formats([day.strftime("%d/%m/%Y") for day in days])
    assert "dd/mm/yyyy" in found
    assert ("mm/dd/yyyy" in found) == all(day.day <= 12 for day in days)


@pytest.mark.parametrize(
    ("texts", "formats"),
    [
        (["3 mai 2024", "14 déc. 2023"], ["dd Mon yyyy"]),
        (["03-März-2024", "4-Okt-2023"], ["dd-Mon-yyyy"]),
        (["1/13/2024 4:05 PM"], ["mm/dd/yyyy"]),
        (["30.02.2024"], []),
        (["31.12.65", "01.02.24"], []),  # 1965 or 2065?
        (["10.0.2.17"], []),
        (["2024-01-31"], []),  # plain
        (["45121199", "99999999"], []),
        ([], []),
    ],
)
def test_formats_that_are_found(texts, formats):
    assert date_formats(texts) == formats


@given(
    numbers=st.lists(st.decimals(-(10**7), 10**7, places=2), min_size=1, unique=True),
    grouped=st.booleans(),
)
def test_numbers_are_read_as_they_were_before_they_were_written(numbers, grouped):
    english = [f"{number:,.2f}" if grouped else f"{number:.2f}" for number in numbers]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    read = in_plain_format(german, DECIMAL_COMMA, "x")
    assert [Decimal(str(value)) for value in read] == numbers
    assert number_format(german) == DECIMAL_COMMA
    again = in_plain_format(english, THOUSANDS_COMMA, "x")
    assert [Decimal(str(value)) for value in again] == numbers


def test_a_comma_before_three_digits_decides_nothing():
    assert number_format(["1,234", "5,678"]) is None
    assert number_format(["1.234", "5.678"]) is None
    assert number_format(["1.234", "5.678"], commas_known=True) == DECIMAL_COMMA
    assert number_format(["1,234", "0,5"]) == DECIMAL_COMMA
    assert number_format(["12", "15"], commas_known=True) is None


def test_wrong_formats_are_refused_in_a_sentence_without_values():
    for stated in ("", "yyyy", "dd.mm", "dd.dd.yyyy", "%d", 5, "dd.mm.yyyy.yy"):
        with pytest.raises(SchemaError, match="dd, mm"):
            check_format(stated, "day")
    with pytest.raises(SchemaError, match="2 different values are not written as") as problem:
        in_plain_format(["Bauer", "31.12.2024", "33.1.2024"], "dd.mm.yyyy", "day")
    assert "Bauer" not in str(problem.value)
    with pytest.raises(SchemaError, match="no role"):
        gy.Schema(quasi_identifiers=["age"], formats={"day": "dd.mm.yyyy"})


def test_a_date_is_read_by_its_month():
    rows = {"day": ["31.12.2024", "1.2.2025", "28.02.2025"], "ill": ["a", "b", "c"]}
    schema = gy.Schema(
        quasi_identifiers=["day"],
        sensitive="ill",
        formats={"day": "dd.mm.yyyy"},
        kinds={"day": "month"},
        hierarchies={"day": gy.Hierarchy.calendar("quarter", "year")},
    )
    table = gy.read(rows, schema)
    assert table.cells.domains[0].values == ("2024-12", "2025-02")
    assert table.cells.people.tolist() == [1, 2]
    plain = {**rows, "day": ["2024-12-31", "2025-02-01", "2025-02-28"]}
    unformatted = gy.Schema(quasi_identifiers=["day"], sensitive="ill", kinds={"day": "month"})
    same = gy.read(plain, unformatted)
    assert same.cells.domains[0].values == table.cells.domains[0].values
    with pytest.raises(SchemaError, match="declared a date"):
        gy.read(rows, unformatted)
