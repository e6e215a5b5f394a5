"""Maxent diversity, against reconstructing the whole table in fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals import diversity, least_diverse
from gyges.marginals.judging import measure_of
from tests.marginals import tables
from tests.marginals.test_maxent import FIGURE_1B, FIGURE_1D, FIGURE_1E, paper
from tests.oracles import marginals as oracle

cases = tables.decomposable_cases(shapes=("flat2", "flat3", "uneven"), max_rows=10, n_values=4)
constants = st.sampled_from(["1/2", "1", "3/2", "2", "3"])


def reconstructed(case):
    share = oracle.reconstruct(case.rows, case.paths, case.views)
    return oracle.groups_of(share, case.sensitive)


@given(cases, constants, st.integers(1, 4), st.booleans())
def test_recursive_diversity_agrees_with_the_full_reconstruction(case, c, l, strict):
    groups = reconstructed(case)
    expected = all(oracle.is_recursive(v, Fraction(c), l, strict) for v in groups.values())
    verdict = case.marginals.maxent_diversity(c=c, l=l, strict=strict)
    assert verdict.safe == expected
    assert bool(verdict.failures) != verdict.safe
    if not expected:
        refuse_wrong_witness(
            case, verdict, groups, lambda v: not oracle.is_recursive(v, Fraction(c), l, strict)
        )


def refuse_wrong_witness(case, verdict, groups, fails):
    """All combinations of values under the witness' labels fail (a column not named: any)."""
    [breach] = verdict.failures
    covered = [
        vector
        for combination, vector in groups.items()
        if all(
            label in case.paths[case.names.index(name)][combination[case.names.index(name)]]
            for name, label in breach.witness.items()
        )
        and sum(vector)
    ]
    assert covered and all(fails(vector) for vector in covered)


@given(cases, st.sampled_from(["1", "3/2", "2", "3"]))
def test_entropy_diversity_agrees_with_the_full_reconstruction(case, l):
    groups = [v for v in reconstructed(case).values() if sum(v)]
    least = min(oracle.exp_entropy(vector) for vector in groups)
    safe = case.marginals.judge(gy.EntropyDiversity(l)).safe
    if abs(least - float(Fraction(l))) > 1e-9:
        assert safe == (least > float(Fraction(l)))
    else:
        assert safe, "in so small tables a tie is exact"


@given(cases, st.integers(1, 4))
def test_distinct_diversity_agrees_with_the_full_reconstruction(case, l):
    groups = [v for v in reconstructed(case).values() if sum(v)]
    expected = all(sum(1 for entry in vector if entry) >= l for vector in groups)
    assert case.marginals.judge(gy.DistinctDiversity(l)).safe == expected


@given(cases, st.sampled_from(["1", "4/3", "2", "3"]))
def test_probabilistic_diversity_agrees_with_the_full_reconstruction(case, l):
    groups = [v for v in reconstructed(case).values() if sum(v)]
    expected = all(max(vector) * Fraction(l) <= sum(vector) for vector in groups)
    assert case.marginals.judge(gy.ProbabilisticDiversity(l)).safe == expected


@tables.FEW
@given(cases, constants, st.integers(1, 4))
def test_the_risk_is_the_largest_quotient_of_head_and_tail(case, c, l):
    def quotient(vector):
        ordered = sorted(vector, reverse=True)
        tail = sum(ordered[l - 1 :])
        return ordered[0] / tail if tail else float("inf")

    largest = max(quotient(v) for v in reconstructed(case).values() if sum(v))
    [risk] = case.marginals.maxent_diversity(c=c, l=l).risks.values()
    assert risk == largest


@given(cases, constants, st.integers(1, 4), st.sampled_from(["bounds", "hull"]))
def test_every_way_of_pruning_decides_alike(case, c, l, method):
    """Branch and bound with all its bounds on, and the paper's Algorithm 1."""
    m = case.marginals
    rules = [
        gy.RecursiveDiversity(c, l, strict=False),
        gy.EntropyDiversity(l),
        gy.DistinctDiversity(l),
        gy.ProbabilisticDiversity(l),
    ]
    for rule in rules:
        expected = m.diversity(rule)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(least_diverse, "SMALL_JOIN", 0)
            patch.setattr(least_diverse, "PIECE", 8)
            found = m.diversity(rule, method)
        assert found.safe == expected.safe
        assert list(found.risks.values()) == pytest.approx(list(expected.risks.values()))


@tables.FEW
@given(cases, constants)
def test_as_many_values_as_l_are_checked_by_quotients(case, c):
    l = len(case.paths[-1])
    m = case.marginals
    rule = gy.RecursiveDiversity(c, l, strict=False)
    assert m.diversity(rule, "quotients").safe == m.diversity(rule).safe


def test_quotients_are_for_as_many_values_as_l_only():
    m = gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D])
    with pytest.raises(gy.GygesError, match="as many sensitive values as l"):
        m.diversity(gy.RecursiveDiversity("2", 3), "quotients")


@given(cases, st.integers(1, 4), st.booleans())
def test_stopping_at_any_failure_finds_one_exactly_when_there_is_one(case, l, bounded):
    m = case.marginals
    tree = diversity.sensitive_tree(m._store, m.junction_tree.cliques)
    if tree is None:
        return
    for rule in (gy.RecursiveDiversity("1", l), gy.EntropyDiversity(l), gy.DistinctDiversity(l)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(least_diverse, "SMALL_JOIN", 0 if bounded else least_diverse.SMALL_JOIN)
            found = least_diverse.find_least_diverse(tree, measure_of(rule), any_failure=True)
        assert found.fails == (not m.diversity(rule).safe)
        assert measure_of(rule).fails(found.vector) == found.fails


@tables.FEW
@given(cases, st.integers(1, 3), st.sampled_from(["0", "1/4", "1/2", "9/10"]))
def test_relaxed_diversity_keeps_its_promise(case, l, epsilon):
    """Where it passes, l values are within (1-ε)^p of the most frequent in every combination."""
    m = case.marginals
    if m.relaxed_diversity(l, epsilon).safe:
        p = sum(1 for clique in m.junction_tree.cliques if clique[-1])
        factor = (1 - Fraction(epsilon)) ** p
        for vector in reconstructed(case).values():
            near = sum(1 for entry in vector if entry >= factor * max(vector))
            assert not sum(vector) or near >= l


def test_one_view_is_relaxed_diverse_exactly_when_it_is():
    table = gy.read(
        {"q": ["x"] * 9, "s": ["a"] * 4 + ["b"] * 3 + ["c"] * 2},
        gy.Schema(quasi_identifiers=["q"], sensitive="s"),
    )
    m = gy.Marginals.of(table, [{"q": 0, "s": 0}])
    assert m.relaxed_diversity(3, "1/2").safe  # 2 >= 4/2: on the threshold
    assert not m.relaxed_diversity(3, "49/100").safe
    assert m.relaxed_diversity(2, "1/4").safe and not m.relaxed_diversity(2, "24/100").safe
    with pytest.raises(gy.GygesError, match="epsilon is 1"):
        m.relaxed_diversity(2, 1)


def test_figure_1b_is_2_3_diverse_and_no_better():
    m = gy.Marginals.of(paper(), [FIGURE_1B])
    assert m.maxent_diversity(c="2", l=3).safe
    assert not m.maxent_diversity(c="2", l=3, strict=True).safe
    assert not m.maxent_diversity(c="1.999", l=3).safe
    assert list(m.maxent_diversity(c="2", l=3).risks.values()) == [2]


def test_figures_1b_and_1d_together_reveal_measles():
    """Somebody of 14850 who is at most 40 has measles for sure; each figure alone is diverse."""
    m = gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D])
    assert m.decomposable
    rows = [
        {"zip": "z14850", "age": 33, "condition": value}
        for value in ("Measles", "Allergy", "Gout", "Cancer", "Flu", "Heart")
    ]
    p = m.maxent(rows)
    assert p[0] > 0 and not p[1:].any()
    verdict = m.judge(gy.DistinctDiversity(2))
    assert verdict.failures[0].witness == {"zip": "z14850", "age": "<=40"}
    assert not m.maxent_diversity(c="2", l=3).safe
    assert "zip z14850, age <=40" in str(verdict)


def test_views_without_the_sensitive_column_do_not_matter():
    alone = gy.Marginals.of(paper(), [FIGURE_1B])
    more = gy.Marginals.of(paper(), [FIGURE_1B, {"zip": 1, "age": 1}])
    assert more.decomposable and more.kl_divergence() < alone.kl_divergence()
    assert alone.maxent_diversity("2", 3).risks == more.maxent_diversity("2", 3).risks
    assert gy.Marginals.of(paper(), [FIGURE_1E]).maxent_diversity("1/5", 2).safe


def test_an_equal_split_passes_entropy_diversity_on_the_threshold():
    """Logarithms in floating point would refuse three equal values for l = 3."""
    for l in (3, 5, 6, 7):
        columns = {"q": ["x"] * l + ["y"] * l, "s": [f"s{i}" for i in range(l)] * 2}
        table = gy.read(columns, gy.Schema(quasi_identifiers=["q"], sensitive="s"))
        m = gy.Marginals.of(table, [{"q": 0, "s": 0}])
        assert m.judge(gy.EntropyDiversity(l)).safe


def test_recursive_diversity_is_decided_on_the_threshold_exactly():
    """Two views whose product is exactly 1/3 against a tail of 1/9: c = 3 is the threshold."""
    rows = [("x", "u", "a")] * 3 + [("y", "v", "a")] * 6
    rows += [("x", "u", "b")] * 1 + [("y", "v", "b")] * 2
    columns = {name: [row[i] for row in rows] for i, name in enumerate("qrs")}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["q", "r"], sensitive="s"))
    m = gy.Marginals.of(table, [{"q": 0, "s": 0}, {"r": 0, "s": 0}])
    assert m.maxent_diversity("3", 2).safe and not m.maxent_diversity("3", 2, strict=True).safe
    assert not m.maxent_diversity(Fraction(3) - Fraction(1, 10**15), 2).safe
    assert m.judge(gy.RecursiveDiversity(Fraction(3) + Fraction(1, 10**15), 2)).safe


def test_criteria_of_other_attackers_are_refused():
    m = gy.Marginals.of(paper(), [FIGURE_1D])
    with pytest.raises(gy.GygesError, match="not defined for marginals"):
        m.judge([gy.TCloseness("0.2")])


def test_a_join_that_is_too_large_to_check_is_an_error_not_an_answer(monkeypatch):
    from gyges.marginals import elimination

    monkeypatch.setattr(least_diverse, "MOST_WORK", 0)
    monkeypatch.setattr(elimination, "LARGEST_JOIN", 0)
    m = gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D])
    with pytest.raises(gy.GygesError, match="too many combinations"):
        m.maxent_diversity("2", 3)
