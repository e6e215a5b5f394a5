"""Cells against counting row by row; they depend on what rows say, not on how they are kept."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.counting import split_cell
from gyges.errors import GygesWarning, MissingValuesError
from tests.oracles.counting import count_people, count_rows


@st.composite
def people(draw, nulls=True):
    """Rows as dicts: two quasi-identifiers, a sensitive value, and who the row is about."""
    absent = [None] if nulls else []
    row = st.fixed_dictionaries(
        {
            "age": st.sampled_from([-1, 0, 17, 2**60, *absent]),
            "sex": st.sampled_from(["F", "M", "ñ", *absent]),
            "disease": st.sampled_from(["Flu", "Gout", "Asthma", *absent]),
        }
    )
    return draw(st.lists(row, min_size=1, max_size=15))


@st.composite
def visits(draw):
    """Several rows a person, in any order; quasi-identifiers do not change between visits."""
    rows = []
    for number, person in enumerate(draw(people())):
        values = draw(st.lists(st.sampled_from(["Flu", "Gout", None]), min_size=1, max_size=4))
        rows += [{**person, "who": f"p{number}", "disease": value} for value in values]
    return draw(st.permutations(rows))


def as_arrow(rows):
    types = {"age": pa.int64(), "sex": pa.string(), "disease": pa.string(), "who": pa.string()}
    names = list(rows[0])
    return pa.table({n: pa.array([row[n] for row in rows], types[n]) for n in names})


def read(source, schema, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)
        return gy.read(source, schema, **options)


def spelled_out(cells):
    """{combination: (people, Counter of values)}, like the oracle's."""
    found = {}
    for c in range(len(cells)):
        key = tuple(d.values[i] for d, i in zip(cells.domains, cells.codes[c], strict=True))
        entries = range(cells.starts[c], cells.starts[c + 1])
        values = {
            cells.sensitive.values[cells.value_codes[e]]: cells.value_counts[e] for e in entries
        }
        found[key] = (int(cells.people[c]), Counter({v: int(n) for v, n in values.items()}))
    return found


def assert_in_order(cells):
    rows = [tuple(row) for row in cells.codes.tolist()]
    assert rows == sorted(set(rows))
    for c in range(len(cells)):
        codes = cells.value_codes[cells.starts[c] : cells.starts[c + 1]].tolist()
        assert codes == sorted(set(codes))
    assert all(n > 0 for n in [*cells.people, *cells.value_counts])


SCHEMA = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="disease")


def assert_read_as(want, rows, schema, missing):
    """Reading gives the cells that are wanted, in order; where none are left, it refuses."""
    if not want:
        with pytest.raises(MissingValuesError):
            read(as_arrow(rows), schema, missing=missing)
        return
    cells = read(as_arrow(rows), schema, missing=missing).cells
    assert spelled_out(cells) == want
    assert_in_order(cells)


@given(rows=people(), missing=st.sampled_from(["drop", "value"]))
def test_cells_of_rows_are_what_counting_one_by_one_finds(rows, missing):
    want = count_rows(rows, ["age", "sex"], "disease", missing)
    assert_read_as(want, rows, SCHEMA, missing)


@given(
    rows=visits(),
    kind=st.sampled_from(["set", "multiset"]),
    missing=st.sampled_from(["error", "drop", "value"]),
)
def test_cells_of_visits_are_what_counting_one_by_one_finds(rows, kind, missing):
    schema = gy.Schema(
        quasi_identifiers=["age", "sex"], sensitive="disease", person="who", values_per_person=kind
    )
    if missing != "value" and any(row["disease"] is None for row in rows):
        with pytest.raises(MissingValuesError, match="in column 'disease'"):
            read(as_arrow(rows), schema, missing=missing)
        return
    if missing == "error" and any(None in row.values() for row in rows):
        with pytest.raises(MissingValuesError):
            read(as_arrow(rows), schema)
        return
    want = count_people(rows, "who", ["age", "sex"], "disease", kind, missing)
    assert_read_as(want, rows, schema, missing)


@given(
    rows=visits(),
    kind=st.sampled_from(["set", "multiset"]),
    missing=st.sampled_from(["error", "drop", "value"]),
    mark=st.sampled_from(["?", " ", ""]),
)
def test_a_separator_says_the_same_as_several_rows(rows, kind, missing, mark):
    """A cell holds all values of a person; a mark among them, or no value, is a missing value."""
    everybody = {}
    for row in rows:
        everybody.setdefault(row["who"], []).append(row)
    alone = {who for who, about in everybody.items() if all(r["disease"] is None for r in about)}
    if mark != "?":  # an empty part is no value: it is missing only where the cell has no other
        everybody = {
            who: about[:1] if who in alone else [r for r in about if r["disease"] is not None]
            for who, about in everybody.items()
        }
    joined = [
        {**about[0], "disease": " ; ".join(r["disease"] or mark for r in about)}
        for about in everybody.values()
    ]
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "disease", "values_per_person": kind}
    schema = gy.Schema(**roles, separator=";")
    rows = [row for about in everybody.values() for row in about]
    if missing == "error" and any(None in row.values() for row in rows):
        with pytest.raises(MissingValuesError):
            read(as_arrow(joined), schema, missing_marks=["?"])
        return
    want = count_people(rows, "who", ["age", "sex"], "disease", kind, missing)
    if not want:
        with pytest.raises(MissingValuesError):
            read(as_arrow(joined), schema, missing=missing, missing_marks=["?"])
        return
    table = read(as_arrow(joined), schema, missing=missing, missing_marks=["?"])
    assert spelled_out(table.cells) == want
    assert table.n_rows == table.n_people
    assert Counter(table.cell_of_row.tolist()) == dict(enumerate(table.cells.people.tolist()))


@given(rows=people(nulls=False), data=st.data())
def test_the_order_of_rows_and_the_index_of_a_frame_mean_nothing(rows, data):
    """pycanon over-reports l after a shuffle, because it trusts a frame's index."""
    order = data.draw(st.permutations(range(len(rows))))
    index = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    want = spelled_out(read(as_arrow(rows), SCHEMA).cells)
    frame = pd.DataFrame(rows).iloc[order]
    frame.index = index
    assert spelled_out(read(frame, SCHEMA).cells) == want
    assert spelled_out(read(pl.DataFrame([rows[i] for i in order]), SCHEMA).cells) == want
    table = read(frame, SCHEMA)
    for place, row in enumerate(order):
        cell = table.cells.codes[table.cell_of_row[place]]
        values = [d.values[i] for d, i in zip(table.cells.domains, cell, strict=True)]
        assert values == [rows[row]["age"], rows[row]["sex"]]
        assert table.sensitive_values[table.value_of_row[place]] == rows[row]["disease"]


@given(rows=people(), cuts=st.lists(st.integers(0, 15), max_size=3))
def test_chunks_and_dictionaries_of_arrow_mean_nothing(rows, cuts):
    whole = as_arrow(rows)
    ends = sorted({min(cut, len(rows)) for cut in cuts} | {0, len(rows)})
    pieces = [whole.slice(a, b - a) for a, b in itertools.pairwise(ends)]
    encoded = [
        pa.table({n: p[n].combine_chunks().dictionary_encode() for n in p.column_names})
        for p in pieces
    ]
    want = spelled_out(read(whole, SCHEMA, missing="value").cells)
    assert spelled_out(read(pa.concat_tables(pieces), SCHEMA, missing="value").cells) == want
    assert spelled_out(read(pa.concat_tables(encoded), SCHEMA, missing="value").cells) == want


def test_marks_stand_for_what_is_missing():
    rows = {"age": ["30", "?", "41"], "sex": ["F", "M", "N/A"], "disease": ["Flu", "Gout", "Flu"]}
    with pytest.raises(MissingValuesError, match="1 in column 'age', 1 in column 'sex'"):
        gy.read(rows, SCHEMA, missing_marks=["?", "N/A"])
    cells = read(rows, SCHEMA, missing_marks=["?", "N/A"], missing="drop").cells
    assert spelled_out(cells) == {(30, "F"): (1, Counter(["Flu"]))}
    cells = read(rows, SCHEMA, missing_marks=["?"], missing="value").cells
    assert cells.domains[0].values == (30, 41, "(missing)")


def test_without_quasi_identifiers_there_is_one_cell():
    cells = gy.read({"d": ["Flu", "Gout", "Flu"]}, gy.Schema(sensitive="d")).cells
    assert cells.people.tolist() == [3] and cells.codes.shape == (1, 0)
    assert cells.value_counts.tolist() == [2, 1]
    rows = {"who": ["a", "a", "b"], "d": ["Flu", "Flu", None]}
    schema = gy.Schema(sensitive="d", person="who", values_per_person="multiset")
    cells = read(rows, schema, missing="value").cells
    assert cells.people.tolist() == [2] and cells.value_counts.tolist() == [2, 1]
    schema = gy.Schema(sensitive="d", values_per_person="set", separator=";")
    cells = read({"d": ["Flu;Gout", None]}, schema, missing="value")
    assert cells.cell_of_row.tolist() == [0, 0]


def test_without_a_sensitive_column_people_are_counted():
    cells = gy.read({"age": [1, 1, 2]}, gy.Schema(quasi_identifiers=["age"])).cells
    assert cells.people.tolist() == [2, 1] and len(cells.value_codes) == 0


def test_missing_identifiers_do_not_make_two_people_one():
    rows = {"name": ["Ann", None, None], "age": [1, 1, 1], "disease": ["Flu", "Flu", "Gout"]}
    schema = gy.Schema(identifiers=["name"], quasi_identifiers=["age"], sensitive="disease")
    with pytest.warns(GygesWarning, match="2 rows have no 'name': each was counted as"):
        assert gy.read(rows, schema).n_people == 3


def test_a_column_named_like_the_count_is_not_confused_with_it():
    rows = {"n": [1, 1, 2], "count": ["a", "b", "a"]}
    cells = gy.read(rows, gy.Schema(quasi_identifiers=["n"], sensitive="count")).cells
    assert spelled_out(cells) == {
        (1,): (2, Counter(["a", "b"])),
        (2,): (1, Counter(["a"])),
    }


@pytest.mark.parametrize(
    ("text", "as_set", "parts"),
    [
        ("Flu; Gout ;Flu", True, ["Flu", "Gout"]),
        ("Flu; Gout ;Flu", False, ["Flu", "Gout", "Flu"]),
        (" ; ;", False, [None]),
        (None, True, [None]),
    ],
)
def test_a_cell_is_split_into_its_values(text, as_set, parts):
    assert split_cell(text, ";", as_set) == parts


def test_many_rows_of_many_kinds_agree_with_a_group_by_of_pandas():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            name: rng.integers(0, width, 200_000)
            for name, width in zip("abcd", (90, 3, 7, 40), strict=True)
        }
    )
    cells = gy.read(frame, gy.Schema(quasi_identifiers=list("abc"), sensitive="d")).cells
    want = frame.groupby(list("abcd")).size()
    assert int(cells.value_counts.sum()) == 200_000 and len(cells.value_codes) == len(want)
    assert cells.value_counts.tolist() == want.tolist()
    assert cells.people.tolist() == frame.groupby(list("abc")).size().tolist()
