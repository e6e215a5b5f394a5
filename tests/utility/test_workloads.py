"""COUNT queries and classifiers: what a release is still good for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import RuleError
from gyges.release.partition_of_cells import Partition
from gyges.utility.classifiers import classifier_accuracy
from gyges.utility.grouping import Grouping
from gyges.utility.query_error import query_error
from gyges.utility.regions import region
from tests import strategies

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def by_age(width):
    """A search that puts people of the same age interval together."""

    def search(cells):
        ages = np.array([int(age) // width for age in cells.domains[0].values])
        _, group = np.unique(ages[cells.codes[:, 0]], return_inverse=True)
        return Partition(cells, group.astype(np.int64), int(group.max()) + 1)

    return search


def one_group(cells):
    return Partition(cells, np.zeros(len(cells), dtype=np.int64), 1)


def every_cell(cells):
    return Partition(cells, np.arange(len(cells)), len(cells))


@pytest.fixture(scope="module")
def table():
    return gy.read(hospital(1500), hospital_schema())


def error(table, search, form="generalized", **options):
    grouping = Grouping.of_partition(search(table.cells))
    settings = {"dimension": 2, "selectivity": 0.2, "n_queries": 150} | options
    return query_error(grouping, form=form, rng=np.random.default_rng(3), **settings)


def test_a_release_without_any_coarsening_answers_exactly(table):
    assert error(table, every_cell).mean < 1e-12
    assert error(table, every_cell, form="bucketized").mean < 1e-12


def test_finer_groups_answer_better(table):
    fine, coarse = error(table, by_age(5)).mean, error(table, one_group).mean
    assert 0 < fine < coarse


def test_buckets_answer_better_than_labels_of_the_same_groups(table):
    assert error(table, by_age(20), form="bucketized").mean < error(table, by_age(20)).mean


def test_larger_selectivity_means_smaller_error(table):
    errors = [error(table, by_age(20), selectivity=s, n_queries=400).mean for s in (0.05, 0.5)]
    assert errors[1] < errors[0]


@given(strategies.tables(min_rows=2), st.data())
def test_a_region_covers_every_value_of_its_group(table, data):
    n = len(table.cells)
    drawn = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    _, group = np.unique(drawn, return_inverse=True)
    grouping = Grouping.of_partition(Partition(table.cells, group, int(group.max()) + 1))
    for column in range(len(table.cells.domains)):
        found = region(grouping, column)
        for cell, g in zip(grouping.cell, grouping.group, strict=True):
            covered = found[g]
            assert table.cells.codes[cell, column] in covered
            assert len(set(covered.tolist())) == len(covered)


@pytest.mark.parametrize(
    "options", [{"dimension": 0}, {"dimension": 9}, {"selectivity": 0.0}, {"selectivity": 2.0}]
)
def test_a_senseless_workload_is_refused(table, options):
    with pytest.raises(RuleError):
        error(table, one_group, **options)


def test_a_classifier_learns_from_exact_rows_and_nothing_from_one_group(table):
    rng = np.random.default_rng(0)
    exact = classifier_accuracy(table, every_cell, folds=4, rng=rng)
    assert exact.decision_tree == pytest.approx(exact.original_decision_tree, abs=0.02)
    nothing = classifier_accuracy(table, one_group, folds=4, rng=np.random.default_rng(0))
    assert nothing.decision_tree == pytest.approx(nothing.majority, abs=0.02)
    assert exact.naive_bayes > nothing.majority
