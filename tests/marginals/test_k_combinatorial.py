"""k-combinatorial anonymity, against all tables of whole numbers with the same views."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals import k_combinatorial
from tests.marginals import tables
from tests.marginals.test_maxent import FIGURE_1B, FIGURE_1D, paper
from tests.oracles import marginals as oracle

small = tables.decomposable_cases(shapes=("flat2", "uneven"), max_columns=2, max_rows=4)


def labelled(case, combination):
    """A combination of values by the labels a witness may use."""
    return {
        name: set(case.paths[i][value])
        for i, (name, value) in enumerate(zip(case.names, combination, strict=False))
    }


@given(small, st.integers(1, 4))
def test_decomposable_views_agree_with_enumerating_consistent_tables(case, k):
    most = oracle.most_people(case.rows, case.paths, case.views, case.sensitive)
    verdict = case.marginals.k_combinatorial(k)
    assert verdict.safe == all(n == 0 or n >= k for n in most.values())
    if not verdict.safe:
        [breach] = verdict.failures
        tight = [c for c, n in most.items() if 0 < n < k]
        assert any(
            all(label in labelled(case, c)[name] for name, label in breach.witness.items())
            for c in tight
        ), "the witness covers a combination that breaks the rule"


@tables.FEW
@given(small)
def test_the_risk_is_the_least_room_of_any_combination(case):
    """Where a view alone is small the risk is that count; else it is exactly the least room."""
    most = oracle.most_people(case.rows, case.paths, case.views, case.sensitive)
    least = min(n for n in most.values() if n)
    verdict = case.marginals.k_combinatorial(1)
    assert verdict.safe
    assert list(verdict.risks.values()) == [least]


@given(tables.cases(max_columns=2, max_rows=5), st.integers(1, 4))
def test_k_combinatorial_anonymity_implies_k_link_anonymity(case, k):
    m = case.marginals
    if m.decomposable and m.k_combinatorial(k).safe:
        assert m.k_link(k).safe


@tables.FEW
@given(tables.decomposable_cases(shapes=("flat3", "uneven"), max_rows=14), st.integers(2, 5))
def test_searching_large_joins_agrees_with_joining_all(case, k):
    """The pruned search from the root, and pruning from the leaves up, decide alike."""
    m = case.marginals
    expected = m.k_combinatorial(k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(k_combinatorial, "SMALL_JOIN", 0)
        assert m.k_combinatorial(k).safe == expected.safe
        if m.k_link(k).safe:
            assert m.k_combinatorial(k).risks == expected.risks
        patch.setattr(k_combinatorial, "MOST_WORK", -1)
        assert m.k_combinatorial(k).safe == expected.safe


def values_in_common():
    """Records a0b1s0 ×3, a0b0s1 ×1, a1b0s1 ×2; views AS and BS: at most one a0b0 is possible."""
    rows = [("a0", "b1", "s0")] * 3 + [("a0", "b0", "s1")] + [("a1", "b0", "s1")] * 2
    columns = {name: [row[i] for row in rows] for i, name in enumerate("abs")}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["a", "b"], sensitive="s"))
    return gy.Marginals.of(table, [{"a": 0, "s": 0}, {"b": 0, "s": 0}])


def test_projecting_the_sensitive_column_out_first_would_pass_wrongly():
    """The smallest count of a and of b alone is 2; yet a0 and b0 share room for one."""
    m = values_in_common()
    assert m.k_link(2).safe
    verdict = m.k_combinatorial(2)
    assert not verdict.safe
    assert verdict.failures[0].witness == {"a": "a0", "b": "b0"}
    assert verdict.failures[0].risk == 1


def test_room_for_some_is_a_breach_even_where_nobody_need_be_there():
    """A: 1, 1 and B: 1, 1: the definition decides (0 or at least k in some table), not "must"."""
    table = gy.read(
        {"a": ["x", "y"], "b": ["x", "y"], "s": ["u", "v"]},
        gy.Schema(quasi_identifiers=["a", "b"], sensitive="s"),
    )
    assert not gy.Marginals.of(table, [{"a": 0}, {"b": 0}]).k_combinatorial(2).safe


def test_figures_1b_and_1d_together_point_at_one_person():
    m = gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D])
    assert gy.Marginals.of(paper(), [FIGURE_1B]).k_combinatorial(4).safe
    assert m.k_link(2).safe and not m.k_combinatorial(2).safe
    assert m.k_combinatorial(2).failures[0].risk == 1


def test_a_table_without_sensitive_column_is_judged_by_its_views():
    table = gy.read(
        {"a": ["x", "x", "y", "y"], "b": ["x", "y", "x", "y"]},
        gy.Schema(quasi_identifiers=["a", "b"]),
    )
    m = gy.Marginals.of(table, [{"a": 0}, {"b": 0}])
    assert m.k_combinatorial(2).safe and not m.k_combinatorial(3).safe
    with pytest.raises(gy.GygesError, match="no sensitive column"):
        m.maxent_diversity("2", 2)
