"""Checks of views that do not decompose, against enumeration and slow fitting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals import joint
from tests.marginals import tables
from tests.marginals.test_fitting import three_pairs
from tests.oracles import marginals as oracle


@tables.FEW
@given(tables.tangled_cases(max_rows=5), st.integers(1, 4))
def test_tangled_views_agree_with_enumerating_consistent_tables(case, k):
    expected = oracle.is_k_combinatorial(case.rows, case.paths, case.views, case.sensitive, k)
    assert case.marginals.k_combinatorial(k).safe == expected


@tables.FEW
@given(tables.tangled_cases(), st.sampled_from(["1", "3/2", "2", "4"]), st.integers(1, 2))
def test_tangled_diversity_agrees_with_slow_fitting_away_from_the_threshold(case, c, l):
    """The oracle is only roughly fitted, so verdicts are compared where it leaves no doubt."""
    share = oracle.fit(case.rows, case.paths, case.views, rounds=300)
    ratios = []
    for vector in oracle.groups_of(share, case.sensitive).values():
        if sum(vector) > 1e-2:
            ordered = sorted(vector, reverse=True)
            ratios.append(ordered[0] / max(sum(ordered[l - 1 :]), 1e-12))
    verdict = case.marginals.maxent_diversity(c, l)
    if max(ratios) > float(gy.exact.fraction(c)) * 1.05:
        assert not verdict.safe
        assert "do not decompose" in str(verdict)
    if verdict.safe:
        assert max(ratios) <= float(gy.exact.fraction(c)) * 1.05


def test_a_fitted_tie_counts_as_a_failure():
    """Uniform pairs are exactly even; a fit cannot tell even from nearly even."""
    rows = [(a, b, c) for a in "01" for b in "01" for c in "01"]
    m = three_pairs(rows=rows)
    assert not m.decomposable
    assert not m.maxent_diversity("1", 2).safe
    assert m.maxent_diversity("1.001", 2).safe
    assert m.judge(gy.DistinctDiversity(2)).safe
    assert not m.judge(gy.DistinctDiversity(3)).safe
    assert m.judge(gy.EntropyDiversity("1.9")).safe


def test_large_integer_programs_are_refused(monkeypatch):
    monkeypatch.setattr(joint, "LARGEST_PROGRAM", 2)
    with pytest.raises(gy.GygesError, match="integer program of"):
        three_pairs(rows=[(a, b, c) for a in "01" for b in "01" for c in "01"] * 3).k_combinatorial(
            2
        )


def test_relaxed_diversity_needs_a_junction_tree():
    with pytest.raises(gy.GygesError, match="views that decompose"):
        three_pairs().relaxed_diversity(2, "1/2")


def contradictory_views():
    """Three pairs of columns that agree pairwise and are of no table: 0 = 0, 0 = 0, 0 ≠ 0."""
    names, same, crossed = "xys", [("0", "0", 6), ("1", "1", 6)], [("0", "1", 6), ("1", "0", 6)]
    attributes = three_pairs(rows=[(a, b, c) for a in "01" for b in "01" for c in "01"]).attributes
    pairs = ((0, 1, same), (1, 2, same), (0, 2, crossed))
    assert [one.name for one in attributes] == list(names)
    return gy.Marginals.from_frames(
        attributes,
        [({names[i]: 0, names[j]: 0},
          {names[i]: [row[0] for row in rows], names[j]: [row[1] for row in rows],
           "count": [row[2] for row in rows]}) for i, j, rows in pairs],
    )  # fmt: skip


def test_views_that_no_table_has_promise_nothing():
    """Of contradictory views every statement about all their tables holds, and verify passed."""
    views = contradictory_views()
    assert views.is_of_a_table() is False
    with pytest.raises(gy.GygesError, match="contradict each other"):
        views.k_combinatorial(6)


@tables.FEW
@given(tables.tangled_cases(max_rows=5))
def test_views_of_a_table_are_found_to_be_of_one(case):
    assert case.marginals.is_of_a_table() is True
