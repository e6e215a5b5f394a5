"""Finding people through the trie: against comparing every person with every group."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.release import lookup
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.lookup import (
    candidates_by_labels,
    candidates_exactly,
)

AGE_LABELS = ["*", "20", "20-29", "20-39", "30-39", "40-60", "[25, 35]", "90-99"]
SEX_LABELS = ["*", "F", "M", "{F, X}", "{F, M, X}"]
ZIP_LABELS = ["*", "13012", "1301*", "130**", "14***"]
AGES, SEXES, ZIPS = (
    [20, 25, 29, 30, 39, 45, 99],
    ["F", "M", "X"],
    ["13012", "13019", "13068", "14850"],
)


def covers(column, label, value):
    """What a label says, read aloud."""
    if label in ("*", str(value)):
        return True
    if column == "age":
        ends = label.strip("[]").replace(", ", "-").split("-")
        return len(ends) == 2 and int(ends[0]) <= value <= int(ends[1])
    if column == "sex":
        return label.startswith("{") and value in label
    return label.endswith("*") and value.startswith(label.rstrip("*"))


def people(rows):
    ages, sexes, zips = (list(column) for column in zip(*rows, strict=True))
    schema = gy.Schema(quasi_identifiers=["age", "sex", "zip"], kinds={"zip": "code"})
    return gy.read({"age": ages, "sex": sexes, "zip": zips}, schema)


a_person = st.tuples(st.sampled_from(AGES), st.sampled_from(SEXES), st.sampled_from(ZIPS))
a_group = st.tuples(
    st.sampled_from(AGE_LABELS), st.sampled_from(SEX_LABELS), st.sampled_from(ZIP_LABELS)
)


@given(
    rows=st.lists(a_person, min_size=1, max_size=12),
    groups=st.lists(a_group, min_size=1, max_size=8),
    most=st.sampled_from([0, 8, 10_000]),  # labels × values in a table: beyond it, by lists
)
def test_people_are_in_the_one_group_whose_labels_all_cover_them(rows, groups, most):
    labels, table = list(zip(*groups, strict=True)), people(rows)
    with patch.object(lookup, "_MOST_COVERS", most):
        all_of = candidates_by_labels(labels, table, np.arange(10, 10 + len(groups)))
    found = all_of.only[table.cell_of_row]

    for row, answer, cell in zip(rows, found, table.cell_of_row, strict=True):
        fits = [
            g
            for g, group in enumerate(groups)
            if all(covers(*three) for three in zip(("age", "sex", "zip"), group, row, strict=True))
        ]
        assert answer == (fits[0] if len(fits) == 1 else SEVERAL if fits else NOWHERE)
        listed = slice(all_of.starts[cell], all_of.starts[cell + 1])
        assert sorted(all_of.groups[listed]) == fits
        assert (all_of.rows[listed] == all_of.groups[listed] + 10).all()


@given(
    rows=st.lists(a_person, min_size=1, max_size=8),
    published=st.lists(st.tuples(a_person, st.integers(0, 3)), min_size=1, max_size=12),
)
def test_exact_values_are_in_the_groups_that_publish_them(rows, published):
    table = pa.table(
        {
            "age": [str(person[0]) for person, _ in published],
            "sex": [person[1] for person, _ in published],
            "zip": [person[2] for person, _ in published],
            "group": [str(group + 1) for _, group in published],
        }
    )
    asked = people(rows)
    all_of = candidates_exactly(table, "group", asked)
    found = all_of.only[asked.cell_of_row]

    for row, answer, cell in zip(rows, found, asked.cell_of_row, strict=True):
        alike = Counter(group for person, group in published if person == row)
        listed = slice(all_of.starts[cell], all_of.starts[cell + 1])
        assert dict(zip(all_of.groups[listed], all_of.rows[listed], strict=True)) == alike
        fits = set(alike)
        assert answer == (fits.pop() if len(fits) == 1 else SEVERAL if fits else NOWHERE)


def test_a_release_without_quasi_identifiers_is_one_group():
    table = gy.read({"ill": ["Flu", "Gout"]}, gy.Schema(sensitive="ill"))
    found = candidates_by_labels([], table, np.array([2]))
    assert found.only[table.cell_of_row].tolist() == [0, 0]


@pytest.mark.parametrize("n_columns", [1, 2])
def test_many_disjoint_groups_find_everybody(n_columns):
    rng = np.random.default_rng(1)
    rows = {name: rng.integers(0, 500, 3000) for name in ("a", "b")[:n_columns]}
    table = gy.read(pa.table(rows), gy.Schema(quasi_identifiers=list(rows)))
    starts = range(0, 500, 10)
    ranges = [f"{s}-{s + 9}" for s in starts]
    if n_columns == 1:
        labels, expected = [ranges], rows["a"] // 10
    else:
        labels = [[r for r in ranges for _ in ranges], ranges * len(ranges)]
        expected = rows["a"] // 10 * 50 + rows["b"] // 10
    found = candidates_by_labels(labels, table, np.ones(len(labels[0]), dtype=np.int64))
    assert found.only[table.cell_of_row].tolist() == expected.tolist()


def test_a_column_of_many_values_takes_memory_for_each_value_only():
    """A table of labels × values took 900 MB for 30,000 incomes, one of which was suppressed."""
    values = [7 * n for n in range(30_000)]
    table = gy.read({"pay": values}, gy.Schema(quasi_identifiers=["pay"]))
    labels = [*map(str, values), "*"]
    tracemalloc.start()
    found = candidates_by_labels([labels], table, np.ones(len(labels), np.int64), {"pay"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (np.diff(found.starts) == 2).all()  # their own row, and the suppressed one
    assert peak < 100 * 2**20
