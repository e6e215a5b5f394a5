"""NIST's k-marginal score against loops over people and samples, and its published values."""

from __future__ import annotations

import csv
import gzip
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.errors import RuleError
from gyges.utility.grouping import Grouping
from gyges.utility.k_marginal import cell_sizes, k_marginal, sample_equivalent, sample_score
from gyges.utility.marginal_tables import MOST_NUMBERS, axes_of, original_counts
from gyges.utility.measure import partition_utility
from tests.oracles import spread_tables as oracle
from tests.oracles import utility as utility_oracle
from tests.utility.spread_cases import EXACT, cases

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@given(cases(), st.integers(1, 3))
def test_the_score_is_that_of_every_person_spread_over_their_labels(case, k):
    expected = oracle.k_marginal(
        case.group, case.covered_with_values, case.lists, oracle_bins(case.lists), EXACT, k
    )
    assert k_marginal(case.grouping, k) == pytest.approx(float(expected), abs=1e-7)


def oracle_bins(columns):
    """Tiny tables have a bin for each value; leaves that nobody has are their own."""
    return [_Own() for _ in columns]


class _Own(dict):
    def __missing__(self, value):
        return value


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 3), st.sampled_from("ab")),
        min_size=MOST_NUMBERS + 5,
        max_size=60,
    )
)
def test_many_numbers_are_counted_in_intervals_of_equal_weight(people):
    ages, groups, ill = (list(one) for one in zip(*people, strict=True))
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    table = gy.read({"age": ages, "ill": ill}, schema)
    members = utility_oracle.members(groups)
    inside = {
        g: [utility_oracle.covered_number(ages, rows, ages), {None}] for g, rows in members.items()
    }
    bins = [oracle.equal_weight_bins(ages, set(ages), MOST_NUMBERS), _Own()]
    expected = oracle.k_marginal(groups, inside, [ages, ill], bins, [False, True], 2)
    grouping = Grouping.of_rows(table, np.array(groups))
    assert k_marginal(grouping) == pytest.approx(float(expected), abs=1e-7)


small = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), min_size=2, max_size=7)


@given(small, st.data())
def test_a_sample_is_expected_to_score_what_all_samples_score_on_average(rows, data):
    columns = [list(one) for one in zip(*rows, strict=True)]
    m = data.draw(st.integers(1, len(rows)))
    grouping = grouped(columns, range(len(rows)))
    sizes = cell_sizes([original_counts(grouping, [*axes_of(grouping).values()])])
    expected = oracle.expected_sample_score(columns, m, 2)
    assert sample_score(sizes, 1, len(rows), m) == pytest.approx(float(expected), abs=1e-7)


def grouped(columns, group):
    table = gy.read(
        dict(zip(("one", "two"), columns, strict=True)), gy.Schema(quasi_identifiers=["one", "two"])
    )
    return Grouping.of_rows(table, np.array(list(group)))


@settings(max_examples=40)
@given(small, st.data())
def test_the_equivalent_sample_is_the_largest_that_scores_no_more(rows, data):
    columns, n = [list(one) for one in zip(*rows, strict=True)], len(rows)
    group = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    grouping = grouped(columns, group)
    score = k_marginal(grouping)
    by_size = [oracle.expected_sample_score(columns, m, 2) for m in range(1, n + 1)]
    assert by_size == sorted(by_size)
    if all(abs(float(one) - score) > 1e-6 for one in by_size):
        largest = sum(one <= Fraction(score) for one in by_size)
        assert sample_equivalent(grouping) == largest / n
    if score == 1000:
        assert sample_equivalent(grouping) == 1


def test_an_exact_release_scores_1000_and_an_empty_one_0():
    table = gy.read(hospital(60), hospital_schema())
    exact = gy.measure_utility(table, table.cell_of_row)
    assert exact["k_marginal"] == 1000 and exact["k_marginal_sample"] == 1
    empty = gy.measure_utility(table, np.full(60, -1))
    assert empty["k_marginal"] == 0 and empty["k_marginal_sample"] == 0


def test_values_count_only_where_everyone_has_one():
    bare = gy.read({"age": [20, 21]}, gy.Schema(quasi_identifiers=["age"]))
    assert gy.measure_utility(bare, np.zeros(2, dtype=int))["k_marginal"] == 1000
    assert [*axes_of(Grouping.of_rows(bare, np.zeros(2, dtype=int)))] == ["age"]


def test_a_marginal_with_too_many_counts_is_refused():
    n = 300
    columns = {name: [f"{name}{i}" for i in range(n)] for name in "abc"}
    grouping = Grouping.of_rows(
        gy.read(columns, gy.Schema(quasi_identifiers=["a", "b", "c"])), np.arange(n)
    )
    with pytest.raises(RuleError, match="the question about a, b, c has 27,000,000 counts"):
        original_counts(grouping, [*axes_of(grouping).values()])


# Scores of random samples that the reports of SDNist 2.5 print for the national excerpt of 2019
# and ten columns: three reports, one sample each, cut to whole numbers [Task2023].
SHARES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90)
PRINTED = (
    (896, 959, 971, 978, 983, 989, 990, 991, 993, 994, 996),
    (898, 954, 969, 977, 983, 987, 989, 992, 993, 994, 996),
    (902, 946, 969, 977, 984, 987, 989, 992, 993, 994, 996),
)
NATIONAL = ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE",
            "DVET", "DEYE"]  # fmt: skip


@pytest.fixture(scope="module")
def national(real_data):
    with gzip.open(real_data / "nist_acs2019.csv.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["excerpt"].startswith("nat")]
    columns = {name: [row[name] for row in rows] for name in NATIONAL}
    kinds = dict.fromkeys(NATIONAL[1:], "category")
    return gy.read(columns, gy.Schema(quasi_identifiers=NATIONAL, kinds=kinds))


def test_samples_score_what_nists_reports_print(national):
    grouping = Grouping.of_rows(national, national.cell_of_row)
    pairs = [*combinations(axes_of(grouping).values(), 2)]
    sizes, n = cell_sizes([original_counts(grouping, pair) for pair in pairs]), national.n_people
    assert n == 27_253 and len(pairs) == 45
    for share, *printed in zip(SHARES, *PRINTED, strict=True):
        expected = sample_score(sizes, len(pairs), n, round(n * share / 100))
        # Cutting takes half a point on average; a sample of 1 % varies by several points.
        within = 4 if share <= 5 else 2
        assert expected == pytest.approx(sum(printed) / 3 + 0.5, abs=within)


def test_a_partition_keeps_more_than_the_published_suppression_of_cells(national):
    """The report on k = 6 by local suppression prints 907 and "like a 1 % sample"."""
    release = gy.publish(national, gy.KAnonymity(6))
    measured = gy.measure_utility(national, release.group_of_row)
    assert measured["k_marginal"] > 950
    assert 0.05 < measured["k_marginal_sample"] < 0.07


def test_a_release_at_one_level_is_measured_by_its_labels():
    """Labels of a level are wider than the values of their groups."""
    table = gy.read(hospital(200), hospital_schema())
    release = gy.publish(table, gy.KAnonymity(5), method="lattice")
    by_labels = gy.measure_utility(table, release.group_of_row, levels=release.levels)
    assert by_labels == pytest.approx(partition_utility(release.partition))
    by_values = gy.measure_utility(table, release.group_of_row)
    assert by_labels["loss"] > by_values["loss"]
    assert by_labels["k_marginal"] < by_values["k_marginal"]
    assert gy.audit(release).utility == by_labels


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"disease": 1}, "levels names 'disease', which is not a quasi-identifier"),
        ({"sex": 2}, "'sex' has levels up to 1"),
        ({"sex": -1}, "levels: that of 'sex' is -1"),
        (3, "levels is 3: give a dict"),
    ],
)
def test_levels_that_a_table_does_not_have_are_refused(levels, said):
    table = gy.read(hospital(20), hospital_schema())
    with pytest.raises(RuleError, match=said):
        gy.measure_utility(table, np.zeros(20, dtype=int), levels=levels)
