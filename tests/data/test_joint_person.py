"""People identified by several columns together are those of a table with a column of numbers."""

from __future__ import annotations

import duckdb
import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError
from tests.cli.commands import gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
PARTS = ("name", "born")
ROLES = {"quasi_identifiers": ["age"], "sensitive": "ill"}
WAYS = {
    "one row each": {},
    "a set": {"values_per_person": "set"},
    "a multiset": {"values_per_person": "multiset"},
    "the last row": {"keep_row": "last", "keep_row_by": "time"},
    "all rows": {"rows_per_person": "all", "values_per_person": "set"},
}
# Names and dates that would be the same text if they were only put side by side.
NAMES, DATES = ["A", "A, B", 'A", "B'], ["B", "1980", "", "A, 1980"]


@st.composite
def visits(draw):
    """Rows of people with a name and a date of birth, and the number of each person."""
    at = st.tuples(st.sampled_from(NAMES), st.sampled_from(DATES[:2]), st.integers(0, 2))
    rows = draw(st.lists(at, min_size=1, max_size=10, unique=True))
    names, births, times = zip(*rows, strict=True)
    numbers = {who: n for n, who in enumerate(sorted({row[:2] for row in rows}))}
    ages = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    ills = draw(st.lists(st.sampled_from("uv"), min_size=len(rows), max_size=len(rows)))
    return {
        "name": list(names), "born": list(births), "time": list(times), "age": ages, "ill": ills,
        "number": [numbers[row[:2]] for row in rows],
    }  # fmt: skip


def answer(source, **roles):
    """The people counted by their descriptions and values, or that the table is refused."""
    try:
        cells = gy.read(source, gy.Schema(**ROLES, **roles)).cells
    except GygesError:
        return "refused"
    codes = [domain.values for domain in cells.domains]
    return codes, cells.codes.tolist(), cells.people.tolist(), cells.value_counts.tolist()


@settings(max_examples=60)
@given(columns=visits(), way=st.sampled_from(sorted(WAYS)))
def test_they_are_counted_as_if_they_had_numbers(columns, way):
    together = answer(columns, person_columns=PARTS, exact_spelling=True, **WAYS[way])
    assert together == answer(columns, person="number", **WAYS[way])


def test_every_engine_counts_them_alike():
    columns = {"name": list("aabb"), "born": [1, 2, 1, 1], "time": [1, 1, 1, 2], "age": [3] * 4,
               "ill": list("uvuv")}  # fmt: skip
    engine = ibis.duckdb.from_connection(duckdb.connect())
    stored = engine.create_table("visits", pa.table(columns))
    for more in WAYS.values():
        found = [answer(one, person_columns=PARTS, **more) for one in (columns, stored)]
        assert found[0] == found[1]
    assert answer(stored, person_columns=PARTS, **WAYS["a set"])[2] == [3]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"person_columns": ["name"]}, "person = 'name'"),
        ({"person_columns": PARTS, "person": "number"}, "give one of the two"),
        ({"person_columns": PARTS, "published": ["name"]}, "cannot be published unchanged"),
        ({"person_columns": ["name", "gap"]}, "2 rows have no value in 'gap'"),
        ({"person_columns": ["name", "marked"]}, "1 row has no value in 'marked'"),
        ({"person_columns": ["name", "birthday"]}, "birthday"),
        ({"person_columns": ["name", "sex"]}, "rename it"),
        ({"person_columns": ["name", "twice"]}, "add a column to person_columns"),
    ],
)
def test_what_leaves_open_who_is_who_is_refused(schema, said):
    columns = {"name": list("aab"), "born": [1, 2, 1], "number": [1, 2, 3], "gap": [None, 1, None],
               "marked": ["1", "2", "?"], "age": [3] * 3, "ill": list("uvu"), "twice": [1, 1, 1],
               "sex": list("fmf"), "name + sex": [1, 2, 3]}  # fmt: skip
    with pytest.raises(GygesError, match=said):
        gy.read(columns, gy.Schema(**{**ROLES, **schema}), missing_marks=["?"])


def test_a_memory_limit_and_a_second_table_need_one_column():
    columns = {"name": list("aab"), "born": [1, 2, 1], "age": [3] * 3}
    schema = gy.Schema(person_columns=PARTS, quasi_identifiers=["age"])
    with pytest.raises(GygesError, match="with a memory limit one column must identify people"):
        gy.read(columns, schema, memory_limit="64GB")
    values = {"name": ["a"], "born": [1], "ill": ["u"]}
    schema = gy.Schema(person_columns=PARTS, **ROLES, values_per_person="set")
    with pytest.raises(GygesError, match="needs a schema with `person`"):
        gy.read(columns, schema, values=values)


PROJECT = """
[data]
source = "visits.csv"
[columns]
person_columns = ["name", "born"]
identifiers = ["name"]
keep_row = "last"
keep_row_by = "visit"
quasi_identifiers = ["born", "sex"]
sensitive = "ill"
[columns.kinds]
born = "date"
[hierarchies]
born = { calendar = ["year"] }
[[require]]
rule = "k-anonymity"
k = 5
"""
N = 60


def write_visits(folder, who, name="visits.csv"):
    """Two visits each; everyone shares a name with others, and a date of birth with others."""
    who = [i for i in who for _ in range(2)]
    write_csv(
        folder / name,
        {
            "name": [f"N{i % 20}" for i in who],
            "born": [f"{1950 + 10 * (i // 20)}-03-{1 + i % 7:02}" for i in who],
            "visit": [n % 2 for n, _ in enumerate(who)],
            "sex": ["f"] * len(who),
            "ill": [["Flu", "Gout", "HIV", "Cold"][(i * i + i // 3) % 4] for i in who],
        },
    )


def test_every_command_follows_a_project_that_names_them(tmp_path):
    """The ledger knows who left; without person_columns nobody could be told apart."""
    (tmp_path / "gyges.toml").write_text(PROJECT)
    write_visits(tmp_path, range(N))
    more = ("--mapping", "map.json", "--final", "--no-report")
    code, out, notes = gyges("publish", "gyges.toml", "--out", "one", *more, folder=tmp_path)
    assert code == 0 and f"{N} people" in out and "rows" not in out, notes
    people = ("--original", "visits.csv", "--project", "gyges.toml", "--mapping", "map.json")
    assert gyges("verify", "one", *people, folder=tmp_path)[0] == 0
    write_visits(tmp_path, range(N), "next.csv")
    words = ("apply", "map.json", "next.csv", "--out", "applied")
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 0 and f"{N} people" in out, out + notes
    write_visits(tmp_path, [i for i in range(N) if i not in (3, 33)])
    words = ("publish", "gyges.toml", "--out", "two", "--no-report")
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 0 and "2 people of earlier ones are not in this table" in notes, notes
    table = ("--people", "visits.csv", "--project", "gyges.toml")
    code, out, notes = gyges("attack", "one", "two", *table, folder=tmp_path)
    assert code in (0, 1, 3) and f"{N - 2} people" in out, out + notes
