"""Rows in an engine: fetched in one order, recoded and written where they are."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.parquet
import pytest

import gyges as gy
from gyges.data.source import COUNT
from gyges.engines.read import open_source
from gyges.errors import EngineError
from tests.oracles.spelling import slowly_counted


def opened(place, rows, wanted=None):
    source, where = place.put(rows)
    return open_source(source, where.get("table"), wanted)[0]


def as_rows(table):
    """Rows as a multiset of tuples of texts, so that a CSV file compares too."""
    table = table if isinstance(table, pa.Table) else table.fetch(list(table.columns))
    columns = [[_text(v) for v in column.to_pylist()] for column in table.columns]
    return Counter(zip(*columns, strict=True))


def _text(value):
    return None if value is None else str(value)


ROWS = pa.table(
    {
        "age": pa.array([30, 30, None, 41, 30, None], pa.int64()),
        "sex": ["F", None, "M", "F", "F", "M"],
        "name": ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"],
    }
)


IDS = [
    "007", "7", "7.0", "7.00", "0", "00", "P-012", "p_12 ", "p 12", "PX01", "PX1", "A0B7", "AB07",
    "A0 B7", "01 02", "1 2", "1.0.2", "1.02", "Ann  Lee", "ann lee", "ann\u2013lee", "-", "?", "10",
    "100", "A10", "A 10", "N/A", "n/a", None, "\u00c9va", "\u00e9va", "e\u0301va", "\u03a3",
    "\u03c2", "123-45-6789", "123456789", "12345-6789", "0012A", "12A", "a & b", "a b",
    "\u041f1", "\u043f1", "\uff11\uff17", "17", "\ufb01n", "FIN", "x\u00b2", "X2", "\U0001d400",
]  # fmt: skip


@pytest.mark.parametrize("marks", [(), ("N/A", "n/a")])
def test_identifiers_in_two_spellings_are_counted(engine, marks):
    rows = pa.table({"who": IDS * 2, "age": pa.array(range(2 * len(IDS)), pa.int64())})
    source = opened(engine, rows)
    assert source.count_respelled("who", marks) == slowly_counted(IDS, marks)
    assert source.count_respelled("age") == 0


def test_columns_fetched_one_by_one_fit_together(engine, everything):
    """`group_of_row` of one call must mean the rows of another."""
    rows, _ = everything
    source = opened(engine, rows)
    names = list(source.columns)
    together = source.fetch(names)
    for name in ("zip", "seen", "disease"):
        assert source.fetch([name]).column(name).to_pylist() == together.column(name).to_pylist()
    texts = ["zip", "Group", "disease"]  # a CSV file may write a number otherwise
    names = texts if engine.name == "csv" else names
    assert as_rows(together.select(names)) == as_rows(rows.select(names))


def test_rows_of_files_and_frames_keep_their_order(engine):
    if engine.name in ("postgres", "spark"):
        pytest.skip("rows of a database have no order of their own: they come sorted")
    fetched = opened(engine, ROWS).fetch(["name", "age"])
    assert fetched.column("name").to_pylist() == ROWS.column("name").to_pylist()


def test_a_null_counts_as_a_value_of_its_own(engine):
    source = opened(engine, ROWS)
    assert source.count_distinct(["age", "sex"], by=[]).column(COUNT).to_pylist() == [4]
    assert source.count_distinct(["sex"], by=[]).column(COUNT).to_pylist() == [3]
    by_age = source.count_distinct(["sex"], by=["age"])
    assert as_rows(by_age.select(["age", COUNT])) == Counter(
        {("30", "2"): 1, (None, "1"): 1, ("41", "1"): 1}
    )
    assert source.count([]).column(COUNT).to_pylist() == [6]
    assert source.count_missing(["age", "sex", "name"]) == {"age": 2, "sex": 1, "name": 0}
    assert source.count_missing([]) == {}


def test_recoding_joins_in_the_engine_and_a_null_matches_a_null(engine):
    source = opened(engine, ROWS)
    counted = source.count(["age", "sex"]).drop_columns([COUNT])
    labels = [f"group {i}" for i in range(counted.num_rows)]
    mapping = counted.append_column("published (ä)", pa.array(labels))
    recoded = source.recode(["age", "sex"], mapping, keep=["name"])
    assert list(recoded.columns) == ["name", "published (ä)"]
    label_of = {
        (_text(a), _text(s)): label
        for a, s, label in zip(*(c.to_pylist() for c in mapping.columns), strict=True)
    }
    want = Counter(
        (name, label_of[_text(age), sex])
        for age, sex, name in zip(*(c.to_pylist() for c in ROWS.columns), strict=True)
    )
    assert as_rows(recoded) == want


def test_rows_that_a_mapping_does_not_hold_are_left_out(engine):
    source = opened(engine, ROWS)
    mapping = source.count(["sex"]).drop_columns([COUNT]).filter(pa.compute.field("sex") == "F")
    mapping = mapping.append_column("label", pa.array(["woman"] * mapping.num_rows))
    recoded = source.recode(["sex"], mapping, keep=["age"])
    assert as_rows(recoded) == Counter({("30", "woman"): 2, ("41", "woman"): 1})
    everybody = source.recode([], pa.table({"label": ["person"]}), keep=["name"])
    assert everybody.count(["label"]).column(COUNT).to_pylist() == [6]
    counted = recoded.count(["label"])
    assert counted.column(COUNT).to_pylist() == [3]


def test_every_type_can_be_recoded(engine, everything):
    rows, quasi = everything
    source = opened(engine, rows)
    counted = source.count(quasi).drop_columns([COUNT])
    mapping = counted.append_column("row", pa.array([str(i) for i in range(counted.num_rows)]))
    recoded = source.recode(quasi, mapping, keep=["disease"])
    assert recoded.count([]).column(COUNT).to_pylist() == [rows.num_rows]
    assert recoded.count(["row"]).num_rows == counted.num_rows


def test_recoded_rows_are_written_to_files(engine, tmp_path):
    source = opened(engine, ROWS)
    for target in (tmp_path / "it's out.csv", tmp_path / "out.parquet"):
        source.write(str(target))
        back = open_source(str(target))[0]
        assert as_rows(back) == as_rows(ROWS)
        with pytest.raises(EngineError, match="already exists"):
            source.write(str(target))
    with pytest.raises(EngineError, match="its folder does not exist"):
        source.write(str(tmp_path / "nowhere" / "out.csv"))


def test_files_say_the_same_whichever_engine_wrote_them(engine, tmp_path):
    """The rows, not their order: a database has none."""
    opened(engine, ROWS).write(str(tmp_path / "out.csv"))
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "age,sex,name"
    assert sorted(lines[1:]) == [",M,Cy", ",M,Flo", "30,,Bob", "30,F,Ann", "30,F,Ed", "41,F,Di"]


def test_a_database_writes_a_table(engine):
    source = opened(engine, ROWS)
    if engine.name not in ("postgres", "spark"):
        with pytest.raises(EngineError):
            source.write("published")
        return
    source.write(f"published_{engine.name}")
    with pytest.raises(EngineError, match="already"):
        source.write(f"published_{engine.name}")
    back = type(source)(source.rows.get_backend().table(f"published_{engine.name}"), "back", ())
    assert back.count([]).column(COUNT).to_pylist() == [6]
    source.rows.get_backend().drop_table(f"published_{engine.name}")


def test_groups_follow_the_order_in_which_rows_are_fetched(engine):
    schema = gy.Schema(identifiers=["name"], quasi_identifiers=["age", "sex"])
    source, where = engine.put(ROWS)
    table = gy.read(source, schema, missing="value", **where)
    fetched = table.fetch(["name", "age", "sex"])
    for cell in range(len(table.cells)):
        here = [i for i, c in enumerate(table.cell_of_row) if c == cell]
        same = {(_text(fetched["age"][i].as_py()), fetched["sex"][i].as_py()) for i in here}
        assert len(same) == 1 and len(here) == table.cells.people[cell]
