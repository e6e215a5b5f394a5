"""Every loss against a double loop over the rows."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError
from gyges.release.partition_of_cells import LEFT_OUT, Partition
from gyges.utility.grouping import Grouping
from gyges.utility.known_measures import in_words
from gyges.utility.measure import partition_utility
from gyges.utility.non_uniform_entropy import non_uniform_entropy
from tests import strategies
from tests.oracles import utility as oracle

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")

JOBS = {row[0]: row for row in strategies.HIERARCHIES["job"].rows}


@st.composite
def grouped(draw):
    """Columns, a table of them, and a group for each row (negative: left out)."""
    columns = draw(strategies.columns(min_rows=2))
    quasi = ["age", "job", "pet"]
    schema = gy.Schema(
        quasi_identifiers=quasi,
        sensitive="disease",
        hierarchies={"job": strategies.HIERARCHIES["job"]},
    )
    table = gy.read({name: columns[name] for name in [*quasi, "disease"]}, schema)
    n = len(columns["age"])
    group = draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    assume(any(g >= 0 for g in group))
    return columns, table, group


@given(grouped())
def test_group_sizes_and_classes_agree_with_counting_rows(made):
    columns, table, group = made
    measured = gy.measure_utility(table, np.array(group))
    assert measured["discernibility"] == oracle.discernibility(group)
    assert np.isclose(measured["average_group_size"], oracle.average_group_size(group))
    expected = oracle.classification_metric(columns["disease"], group)
    assert np.isclose(measured["classification_metric"], expected)
    assert measured["groups"] == len(oracle.members(group))


@given(grouped())
def test_certainty_penalties_agree_with_their_definition(made):
    columns, table, group = made
    groups, n = oracle.members(group), len(group)
    pets = {pet: (pet, "*") for pet in columns["pet"]}

    def average(of_rows):
        published = sum(of_rows(rows) * len(rows) for rows in groups.values())
        return (published + sum(g < 0 for g in group)) / n

    expected = [
        average(lambda rows: oracle.ncp_number(columns["age"], rows, columns["age"])),
        average(lambda rows: oracle.ncp_category(columns["job"], rows, JOBS)),
        average(lambda rows: oracle.ncp_category(columns["pet"], rows, pets)),
    ]
    measured = gy.measure_utility(table, np.array(group))
    for name, ncp in zip(["age", "job", "pet"], expected, strict=True):
        assert np.isclose(measured[f"ncp_{name}"], ncp)
    assert np.isclose(measured["gcp"], sum(expected) / 3)


@given(grouped())
def test_ambiguity_and_entropy_agree_with_their_definitions(made):
    columns, table, group = made
    covered = {
        name: (
            oracle.covered_number(columns["age"], rows, columns["age"]),
            oracle.covered_category(columns["job"], rows, JOBS),
            {columns["pet"][row] for row in rows},
        )
        for name, rows in oracle.members(group).items()
    }
    sizes = [len(set(columns["age"])), len(JOBS), len(set(columns["pet"]))]
    measured = gy.measure_utility(table, np.array(group))
    assert np.isclose(measured["ambiguity"], oracle.ambiguity(group, covered, sizes))
    bits = oracle.non_uniform_entropy(group, covered, [columns[n] for n in ("age", "job", "pet")])
    assert np.isclose(measured["non_uniform_entropy"], bits, atol=1e-9)


@given(grouped())
def test_the_divergence_agrees_with_its_definition(made):
    columns, table, group = made
    keys = list(zip(columns["age"], columns["job"], columns["pet"], strict=True))
    kept_keys = {keys[row] for row, g in enumerate(group) if g >= 0}
    assume(all(g >= 0 or keys[row] not in kept_keys for row, g in enumerate(group)))
    measured = gy.measure_utility(table, np.array(group))["kl_divergence"]
    assert np.isclose(measured, oracle.kl_divergence(keys, columns["disease"], group), atol=1e-12)
    assert measured >= -1e-12


@given(strategies.tables(min_rows=2), st.data())
def test_a_partition_measures_as_its_rows_do(table, data):
    n = len(table.cells)
    group = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
    group[0] = max(group[0], 0)
    used = sorted(set(group.tolist()) - {LEFT_OUT})
    group = np.array([used.index(g) if g >= 0 else LEFT_OUT for g in group], dtype=np.int64)
    partition = Partition(table.cells, group, len(used))
    by_rows = gy.measure_utility(table, partition.group_of_row(table))
    for name, value in partition_utility(partition).items():
        assert np.isclose(value, by_rows[name]), name


def test_everything_exact_loses_nothing_and_everything_alike_loses_all():
    columns = {"age": [1, 2, 3, 9], "pet": ["cat", "dog", "eel", "cat"], "disease": list("abca")}
    schema = gy.Schema(quasi_identifiers=["age", "pet"], sensitive="disease")
    table = gy.read(columns, schema)
    exact = gy.measure_utility(table, np.arange(4))
    assert exact["gcp"] == 0 and exact["kl_divergence"] == 0 and exact["precision"] == 1
    alike = gy.measure_utility(table, np.zeros(4, dtype=int))
    assert alike["gcp"] == 1 and alike["precision"] == 0 and alike["discernibility"] == 16


def test_a_group_for_each_row_is_asked_for():
    table = gy.read(
        {"age": [1, 2], "disease": ["a", "b"]},
        gy.Schema(quasi_identifiers=["age"], sensitive="disease"),
    )
    with pytest.raises(GygesError, match="one for each of the 2 rows"):
        gy.measure_utility(table, np.zeros(3, dtype=int))


def test_wide_labels_of_a_column_with_many_values_take_no_room_each():
    """300 groups that cover about 100,000 values each: listing them all would take 240 MB."""
    n, n_groups = 100_000, 300
    table = gy.read({"pay": np.arange(n)}, gy.Schema(quasi_identifiers=["pay"]))
    grouping = Grouping.of_rows(table, np.arange(n) % n_groups)
    tracemalloc.start()
    bits = non_uniform_entropy(grouping)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    covered = n - n_groups + 1  # by each group, from its first value to its last
    assert np.isclose(bits, n * np.log2(covered)) and most < 50e6


def test_the_sentence_about_a_column_says_what_is_measured_without_a_hierarchy():
    """It spoke of a range, where a set of two of fifty places counts as the whole."""
    places = [f"place {i:02}" for i in range(50)]
    schema = gy.Schema(quasi_identifiers=["place"])
    table = gy.read({"place": places}, schema)
    measured = gy.measure_utility(table, np.arange(50) // 2)
    assert measured["ncp_place"] == 1.0 and measured["loss"] < 0.1
    assert "any two different values count as all" in in_words("ncp_place")
