"""Forms and files: what is published is true of the original and reads back to the same groups."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import ReleaseError
from gyges.release.label_reading import covers_all
from gyges.release.labels import group_labels
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import LEFT_OUT, Partition, Pieces
from tests import strategies

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@st.composite
def partitions(draw, may_leave_out=True, **limits):
    """A table and any partition of its cells, with every group number used."""
    table = draw(strategies.tables(**limits))
    least = LEFT_OUT if may_leave_out else 0
    drawn = draw(
        st.lists(st.integers(least, 3), min_size=len(table.cells), max_size=len(table.cells))
    )
    drawn[0] = max(drawn[0], 0)
    used = sorted({g for g in drawn if g != LEFT_OUT})
    group = np.array([used.index(g) if g != LEFT_OUT else LEFT_OUT for g in drawn], dtype=np.int64)
    return table, Partition(table.cells, group, len(used))


def rng():
    return np.random.default_rng(5)


def histogram(groups, g):
    return tuple(sorted((groups.values[c], n) for c, n in enumerate(groups.counts[g]) if n))


@given(partitions())
def test_every_label_covers_the_values_of_the_groups_people(made):
    table, partition = made
    for column, labels in enumerate(group_labels(partition)):
        covered = covers_all(labels, table.cells.domains[column])
        for row, group in enumerate(partition.group_of_row(table)):
            if group != LEFT_OUT:
                code = table.cells.codes[table.cell_of_row[row], column]
                assert covered[labels[group]][code]


@given(
    partitions(),
    st.sampled_from(["csv", "parquet"]),
    st.sampled_from(["generalized", "bucketized"]),
)
def test_a_saved_release_reads_back_to_the_same_groups(made, format, form):
    table, partition = made
    release = make_release(table, partition, form, rng=rng())
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "out", format=format)
        again = gy.load(Path(folder) / "out")
        assert list(again.groups.sizes) == list(release.groups.sizes)
        there = [
            v for v, n in zip(release.groups.values, release.groups.value_totals, strict=True) if n
        ]
        assert again.groups.values == there
        for g in range(len(again.groups)):
            assert histogram(again.groups, g) == histogram(release.groups, g)
        assert gy.verify(Path(folder) / "out").holds


@given(partitions(may_leave_out=False), st.sampled_from(["generalized", "bucketized"]))
def test_people_are_found_in_the_group_they_are_in(made, form):
    table, partition = made
    release = make_release(table, partition, form, rng=rng())
    found = release.locate(table)
    ours = release.group_of_row
    assert ((found == ours) | (found == SEVERAL)).all()
    assert (found != NOWHERE).all()


def test_a_general_term_of_a_hierarchy_that_is_not_published_is_not_nobody(tmp_path):
    """A certificate does not state the leaves of a hierarchy: "north" must not read as a value
    that nobody has, which would look like people who are not in the release.
    """
    towns = gy.Hierarchy.from_tree({"north": ["A", "B"], "south": ["C", "D"]})
    schema = gy.Schema(quasi_identifiers=["town"], sensitive="ill", hierarchies={"town": towns})
    table = gy.read({"town": [*"ABCD"] * 5, "ill": [*"vwxyz"] * 4}, schema)
    release = gy.publish(table, [gy.KAnonymity(10)], method="lattice")
    release.save(tmp_path / "out")
    loaded = gy.load(tmp_path / "out")
    assert sorted(loaded.labels["town"]) == ["north", "south"]

    without = gy.read({"town": ["A", "C"]}, gy.Schema(quasi_identifiers=["town"]))
    with pytest.raises(gy.GygesError, match="'north', 'south', which cannot be read"):
        loaded.locate(without)
    known = gy.Schema(quasi_identifiers=["town"], hierarchies={"town": towns})
    assert loaded.locate(gy.read({"town": ["A", "C"]}, known)).tolist() == [0, 1]


@given(partitions())
def test_published_rows_are_the_kept_people_with_their_values(made):
    table, partition = made
    release = make_release(table, partition, "generalized", rng=rng())
    kept = np.flatnonzero(release.group_of_row != LEFT_OUT)
    names = list(table.schema.quasi_identifiers)
    expected = Counter(
        (
            *(release.labels[name][release.group_of_row[row]] for name in names),
            table.sensitive_values[table.value_of_row[row]],
        )
        for row in kept
    )
    shown = release.tables["data"].to_pylist()
    assert Counter((*(row[name] for name in names), row["disease"]) for row in shown) == expected
    assert release.n_left_out == table.n_people - len(kept)


@given(strategies.tables(min_rows=4))
def test_people_of_one_cell_may_be_in_several_groups(table):
    """Relaxed cuts and buckets separate people with equal quasi-identifiers."""
    cells = table.cells
    entry = np.repeat(np.arange(len(cells.value_counts)), cells.value_counts)
    group = np.arange(len(entry)) % 2
    pieces = Pieces(entry, group.astype(np.int64), np.ones(len(entry), dtype=np.int64))
    partition = Partition(cells, np.zeros(len(cells), dtype=np.int64), 2, pieces=pieces)
    release = make_release(table, partition, "bucketized", rng=rng())
    assert Counter(release.group_of_row.tolist()) == Counter(
        dict(enumerate(release.groups.sizes.tolist()))
    )
    for g in range(2):
        rows = np.flatnonzero(release.group_of_row == g)
        values = Counter(table.sensitive_values[table.value_of_row[row]] for row in rows)
        assert tuple(sorted(values.items())) == histogram(release.groups, g)


def test_groups_with_equal_labels_are_told_apart_by_their_number(tmp_path):
    table = gy.read(
        {"age": [1, 1, 1, 1], "disease": ["a", "b", "a", "c"]},
        gy.Schema(quasi_identifiers=["age"], sensitive="disease"),
    )
    pieces = Pieces(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 1]), np.ones(4, dtype=np.int64))
    partition = Partition(table.cells, np.zeros(1, dtype=np.int64), 2, pieces=pieces)
    release = make_release(table, partition, "generalized", rng=rng())
    release.save(tmp_path / "out")
    assert list(gy.load(tmp_path / "out").groups.sizes) == [2, 2]


def test_several_values_per_person_are_published_without_saying_whose(tmp_path):
    columns = {"id": [1, 2, 3], "age": [5, 6, 7]}
    values = {"id": [1, 1, 3, 3], "d": ["a", "b", "a", "a"]}  # person 2 has no value
    schema = gy.Schema(
        person="id", quasi_identifiers=["age"], sensitive="d", values_per_person="multiset"
    )
    table = gy.read(columns, schema, values=values)
    partition = Partition(table.cells, np.zeros(3, dtype=np.int64), 1)
    release = make_release(table, partition, "generalized", rng=rng())
    assert release.tables["people"].to_pylist() == [{"age": "5-7", "group": 1}] * 3
    assert release.tables["sensitive"].to_pylist() == [
        {"group": 1, "d": "a", "count": 3},
        {"group": 1, "d": "b", "count": 1},
    ]
    release.save(tmp_path / "out")
    again = gy.load(tmp_path / "out").groups
    assert list(again.sizes) == [3] and again.counts.tolist() == [[3, 1]]
    assert again.values_per_person == "multiset"


def test_a_full_domain_release_shows_the_level_of_the_hierarchy():
    columns = {"age": [17, 23, 24], "job": ["clerk", "boss", "nurse"], "disease": ["a", "b", "c"]}
    hierarchies = {name: strategies.HIERARCHIES[name] for name in ("age", "job")}
    schema = gy.Schema(
        quasi_identifiers=["age", "job"], sensitive="disease", hierarchies=hierarchies
    )
    table = gy.read(columns, schema)
    partition = Partition(table.cells, np.array([0, 1, 2]), 3, levels={"age": 1, "job": 1})
    shown = [column.listed() for column in group_labels(partition)]
    assert shown == [["15-19", "20-24", "20-24"], ["office", "office", "field"]]


def test_texts_that_a_spreadsheet_would_run_are_guarded_and_read_back(tmp_path):
    columns = {"age": [1, 1, 1, 1], "disease": ["=1+1", "@cmd", "-x", "'=y"]}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))
    partition = Partition(table.cells, np.zeros(1, dtype=np.int64), 1)
    release = make_release(table, partition, "generalized", rng=rng())
    release.save(tmp_path / "out")
    text = (tmp_path / "out" / "data.csv").read_text()
    cells = [cell.strip('"') for line in text.splitlines()[1:] for cell in line.split(",")]
    assert not [cell for cell in cells if cell[0] in "=+-@"]
    assert gy.load(tmp_path / "out").groups.values == sorted(columns["disease"])


def test_an_existing_release_is_not_replaced_unless_asked(tmp_path):
    table = gy.read(
        {"age": [1, 2], "disease": ["a", "b"]},
        gy.Schema(quasi_identifiers=["age"], sensitive="disease"),
    )
    release = make_release(
        table, Partition(table.cells, np.zeros(2, int), 1), "generalized", rng=rng()
    )
    release.save(tmp_path / "out")
    before = (tmp_path / "out" / "data.csv").read_bytes()
    with pytest.raises(ReleaseError, match="already exists"):
        release.save(tmp_path / "out")
    assert (tmp_path / "out" / "data.csv").read_bytes() == before
    release.save(tmp_path / "out", format="parquet", overwrite=True)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "certificate.json",
        "data.parquet",
    ]
    assert [p.name for p in tmp_path.iterdir()] == ["out"], "nothing is left beside it"


def test_the_frame_is_of_the_kind_that_was_read():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {"age": [1, 2, 3], "disease": ["a", "b", "a"]}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    for made, kind in [
        (pd.DataFrame(columns, index=[7, 7, 7]), pd.DataFrame),
        (pl.DataFrame(columns), pl.DataFrame),
        (pa.table(columns), pa.Table),
        (columns, pa.Table),
    ]:
        table = gy.read(made, schema)
        partition = Partition(table.cells, np.zeros(3, dtype=np.int64), 1)
        frame = make_release(table, partition, "generalized", rng=rng()).frame()
        assert isinstance(frame, kind) and len(frame) == 3


def test_columns_published_as_they_are_keep_their_row():
    columns = {"age": [1, 2, 3], "score": [0.5, 1.5, 2.5], "disease": ["a", "b", "c"]}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", published=["score"])
    table = gy.read(columns, schema)
    partition = Partition(table.cells, np.zeros(3, dtype=np.int64), 1)
    rows = make_release(table, partition, "generalized", rng=rng()).tables["data"].to_pylist()
    assert {(row["score"], row["disease"]) for row in rows} == {(0.5, "a"), (1.5, "b"), (2.5, "c")}


@given(partitions())
def test_a_published_file_with_roles_given_reads_back_to_the_same_groups(made):
    table, partition = made
    release = make_release(table, partition, "generalized", rng=rng())
    schema = gy.Schema(quasi_identifiers=table.schema.quasi_identifiers, sensitive="disease")
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "out")
        again = gy.load(Path(folder) / "out" / "data.csv", schema).groups
    distinct = {
        tuple(release.labels[name][g] for name in release.labels)
        for g in range(len(release.groups))
    }
    if len(distinct) == len(release.groups):  # else only the group's number tells them apart
        assert list(again.sizes) == list(release.groups.sizes)
        for g in range(len(again)):
            assert histogram(again, g) == histogram(release.groups, g)
