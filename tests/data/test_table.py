"""A table leads from its cells back to its rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gyges as gy
from gyges.errors import GygesWarning, SchemaError

ROWS = {
    "name": ["Ann", "Bob", "Cy", "Di"],
    "age": [41, 30, None, 30],
    "disease": ["Flu", "Gout", "Flu", None],
}
SCHEMA = gy.Schema(identifiers=["name"], quasi_identifiers=["age"], sensitive="disease")


def test_dropped_rows_are_not_used_and_the_others_keep_their_order():
    table = gy.read(ROWS, SCHEMA, missing="drop")
    assert table.is_used.tolist() == [True, True, False, False]
    assert len(table) == table.n_rows == table.n_people == 2
    assert table.cell_of_row.tolist() == [1, 0] and table.value_of_row.tolist() == [0, 1]
    assert table.fetch(["name"]).column("name").to_pylist() == ["Ann", "Bob"]
    assert table.sensitive_values == ["Flu", "Gout"]


def test_missing_values_are_values_on_request():
    table = gy.read(ROWS, SCHEMA, missing="value")
    assert table.n_rows == 4 and table.cell_of_row.tolist() == [1, 0, 2, 0]
    assert table.sensitive_values == ["Flu", "Gout", "(missing)"]


def test_rows_with_several_values_in_a_cell_have_no_single_one():
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="d", values_per_person="set", separator=";"
    )
    table = gy.read({"age": [1, 2], "d": ["a;b", "a"]}, schema)
    assert table.cell_of_row.tolist() == [0, 1]
    with pytest.raises(SchemaError, match="do not have one sensitive value each"):
        _ = table.value_of_row


def test_the_domain_of_a_column_is_its_hierarchys_leaves_of_a_sensitive_one_what_occurs():
    tree = gy.Hierarchy.from_tree({"lung": ["Flu", "Asthma"], "other": ["Gout", "Mumps"]})
    schema = gy.Schema(quasi_identifiers=["q"], sensitive="s", hierarchies={"q": tree, "s": tree})
    cells = gy.read({"q": ["Flu", "Gout"], "s": ["Gout", "Flu"]}, schema).cells
    assert cells.domains[0].values == ("Asthma", "Flu", "Gout", "Mumps")
    assert cells.domains[0].present.tolist() == [False, True, True, False]
    assert cells.sensitive.values == ("Flu", "Gout")
    ladder = cells.sensitive.ladder
    assert [ladder.labels[1][code] for code in ladder.ancestors[1]] == ["lung", "other"]


def test_ordered_columns_know_where_their_values_stand():
    cells = gy.read({"age": [30, 41, 30]}, gy.Schema(quasi_identifiers=["age"])).cells
    [domain] = cells.domains
    assert domain.is_ordered and domain.range == 11.0
    assert domain.positions.tolist() == [30.0, 41.0] and domain.height == 0
    assert len(domain) == 2 and cells.columns == ["age"]
    assert np.array_equal(cells.cell_of_entry, [])


def test_a_row_without_any_quasi_identifier_is_doubted():
    """The line of totals of a spreadsheet was counted as a person without a word."""
    columns = {"age": [30, 31, None], "job": ["cook", None, None], "pay": ["1", "2", "3"]}
    schema = gy.Schema(quasi_identifiers=["age", "job"], sensitive="pay")
    with pytest.warns(GygesWarning, match="1 row has no value in any quasi-identifier"):
        gy.read(columns, schema, missing="value")
    columns["job"][2] = "clerk"
    assert not any("no value in any" in n for n in read_quietly(columns, schema).notices)


def read_quietly(columns, schema):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gy.read(columns, schema, missing="value")
