"""(B,t)-privacy: the criterion against its parts, at its threshold, and in a search."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import belief_knowledge
from gyges.adversaries.belief_exposure import belief_exposure
from gyges.adversaries.certain_gains import EXACT, CertainGains
from gyges.adversaries.kernel_prior import cell_priors
from gyges.criteria.base import bind_all
from gyges.criteria.describe import from_data, to_data
from gyges.data.distances import domain_distances
from gyges.errors import RuleError
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import everybody, groups_of_cells
from gyges.release.placed_people import PlacedPeople
from tests import strategies

pytestmark = pytest.mark.filterwarnings("ignore:everyone has the same value")


@st.composite
def grouped_tables(draw, max_rows=10, n_groups=3):
    """A small table and a group for each of its cells."""
    table = draw(strategies.tables(max_rows=max_rows))
    n = len(table.cells)
    groups = draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n))
    return table, np.unique(groups, return_inverse=True)[1].astype(np.int64)


def by_hand(table, group_of_cell, bandwidth, method="auto"):
    """The gain of every row, through the public functions."""
    prior = gy.prior_beliefs(table, bandwidth)
    groups = group_of_cell[table.cell_of_row]
    after = gy.posterior_beliefs(prior, groups, table.value_of_row, method)
    distances = domain_distances(table.cells.sensitive)
    return gy.belief_gain(prior, after, distances=distances)


@given(made=grouped_tables(), bandwidth=st.sampled_from(["0.2", "0.5", "1.2"]))
def test_the_risk_of_a_group_is_the_largest_gain_of_its_people(made, bandwidth):
    table, group_of_cell = made
    groups = groups_of_cells(table.cells, group_of_cell)
    gains = by_hand(table, group_of_cell, bandwidth)
    of_row = group_of_cell[table.cell_of_row]
    expected = [gains[of_row == g].max() for g in range(len(groups))]
    rule = gy.Beliefs(bandwidth, "0.1").bind(groups)
    assert np.allclose(rule.risks(groups), expected, atol=1e-12)
    assert np.isclose(rule.risk(rule.summarize(groups)), max(expected), atol=1e-12)
    assert rule.holds_each(groups).tolist() == [gain <= 0.1 + 1e-9 for gain in expected]


@st.composite
def smoothings(draw, table):
    """Distances between the sensitive values, any that are symmetric, and a bandwidth on them."""
    n = len(table.cells.sensitive)
    drawn = draw(st.lists(st.integers(1, 10), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(drawn, dtype=float).reshape(n, n) / 10, 1)
    return upper + upper.T, draw(st.sampled_from(["0.3", "0.6", "1.1"]))


@given(made=grouped_tables(), data=st.data())
def test_what_holds_is_what_the_risks_say_at_every_threshold(made, data):
    """`holds_each` skips what a bound settles, on numbers before smoothing and after."""
    table, group_of_cell = made
    groups = groups_of_cells(table.cells, group_of_cell)
    matrix, smoothing = data.draw(smoothings(table))
    options = {"smoothing": smoothing, "distances": {table.cells.sensitive.name: matrix}}
    risks = gy.Beliefs("0.5", 1, **options).bind(groups).risks(groups)
    close = Fraction(1, 10**8)
    for t in {Fraction(risk) + d for risk in risks for d in (-close, 0, close, Fraction(1, 50))}:
        if t >= 0:
            rule = gy.Beliefs("0.5", t, **options).bind(groups)
            expected = [risk <= float(t) + 1e-9 for risk in risks]
            assert rule.holds_each(groups).tolist() == expected


@given(made=grouped_tables(n_groups=5), data=st.data(), method=st.sampled_from(["auto", "omega"]))
def test_a_bundle_seems_to_hold_when_all_of_its_groups_do(made, data, method):
    table, group_of_cell = made
    groups = groups_of_cells(table.cells, group_of_cell)
    t = data.draw(st.sampled_from(["0.01", "0.1", "0.3"]))
    rule = gy.Beliefs("0.5", t, method=method).bind(groups)
    inner = st.sets(st.integers(1, max(len(groups) - 1, 1)))
    first = np.array(sorted({0, len(groups), *data.draw(inner)} & {*range(len(groups) + 1)}))
    each, bundles = rule.may_hold(groups), list(pairwise(first.tolist()))
    expected = [bool(each[a:b].all()) for a, b in bundles for _ in range(a, b)]
    assert rule.may_hold(groups, first).tolist() == expected


@given(made=grouped_tables(n_groups=4))
def test_summaries_merge_in_any_order_to_the_summary_of_all(made):
    table, group_of_cell = made
    groups = groups_of_cells(table.cells, group_of_cell)
    rule = gy.Beliefs("0.5", "0.05").bind(groups)
    parts = [rule.summarize(groups.take([g])) for g in range(len(groups))]
    merged = rule.summarize(groups.take([]))
    for part in reversed(parts):
        merged = rule.merge(part, merged)
    assert merged == rule.summarize(groups)
    assert rule.holds(merged) == rule.holds_each(groups).all()


def people():
    """Five people on a line, and two groups of them."""
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    table = gy.read({"age": [0, 1, 2, 8, 9], "disease": list("abaab")}, schema)
    return table, groups_of_cells(table.cells, np.array([0, 0, 0, 1, 1]))


def test_at_the_threshold_the_rule_holds():
    _, groups = people()
    risk = gy.Beliefs("0.5", 1).bind(groups).summarize(groups).value
    assert gy.judge(gy.Beliefs("0.5", Fraction(risk)), groups).safe
    below = gy.judge(gy.Beliefs("0.5", Fraction(risk) - Fraction(1, 10**8)), groups)
    assert not below.safe and below.failures[0].risk == risk


def test_merging_groups_may_raise_the_gain_so_the_rule_is_not_monotone():
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    table = gy.read({"age": [0, 1, 2, 8, 9], "disease": list("ababa")}, schema)
    apart = groups_of_cells(table.cells, np.array([0, 0, 0, 1, 1]))
    joined = groups_of_cells(table.cells, np.zeros(5, dtype=np.int64))
    rule = gy.Beliefs("0.7", 1, method="exact").bind(apart)
    assert rule.summarize(joined).value > rule.summarize(apart).value + 8e-5
    assert not rule.rule.is_monotone


@given(made=grouped_tables())
def test_who_knows_only_the_tables_shares_learns_the_groups_shares(made):
    """The attacker of t-closeness: prior is the table's shares, posterior the group's."""
    table, group_of_cell = made
    groups = groups_of_cells(table.cells, group_of_cell)
    overall = groups.value_totals / groups.value_totals.sum()
    shares = groups.counts / groups.sizes[:, None]
    expected = gy.belief_gain(np.tile(overall, (len(groups), 1)), shares)
    rule = gy.Beliefs(1, 0, kernel="uniform").bind(groups)
    assert np.allclose(rule.risks(groups), expected, atol=1e-9)


def test_a_skyline_is_several_rules_side_by_side():
    _, groups = people()
    gains = [gy.Beliefs(b, 1).bind(groups).summarize(groups).value for b in ("0.2", "0.5", "0.9")]
    rules = [
        gy.Beliefs(b, Fraction(gain)) for b, gain in zip(("0.2", "0.5", "0.9"), gains, strict=True)
    ]
    assert gy.judge(rules, groups).safe
    stricter = [*rules[:2], gy.Beliefs("0.9", Fraction(gains[2]) / 2)]
    verdict = gy.judge(stricter, groups)
    assert [failure.rule for failure in verdict.failures] == stricter[2:]


def test_groups_that_do_not_say_who_is_in_them_are_refused():
    groups = Groups.from_lists([["a", "b"]])
    with pytest.raises(RuleError, match="publish from a table"):
        gy.judge([gy.Beliefs("0.3", "0.2")], groups)


def test_the_sensitive_columns_hierarchy_and_given_distances_smooth():
    tree = gy.Hierarchy.from_tree({"x": ["a", "b"], "y": ["c", "d"]})
    columns = {"age": [1, 2, 3, 4], "disease": ["a", "b", "c", "d"]}
    plain = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    treed = gy.Schema(quasi_identifiers=["age"], sensitive="disease", hierarchies={"disease": tree})
    groups = [
        groups_of_cells(gy.read(columns, schema).cells, np.array([0, 0, 1, 1]))
        for schema in (plain, treed)
    ]
    rule = gy.Beliefs("0.4", 1)
    rough, smooth = (rule.bind(one).summarize(one).value for one in groups)
    assert smooth < rough
    matrix = gy.distance_matrix(list("abcd"), tree)
    given_ = gy.Beliefs("0.4", 1, distances={"disease": matrix}, smoothing="0.6")
    assert np.isclose(given_.bind(groups[0]).summarize(groups[0]).value, smooth)


def test_parameters_that_make_no_sense_are_refused():
    for wrong in (0, {"age": "x"}):
        with pytest.raises(RuleError, match="bandwidth"):
            gy.Beliefs(wrong, 1)
    with pytest.raises(RuleError, match="t is"):
        gy.Beliefs(1, -1)
    with pytest.raises(RuleError, match="method"):
        gy.Beliefs(1, 1, method="guess")
    with pytest.raises(RuleError, match="kernel"):
        gy.Beliefs(1, 1, kernel="gauss")


def test_a_certificate_can_state_the_rule_and_read_it_back():
    rule = gy.Beliefs(
        {"age": "0.3"},
        "1/3",
        smoothing="0.6",
        distances={"age": 1 - np.eye(2)},
        kernel="uniform",
    )
    again = from_data(to_data(rule))
    assert to_data(again) == to_data(rule) and str(again) == str(rule)
    assert str(rule) == (
        "an attacker who knows how the value depends on the other columns (bandwidth age 0.3) "
        "learns at most 1/3 about anyone; uniform kernel; smoothing over sensitive values 0.6; "
        "distances of age from 1 to 1"
    )


def test_the_rule_travels_to_another_process():
    _, groups = people()
    rule = gy.Beliefs("0.5", "0.2")
    risk = rule.bind(groups).summarize(groups)
    for there in (pickle.loads(pickle.dumps(one)) for one in (rule, rule.bind(groups))):
        assert bind_all(there, groups)[0].summarize(groups) == risk


def test_priors_are_computed_once_for_a_search(monkeypatch):
    """The rule is bound to the table once: no search and no verdict computes them again."""
    table, _ = people()
    asked = []
    monkeypatch.setattr(
        belief_knowledge, "cell_priors", lambda *given: asked.append(0) or cell_priors(*given)
    )
    gy.publish(table, [gy.KAnonymity(2), gy.Beliefs("0.5", "0.9")])
    assert len(asked) == 1


def test_a_search_publishes_groups_that_satisfy_a_skyline():
    rng = np.random.default_rng(3)
    age, sex = rng.integers(20, 60, 300), rng.choice(["F", "M"], 300)
    disease = np.where(rng.random(300) < (age - 10) / 60, "Gout", rng.choice(["Flu", "Cold"], 300))
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="disease")
    table = gy.read({"age": age.tolist(), "sex": sex.tolist(), "disease": disease.tolist()}, schema)
    rules = [gy.KAnonymity(3), gy.Beliefs("0.2", "0.15"), gy.Beliefs("0.5", "0.1")]
    release = gy.publish(table, rules, method="partition")
    assert len(release.groups) > 4
    placed = PlacedPeople.of_partition(release.partition)
    for rule in rules[1:]:
        found = belief_exposure(placed, rule.bandwidth, rule.t)
        assert found.n_exposed == 0 and found.gain.max() <= rule.t + Fraction(1, 10**9)


@given(made=grouped_tables(), t=st.sampled_from(["0", "0.05", "0.3"]))
def test_the_vulnerable_are_those_who_gain_more_than_t(made, t):
    table, group_of_cell = made
    groups = group_of_cell[table.cell_of_row]
    groups[::5] = -1
    placed = PlacedPeople.of_rows(table, groups)
    found = belief_exposure(placed, "0.5", t, method="exact")
    prior = gy.prior_beliefs(table, "0.5")
    after = gy.posterior_beliefs(prior, groups, table.value_of_row, "exact")
    gains = gy.belief_gain(prior, after, distances=domain_distances(table.cells.sensitive))
    gains[groups < 0] = 0
    counted = {}
    for group, cell, people, gain in zip(
        found.group, found.cell, found.people, found.gain, strict=True
    ):
        counted[group, cell] = people, gain
    there = [*zip(groups, table.cell_of_row, strict=True)]
    assert sum(people for people, _ in counted.values()) == (groups >= 0).sum() == found.n_people
    for place, gain in zip(there, gains, strict=True):
        if place[0] >= 0:
            assert counted[place][0] == there.count(place)
            assert np.isclose(counted[place][1], gain, atol=1e-12)
    assert found.n_exposed == (gains > float(t) + 1e-9).sum() and found.n_estimated == 0
    case = found.worst
    if case is None:
        assert (groups < 0).all()
        return
    row = there.index((case.group, case.cell))
    code = table.sensitive_values.index(case.value)
    assert np.isclose(case.gain, gains.max()) and np.isclose(gains[row], gains.max())
    assert np.isclose(case.prior, prior[row, code])
    assert np.isclose(case.posterior, after[row, code])
    assert f"group {case.group}" in str(case)


def test_a_claim_writes_out_what_it_took_from_the_table():
    """Another hierarchy, or none, of the sensitive column would give other gains."""
    tree = gy.Hierarchy.from_tree({"x": ["a", "b"], "y": ["c", "d", "unused"]})
    columns = {"age": [1, 2, 3, 4, 5, 6], "disease": list("abcdab")}
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="disease", hierarchies={"disease": tree}
    )
    table = gy.read(columns, schema)
    release = gy.publish(table, gy.Beliefs("0.4", 1))
    stated = release.claims[0].rule
    assert stated["smoothing"] == "3/5" and stated["kernel"] == "epanechnikov"
    assert np.array_equal(stated["distances"]["disease"], domain_distances(table.cells.sensitive))
    assert "unused" not in str(stated)
    again = from_data(stated)
    found = gain(again, release.groups)
    assert found == gain(gy.Beliefs("0.4", 1), release.groups)
    other = gy.Hierarchy.from_tree({"x": ["a", "c"], "y": ["b", "d", "unused"]})
    changed = gy.Schema(
        quasi_identifiers=["age"], sensitive="disease", hierarchies={"disease": other}
    )
    cells = gy.read(columns, changed).cells
    groups = groups_of_cells(cells, release.groups.group_of_cell)
    assert gain(again, groups) == found
    assert gain(gy.Beliefs("0.4", 1), groups) != found


def gain(rule, groups):
    return rule.bind(groups).summarize(groups)


def test_a_claim_without_smoothing_says_so():
    _, groups = people()
    plain = gy.Beliefs("0.5", 1).bind(groups).as_claimed(groups)
    assert plain.smoothing == 0 and plain.distances is None
    assert gain(plain, groups) == gain(gy.Beliefs("0.5", 1), groups)


def uncertain_people():
    """300 people of whom nobody can say what is certain: values that few may take, in a chain."""
    rng = np.random.default_rng(1)
    age = np.repeat(np.arange(150), 2)
    disease = [f"d{(a // 5 + int(rng.integers(0, 2))) % 31:02}" for a in age]
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    table = gy.read({"age": age, "disease": disease}, schema)
    return table, groups_of_cells(table.cells, np.zeros(len(table.cells), dtype=np.int64))


def test_where_nothing_is_certain_the_verdict_is_not_yes_and_says_what_to_do():
    _, groups = uncertain_people()
    rule = gy.Beliefs("0.1", "0.5").bind(groups)
    assert rule.may_hold(groups).all()  # the estimate would have said yes
    assert rule.summarize(groups).n_uncertain == 1 and not rule.holds_each(groups).any()
    verdict = gy.judge(rule, groups)
    assert not verdict.safe
    assert "the gain is an estimate in 1 of 1 groups" in str(verdict)


def test_a_gain_that_is_no_number_is_too_large(monkeypatch):
    _, groups = people()
    rule = gy.Beliefs("0.5", 1).bind(groups)
    found = CertainGains(np.array([0.1, np.nan]), np.array([EXACT, EXACT]))
    monkeypatch.setattr("gyges.criteria.belief.certain_gains", lambda *_, **__: found)
    assert not rule.holds(rule.summarize(groups))
    assert rule.holds_each(groups).tolist() == [True, False]


def test_distances_under_which_nothing_counts_as_learned_are_refused():
    wrong = [np.zeros((2, 2)), [[0, -1], [-1, 0]], [[1, 1], [1, 1]], [[0, 1]], [[0, np.nan]] * 2]
    for matrix in wrong:
        with pytest.raises(RuleError, match="distance"):
            gy.Beliefs("0.5", 1, distances={"disease": matrix})
    assert gy.Beliefs("0.5", 1, distances={"disease": [[0]]}).distances is not None


def test_a_claim_that_smooths_more_than_the_original_does_reads_otherwise_and_does_not_agree():
    """Smoothing 1000, or values next to each other, let hardly anything count as learned."""
    tree = gy.Hierarchy.from_tree({"x": ["a", "b"], "y": ["c", "d"]})
    columns = {"age": [1, 2, 3, 4], "disease": list("abcd")}
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="disease", hierarchies={"disease": tree}
    )
    table = gy.read(columns, schema)
    groups = groups_of_cells(table.cells, np.zeros(4, dtype=np.int64))
    honest = gy.Beliefs("0.4", "0.2").bind(groups).as_claimed(groups)
    assert str(honest).endswith(
        "; smoothing over sensitive values 0.6; distances of disease from 0.5 to 1"
    )
    assert honest.agrees_with(table.cells) == ""
    assert gy.Beliefs("0.4", "0.2").agrees_with(table.cells) == ""
    wide = gy.Beliefs("0.4", "0.2", smoothing=1000, distances=honest.distances)
    assert "bandwidth 1000, but their distances give 0.6" in wide.agrees_with(table.cells)
    near = {"disease": np.asarray(honest.distances["disease"]) ** 9}
    close = gy.Beliefs("0.4", "0.2", smoothing="0.6", distances=near)
    assert "that differ from" in close.agrees_with(table.cells)
    assert len({str(rule) for rule in (honest, wide, close)}) == 3
    plain = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    cells = gy.read(columns, plain).cells
    assert "they cannot be checked" in honest.agrees_with(cells)
    bare = gy.Beliefs("0.4", 1).bind(everybody(cells)).as_claimed(everybody(cells))
    assert bare.agrees_with(cells) == ""
    assert "give 0.6" in bare.agrees_with(table.cells)
