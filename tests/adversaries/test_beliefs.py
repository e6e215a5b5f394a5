"""Beliefs before and after a release: against double loops, enumeration and the paper's tables."""

from __future__ import annotations

import doctest
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import kernel_prior, member_groups
from gyges.adversaries.kernel_order import elimination_order
from gyges.adversaries.posterior import posteriors
from gyges.errors import ImpossibleKnowledgeError, RuleError
from gyges.kernels import permanent
from tests import strategies
from tests.oracles import beliefs as oracle

TABLE_TWO = np.array([[0.95, 0.05], [0.95, 0.05], [0.7, 0.3]])  # none, HIV
TABLE_THREE = np.array([[1.0, 0.0], [1.0, 0.0], [0.7, 0.3]])
ONE_GROUP, ONE_HIV = np.zeros(3, dtype=int), np.array([0, 0, 1])
METHODS = ["exact", "omega", "scaling", "refined", "auto"]

pytestmark = pytest.mark.filterwarnings("ignore:everyone has the same value")

bandwidths = st.sampled_from(["0.1", "0.25", "0.3", "1/3", "0.5", "0.9", "1", "1.5", "40"])


def distance_of(table, column):
    """The distance between two values of a column, from its values in the data."""
    values = sorted(set(table.fetch([column]).column(column).to_pylist()))
    if column == "age":
        length = values[-1] - values[0]
        return lambda a, b: abs(a - b) / length if length else 0.0
    hierarchy = table.schema.hierarchies.get(column)
    matrix = gy.distance_matrix(values, hierarchy)
    return lambda a, b: matrix[values.index(a), values.index(b)]


def fraction_of(text):
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


class TestPrior:
    @given(table=strategies.tables(max_rows=14), data=st.data())
    def test_equals_the_double_loop_over_all_pairs_of_people(self, table, data):
        quasi = list(table.schema.quasi_identifiers)
        stated = {name: data.draw(bandwidths) for name in quasi}
        kernel = data.draw(st.sampled_from(["epanechnikov", "uniform"]))
        found = gy.prior_beliefs(table, stated, kernel=kernel)
        fetched = table.fetch([*quasi, "disease"])
        expected = oracle.priors(
            list(zip(*(fetched.column(name).to_pylist() for name in quasi), strict=True)),
            fetched.column("disease").to_pylist(),
            table.sensitive_values,
            [distance_of(table, name) for name in quasi],
            [fraction_of(stated[name]) for name in quasi],
            getattr(oracle, kernel),
        )
        assert np.abs(found - expected).max() < 1e-12

    @given(table=strategies.tables(max_rows=14), bandwidth=bandwidths)
    def test_slices_of_values_and_one_bandwidth_for_all_change_nothing(self, table, bandwidth):
        found = gy.prior_beliefs(table, bandwidth)
        each = dict.fromkeys(table.schema.quasi_identifiers, bandwidth)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernel_prior, "WORKING_BYTES", 1)
            assert np.array_equal(gy.prior_beliefs(table, each), found)

    @given(table=strategies.tables())
    def test_the_uniform_kernel_over_the_range_knows_the_shares_of_the_whole_table(self, table):
        found = gy.prior_beliefs(table, 1, kernel="uniform")
        shares = np.bincount(table.value_of_row, minlength=len(table.sensitive_values))
        assert np.allclose(found, shares / len(table))

    def test_people_far_away_do_not_count_and_equal_people_believe_alike(self):
        table = read([0, 0, 10], ["a", "b", "c"])
        assert gy.prior_beliefs(table, "0.5").tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]

    def test_the_mean_prior_is_not_the_share_in_the_table(self):
        """Errata L9: 44/105, not 1/3, where only the middle of three has the value."""
        table = read([0, 1, 2], ["b", "a", "b"])
        assert np.isclose(gy.prior_beliefs(table, 1)[:, 0].mean(), 44 / 105)

    def test_given_distances_take_the_place_of_the_columns_own(self):
        table = read([1, 5, 9], ["a", "b", "a"])
        far = 1 - np.eye(3)
        assert np.allclose(
            gy.prior_beliefs(table, "0.5", distances={"age": far}), [[1, 0], [0, 1], [1, 0]]
        )
        same = gy.distance_matrix([1, 5, 9])
        assert np.allclose(
            gy.prior_beliefs(table, "0.9", distances={"age": same}), gy.prior_beliefs(table, "0.9")
        )

    def test_values_of_a_hierarchy_that_nobody_has_do_not_count(self):
        tree = gy.Hierarchy.from_tree({"x": ["a", "b"], "y": ["c", "d"]})
        schema = gy.Schema(quasi_identifiers=["q"], sensitive="d", hierarchies={"q": tree})
        table = gy.read({"q": ["a", "d", "d"], "d": ["1", "2", "1"]}, schema)
        given_ = {"q": np.array([[0, 0.5], [0.5, 0]])}
        found = gy.prior_beliefs(table, "0.6", distances=given_)
        assert found[0, 0] > 0.5 and np.isclose(gy.prior_beliefs(table, "0.6")[0, 0], 1)

    def test_people_who_were_dropped_do_not_stretch_the_range(self):
        schema = gy.Schema(quasi_identifiers=["age"], sensitive="d")
        columns = {"age": [0, 1, 2, 100], "d": ["a", "b", "b", None]}
        table = gy.read(columns, schema, missing="drop")
        whole = gy.read({"age": [0, 1, 2], "d": ["a", "b", "b"]}, schema)
        assert np.allclose(gy.prior_beliefs(table, "0.6"), gy.prior_beliefs(whole, "0.6"))

    def test_without_quasi_identifiers_everybody_is_alike(self):
        table = gy.read({"d": ["a", "a", "b"]}, gy.Schema(sensitive="d"))
        assert np.allclose(gy.prior_beliefs(table, "0.1"), [[2 / 3, 1 / 3]] * 3)

    def test_what_makes_no_sense_is_refused(self):
        table = read([1, 2], ["a", "b"])
        for wrong in (0, -1, "x", {"age": 0}, {"agee": 1}, {}):
            with pytest.raises(RuleError, match="bandwidth"):
                gy.prior_beliefs(table, wrong)
        with pytest.raises(RuleError, match="kernel"):
            gy.prior_beliefs(table, 1, kernel="gauss")
        for matrix in (np.eye(2), np.zeros((3, 3)), [[0, 1], [2, 0]], [[0, np.nan], [np.nan, 0]]):
            with pytest.raises(RuleError, match="age"):
                gy.prior_beliefs(table, 1, distances={"age": matrix})
        with pytest.raises(RuleError, match="did you mean 'age'"):
            gy.prior_beliefs(table, 1, distances={"agee": np.zeros((2, 2))})
        several = gy.Schema(identifiers=["n"], quasi_identifiers=["age"], sensitive="d",
                            values_per_person="set")  # fmt: skip
        people = gy.read({"n": ["x", "y"], "age": [1, 2], "d": ["a", "b"]}, several)
        with pytest.raises(RuleError, match="one sensitive value per person"):
            gy.prior_beliefs(people, 1)

    @given(sizes=st.lists(st.integers(1, 60), max_size=12), n_cells=st.integers(1, 10_000))
    def test_the_order_of_the_columns_is_an_order(self, sizes, n_cells):
        assert sorted(elimination_order(sizes, n_cells)) == list(range(len(sizes)))


def read(ages, diseases):
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    return gy.read({"age": ages, "disease": diseases}, schema)


@st.composite
def groups_with_priors(draw, max_people=7, n_values=4, with_zeros=True):
    """(prior, values) of one group; zeros in the prior where asked for."""
    k = draw(st.integers(1, max_people))
    m = draw(st.integers(1, n_values))
    least = 0 if with_zeros else 1
    weight = st.integers(least, 9)
    row = st.lists(weight, min_size=m, max_size=m).filter(any)
    prior = np.array(draw(st.lists(row, min_size=k, max_size=k)), dtype=float)
    values = draw(st.lists(st.integers(0, m - 1), min_size=k, max_size=k))
    return prior / prior.sum(axis=1, keepdims=True), values


class TestPosterior:
    def test_table_two_of_the_paper(self):
        found = gy.posterior_beliefs(TABLE_TWO, ONE_GROUP, ONE_HIV, method="exact")
        assert np.isclose(found[2, 1], 57 / 71) and np.isclose(found[0, 1], 7 / 71)

    def test_table_three_of_the_paper(self):
        exact = gy.posterior_beliefs(TABLE_THREE, ONE_GROUP, ONE_HIV, method="exact")
        omega = gy.posterior_beliefs(TABLE_THREE, ONE_GROUP, ONE_HIV, method="omega")
        scaled = gy.posterior_beliefs(TABLE_THREE, ONE_GROUP, ONE_HIV, method="scaling")
        assert np.allclose(exact, [[1, 0], [1, 0], [0, 1]], atol=0)
        assert np.isclose(omega[2, 1], 27 / 41) and np.isclose(omega[:, 1].sum(), 27 / 41)
        assert np.allclose(scaled, exact, atol=0)  # nobody else can have it: no limit needed

    @given(group=groups_with_priors())
    def test_exact_equals_the_enumeration_of_all_arrangements(self, group):
        prior, values = group
        expected = oracle.posterior(prior.tolist(), values)
        if expected is None:
            with pytest.raises(ImpossibleKnowledgeError, match="contradict"):
                gy.posterior_beliefs(prior, np.zeros(len(values), int), np.array(values), "exact")
            return
        for method in ("exact", "auto"):
            found = gy.posterior_beliefs(
                prior, np.zeros(len(values), int), np.array(values), method
            )
            assert np.abs(found - expected).max() < 1e-12

    @given(group=groups_with_priors(max_people=3, n_values=5), data=st.data())
    def test_people_who_are_alike_change_nothing_but_the_way(self, group, data):
        """Few kinds of people: the values choose among them. Each row then stands for several."""
        kinds, _ = group
        kind = np.array(data.draw(st.lists(st.integers(0, len(kinds) - 1), min_size=1, max_size=7)))
        value = st.integers(0, kinds.shape[1] - 1)
        values = data.draw(st.lists(value, min_size=len(kind), max_size=len(kind)))
        expected = oracle.posterior(kinds[kind].tolist(), values)
        assume(expected is not None)
        found = gy.posterior_beliefs(kinds[kind], np.zeros(len(kind), int), values, "exact")
        assert np.abs(found - expected).max() < 1e-12
        people = np.bincount(kind, minlength=len(kinds))
        there = np.flatnonzero(people)
        held, totals = np.unique(values, return_counts=True)
        if (kinds[there][:, held] > 0).all():  # the kernel is asked about one circle at a time
            q = np.ascontiguousarray(kinds[there][:, held])
            for scale in (1.0, 1e-3):
                chances, _ = permanent.given_totals(q * scale, people[there], totals)
                of_person = chances[np.searchsorted(there, kind)]
                assert np.abs(of_person - np.array(expected)[:, held]).max() < 1e-12

    def test_a_large_group_of_few_kinds_of_people_is_exact(self):
        """200 people of two kinds and 30 values: 101² states, not 7^10 8^20."""
        kinds = spread_priors(2, 30)
        values = np.arange(200) % 30
        report = posteriors(np.repeat(kinds, 100, axis=0), np.zeros(200, int), values, "exact")
        counts = np.bincount(values)
        assert report.methods == ["exact"]
        assert np.allclose(report.values.sum(axis=0), counts)
        odds = report.values[0] * kinds[1] / (report.values[-1] * kinds[0])
        assert np.ptp(odds) > 1e-6 and np.ptp(odds) < 0.1 * odds.mean()  # near scaling, not equal
        small = posteriors(np.repeat(kinds, 3, axis=0), np.zeros(6, int), values[:6], "exact")
        expected = oracle.posterior(np.repeat(kinds, 3, axis=0).tolist(), values[:6].tolist())
        assert np.abs(small.values - expected).max() < 1e-12

    @pytest.mark.parametrize("n_values", [63, 64, 65, 90])
    def test_circles_of_any_number_of_values(self, n_values):
        """Everybody may hold his own value or the next one; the last person also the first."""
        ring = np.eye(n_values) + np.eye(n_values, k=1)
        chain = ring / ring.sum(axis=1, keepdims=True)
        people, values = np.zeros(n_values, int), np.arange(n_values)
        assert np.array_equal(gy.posterior_beliefs(chain, people, values), np.eye(n_values))
        ring[-1, 0] = 1
        found = gy.posterior_beliefs(ring / 2, people, values, "scaling")
        assert np.allclose(found, ring / 2)

    @given(group=groups_with_priors(), shuffled=st.randoms(use_true_random=False))
    def test_who_has_which_value_does_not_matter(self, group, shuffled):
        prior, values = group
        assume(oracle.posterior(prior.tolist(), values) is not None)
        other = values[:]
        shuffled.shuffle(other)
        for method in METHODS:
            if method == "omega" and not _has_omega(prior, values):
                continue
            one, two = (
                gy.posterior_beliefs(prior, np.zeros(len(values), int), np.array(v), method)
                for v in (values, other)
            )
            assert np.allclose(one, two, atol=1e-8)

    @given(group=groups_with_priors(max_people=9))
    def test_all_but_omega_keep_both_margins(self, group):
        prior, values = group
        assume(oracle.posterior(prior.tolist(), values) is not None)
        counts = np.bincount(values, minlength=prior.shape[1])
        for method in ("exact", "scaling", "refined", "auto"):
            found = gy.posterior_beliefs(
                prior, np.zeros(len(values), int), np.array(values), method
            )
            assert np.allclose(found.sum(axis=1), 1) and (found >= 0).all()
            assert np.allclose(found.sum(axis=0), counts, atol=1e-7)

    @given(group=groups_with_priors(with_zeros=False))
    def test_omega_is_the_papers_formula(self, group):
        prior, values = group
        found = gy.posterior_beliefs(prior, np.zeros(len(values), int), np.array(values), "omega")
        assert np.allclose(found, oracle.omega(prior.tolist(), values))

    @given(group=groups_with_priors(max_people=5, with_zeros=False))
    def test_scaling_multiplies_rows_and_columns_and_nothing_else(self, group):
        prior, values = group
        found = gy.posterior_beliefs(prior, np.zeros(len(values), int), np.array(values), "scaling")
        there = sorted(set(values))
        ratio = np.log(found[:, there] / prior[:, there])
        ratio -= ratio[:1]
        assert np.allclose(ratio, ratio[:, :1], atol=1e-6)

    @given(table=strategies.tables(max_rows=10), data=st.data())
    def test_groups_do_not_touch_each_other(self, table, data):
        n = len(table)
        groups = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
        prior = gy.prior_beliefs(table, "0.5")
        found = gy.posterior_beliefs(prior, groups, table.value_of_row, "exact")
        assert np.array_equal(found[groups < 0], prior[groups < 0])
        for g in set(groups[groups >= 0].tolist()):
            rows = np.flatnonzero(groups == g)
            expected = oracle.posterior(prior[rows].tolist(), table.value_of_row[rows].tolist())
            assert np.abs(found[rows] - expected).max() < 1e-12

    def test_a_prior_that_knows_nothing_gives_the_groups_shares(self):
        prior = np.full((5, 3), 1 / 3)
        for method in METHODS:
            found = gy.posterior_beliefs(prior, np.zeros(5, int), np.array([0, 0, 0, 1, 1]), method)
            assert np.allclose(found, [0.6, 0.4, 0])

    def test_tiny_priors_do_not_vanish(self):
        """60 people whose only possible arrangement has probability 10^-720."""
        k = 60
        prior = np.triu(np.ones((k, k)), 1) + 1e-12 * np.eye(k)
        prior /= prior.sum(axis=1, keepdims=True)
        found = gy.posterior_beliefs(prior, np.zeros(k, int), np.arange(k), "exact")
        assert np.allclose(found, np.eye(k))
        unlikely = np.array([[1 - 1e-200, 1e-200]] * 3)
        found = gy.posterior_beliefs(unlikely, ONE_GROUP, ONE_HIV, "exact")
        assert np.allclose(found, [2 / 3, 1 / 3])

    def test_priors_at_the_end_of_a_floats_range(self):
        """Right where they can be told; otherwise one clear sentence, never what is no number."""
        e = 1e-306
        prior = np.array([[e, e, e, 1 - 3 * e]] * 4 + [[0.98, 0.002, 1e-305, 0.018]])
        values = np.array([2, 1, 3, 3, 0])
        exact = [[Fraction(number) for number in row] for row in prior.tolist()]
        expected = np.array(oracle.posterior(exact, values.tolist()), dtype=float)
        found = gy.posterior_beliefs(prior, np.zeros(5, int), values, "exact")
        assert np.abs(found - expected).max() < 1e-12
        scaled = gy.posterior_beliefs(prior, np.zeros(5, int), values, "scaling")
        assert np.allclose(scaled.sum(axis=0), [1, 1, 1, 2])

    @example(seed=2631, size=300)  # scaling stopped at [3, 3] people for totals of [4, 2]
    @given(seed=st.integers(0, 10**6), size=st.sampled_from([30, 100, 200, 300]))
    def test_tiny_priors_are_told_or_refused(self, seed, size):
        rng = np.random.default_rng(seed)
        k, m = rng.integers(2, 8), rng.integers(2, 5)
        prior = rng.dirichlet(np.ones(m), k)
        prior *= np.where(rng.random((k, m)) < 0.5, 10.0 ** -rng.integers(0, size, (k, m)), 1)
        prior[np.arange(k), rng.integers(0, m, k)] += 1
        prior /= prior.sum(axis=1, keepdims=True)
        values = rng.integers(0, m, k)
        for method in ("exact", "scaling", "refined"):
            try:
                found = gy.posterior_beliefs(prior, np.zeros(k, int), values, method)
            except RuleError as error:
                assert "powers of ten" in str(error)
                continue
            assert np.isfinite(found).all() and np.allclose(found.sum(axis=1), 1)
            assert np.allclose(found.sum(axis=0), np.bincount(values, minlength=m))

    def test_people_who_are_all_but_certain(self):
        """What refining multiplies by vanishes for them; others' places must not vanish with it."""
        prior = np.array([[1.0, 1.2e-69], [1.4e-31, 1.0]])
        for method in ("exact", "scaling", "refined"):
            found = gy.posterior_beliefs(prior, np.zeros(2, int), np.array([0, 1]), method)
            assert np.allclose(found, np.eye(2))

    def test_scaling_that_does_not_come_near_is_still_a_belief_and_says_so(self):
        """Many values in a row, people who know theirs but for a place or two, a gap far off."""
        m = 120
        prior = sum(np.eye(m, k=d) * 0.1 ** abs(d) for d in range(-2, 3))
        prior /= prior.sum(axis=1, keepdims=True)
        values = np.where((np.arange(m) > 10) & (np.arange(m) <= 100), -1, 0) + np.arange(m)
        report = posteriors(prior, np.zeros(m, int), values, "scaling")
        gap = np.abs(report.values.sum(axis=0) - np.bincount(values, minlength=m)).max()
        assert gap > 1e-3 and report.errors[0] > 1e-3  # else the case has become too easy
        assert np.abs(report.values.sum(axis=1) - 1).max() < 1e-12

    def test_large_groups_are_refined_and_the_report_says_so(self):
        prior = spread_priors(90, 9)
        values = np.arange(90) % 9
        groups = np.repeat([0, 1], [88, 2])
        report = posteriors(prior, groups, values, "auto")
        assert report.methods == ["refined", "exact"]
        assert report.errors[0] > 0 and report.errors[1] == 0
        assert np.array_equal(gy.posterior_beliefs(prior, groups, values), report.values)

    @pytest.mark.parametrize("people", [12, 20])
    def test_refined_is_near_the_exact_and_nearer_than_scaling_and_omega(self, people):
        prior, values = spread_priors(people, 5), np.arange(people) % 5
        group = np.zeros(people, int)
        exact = gy.posterior_beliefs(prior, group, values, "exact")
        error = {
            method: np.abs(gy.posterior_beliefs(prior, group, values, method) - exact).max()
            for method in ("refined", "scaling", "omega")
        }
        assert error["refined"] < error["scaling"] / 4 < error["omega"]
        report = posteriors(prior, group, values, "refined")
        assert error["refined"] <= report.errors[0]

    def test_a_group_that_is_too_large_for_exact_is_refused(self):
        prior = spread_priors(400, 9)
        with pytest.raises(RuleError, match="method='auto'"):
            gy.posterior_beliefs(prior, np.zeros(400, int), np.arange(400) % 9, "exact")

    def test_threads_change_nothing(self):
        prior, values = spread_priors(300, 6), np.arange(300) % 6
        groups = np.arange(300) // 7
        found = gy.posterior_beliefs(prior, groups, values)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(member_groups, "_COST_OF_BATCH", 1)
            assert np.array_equal(gy.posterior_beliefs(prior, groups, values), found)

    def test_omega_refuses_zero_denominators(self):
        sure = np.array([[1.0, 0.0], [1.0, 0.0]])
        with pytest.raises(ImpossibleKnowledgeError):
            gy.posterior_beliefs(sure, np.zeros(2, int), np.array([0, 1]), "omega")

    def test_no_rows_at_all(self):
        assert gy.posterior_beliefs(np.zeros((0, 2)), [], []).shape == (0, 2)

    def test_what_makes_no_sense_is_refused(self):
        groups, values = np.zeros(3, int), np.array([0, 0, 1])
        for prior in (TABLE_TWO[0], TABLE_TWO * 100, -TABLE_TWO, "abc", TABLE_TWO * np.nan):
            with pytest.raises(RuleError, match="prior"):
                gy.posterior_beliefs(prior, groups, values)
        for wrong in (groups[:2], groups - 2, groups + 0.5):
            with pytest.raises(RuleError, match="group_of_row"):
                gy.posterior_beliefs(TABLE_TWO, wrong, values)
        for wrong in (values[:2], values + 1, values - 1):
            with pytest.raises(RuleError, match="value_of_row"):
                gy.posterior_beliefs(TABLE_TWO, groups, wrong)
        with pytest.raises(RuleError, match="method"):
            gy.posterior_beliefs(TABLE_TWO, groups, values, "guess")


def spread_priors(people, n_values):
    """Priors that differ from person to person, none of them 0."""
    rng = np.random.default_rng(7)
    return rng.dirichlet(np.full(n_values, 0.7), people) * 0.99 + 0.01 / n_values


def _has_omega(prior, values):
    there = sorted(set(values))
    return (prior[:, there].sum(axis=0) > 0).all() and (prior[:, there].sum(axis=1) > 0).all()


@st.composite
def pairs_of_beliefs(draw, n_values=5):
    m = draw(st.integers(1, n_values))
    row = st.lists(st.integers(0, 9), min_size=m, max_size=m).filter(any)
    p, q = (np.array(draw(row), dtype=float) for _ in range(2))
    return p / p.sum(), q / q.sum()


class TestGain:
    @given(pair=pairs_of_beliefs())
    def test_desiderata_one_two_and_four_nothing_learned_nothing_negative_zeros_welcome(self, pair):
        p, q = pair
        line = gy.distance_matrix(list(range(len(p))))
        for distances in (None, line):
            assert gy.belief_gain([p], [p], distances=distances)[0] == 0
            gain = gy.belief_gain([p], [q], distances=distances)[0]
            assert gain >= 0 and np.isfinite(gain)

    def test_desideratum_three_a_rise_from_little_weighs_more(self):
        small = gy.belief_gain([[0.01, 0.99]], [[0.11, 0.89]])[0]
        large = gy.belief_gain([[0.4, 0.6]], [[0.5, 0.5]])[0]
        assert small > 3 * large

    def test_desideratum_five_near_values_count_as_near(self):
        salaries = gy.distance_matrix([30, 40, 50, 60, 80, 90])
        low, middle, high = (np.zeros((1, 6)) for _ in range(3))
        low[0, :2], middle[0, 2:4], high[0, 4:] = 0.5, 0.5, 0.5
        near = gy.belief_gain(low, middle, distances=salaries, bandwidth="0.35")[0]
        far = gy.belief_gain(low, high, distances=salaries, bandwidth="0.35")[0]
        assert near < far
        assert gy.belief_gain(low, middle)[0] == gy.belief_gain(low, high)[0]  # not without

    @given(pair=pairs_of_beliefs(), width=st.floats(0.05, 2), base=st.sampled_from([2, 3, 10]))
    def test_equals_the_definition(self, pair, width, base):
        p, q = pair
        line = gy.distance_matrix(list(range(len(p))))
        found = gy.belief_gain([p], [q], distances=line, bandwidth=width, base=base)[0]
        hats = [oracle.smoothed(x, line.tolist(), width) for x in (p, q)]
        assert np.isclose(found, oracle.jensen_shannon(*hats, base), atol=1e-12)
        normal = gy.belief_gain(
            [p], [q], distances=line, bandwidth=width, base=base, normalize=True
        )[0]
        hats = [[x / sum(hat) for x in hat] for hat in hats]
        assert np.isclose(normal, oracle.jensen_shannon(*hats, base), atol=1e-12)
        assert normal <= np.log(2) / np.log(base) + 1e-12

    def test_a_bandwidth_at_the_smallest_distance_does_not_smooth(self):
        """Errata L5: the kernel is strict, so 0.5 leaves a hierarchy of height 2 as it is."""
        tree = gy.Hierarchy.from_tree({"x": ["a", "b"], "y": ["c"]})
        distances = gy.distance_matrix(["a", "b", "c"], tree)
        one, other = [[1.0, 0, 0]], [[0, 1.0, 0]]
        assert gy.belief_gain(one, other, distances=distances, bandwidth="0.5")[0] == 1
        assert gy.belief_gain(one, other, distances=distances, bandwidth="0.6")[0] < 1
        by_default = gy.belief_gain(one, other, distances=distances)[0]
        assert by_default == gy.belief_gain(one, other, distances=distances, bandwidth="0.6")[0]

    def test_smoothed_beliefs_need_not_add_up_to_one(self):
        """Errata L6: all mass on 1 smooths to (5/14, 9/19, 5/14), and the gain is 1.188."""
        line = gy.distance_matrix([0, 1, 2, 8, 9, 10])
        one, other = np.zeros((1, 6)), np.zeros((1, 6))
        one[0, 1], other[0, 4] = 1, 1
        gain = gy.belief_gain(one, other, distances=line, bandwidth="0.15")[0]
        assert np.isclose(gain, 5 / 14 + 9 / 19 + 5 / 14)
        normal = gy.belief_gain(one, other, distances=line, bandwidth="0.15", normalize=True)
        assert np.isclose(normal[0], 1)

    def test_values_without_nearness_are_not_smoothed(self):
        one, other = [[1.0, 0, 0]], [[0, 1.0, 0]]
        assert gy.belief_gain(one, other, distances=1 - np.eye(3))[0] == 1

    def test_what_makes_no_sense_is_refused(self):
        one, two = [[0.5, 0.5]], [[0.5, 0.5], [1, 0]]
        with pytest.raises(RuleError, match="same rows"):
            gy.belief_gain(one, two)
        with pytest.raises(RuleError, match="base"):
            gy.belief_gain(one, one, base=1)
        with pytest.raises(RuleError, match="distances"):
            gy.belief_gain(one, one, bandwidth=1)
        with pytest.raises(RuleError, match="bandwidth"):
            gy.belief_gain(one, one, distances=1 - np.eye(2), bandwidth=0)
        with pytest.raises(RuleError, match="add up to 1"):
            gy.belief_gain(one, [[0.5, 0.7]])


def test_the_page_on_this_attacker_tells_the_truth():
    page = Path(__file__).parents[2] / "docs" / "attackers" / "beliefs.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 10 and outcome.failed == 0
