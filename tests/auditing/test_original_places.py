"""People who are counted by their partition are those whose rows are looked at one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.original_places import OriginalPlaces
from gyges.auditing.published_rows import published_rows, sizes_alike
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition, Pieces
from gyges.utility.before_after import grouping_before_after
from gyges.utility.grouping import ShownAs
from gyges.utility.measure import grouping_utility
from tests import strategies

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@st.composite
def partitions(draw):
    """A small table, and a partition that may suppress people and separate equal ones."""
    table = draw(strategies.tables())
    cells = table.cells
    places = st.integers(-1, 2)
    is_dealt = draw(st.booleans())
    n = int(cells.value_counts.sum()) if is_dealt else len(cells)
    drawn = np.array(draw(st.lists(places, min_size=n, max_size=n)))
    used, number = np.unique(drawn, return_inverse=True)
    group = (number - int(used[0] == -1)).astype(np.int64)
    n_groups = int(group.max(initial=-1)) + 1
    if not is_dealt:
        return table, Partition(cells, group, n_groups)
    entry = np.repeat(np.arange(len(cells.value_codes)), cells.value_counts)
    pieces = Pieces(entry, group, np.ones(len(entry), dtype=np.int64), seed=3)
    first = np.searchsorted(cells.cell_of_entry[entry], np.arange(len(cells)))
    return table, Partition(cells, group[first], n_groups, pieces=pieces)


@given(partitions())
def test_people_counted_by_their_partition_are_those_of_the_rows(made):
    table, partition = made
    rows = partition.group_of_row(table)
    counted, looked = OriginalPlaces(table, partition=partition), OriginalPlaces(table, rows)
    one_by_one = Counter(
        (group, cell, value)
        for group, cell, value in zip(rows, table.cell_of_row, table.value_of_row, strict=True)
        if group >= 0
    )
    for places in (counted, looked):
        found = places.people
        keys = [*zip(found.group, found.cell, found.value, strict=True)]
        assert keys == sorted(one_by_one)
        assert [one_by_one[key] for key in keys] == found.people.tolist()
        assert places.has_anybody == (rows >= 0).any()
        assert places.n_lost == (rows < 0).sum()
        if partition.pieces is None:
            assert places.group_of_cell.tolist() == partition.group_of_cell.tolist()
    assert counted.group_of_row.tolist() == rows.tolist()
    if not counted.has_anybody:
        return
    groupings = [places.grouping(ShownAs()) for places in (counted, looked)]
    utility, by_rows = map(grouping_utility, groupings)
    assert utility == pytest.approx(by_rows, nan_ok=True)
    before_after = [str(grouping_before_after(one, table, lambda: rows)) for one in groupings]
    assert before_after[0] == before_after[1]


@given(partitions(), st.sampled_from(["generalized", "bucketized"]), st.booleans())
def test_rows_that_are_counted_look_like_those_that_are_written(made, form, has_value):
    """The twin writes every row and compares them."""
    table, partition = made
    if not has_value:
        schema = replace(table.schema, sensitive=None, dropped=["disease"])
        table = gy.read(table.fetch(table.source.columns), schema)
        shown = [*map(tuple, table.cells.codes.tolist())]
        partition = Partition(table.cells, np.arange(len(shown)) // 2, (len(shown) + 1) // 2)
    release = make_release(table, partition, form, rng=np.random.default_rng(1))
    written = replace(release, partition=None)
    assert published_rows(release) == published_rows(written)
    assert sorted(sizes_alike(release)) == sorted(sizes_alike(written))


def test_an_audit_of_a_release_in_memory_asks_for_no_row():
    """With five million rows that took most of the time."""
    columns = {
        "age": [20, 20, 21, 21, 22, 22, 30, 30, 31, 31] * 3,
        "disease": ["Flu", "Gout", "Mumps", "Flu", "Gout"] * 6,
    }
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    release = gy.publish(gy.read(columns, schema), [gy.KAnonymity(4)], method="partition")
    found = gy.audit(release)
    assert "tables" not in vars(release) and "group_of_row" not in vars(release)
    assert not {"cell_of_row", "_row_codes"} & set(vars(release.table))
    assert found.utility and found.before_after is not None and found.measures["beliefs"]
