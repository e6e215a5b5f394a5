"""Labels as people and programs spell them: each is read right, or refused by its name."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.values import text_of
from gyges.errors import ReleaseError
from gyges.release.label_reading import covers_all
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.lookup import candidates_by_labels
from gyges.release.set_labels import set_label

AGES = [-12, -5, 0, 2, 3, 19, 20, 25, 29, 30, 31, 39, 40, 65, 99, 130, 199]
INCOMES = [-3.5, 0.5, 3.1, 3.14, 19.999, 20.0, 20.5, 29.5, 30.0, 30.5, 39.9]
ZIPS = ["01234", "13012", "13019", "13068", "14850", "99999"]
DAYS = ["1999-12-31", "2019-06-30", "2023-12-31", "2024-01-01", "2024-01-31", "2024-02-01",
        "2024-03-31", "2024-04-01", "2024-12-31", "2025-01-01", "2031-05-05"]  # fmt: skip
MOMENTS = ["2024-01-31T23:59:59", "2024-02-01T00:00:00", "2024-02-01T10:30:00"]
JOBS = ["Clerk", "Clerk, senior", "Nurse", "NA", "Sales/Retail"]
SCHEMA = gy.Schema(quasi_identifiers=["it"])


def domain(values, **more):
    schema = gy.Schema(quasi_identifiers=["it"], **{k: {"it": v} for k, v in more.items()})
    return gy.read({"it": values}, schema).cells.domains[0]


COLUMNS = {
    "age": domain(AGES),
    "income": domain(INCOMES),
    "zip": domain(ZIPS),
    "day": domain(DAYS),
    "moment": domain(MOMENTS),
    "job": domain(JOBS),
}


def between(low, high):
    return [age for age in AGES if low <= age <= high]


# fmt: off
# column, label, what it covers
READ = [
    *(("age", label, between(20, 29)) for label in [
        "20-29", "20 - 29", "20–29", "20 – 29", "20—29", "20..29", "20...29", "20…29", "20 to 29",
        "[20, 30)", "[20,30)", "[20,30[", "[20;30[", "(19, 29]", "]19,29]", "]19, 30[",
        "(19.999, 29.0]", "[20.0, 30.0)", "[20-29]", "(20-29)", "2*", "2x", "20s",
        "from 20 to 29", "between 20 and 29", "20 <= x < 30", "20≤age<30", "19 < x <= 29",
        "{20, 25, 29}", "{20,25,29}", "20|25|29", "20;25;29", "{20-25, 29}", " 20-29 ",
    ]),
    *(("age", label, between(-99, 29)) for label in [
        "<30", "< 30", "(-inf, 30)", "(-∞,30[", "[*,30)",
    ]),
    *(("age", label, between(-99, 30)) for label in [
        "<=30", "<= 30", "≤30", "≤ 30", "=<30", "at most 30", "up to 30", "30 or less",
        "under 30", "30 and younger",
    ]),
    *(("age", label, between(41, 999)) for label in [">40", "> 40", "(40, inf)", "]40;∞["]),
    *(("age", label, between(40, 999)) for label in [
        ">=40", ">= 40", "≥40", "≥ 40", "=>40", "40+", "40 +", "[40, inf)", "[40, *]",
        "40 and over", "at least 40", "40 or more", "over 40",
    ]),
    *(("age", label, [20]) for label in ["20", "20.0", "= 20", "+20", "2e1", "[20, 20]", "{20}"]),
    *(("age", label, [-12, -5]) for label in [
        "-12--5", "-12 - -5", "-12..-5", "[-12, -5]", "−12–−5",
    ]),
    *(("age", label, AGES) for label in ["*", "***", "", "NA", "NaN", "<NA>", "null", "(missing)"]),
    ("age", "-1*", [-12]),
    ("age", "1**", [130, 199]),
    ("age", "3*", [30, 31, 39]),
    ("age", "200-300", []),
    ("income", "20-29", [20.0, 20.5, 29.5]),
    ("income", "[20, 29.5)", [20.0, 20.5]),
    ("income", "(19.999, 30.0]", [20.0, 20.5, 29.5, 30.0]),
    ("income", "20.5-30.5", [20.5, 29.5, 30.0, 30.5]),
    ("income", "3.1*", [3.1, 3.14]),
    ("income", "3*", [30.0, 30.5, 39.9]),
    ("income", "<0.5", [-3.5]),
    ("income", "{3.1, 20.5}", [3.1, 20.5]),
    *(("zip", label, ["13012", "13019", "13068"]) for label in [
        "130**", "130*", "130", "130XX", "130xx", "130##", "130__", "130??", "13000-13099",
        "130-134", "{13012, 13019, 13068}", "13012|13019|13068", "13012;13019;13068",
    ]),
    ("zip", "1301*", ["13012", "13019"]),
    ("zip", "*3012", ["13012"]),
    ("zip", "1*0**", ["13012", "13019", "13068"]),
    ("zip", "55555", []),
    ("zip", "*****", ZIPS),
    *(("day", label, DAYS[3:7]) for label in [
        "2024-Q1", "2024Q1", "2024 Q1", "Q1 2024", "2024-01-01..2024-03-31",
        "2024-01-01 to 2024-03-31", "2024-01-01 - 2024-03-31", "[2024-01-01, 2024-04-01)",
        "2024-01..2024-03", "2024/01/01-2024/03/31",
    ]),
    *(("day", label, DAYS[3:5]) for label in ["2024-01", "2024/01", "2024-01-**", "2024-01-xx"]),
    *(("day", label, DAYS[3:9]) for label in ["2024", "2024-**-**", "2024-**"]),
    *(("day", label, DAYS[2:9]) for label in ["2023-2024", "2023 to 2024", "[2023, 2024]"]),
    *(("day", label, DAYS[2:10]) for label in ["2020s", "202*"]),
    *(("day", label, DAYS[:3]) for label in ["<2024", "<2024-01-01", "≤2023", "before 2023"]),
    *(("day", label, DAYS[9:]) for label in [">2024", "≥2025", "2025+", "(2024, inf)"]),
    ("day", "2024-W05", ["2024-01-31", "2024-02-01"]),
    ("day", "2024-01-31", ["2024-01-31"]),
    ("day", "20240131", ["2024-01-31"]),
    ("moment", "2024-02", MOMENTS[1:]),
    ("moment", "2024-01-31", MOMENTS[:1]),
    ("moment", "2024-02-01T00:00:00..2024-02-01T10:00:00", MOMENTS[1:2]),
    ("job", "Clerk", ["Clerk"]),
    ("job", "NA", JOBS),  # somebody's value, or suppressed: it covers both
    ("job", "{Clerk, Nurse}", ["Clerk", "Nurse"]),
    ("job", "{Clerk, senior, Nurse}", ["Clerk", "Clerk, senior", "Nurse"]),
    ("job", "Clerk|Nurse", ["Clerk", "Nurse"]),
    ("job", "Clerk;Nurse", ["Clerk", "Nurse"]),
    ("job", "Clerk or Nurse", ["Clerk", "Nurse"]),
    ("job", "Sales/Retail", ["Sales/Retail"]),
    ("job", "['Clerk', 'Nurse']", ["Clerk", "Nurse"]),
    ("job", "N****", ["NA", "Nurse"]),
    ("job", "any", JOBS),
]

REFUSED = [
    *(("age", label) for label in [
        "young", "29-20", "30-", "20,30", "1,000", "twenty", "20-29-39", "<",
        "[20, 30", "20 30", "1*0", "[30, 20]", "(20, 20)", "{20, young}", "50%", "nan-5",
    ]),
    *(("income", label) for label in ["1,5", "3.1.4"]),
    *(("zip", label) for label in ["North", "{13012, North}", "13099-13000|x", "130-13"]),
    *(("day", label) for label in [
        "01/05/2024", "05.01.2024", "2024-13", "2024-02-30", "spring", "2024-W60",
    ]),
    *(("job", label) for label in ["Office", "clerk", "{Clerk, Office}", "Clerk|Office", "20-29"]),
]
# fmt: on


def covered(column, label, **more):
    values = COLUMNS[column].values
    return [v for v, there in zip(values, covers_all([label], COLUMNS[column], **more)[label],
                                  strict=True) if there]  # fmt: skip


def texts(values):
    return sorted(
        v.isoformat() if isinstance(v, datetime.date) else str(float(v) if v == v and not
        isinstance(v, str) else v) for v in values
    )  # fmt: skip


@pytest.mark.parametrize(("column", "label", "expected"), READ)
def test_a_spelling_is_read_as_it_is_meant(column, label, expected):
    assert texts(covered(column, label, theirs=True)) == texts(expected)


@pytest.mark.parametrize(("column", "label"), REFUSED)
def test_a_label_that_is_not_understood_is_refused_by_name(column, label):
    with pytest.raises(ReleaseError) as refused:
        covered(column, label, theirs=True)
    assert repr(label) in str(refused.value) and "'it'" in str(refused.value)
    assert "hierarchy" in str(refused.value)


def test_more_spellings_than_were_asked_for():
    assert len(READ) >= 120 and len({(column, label) for column, label, _ in READ}) == len(READ)
    assert len(REFUSED) >= 30


MONEY = [0, 1, 2, 150, 199, 500, 1000, 1500, 2000]


@pytest.mark.parametrize("label", ["[1,000, 2,000]", "[1,000; 2,000]", "[1,000-2,000]",
                                   "{1,000, 1,500, 2,000}", "[1.000, 2.000]", "[1.000;2.000]",
                                   "1.000-2.000"])  # fmt: skip
def test_separators_of_thousands_exclude_nobody(label):
    column = domain(MONEY)
    found = covers_all([label], column, theirs=True)[label]
    assert {1000, 1500, 2000} <= {v for v, there in zip(column.values, found, strict=True) if there}


@pytest.mark.parametrize(
    ("label", "values", "inside"),
    [
        ("(1,000, 2,000)", MONEY, [1500]),
        ("[1,5;2,5]", [1.2, 1.5, 2.2, 2.5, 3.5], [1.5, 2.2, 2.5]),
        ("[1,5, 2,5]", [1.2, 1.5, 2.2, 2.5, 3.5], [1.5, 2.2, 2.5]),
        ("1900s", [1901, 1950, 1999, 2005], [1901, 1950, 1999]),
        ("2000s", [1999, 2005, 2020], [2005, 2020]),
        ("100s", [99, 150, 199], [150, 199]),
        ("19*", [195, 1901, 1999, 2005], [195, 1901, 1999]),
    ],
)
def test_an_ambiguous_label_covers_all_that_it_may_mean(label, values, inside):
    column = domain(values)
    found = covers_all([label], column, theirs=True)[label]
    assert set(inside) <= {v for v, there in zip(column.values, found, strict=True) if there}


def test_an_ambiguous_period_or_code_covers_all_that_it_may_mean():
    days = domain(["1901-01-01", "1950-02-02", "2005-01-01"])
    assert covers_all(["1900s"], days, theirs=True)["1900s"].tolist() == [True, True, False]
    codes = domain(["130", "13001", "01300"], kinds="code")
    found = covers_all(["130"], codes, theirs=True)["130"]
    assert [v for v, there in zip(codes.values, found, strict=True) if there] == ["130", "13001"]


def test_our_own_labels_have_one_reading():
    column = domain([0.2, 250.0])
    assert covers_all(["[0.125, 0.375)"], column)["[0.125, 0.375)"].tolist() == [True, False]


def test_a_hierarchy_explains_what_a_label_means():
    tree = gy.Hierarchy.from_tree({"Office": ["Clerk", "Sales"], "Ward": ["Nurse"]})
    column = domain(["Clerk", "Nurse"], hierarchies=tree)
    found = covers_all(["Office", "Ward", "{Office, Nurse}", "Sales"], column, theirs=True)
    assert found["Office"].tolist() == [True, False, True]
    assert found["Ward"].tolist() == [False, True, False]
    assert found["{Office, Nurse}"].all() and found["Sales"].tolist() == [False, False, True]
    young = domain([25, 70], hierarchies=gy.Hierarchy.from_tree({"young": ["25"], "old": ["70"]}))
    assert covers_all(["old"], young, theirs=True)["old"].tolist() == [False, True]


def test_in_our_own_labels_an_unknown_text_is_a_value_that_nobody_sought_has():
    assert covered("job", "Pilot") == [] and covered("job", "{Clerk, Pilot}") == ["Clerk"]
    assert covered("zip", "55555") == [] and covered("zip", "130") == []
    with pytest.raises(ReleaseError, match="'young'"):
        covered("age", "young")


def test_a_near_value_is_suggested_and_few_of_many_labels_are_named():
    with pytest.raises(ReleaseError, match=r"did you mean 'Nurse'\?"):
        covered("job", "nurse", theirs=True)
    with pytest.raises(ReleaseError, match="and 2 more"):
        covers_all(["a", "b", "c", "d", "e"], COLUMNS["job"], theirs=True)


def test_numbers_with_missing_values_are_still_read_as_numbers():
    column = gy.read({"it": [20, None, 35]}, SCHEMA, missing="value").cells.domains[0]
    assert covers_all(["20-29"], column)["20-29"].tolist() == [True, False, False]
    assert covers_all(["(missing)"], column)["(missing)"].tolist() == [False, False, True]


ends = st.integers(-60, 120)


@given(low=ends, high=ends, age=ends, style=st.integers(0, 8))
def test_every_style_of_an_interval_agrees_with_its_definition(low, high, age, style):
    low, high = sorted((low, high))
    label, is_in = [
        (f"[{low}, {high}]", low <= age <= high),
        (f"[{low}, {high})", low <= age < high),
        (f"({low}, {high}]", low < age <= high),
        (f"]{low};{high}[", low < age < high),
        (f"{low}-{high}", low <= age <= high),
        (f"{low} to {high}", low <= age <= high),
        (f"<{high}", age < high),
        (f"≥{low}", age >= low),
        (f"{low} < x <= {high}", low < age <= high),
    ][style]
    try:
        found = covers_all([label], domain([age]), theirs=True)[label]
    except ReleaseError:  # an interval that holds nothing at all is no label
        assert low == high and style in (1, 2, 3, 8)
    else:
        assert found.tolist() == [is_in]


@given(code=st.text("0123456789", min_size=1, max_size=6), n=st.integers(0, 6))
def test_a_code_is_covered_by_each_of_its_own_prefixes(code, n):
    label = code[: max(len(code) - n, 1)] + "*" * min(n, len(code) - 1)
    column = domain([code, "0"], kinds="code")
    assert covers_all([label], column)[label][column.values.index(code)]


@given(
    values=st.lists(st.sampled_from(["a", "b", "a, b", "b, c", "c", "d"]), min_size=2, unique=True)
)
def test_nobody_is_excluded_by_a_set_of_values_that_hold_commas(values):
    """The set of our own labels is a join with commas; a value may hold one."""
    column, label = domain(values), "{" + ", ".join(values) + "}"
    assert covers_all([label], column)[label].all()
    assert covers_all([label], column, theirs=True)[label].all()


def test_people_are_located_through_labels_of_others():
    people = gy.read(
        {"age": [28, 35, 70], "zip": ["13012", "13068", "14850"]},
        gy.Schema(quasi_identifiers=["age", "zip"], kinds={"zip": "code"}),
    )
    labels = [["<30", "3*", "30+"], ["130**", "130**", "130**"]]
    found = candidates_by_labels(labels, people, people.cells.people[[0, 0, 0]], {"age", "zip"})
    assert found.only[people.cell_of_row].tolist() == [0, SEVERAL, NOWHERE]


def test_general_terms_of_a_loaded_release_are_refused_where_nobody_explains_them(tmp_path):
    """They were taken for values that nobody sought has, and so nobody was found."""
    tree = gy.Hierarchy.from_tree({"coast": ["north", "south"], "inland": ["east"]})
    towns = ["north", "south", "east", "east"] * 3
    told = gy.Schema(quasi_identifiers=["town"], hierarchies={"town": tree})
    published = gy.publish(gy.read({"town": towns}, told), [gy.KAnonymity(6)], method="lattice")
    release = gy.load(published.save(tmp_path / "out"))
    assert set(release.labels["town"]) == {"coast", "inland"}
    with pytest.raises(ReleaseError, match="'coast'"):
        release.locate(gy.read({"town": ["north"]}, gy.Schema(quasi_identifiers=["town"])))
    found = release.locate(gy.read({"town": ["north", "east"]}, told))
    assert [release.labels["town"][group] for group in found] == ["coast", "inland"]


def test_a_member_that_nobody_has_is_named():
    """It may be a value that no one here has, or a general term: only a hierarchy tells which."""
    with pytest.raises(ReleaseError, match="none of the people has 'Office'"):
        covered("job", "{Clerk, Office}", theirs=True)


LABELS = list(dict.fromkeys([label for _, label, _ in READ] + [label for _, label in REFUSED]))


@pytest.mark.parametrize("column", COLUMNS)
def test_every_spelling_in_every_kind_of_column_is_read_or_refused_by_its_name(column):
    """What is read covers the same values alone and beside all other labels."""
    assert len(LABELS) >= 60
    alone = {}
    for label in LABELS:
        try:
            alone[label] = covered(column, label, theirs=True)
        except ReleaseError as refused:
            assert repr(label) in str(refused) and "'it'" in str(refused), label
    assert 10 <= len(alone) < len(LABELS)
    together = covers_all(alone, COLUMNS[column], theirs=True)
    for label, found in alone.items():
        assert int(together[label].sum()) == len(found), label


@pytest.mark.parametrize("column", COLUMNS)
def test_a_value_is_never_lost_behind_its_own_text(column):
    """Each value, alone and in every kind of set, covers at least itself."""
    values = [text_of(value) for value in COLUMNS[column].values]
    for place, one in enumerate(values):
        other = values[place - 1]
        plain = [f"{one}|{other}", f"{other};{one}"] if "/" not in one + other else []
        for label in (one, set_label([one, other]), *plain):
            assert covers_all([label], COLUMNS[column], theirs=True)[label][place], label
