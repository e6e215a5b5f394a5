"""What the rows of a person have together is what a loop finds, in memory and in an engine."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.joined_people import NumberedColumn, count_sets, join_people
from gyges.data.source import COUNT
from gyges.engines.ibis import source_of
from gyges.engines.in_memory import MemorySource

FEW = st.sampled_from(["a", "b", "c", None])
MANY = st.integers(0, 140).map(lambda n: f"v{n}")  # three words of bits


def sources(columns):
    rows = pa.table(
        {
            "who": pa.array(columns["who"], pa.string()),
            "age": pa.array(columns["age"], pa.int64()),
            "ward": pa.array(columns["ward"], pa.string()),
            "ill": pa.array(columns["ill"], pa.string()),
        }
    )
    return MemorySource(rows), source_of(ibis.duckdb.connect().create_table("v", rows), "v")


@st.composite
def visits(draw, ills):
    row = st.tuples(st.sampled_from("pqrst"), st.sampled_from([1, 2, 3, None]), FEW, ills)
    rows = draw(st.lists(row, min_size=1, max_size=20))
    return dict(zip(("who", "age", "ward", "ill"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("ills", [FEW, MANY])
@settings(max_examples=30)
@given(data=st.data())
def test_joined_numbers_are_those_of_a_loop(ills, data):
    columns = data.draw(visits(ills))
    for source in sources(columns):
        ages = NumberedColumn.of(source, "age", 0)
        values = NumberedColumn.of(source, "ill", 1, with_ends=False, with_set=True)
        joined = join_people(source, "who", [ages, values])
        number = dict(zip(ages.counts.column("age").to_pylist(), range(99), strict=False))
        place = dict(zip(values.counts.column("ill").to_pylist(), range(999), strict=False))
        by_hand = {}
        for who, age, _, ill in zip(*columns.values(), strict=True):
            low, high, held = by_hand.get(who, (99, -1, frozenset()))
            n = number[age]
            by_hand[who] = (min(low, n), max(high, n), held | {place[ill]})
        rows = joined.fetch()
        who, texts = values.held(rows)
        held = {name: set() for name in by_hand}
        names = rows.column("who").to_pylist()
        for row, text in zip(who.tolist(), texts.to_pylist(), strict=True):
            held[names[row]].add(place[text])
        least, greatest = rows.column(ages.least), rows.column(ages.greatest)
        ends = zip(least.to_pylist(), greatest.to_pylist(), strict=True)
        found = {n: (*end, frozenset(held[n])) for n, end in zip(names, ends, strict=True)}
        assert found == by_hand


@pytest.mark.parametrize("ills", [FEW, MANY])
@settings(max_examples=30)
@given(data=st.data(), agree=st.booleans())
def test_sets_counted_at_once_are_those_of_two_counts(ills, agree, data):
    columns = data.draw(visits(ills))
    if agree:  # a person's rows agree on age and ward
        first = {}
        for place, who in enumerate(columns["who"]):
            known = first.setdefault(who, place)
            for name in ("age", "ward"):
                columns[name][place] = columns[name][known]
    quasi = ["age", "ward"]
    for source in sources(columns):
        found = count_sets(source, "who", quasi, "ill")
        of_who = {}
        for who, *known, _ in zip(*columns.values(), strict=True):
            of_who.setdefault(who, set()).add(tuple(known))
        if any(len(known) > 1 for known in of_who.values()):
            assert found is None
            continue
        values = found.values.append_column("row", pa.array(found.row_of_value))
        shown = found.people.select(quasi).to_pylist()
        made = [(*shown[row["row"]].values(), row["ill"], row[COUNT]) for row in values.to_pylist()]
        for table, by in ((found.people.to_pylist(), quasi), (made, [*quasi, "ill"])):
            slow = source.count_distinct(["who"], by=by).select([*by, COUNT]).to_pylist()
            rows = [tuple(row.values()) if isinstance(row, dict) else row for row in table]
            assert sorted(map(str, rows)) == sorted(str(tuple(row.values())) for row in slow)


@settings(max_examples=40)
@given(columns=visits(FEW), best=st.sampled_from(["least", "greatest"]))
def test_the_best_rows_are_those_of_a_loop(columns, best):
    columns["age"] = [age or 0 for age in columns["age"]]
    pick = min if best == "least" else max
    rows = list(zip(*columns.values(), strict=True))
    wanted = {}
    for who, age, *_ in rows:
        wanted[who] = pick(age, wanted.get(who, age))
    by_hand = sorted(map(str, (row for row in rows if row[1] == wanted[row[0]])))
    for source in sources(columns):
        kept = source.keep_best("who", "age", best, list(columns)).fetch(list(columns))
        assert sorted(str(tuple(row.values())) for row in kept.to_pylist()) == by_hand


def test_a_column_of_many_values_is_counted_by_pairs():
    """Beyond four words of bits both ways of counting give the same table."""
    rng = np.random.default_rng(4)
    who = rng.integers(0, 200, 900)
    rows = {
        "who": [f"p{n}" for n in who],
        "sex": [("f", "m")[n % 2] for n in who],
        "ill": [f"v{n}" for n in rng.integers(0, 400, 900)],
    }
    schema = gy.Schema(
        person="who", quasi_identifiers=["sex"], sensitive="ill", values_per_person="set"
    )
    source = MemorySource(pa.table(rows))
    assert count_sets(source, "who", ["sex"], "ill") is None
    table = gy.read(rows, schema)
    held = {(w, i) for w, i in zip(rows["who"], rows["ill"], strict=True)}
    assert table.n_people == len(set(rows["who"]))
    assert int(table.cells.value_counts.sum()) == len(held)
