"""k-link anonymity: each view by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from tests.marginals import tables
from tests.marginals.test_maxent import FIGURE_1B, FIGURE_1D, FIGURE_1E, paper
from tests.oracles import marginals as oracle


@given(tables.cases(), st.integers(1, 4))
def test_k_link_agrees_with_counting_rows(case, k):
    verdict = case.marginals.k_link(k)
    assert verdict.safe == oracle.is_k_link(case.rows, case.paths, case.views, case.sensitive, k)
    assert bool(verdict.failures) != verdict.safe


@pytest.mark.parametrize(
    ("view", "k"), [(FIGURE_1B, 4), ({"age": 1}, 2), (FIGURE_1D, 2), (FIGURE_1E, 1)]
)
def test_the_figures_are_as_anonymous_as_their_smallest_count(view, k):
    m = gy.Marginals.of(paper(), [view])
    assert m.k_link(k).safe and not m.k_link(k + 1).safe


def test_a_view_of_the_sensitive_column_alone_counts_everybody():
    m = gy.Marginals.of(paper(), [{"condition": 0}])
    assert m.k_link(13).safe and not m.k_link(14).safe


def test_the_failure_names_the_view_and_the_combination():
    m = gy.Marginals.of(paper(), [{"zip": 0}, FIGURE_1E])
    [breach] = m.k_link(2).failures
    assert breach.view == 1 and breach.risk == 1
    assert set(breach.witness) == {"zip", "age"}
    assert "in view 2" in str(breach) and "zip z1" in str(breach)


def test_k_is_a_whole_number_of_at_least_1():
    with pytest.raises(gy.GygesError, match="k is 0"):
        gy.Marginals.of(paper(), [FIGURE_1D]).k_link(0)
