"""Neither the order of published rows nor the numbers of groups follow the original."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

import gyges as gy
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition, Pieces

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
N = 600


def table():
    """People who mostly look alike, and a column that remembers where they stood."""
    columns = {
        "age": [30 + (row % 3) for row in range(N)],
        "disease": [f"d{row % 7}" for row in range(N)],
    }
    return gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))


WAYS = [
    ("buckets", {}, "bucketized"),
    ("partition", {"relaxed": True}, "generalized"),
    ("partition", {"relaxed": True}, "bucketized"),
    ("microaggregation", {}, "microaggregated"),
]


@pytest.mark.parametrize(("method", "options", "form"), WAYS)
def test_numbers_of_groups_do_not_follow_the_original_order(method, options, form):
    """With 600 rows a correlation of 0.2 by chance alone has a probability below 1 in 100,000."""
    release = gy.publish(
        table(), [gy.KAnonymity(4), gy.DistinctDiversity(2)], method=method, form=form, **options
    )
    number = release.group_of_row
    ages = np.arange(N) % 3
    for age in range(3):  # within equal labels: numbers by label are no secret
        rows = np.flatnonzero(ages == age)
        if len(set(number[rows])) > 5:
            assert abs(spearmanr(rows, number[rows]).statistic) < 0.3
    assert abs(spearmanr(np.arange(N), number).statistic) < 0.2


def test_numbers_of_buckets_do_not_follow_rising_ages():
    """Groups are found along the ages: numbered in that order, they would sort the people."""
    columns = {"age": list(range(N)), "disease": [f"d{row % 7}" for row in range(N)]}
    people = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))
    release = gy.publish(people, [gy.KAnonymity(4)], method="partition", form="bucketized")
    assert len(release.groups) > 50
    assert abs(spearmanr(np.arange(N), release.group_of_row).statistic) < 0.5


def test_rows_of_one_cell_are_dealt_out_by_chance():
    """Of a hundred people who are alike, half in each of two groups, not the first half in one."""
    people = gy.read(
        {"age": [1] * 100, "disease": ["a"] * 100},
        gy.Schema(quasi_identifiers=["age"], sensitive="disease"),
    )
    pieces = Pieces(np.zeros(2, dtype=np.int64), np.arange(2), np.full(2, 50))
    partition = Partition(people.cells, np.zeros(1, dtype=np.int64), 2, pieces=pieces)
    release = make_release(people, partition, "bucketized", rng=np.random.default_rng(4))
    group = release.group_of_row
    assert group.sum() == 50 and 10 < group[:50].sum() < 40
    assert (group == release.partition.group_of_row(people)).all(), "the same whenever it is asked"
