"""One row per person by a stated rule is what a loop over the rows keeps, in every engine."""

from __future__ import annotations

import warnings

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError, GygesWarning
from tests.cli.commands import gyges, write_csv

ROLES = {"quasi_identifiers": ["age"], "sensitive": "ill", "person": "who"}
VISITS = {
    "who": ["a", "a", "b", "b", "b", "c"],
    "day": ["02.01.2024", "31.12.2023", "05.03.2024", "04.04.2024", "01.02.2024", "01.01.2024"],
    "age": [31, 30, 40, 41, 39, 50],
    "ill": ["Flu", "Gout", "Flu", "HIV", "Gout", "Gout"],
}


@st.composite
def visits(draw):
    """Rows of some people in any order; no two rows of one person are at the same time."""
    at = st.tuples(st.sampled_from("abcd"), st.integers(-3, 9))
    rows = draw(st.lists(at, min_size=1, max_size=14, unique=True))
    ages = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    ills = draw(st.lists(st.sampled_from("uv"), min_size=len(rows), max_size=len(rows)))
    who, times = zip(*rows, strict=True)
    return {"who": list(who), "time": list(times), "age": ages, "ill": ills}


def kept_by_hand(columns, keep):
    best = {}
    for row in zip(*columns.values(), strict=True):
        who, time = row[0], row[1]
        is_better = who in best and (time > best[who][1]) == (keep == "last")
        if who not in best or is_better:
            best[who] = row
    return sorted((row[2], row[3]) for row in best.values())


def counted(table):
    rows = table.fetch(["age", "ill"]).to_pylist()
    assert table.n_people == len(rows)
    return sorted((row["age"], row["ill"]) for row in rows)


@settings(max_examples=60)
@given(columns=visits(), keep=st.sampled_from(["first", "last"]))
def test_what_is_kept_is_what_a_loop_keeps(columns, keep):
    schema = gy.Schema(**ROLES, keep_row=keep, keep_row_by="time")
    n_people, n_rows = len(set(columns["who"])), len(columns["who"])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = gy.read(columns, schema)
    assert any(f"kept: {n_people} of {n_rows} rows" in str(one.message) for one in said)
    assert counted(table) == kept_by_hand(columns, keep)


def test_every_engine_keeps_the_same_rows():
    columns = {**VISITS, "time": [2, 1, 3, 4, 2, 1]}
    schema = gy.Schema(**ROLES, keep_row="last", keep_row_by="time")
    engine = ibis.duckdb.from_connection(duckdb.connect())
    stored = engine.create_table("visits", pa.table(columns))
    with pytest.warns(GygesWarning, match="last row by 'time'"):
        tables = [gy.read(source, schema) for source in (columns, pa.table(columns), stored)]
    assert [counted(table) for table in tables] == [[(31, "Flu"), (41, "HIV"), (50, "Gout")]] * 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"keep_row": "any", "keep_row_by": "day"}, "keep_row"),
        ({"keep_row": "last"}, "keep_row_by"),
        ({"keep_row_by": "day"}, "keep_row"),
        ({"keep_row": "last", "keep_row_by": "day", "person": None}, "person"),
        ({"keep_row": "last", "keep_row_by": "who"}, "the same in all rows"),
        ({"keep_row": "last", "keep_row_by": "day", "values_per_person": "set"}, "choose one"),
        ({"keep_row": "last", "keep_row_by": "ill"}, "neither numbers nor dates"),
        ({"keep_row": "last", "keep_row_by": "sometimes"}, "1 row has no value"),
        ({"keep_row": "last", "keep_row_by": "half"}, "2 people have several rows"),
        ({"keep_row": "last", "keep_row_by": "year"}, "'year'"),
    ],
)
def test_a_rule_that_does_not_decide_is_refused(more, said):
    columns = {**VISITS, "sometimes": [1, None, 3, 4, 5, 6], "half": [1, 1, 2, 2, 1, 1]}
    with pytest.raises(GygesError, match=said):
        gy.read(columns, gy.Schema(**{**ROLES, **more}))


def test_a_project_publishes_the_last_visit_of_each_person_by_a_local_date(tmp_path):
    """The dates are texts: 31.12.2023 is before 02.01.2024."""
    write_csv(tmp_path / "visits.csv", VISITS)
    (tmp_path / "gyges.toml").write_text("""
[data]
source = "visits.csv"
[columns]
person = "who"
keep_row = "last"
keep_row_by = "day"
quasi_identifiers = ["age"]
sensitive = "ill"
[columns.formats]
day = "dd.mm.yyyy"
[[require]]
rule = "k-anonymity"
k = 3
""")
    code, out, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0 and "3 people in 1 group" in out, notes
    assert "each person's last row by 'day' was kept: 3 of 6 rows" in notes
    rows = (tmp_path / "release" / "data.csv").read_text()
    assert "HIV" in rows and rows.count("Gout") == 1
    words = ("verify", "release", "--original", "visits.csv", "--project", "gyges.toml")
    assert gyges(*words, folder=tmp_path)[0] == 0


def test_ties_are_found_however_the_numbers_are_written():
    columns = {
        "who": ["a", "a", "b"],
        "at": ["9", "9.0", "1"],
        "age": [1, 2, 3],
        "ill": list("uvu"),
    }
    schema = gy.Schema(**ROLES, keep_row="last", keep_row_by="at")
    with pytest.raises(GygesError, match="1 person has several rows with the last 'at'"):
        gy.read(columns, schema)


@pytest.mark.parametrize("where", ["memory", "duckdb"])
def test_exact_copies_of_a_row_count_once(where):
    """No column tells copies apart, so the advice to choose one could not be followed."""
    columns = {name: [*values, values[1], values[5]] for name, values in VISITS.items()}
    columns["day"] = ["2024-01-02", "2023-12-31", "2024-03-05", "2024-04-04", "2024-02-01",
                      "2024-01-01", "2023-12-31", "2024-01-01"]  # fmt: skip
    columns["ill"][4] = "HIV"
    source = columns if where == "memory" else ibis.duckdb.connect().create_table(
        "visits", pa.table(columns)
    )  # fmt: skip
    schema = gy.Schema(**ROLES, keep_row="first", keep_row_by="day")
    with pytest.warns(GygesWarning, match="3 of 8 rows .exact copies of a row count once"):
        table = gy.read(source, schema)
    assert counted(table) == [(30, "Gout"), (39, "HIV"), (50, "Gout")]
    columns["ill"][7] = "Flu"  # a row that differs is no copy
    with pytest.raises(GygesError, match="several rows with the first 'day'"):
        gy.read(columns, schema)


WORST = ["HIV", "Gout"]


def worst_by_hand(columns, times_matter):
    """Of each person the row whose value is listed first; of several such rows the last."""
    place = {value: n for n, value in enumerate(WORST)}
    best = {}
    for row in zip(*columns.values(), strict=True):
        who, time, _, ill = row
        rank = (len(WORST) + (ill is None) if ill not in place else place[ill], -time)
        rank = rank if times_matter else rank[:1]
        if who not in best or rank < best[who][0]:
            best[who] = (rank, row)
    return sorted((row[2], str(row[3])) for _, row in best.values())


@settings(max_examples=60)
@given(columns=visits(), data=st.data(), in_engine=st.booleans())
def test_the_most_sensitive_row_is_the_one_that_a_loop_keeps(columns, data, in_engine):
    n = len(columns["who"])
    ills = st.sampled_from(["HIV", "Gout", "Flu", "Cold", None])
    columns["ill"] = data.draw(st.lists(ills, min_size=n, max_size=n))
    schema = gy.Schema(**ROLES, keep_row="most sensitive", worst_first=WORST, keep_row_by="time")
    source = pa.table({**columns, "ill": pa.array(columns["ill"], pa.string())})
    if in_engine:
        source = ibis.duckdb.connect().create_table("visits", source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = gy.read(source, schema, missing="value")
    rows = table.fetch(["age", "ill"]).to_pylist()
    assert sorted((row["age"], str(row["ill"])) for row in rows) == worst_by_hand(columns, True)


def test_the_most_sensitive_row_without_an_order_of_rows():
    columns = {name: VISITS[name] for name in ("who", "age", "ill")}
    schema = gy.Schema(**ROLES, keep_row="most sensitive", worst_first=["HIV", "Gout", "Pest"])
    with pytest.warns(GygesWarning) as said:
        table = gy.read(columns, schema)
    assert counted(table) == [(30, "Gout"), (41, "HIV"), (50, "Gout")]
    noted = [str(one.message) for one in said]
    assert any("each person's most sensitive row was kept: 3 of 6 rows" in one for one in noted)
    assert any("nobody has these values of worst_first: Pest" in one for one in noted)
    columns["ill"] = ["Gout", "Gout", *columns["ill"][2:]]
    with pytest.raises(GygesError, match="1 person has several rows with their most sensitive"):
        gy.read(columns, schema)


@pytest.mark.parametrize(
    "more",
    [
        {"keep_row": "most sensitive"},
        {"keep_row": "last", "keep_row_by": "day", "worst_first": ["HIV"]},
        {"worst_first": ["HIV"]},
        {"keep_row": "most sensitive", "worst_first": ["HIV"], "sensitive": None},
        {"keep_row": "most sensitive", "worst_first": ["HIV"], "person": None},
    ],
)
def test_an_order_of_values_belongs_to_the_most_sensitive_row(more):
    with pytest.raises(GygesError, match=r"worst_first|person|keep_row"):
        gy.Schema(**{**ROLES, **more})


@pytest.mark.parametrize("where", ["memory", "duckdb"])
def test_one_number_written_in_two_ways_gets_advice_that_can_be_followed(where):
    columns = {"who": ["a", "a"], "at": ["9", "9.0"], "age": [1, 1], "ill": ["u", "u"]}
    source = columns if where == "memory" else ibis.duckdb.connect().create_table(
        "visits", pa.table(columns)
    )  # fmt: skip
    schema = gy.Schema(**ROLES, keep_row="last", keep_row_by="at")
    with pytest.raises(GygesError, match="differ only in how it is written, such as 9 and"):
        gy.read(source, schema)


@pytest.mark.parametrize("kind", ["int32", "date32", "timestamp"])
def test_columns_that_the_engine_orders_itself_keep_the_same_rows_as_their_text(kind):
    """Numbers and dates by their type are compared where they are; texts after they are read."""
    rng = np.random.default_rng(11)
    n = 400
    days = rng.permutation(n)
    column = pa.array(days, pa.int32())
    if kind != "int32":
        column = column.cast(pa.date32())
    if kind == "timestamp":
        column = column.cast(pa.timestamp("us"))
    rows = {
        "who": pa.array(rng.integers(0, 90, n)),
        "at": column,
        "age": pa.array(rng.integers(0, 9, n)),
        "ill": pa.array([("u", "v")[i] for i in rng.integers(0, 2, n)]),
    }
    text = pa.array([str(value) for value in column.to_pylist()])
    found = []
    for at in (column, text):
        for where in ("memory", "duckdb"):
            source = pa.table({**rows, "at": at})
            if where == "duckdb":
                source = ibis.duckdb.connect().create_table("visits", source)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                schema = gy.Schema(**ROLES, keep_row="first", keep_row_by="at")
                found.append(counted(gy.read(source, schema)))
    assert len(found[0]) == len(set(rows["who"].to_pylist()))
    assert found == [found[0]] * 4
