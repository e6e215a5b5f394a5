# ruff: noqa: E501
"""Spellings of many tools and languages: read right, or refused by name; never somebody excluded.

Each case says which values a label means. Where it is ambiguous it may cover more, and the case is
listed under `WIDER`.
"""

from __future__ import annotations

import time

import pytest

import gyges as gy
from gyges.errors import ReleaseError
from gyges.release.foreign_spelling import plain_period, plain_spellings
from gyges.release.label_reading import covers_all

AGES = [-12, -5, 0, 2, 9, 10, 18, 19, 20, 21, 24, 25, 29, 30, 31, 34, 35, 40, 41, 65, 99, 130]
PAY = [0, 100, 999, 1000, 1500, 1999, 2000, 9999, 10000, 19999, 20000, 99999, 100000, 250000]
SHARES = [-3.5, -0.5, 0.0, 0.5, 1.2, 1.5, 2.2, 2.5, 3.1, 3.14, 20.0, 29.5, 29.99, 30.5]
DAYS = ["1999-12-31", "2023-12-31", "2024-01-01", "2024-01-31", "2024-02-29", "2024-03-31",
        "2024-04-01", "2024-06-30", "2024-07-01", "2024-12-31", "2025-01-01", "2031-05-05"]  # fmt: skip
JOBS = ["Clerk", "Clerk, senior", "Nurse", "Sales/Retail", "Ärztin"]
COLUMNS = {
    "age": AGES, "pay": PAY, "share": SHARES, "day": DAYS, "job": JOBS, "flag": ["True", "False"],
    "zip": ["01234", "02138", "02139", "13012", "13068", "14850"],
    "zip+4": ["02138-1234", "02138-4321", "02139-1111", "94105-0001"],
    "postcode": ["SW1A 1AA", "SW1A 2AA", "SW2 5TU", "EC1A 1BB"],
    "icd": ["A00", "A00.1", "A01.0", "B20", "E11.9", "E11.65"],
}  # fmt: skip


def column(values):
    return gy.read({"it": values}, gy.Schema(quasi_identifiers=["it"])).cells.domains[0]


def between(low, high, values=AGES):
    return [one for one in values if low <= one <= high]


# fmt: off
READ = [
    *(("age", label, between(20, 29)) for label in [
        "20:29", "20～29", "20 a 29", "20 à 29", "de 20 à 29", "von 20 bis 29", "20 tot 29",
        "20 till 29", "20-to-29", "20to29", "[20:29]", "'20-29'", '"20-29"', "20-29 years", "20-29 yrs",
        "20-29y", "20 - 29 Jahre", "20-29 ans", "Age 20-29", "20 through 29", "20 - <30", "20-<30",
        "20 to <30", "20 to under 30", "20 bis unter 30", "20 to less than 30", "[20-30[", "[20-30)",
        "≥20 and <30", ">=20 and <30", ">= 20 & < 30", ">=20,<30", ">=20 <30", "x>=20 and x<30",
        "<20,29>", "<20;30)", "⟨20,30)", "Interval(20, 30, closed='left')", "20－29", "２０-２９",
        "[20, 30) years", "Interval(19, 29, closed='right')",
    ]),
    *(("age", label, between(-99, 29)) for label in [
        "(None, 30)", "[min, 30)", "≤29 years", "bis 29", "up to 29", "upto 29", "max. 29", "max 29",
        "&lt;30", "no more than 29", "<30 years", "le 29", "29 und jünger", "-inf to 29",
    ]),
    *(("age", label, between(41, 999)) for label in [
        "41 plus", "41plus", "41 & over", "41 years and over", "41 years or older", "41 et plus",
        "41 ans et plus", "41 und älter", "41 oder mehr", "ab 41", "[41, max]", "min. 41", "41-inf",
        "no less than 41", "[41, None)", "&gt;=41", "ge 41", "≥ 41 years", "41 upwards", "41-∞",
    ]),
    *(("age", label, AGES) for label in [
        "?", "??", "--", "#N/A", "#NULL!", "unknown", "UNKNOWN", "<suppressed>", "(suppressed)",
        "withheld", "[REDACTED]", "hidden", "masked", "not available", "not stated", "\\N", "(null)",
        "(blank)", "(all)", "any value", "<*>", "#", "###", "XXX", "x", "__", "•••", "anonymised", "nil",
    ]),
    *(("age", label, [20, 25, 29]) for label in [
        "20, 25, 29", "20 or 25 or 29", "20 / 25 / 29", "20∪25∪29", "set([20, 25, 29])",
        "frozenset({20, 25, 29})", "c(20, 25, 29)", "['20', '25', '29']",
    ]),
    *(("age", label, [18, 19, 20, 21, 24, 30, 31, 34]) for label in [
        "18-24, 30-34", "18-24 or 30-34", "18-24 / 30-34", "[18, 25) ∪ [30, 35)", "{18-24, 30-34}",
    ]),
    ("age", "$20", [20]),
    *(("pay", label, [1000, 1500, 1999]) for label in [
        "1,000-1,999", "1.000-1.999", "1 000-1 999", "1'000-1'999", "1’000–1’999", "1 000 – 1 999",
        "[1,000, 2,000)", "[1.000; 2.000)", "[1 000, 2 000)", "$1,000-$1,999", "€1.000–€1.999",
        "1.000 € - 1.999 €", "£1,000 to £1,999", "1,000 to 1,999", "1_000-1_999",
        "between 1,000 and 1,999", "[1,000 - 2,000)",
    ]),
    *(("pay", label, [0, 100, 999, 1000, 1500, 1999, 2000, 9999]) for label in [
        "<10,000", "< 10,000", "<10.000", "<10 000", "<$10,000", "<10k", "<10K", "< 10'000",
        "≤9,999", "≤ 9.999",
    ]),
    *(("pay", label, [100000, 250000]) for label in [
        ">=100,000", "100,000+", "$100,000+", "100k+", "≥100.000", "≥ 100 000", "100,000 or more",
        "$100,000 and over",
    ]),
    *(("pay", label, [10000, 19999, 20000]) for label in [
        "10k-20k", "$10k-$20k", "10-20k", "10–20 k", "10 to 20k", "10,000-20,000",
    ]),
    *(("share", label, [1.2, 1.5, 2.2, 2.5]) for label in ["1,2-2,5", "1,2 – 2,5", "1,2 bis 2,5"]),
    ("share", "<= -0,5", [-3.5, -0.5]), ("share", "20,00-29,99", [20.0, 29.5, 29.99]),
    *(("zip", label, ["13012", "13068"]) for label in [
        "130..", "130--", "130 **", "130-**", "130%", "130%%", "[13000, 13099]", "[13000, 13100)",
        "13000:13099", "13000–13099",
    ]),
    *(("zip", label, ["02138", "02139"]) for label in ["2138-2139", "213*", "0213"]),
    ("zip", "2138", ["02138"]),  # a spreadsheet dropped the zero
    *(("zip+4", label, ["02138-1234", "02138-4321"]) for label in [
        "02138", "02138*", "02138-****", "02138****", "02138-XXXX",
    ]),
    *(("zip+4", label, ["02138-1234", "02138-4321", "02139-1111"]) for label in [
        "021", "021*", "021**", "021**-****", "021XX", "021XX-XXXX",
    ]),
    *(("postcode", label, ["SW1A 1AA", "SW1A 2AA"]) for label in [
        "SW1A", "SW1A*", "SW1A ***", "SW1A ###",
    ]),
    ("postcode", "SW** ***", ["SW1A 1AA", "SW1A 2AA", "SW2 5TU"]),
    *(("icd", label, ["A00", "A00.1"]) for label in ["A00*", "A00.*", "A00.x", "A00-A00"]),
    *(("icd", label, ["E11.9", "E11.65"]) for label in ["E11", "E11.*", "E11.-", "E11.x", "E11*"]),
    *(("icd", label, ["A00", "A00.1", "A01.0"]) for label in ["A**", "A*", "A00-A09", "A00..A09"]),
    *(("icd", label, ["A00", "A00.1", "A01.0", "B20", "E11.9", "E11.65"]) for label in ["***", "*.*"]),
    *(("day", label, ["2024-01-01", "2024-01-31"]) for label in [
        "01/2024", "01.2024", "01-2024", "Jan 2024", "January 2024", "Jan-2024", "Jan. 2024",
        "2024-Jan", "202401", "2024M01", "2024-M01", "2024-01-*", "**/01/2024", "**.01.2024",
        "2024-01-01/2024-01-31", "2024-01-01:2024-01-31",
    ]),
    *(("day", label, DAYS[2:10]) for label in ["2024-*", "2024****", "**/**/2024", "**.**.2024"]),
    *(("day", label, DAYS[2:6]) for label in ["Q1/2024", "1Q2024", "2024/Q1", "Q1-2024"]),
    *(("day", label, DAYS[2:8]) for label in ["2024-H1", "H1 2024", "2024H1", "1H2024", "S1 2024"]),
    ("day", "H2 2024", DAYS[8:10]),
    *(("job", label, ["Clerk", "Nurse"]) for label in [
        "['Clerk' 'Nurse']", "Clerk~Nurse", "Clerk+Nurse", "Clerk & Nurse", "Clerk and Nurse",
        "Clerk_Nurse", "frozenset({'Clerk', 'Nurse'})", "set(Clerk, Nurse)", "Clerk oder Nurse",
        "Clerk∪Nurse", 'c("Clerk", "Nurse")', "Clerk\nNurse", "Clerk || Nurse", "Clerk^Nurse",
        "Clerk, or Nurse",
    ]),
    *(("job", label, ["Clerk, senior", "Nurse"]) for label in [
        "{Clerk, senior; Nurse}", "['Clerk, senior', 'Nurse']", '"Clerk, senior"|Nurse',
    ]),
    *(("job", label, ["Nurse"]) for label in ["'Nurse'", '"Nurse"', "{'Nurse'}"]),
    *(("flag", label, ["True"]) for label in ["TRUE", "true", "t", "yes", "1"]),
    *(("flag", label, ["False"]) for label in ["FALSE", "f", "no", "0"]),
]
WIDER = [
    *(("age", label, between(-99, 29)) for label in ["unter 30", "moins de 30", "lt 30", "LT30"]),
    *(("age", label, between(41, 999)) for label in ["über 40", "older than 40", "gt 40", "GT40"]),
    *(("day", label, DAYS[:2]) for label in ["prior to 2024", "vor 2024"]),
    *(("day", label, DAYS[10:]) for label in ["ab 2025", "2025 or later"]),
]
REFUSED = [
    *(("age", label) for label in [
        "the 20s", "range(20, 30)", "29-", "29↓", "41..", "Other", "k.A.", "20/25/29", "20,25,29",
        "[20|25", "20..", "1.5.2", "20 up 30",
    ]),
    *(("zip", label) for label in ["130nn", "130[0-9][0-9]", "^130", "130(**)"]),
    *(("day", label) for label in ["1/2024", "Jan-24", "01/01/2024-31/01/2024", "2024-H3", "5Q2024"]),
    *(("job", label) for label in [
        "Clerk-Nurse", "not Clerk", "!Clerk", "NURSE", "Other", "Clerk+Pilot", "Clerk_Pilot",
    ]),
]
# fmt: on
DOMAINS = {name: column(values) for name, values in COLUMNS.items()}


def covered(name, label):
    found = covers_all([label], DOMAINS[name], theirs=True)[label]
    return [str(v) for v, there in zip(DOMAINS[name].values, found, strict=True) if there]


@pytest.mark.parametrize(("name", "label", "meant"), READ)
def test_a_spelling_of_other_software_covers_what_it_means(name, label, meant):
    values = column(meant).values
    assert covered(name, label) == [str(value) for value in values]


@pytest.mark.parametrize(("name", "label", "meant"), WIDER)
def test_an_ambiguous_spelling_excludes_nobody(name, label, meant):
    assert {str(value) for value in column(meant).values} <= set(covered(name, label))


@pytest.mark.parametrize(("name", "label"), REFUSED)
def test_what_could_mean_anything_is_refused_by_name(name, label):
    with pytest.raises(ReleaseError) as refused:
        covered(name, label)
    assert repr(label) in str(refused.value)


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", "\u200e", "\u2060"])
@pytest.mark.parametrize(
    ("name", "label"),
    [("zip", "130**"), ("zip", "02138"), ("age", "20-29"), ("age", "<30"), ("job", "Nurse"),
     ("job", "{Clerk, Nurse}"), ("day", "2024-Q1"), ("zip", "*"), ("age", "13*")],
)  # fmt: skip
def test_marks_that_nobody_sees_exclude_nobody(name, label, mark):
    """A code behind a mark of byte order covered nobody, in silence."""
    domain = column(COLUMNS[name])
    plain = covers_all([label], domain, theirs=True)[label].tolist()
    for marked in (mark + label, label + mark, label[0] + mark + label[1:]):
        assert covers_all([marked], domain, theirs=True)[marked].tolist() == plain, repr(marked)


def test_a_mark_that_is_a_value_is_no_suppressed_cell():
    """Adult has "?": its rows would fit everyone, and hide the attack on them."""
    found = covers_all(["?"], column(["?", "Private", "State"]), theirs=True)["?"]
    assert found.tolist() == [True, False, False]


def test_a_code_is_a_general_term_only_where_the_column_has_such():
    icd = DOMAINS["icd"]
    assert covers_all(["A00"], icd, theirs=True)["A00"].sum() == 1
    assert covers_all(["A00", "E11"], icd, theirs=True)["A00"].sum() == 2


def test_zeros_are_missing_only_where_no_label_has_one():
    zips = column(["01234", "12345", "00123"])
    assert covers_all(["1234"], zips, theirs=True)["1234"].tolist() == [False, True, True]
    assert covers_all(["1234", "00123"], zips, theirs=True)["1234"].tolist() == [False, False, True]


def test_a_thousand_is_told_from_a_decimal_by_the_values_of_the_column():
    assert plain_spellings("≥1,500", up_to=9_000) == [">=1500"]
    assert plain_spellings("≥1,500") == [">=1500", ">=1.500"]
    assert plain_spellings("<1,5", up_to=9_000) == ["<1.5"]
    assert plain_period("2024-01-31") == "2024-01-31"


@pytest.mark.parametrize("kind", ["name {}", "{:05}", "{}"])
def test_many_values_take_no_time_each_for_all_others(kind):
    """Ten thousand codes were compared with ten thousand labels, one pair at a time: minutes."""
    values = [kind.format(7 * n) for n in range(10_000)]
    domain, start = column(values), time.process_time()
    found = covers_all([*values, "*"], domain, theirs=True)
    assert time.process_time() - start < 5
    assert sum(int(one.sum()) for one in found.values()) == 20_000
