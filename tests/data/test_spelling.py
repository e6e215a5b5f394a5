"""Identifiers in two spellings may be one person: such a table is not published unawares."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.spelling import count_respelled, plain_spellings
from gyges.errors import SchemaError, SourceError
from tests.cli.commands import gyges, write_csv
from tests.oracles.spelling import slowly_counted, slowly_plain

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
texts = st.text(
    "07a.A -_1\uff17\u00b2\ufb01\U0001d7cf\u00e9\u00c9\u2019\u3000\u03a3\u03c2\u03c3ße\u0301",
    max_size=7,
)
numbered = st.from_regex(r"[A-C]{0,2}[0-2]{1,4}|[ab]{0,2}[0-2]{1,4}", fullmatch=True)


@given(values=st.lists(texts, max_size=12))
@example(values=["1.0.2", "1.0", "1.00 ", "1.05.0", "0.0", "00", "1.0a", "7.0x5.0", "000"])
def test_a_plain_spelling_is_what_is_left_character_by_character(values):
    found = plain_spellings(pa.array(values, pa.string())).to_pylist()
    assert found == [slowly_plain(value) for value in values]


@settings(max_examples=400)
@given(values=st.lists(st.one_of(st.none(), texts, numbered), max_size=14), as_codes=st.booleans())
def test_respelled_values_are_counted(values, as_codes):
    column = pa.chunked_array([pa.array(values, pa.string())])
    column = column.dictionary_encode() if as_codes else column
    assert count_respelled(column, ["A", "7"]) == slowly_counted(values, ["A", "7"])


@settings(max_examples=400)
@given(values=st.lists(numbered, max_size=30), length=st.integers(0, 6))
def test_numbers_in_one_form_are_recognized_without_spelling_them(values, length):
    for some in (values, [v for v in values if len(v) == length], [v.upper() for v in values]):
        column = pa.chunked_array([pa.array(some, pa.string())])
        assert count_respelled(column) == slowly_counted(some)


PEOPLE = {"id": ["007", "7", "8", "9"], "age": [30, 30, 40, 40], "ill": ["u", "v", "u", "v"]}
ROLES = {"quasi_identifiers": ["age"], "sensitive": "ill"}


@pytest.mark.parametrize("who", [{"person": "id"}, {"identifiers": ["id"]}])
def test_two_spellings_are_refused_unless_the_schema_says_otherwise(who):
    with pytest.raises(SourceError, match="1 value of 'id' differs from another one only in") as no:
        gy.read(PEOPLE, gy.Schema(**ROLES, **who))
    assert "exact_spelling = true" in str(no.value) and "007" not in str(no.value)
    table = gy.read(PEOPLE, gy.Schema(**ROLES, **who, exact_spelling=True))
    assert table.n_people == 4
    (notice,) = table.notices
    assert notice.startswith("1 value of 'id' differs") and "separate person" in notice


def test_a_column_that_identifies_nobody_may_be_spelled_anyhow():
    roles = {"dropped": ["id"], "do_not_identify": ["id"]}
    assert gy.read(PEOPLE, gy.Schema(**ROLES, **roles)).n_people == 4


@pytest.mark.parametrize("marks", [["N/A", "n/a"], []])
def test_marks_of_missing_values_are_no_spellings(marks):
    rows = {**PEOPLE, "id": ["1", "N/A", "n/a", "2"]}
    if marks:
        schema = gy.Schema(**ROLES, identifiers=["id"])
        assert gy.read(rows, schema, missing_marks=marks).n_people == 4
    else:
        with pytest.raises(SourceError, match="only in leading zeros"):
            gy.read(rows, gy.Schema(**ROLES, identifiers=["id"]))


def test_so_are_people_whom_several_columns_name_and_rows_of_one_person():
    names = {**PEOPLE, "id": ["Ann Lee", "ann lee ", "Bo", "Cy"], "born": ["1980"] * 4}
    with pytest.raises(SourceError, match="only in leading zeros"):
        gy.read(names, gy.Schema(**ROLES, person_columns=["id", "born"]))
    stays = {**PEOPLE, "time": [1, 2, 3, 4]}
    for way in ({"keep_row": "last", "keep_row_by": "time"}, {"rows_per_person": "all"}):
        several = {} if "keep_row" in way else {"values_per_person": "set"}
        with pytest.raises(SourceError, match="only in leading zeros"):
            gy.read(stays, gy.Schema(**ROLES, person="id", **way, **several))
    with pytest.raises(SourceError, match="only in leading zeros"):
        gy.read(PEOPLE, gy.Schema(**ROLES, person="id", values_per_person="set"))


def test_households_in_two_spellings_are_refused():
    homes = {**PEOPLE, "id": ["1", "2", "3", "4"], "home": ["H1", "h1", "H2", "H3"]}
    schema = {**ROLES, "person": "id", "household": "home"}
    with pytest.raises(SourceError, match="one household would count as several"):
        gy.read(homes, gy.Schema(**schema))
    table = gy.read(homes, gy.Schema(**schema, exact_spelling=True))
    assert any("'home'" in notice for notice in table.notices)


def test_a_second_table_does_not_lose_values_over_a_spelling():
    people = {"id": ["007", "8"], "age": [30, 40]}
    for theirs, is_refused in ((["7", "8"], True), (["007", "8", "9"], False)):
        values = {"id": theirs, "ill": ["u"] * len(theirs)}
        schema = gy.Schema(**ROLES, person="id", values_per_person="set")
        if is_refused:
            with pytest.raises(SourceError, match="rows of these people would be dropped"):
                gy.read(people, schema, values=values)
        else:
            assert gy.read(people, schema, values=values).n_people == 2


@pytest.mark.parametrize(
    ("ours", "theirs", "is_refused"),
    [
        (["007", "8"], [8, 9, 10], False),
        (["007", "8"], ["8", "9", "100", "0100"], False),  # only strangers are respelled
        ([7, 8], ["8", "9", "100", "0100"], False),
        ([7, 8], [8.0, 9.5], True),  # 8.0 is a text beside other numbers
        (["007", "8"], [8.5, 9.5], False),
        ([7.5, 8.5], [9, 10], False),
    ],
)
def test_strangers_of_any_type_and_spelling_are_left_out(ours, theirs, is_refused):
    """Two types were no union, and strangers in two spellings were taken for someone's."""
    people = {"id": ours, "age": [30, 40]}
    values = {"id": theirs, "ill": ["u"] * len(theirs)}
    schema = gy.Schema(**ROLES, person="id", values_per_person="set")
    if is_refused:
        with pytest.raises(SourceError, match="rows of these people would be dropped"):
            gy.read(people, schema, values=values)
    else:
        assert gy.read(people, schema, values=values).n_people == 2


@pytest.mark.parametrize("two", [
    ("123-45-6789", "123456789"), ("12345-6789", "123456789"), ("AB 12", "AB12"), ("P-12", "P12"),
    ("O'Brien", "O\u2019Brien"), ("a & b", "a b"), ("[7]", "7"), ("a\u3000b", "a b"),
    ("\ufeff7", "7"), ("a\x0bb", "a b"), ("0012A", "12A"), ("2020A007", "2020A7"),
    ("\u039d\u0399\u039a\u039f\u03a3", "\u03bd\u03b9\u03ba\u03bf\u03c2"),
    ("STRASSE", "straße"), ("\u00c9va", "\u00e9va"), ("e\u0301va", "\u00e9va"),
])  # fmt: skip
def test_what_people_write_differently_is_one_spelling(two):
    assert count_respelled(pa.chunked_array([[*two, "9"]])) == slowly_counted([*two, "9"]) == 1


@pytest.mark.parametrize("two", [
    ("1-23", "12-3"), ("A0B7", "AB7"), ("10", "1"), ("ann lee", "lee ann"), ("1.5", "1.50"),
])  # fmt: skip
def test_other_people_are_others(two):
    assert count_respelled(pa.chunked_array([[*two, "9"]])) == 0


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_bytes_that_are_texts_are_compared(kind):
    ids = pa.array([b"007", b"7", b"008", b"8"], kind)
    rows = pa.table({**PEOPLE, "id": ids})
    with pytest.raises(SourceError, match="2 values of 'id' differ"):
        gy.read(rows, gy.Schema(**ROLES, person="id"))
    assert count_respelled(pa.chunked_array([pa.array([b"\xff", b"\xfe"], kind)])) == 0


def test_numbers_are_never_respelled():
    rows = {**PEOPLE, "id": [7.0, 70.0, 700.0, 7000.0]}
    assert gy.read(rows, gy.Schema(**ROLES, person="id")).n_people == 4


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_the_schema_takes_true_or_false(value):
    with pytest.raises(SchemaError, match="exact_spelling"):
        gy.Schema(**ROLES, exact_spelling=value)


STATED = """[data]
source = "p.csv"
[columns]
person = "id"
quasi_identifiers = ["age"]
sensitive = "ill"
{more}
[publish]
method = "partition"
[[require]]
rule = "k-anonymity"
k = 2
"""


@pytest.mark.parametrize("limit", [(), ("--memory", "9GB")])
def test_publishing_refuses_and_the_project_overrules(tmp_path, limit):
    write_csv(tmp_path / "p.csv", PEOPLE)
    (tmp_path / "gyges.toml").write_text(STATED.format(more=""))
    code, _, said = gyges("publish", "gyges.toml", "--out", "out", *limit, folder=tmp_path)
    assert code == 2 and "exact_spelling = true" in said, said
    assert not (tmp_path / "out").exists()
    (tmp_path / "gyges.toml").write_text(STATED.format(more="exact_spelling = true"))
    code, text, said = gyges("publish", "gyges.toml", "--out", "out", *limit, folder=tmp_path)
    assert code == 0 and "1 value of 'id' differs" in text + said, text + said


def test_init_asks_what_publishing_refuses_and_its_advice_works(tmp_path):
    ids = [f"A-{n:03}" for n in range(40)] + ["a 7"]
    rows = {"patient_id": ids, "age": [30, 40, 50] * 13 + [30, 40], "ward": ["x", "y"] * 20 + ["x"]}
    write_csv(tmp_path / "p.csv", rows)
    code, text, said = gyges("init", "p.csv", folder=tmp_path)
    assert code == 0 and "1 value of 'patient_id' differs from another" in text + said
    project = tmp_path / "gyges.toml"
    assert gyges("publish", "gyges.toml", "--out", "out", folder=tmp_path)[0] == 2
    stated = project.read_text().replace("[columns]", "[columns]\nexact_spelling = true")
    project.write_text(stated)
    code, text, said = gyges("publish", "gyges.toml", "--out", "out", folder=tmp_path)
    assert code == 0, said
