"""One suite for all engines: whatever holds the rows, the cells are the same."""

from __future__ import annotations

import datetime
import warnings

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError, GygesWarning
from tests.engines.tables import as_csv_knows_it, described, long_tables, tables


def read(place, rows, schema, **options):
    source, where = place.put(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)
        return gy.read(source, schema, **where, **options)


def expected(place, rows, schema, **options):
    """The cells of the same rows in memory."""
    rows = as_csv_knows_it(rows) if place.name == "csv" else rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)
        return gy.read(rows, schema, **options)


def assert_same(place, rows, schema, **options):
    """The same cells, or the same refusal."""
    try:
        want = described(expected(place, rows, schema, **options).cells)
    except GygesError as problem:
        with pytest.raises(type(problem)):
            read(place, rows, schema, **options)
        return
    assert described(read(place, rows, schema, **options).cells) == want


def test_cells_of_random_tables_agree(engine):
    @settings(max_examples=engine.examples)
    @given(made=tables(), missing=st.sampled_from(["drop", "value"]))
    def agree(made, missing):
        rows, quasi = made
        schema = gy.Schema(quasi_identifiers=quasi, sensitive="disease")
        assert_same(engine, rows, schema, missing=missing)

    agree()


def test_an_empty_text_is_a_missing_value_everywhere(engine):
    """As in a CSV file: the release of a text of no characters would be an empty cell."""
    rows = pa.table({"zip": ["A", "", "A", "B"], "disease": ["Flu", "Flu", "", "Gout"]})
    schema = gy.Schema(quasi_identifiers=["zip"], sensitive="disease")
    with pytest.raises(GygesError, match="missing"):
        read(engine, rows, schema)
    nulls = pa.table({"zip": ["A", None, "A", "B"], "disease": ["Flu", "Flu", None, "Gout"]})
    for missing in ("drop", "value"):
        want = described(gy.read(nulls, schema, missing=missing).cells)
        assert described(read(engine, rows, schema, missing=missing).cells) == want


def test_cells_of_tables_in_long_form_agree(engine):
    @settings(max_examples=engine.examples)
    @given(
        made=long_tables(),
        kind=st.sampled_from(["one", "set", "multiset"]),
        missing=st.sampled_from(["drop", "value"]),
    )
    def agree(made, kind, missing):
        rows, quasi = made
        schema = gy.Schema(
            quasi_identifiers=quasi, sensitive="disease", person="who", values_per_person=kind
        )
        assert_same(engine, rows, schema, missing=missing)

    agree()


def test_every_type_at_once_agrees(engine, everything):
    rows, quasi = everything
    schema = gy.Schema(quasi_identifiers=quasi, sensitive="disease")
    assert_same(engine, rows, schema, missing="value")


def test_values_with_a_separator_agree(engine):
    rows = pa.table(
        {"age": [30, 30, 41, 41], "disease": ["Flu; Gout;Flu", None, "Gout", ";"]},
        schema=pa.schema({"age": pa.int64(), "disease": pa.string()}),
    )
    for kind in ("set", "multiset"):
        schema = gy.Schema(
            quasi_identifiers=["age"], sensitive="disease", values_per_person=kind, separator=";"
        )
        assert_same(engine, rows, schema, missing="value")
        cells = read(engine, rows, schema, missing="value").cells
        assert cells.people.tolist() == [2, 2]
        assert cells.value_counts.tolist() == [1 if kind == "set" else 2, 1, 1, 1, 1]
        cells = read(engine, rows, schema, missing="drop").cells
        assert cells.people.tolist() == [1, 1]
        with pytest.raises(GygesError, match="2 in column 'disease'"):
            read(engine, rows, schema)


def test_a_repeating_identifier_is_refused_everywhere(engine):
    rows = pa.table({"name": ["x", "x", "y"], "age": [30, 30, 41], "disease": ["Flu", "Flu", "a"]})
    for roles in ({"identifiers": ["name"]}, {"person": "name"}):
        schema = gy.Schema(**roles, quasi_identifiers=["age"], sensitive="disease")
        with pytest.raises(GygesError, match="2 different values in 3 rows"):
            read(engine, rows, schema)
        assert read(engine, rows.slice(1), schema).n_people == 2


def test_a_missing_value_never_vanishes_silently(engine):
    """pycanon and others drop rows with a missing quasi-identifier without a word."""
    rows = pa.table({"age": [30, None, None], "disease": ["Flu", "Gout", None]})
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    with pytest.raises(GygesError, match="2 in column 'age', 1 in column 'disease'"):
        read(engine, rows, schema)
    assert read(engine, rows, schema, missing="drop").n_people == 1
    assert read(engine, rows, schema, missing="value").n_people == 3


def test_nan_is_refused_and_named_wherever_it_is(engine):
    rows = pa.table({"height": [1.5, float("nan")], "disease": ["Flu", "Gout"]})
    schema = gy.Schema(quasi_identifiers=["height"], sensitive="disease")
    with pytest.raises(GygesError, match="column 'height' holds NaN"):
        read(engine, rows, schema)


def test_a_column_that_is_not_there_is_named_wherever_it_is(engine):
    rows = pa.table({"age": [1, 2], "disease": ["Flu", "Gout"]})
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="diseese")
    with pytest.raises(GygesError, match=r"no column 'diseese' \(did you mean 'disease'\?\)"):
        read(engine, rows, schema)


def test_an_empty_table_has_nobody(engine):
    rows = pa.table({"age": pa.array([], pa.int64()), "disease": pa.array([], pa.string())})
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    with pytest.raises(GygesError, match="has no rows"):
        read(engine, rows, schema)


MEANINGS = {
    "all rows": {"rows_per_person": "all", "values_per_person": "set"},
    "last by a number": {"keep_row": "last", "keep_row_by": "number"},
    "first by a day": {"keep_row": "first", "keep_row_by": "day"},
    "last by a text": {"keep_row": "last", "keep_row_by": "text", "formats": {"text": "1.234,5"}},
    "most sensitive": {
        "keep_row": "most sensitive", "worst_first": ["HIV", "Flu"], "keep_row_by": "number",
    },
}  # fmt: skip


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize("n_wards", [3, 300])
def test_people_with_several_rows_are_the_same_in_every_engine(engine, meaning, n_wards):
    """With 300 wards and days, sets do not fit into a few words."""
    day, n = datetime.date(2024, 1, 1), 400
    order, some = [(i * 237) % n for i in range(n)], [(i * i) % 97 for i in range(n)]
    rows = pa.table(
        {
            "who": [f"p{i % 120}" for i in range(n)],
            "number": pa.array(order, pa.int64()),
            "day": pa.array([day + datetime.timedelta(days=i) for i in order], pa.date32()),
            "text": [f"{i // 10},{i % 10}" for i in order],
            "age": pa.array([None if i % 50 == 7 else 20 + i % 9 for i in some], pa.int64()),
            "ward": [None if i % 61 == 5 else f"w{(i * 7) % n_wards}" for i in range(n)],
            "disease": [["Flu", "Gout", "HIV", "Cold"][i % 4] for i in some],
        }
    )
    stated = MEANINGS[meaning]
    used = {"who", stated.get("keep_row_by"), "age", "ward", "disease"}
    schema = gy.Schema(
        person="who", quasi_identifiers=["age", "ward"], sensitive="disease",
        dropped=[name for name in rows.column_names if name not in used], **stated,
    )  # fmt: skip
    for missing in ("drop", "value"):
        assert_same(engine, rows, schema, missing=missing)
