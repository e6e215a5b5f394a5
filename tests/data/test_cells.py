"""Rows of codes as numbers, and cells put in order by them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.cells import Cells, Domain, digits, distinct_rows, row_keys
from gyges.data.values import Kind


@st.composite
def code_rows(draw, max_width=5):
    widths = draw(st.lists(st.integers(1, max_width), min_size=1, max_size=4))
    row = st.tuples(*(st.integers(0, width - 1) for width in widths))
    rows = draw(st.lists(row, max_size=12))
    return np.array(rows, dtype=np.int32).reshape(len(rows), len(widths)), widths


@given(made=code_rows())
def test_keys_order_rows_as_tuples_are_ordered_and_lead_back(made):
    codes, widths = made
    keys = row_keys(codes, widths)
    rows = [tuple(row) for row in codes.tolist()]
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (keys[i] < keys[j]) == (one < other) and (keys[i] == keys[j]) == (one == other)
    assert digits(keys, widths).tolist() == codes.tolist()


@given(made=code_rows(), factor=st.sampled_from([1, 2**20, 2**30]))
def test_distinct_rows_are_sorted_also_where_their_digits_do_not_fit(made, factor):
    codes, widths = made
    rows = [tuple(row) for row in codes.tolist()]
    distinct, where = distinct_rows(codes, [width * factor for width in widths])
    assert [tuple(row) for row in distinct.tolist()] == sorted(set(rows))
    assert [tuple(distinct[place]) for place in where] == rows


def domain(name, width):
    return Domain(name, Kind.NUMBER, tuple(range(width)), np.ones(width, dtype=bool))


@pytest.mark.parametrize("many", [1, 1 << 18])  # rows from which on the pass is a compiled one
@given(made=code_rows(), data=st.data())
def test_one_pass_finds_the_same_cells_as_putting_people_and_values_together(many, made, data):
    codes, widths = made
    n_rows = len(codes)
    values = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    counts = data.draw(st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gyges.data.cells._ROWS_WORTH_COMPILING", many)
        made = [
            Cells.from_entries(
                domains=[domain(str(i), width) for i, width in enumerate(widths)],
                codes=codes,
                people=np.array(counts, dtype=np.int64),
                sensitive=domain("s", 3),
                entry_codes=entry_codes,  # the same object tells that everybody has one value
                value_codes=np.array(values, dtype=np.int32),
                value_counts=np.array(counts, dtype=np.int64),
                values_per_person="one",
            )
            for entry_codes in (codes, codes.copy())
        ]
    assert made[0].value_totals.tolist() == np.bincount(values, counts, 3).astype(int).tolist()
    for name in ("codes", "people", "starts", "value_codes", "value_counts"):
        one, other = getattr(made[0], name), getattr(made[1], name)
        assert one.dtype == other.dtype and one.tolist() == other.tolist()


def test_hundreds_of_columns_fit_into_keys():
    """Their digits exceed 63 bits many times over."""
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.integers(0, 50, 300) for i in range(60)}
    columns["c0"] = np.repeat(np.arange(150), 2)
    rows = {name: np.repeat(values[::2], 2).tolist() for name, values in columns.items()}
    schema = gy.Schema(quasi_identifiers=list(rows), do_not_identify=["c0"])  # all rows repeat
    table = gy.read(rows, schema)
    assert table.cells.people.tolist() == [2] * 150
    assert sorted(table.cell_of_row.tolist()) == sorted([*range(150), *range(150)])


def test_arrays_of_cells_cannot_be_changed():
    cells = gy.read(
        {"age": [1, 2], "d": ["a", "b"]}, gy.Schema(quasi_identifiers=["age"], sensitive="d")
    ).cells
    with pytest.raises(ValueError, match="read-only"):
        cells.people[0] = 7
