"""Choosing views: always safe, never worse than the start, and as good as trying all."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals import selection
from gyges.marginals.counts import count_table
from gyges.marginals.induced import attributes_of, is_within
from gyges.marginals.judging import split_rules
from gyges.marginals.moves import additions, divergence, extended
from gyges.marginals.selection_check import SelectionCheck
from gyges.marginals.store import CountStore
from tests.marginals import tables
from tests.marginals.test_maxent import FIGURE_1B, paper

rules = st.sampled_from(
    [
        [gy.KAnonymity(2)],
        [gy.KAnonymity(3), gy.DistinctDiversity(2)],
        [gy.KAnonymity(2), gy.RecursiveDiversity("2", 2)],
        [gy.EntropyDiversity("3/2")],
    ]
)


def best_of_all(table, criteria):
    """The least divergence of any safe set, and how many sets of safe views there are.

    All decomposable sets are reached by adding (test_moves.py), and a set with a view that is
    unsafe alone is unsafe.
    """
    attributes = attributes_of(table)
    store = CountStore(attributes, [count_table(table, attributes)])
    safety = SelectionCheck(store, *split_rules(criteria))
    reached, front, best = {()}, {()}, divergence((), store)
    while front:
        front = {
            extended(views, step.view)
            for views in front
            for step in additions(views, store, safety.view_holds)
        } - reached
        reached |= front
        best = min([best, *(divergence(v, store) for v in front if safety.holds(v))])
    table_entropy = store.entropy(tuple(attribute.height for attribute in attributes))
    return best - table_entropy, len(reached)


@tables.FEW
@given(tables.cases(shapes=("flat2", "uneven"), max_columns=2, max_rows=14), rules)
def test_the_selection_is_safe_and_as_good_as_trying_all(case, criteria):
    table = case.table
    try:
        chosen = gy.select_marginals(table, criteria, restarts=15)
    except gy.errors.NothingSafeError:
        assert len(table.sensitive_values) < 2
        return
    assert chosen.decomposable and chosen.judge(criteria).safe
    assert chosen.kl_divergence() == pytest.approx(best_of_all(table, criteria)[0], abs=1e-9)


@tables.FEW
@given(tables.cases(shapes=("flat2", "uneven"), max_columns=2, max_rows=14), rules)
def test_climbing_with_restarts_is_safe_and_no_better_than_trying_all(case, criteria):
    """Climbing may end in a lesser set; never in an unsafe one."""
    table = case.table
    if len(table.sensitive_values) < 2:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "FEW_SETS", 0)
        chosen = gy.select_marginals(table, criteria, restarts=15)
    assert chosen.decomposable and chosen.judge(criteria).safe
    assert chosen.kl_divergence() >= best_of_all(table, criteria)[0] - 1e-9


@tables.FEW
@given(tables.decomposable_cases(max_columns=2, max_rows=10, max_views=2), rules)
def test_what_is_started_from_stays_derivable_and_only_gains(case, criteria):
    before = case.marginals
    if not before.judge(criteria).safe:
        return
    after = gy.select_marginals(case.table, criteria, start=before, restarts=3)
    assert after.judge(criteria).safe
    assert after.kl_divergence() <= before.kl_divergence() + 1e-9
    for old in before.resolutions:
        assert not any(old) or any(is_within(old, new) for new in after.resolutions)


def test_utility_is_injected_into_figure_1b():
    """Section 6.2: any k-anonymous view without the sensitive column adds, and harms nobody."""
    criteria = [gy.KAnonymity(2), gy.RecursiveDiversity("2", 3, strict=False)]
    alone = gy.Marginals.of(paper(), [FIGURE_1B])
    more = gy.select_marginals(paper(), criteria, start=FIGURE_1B, restarts=5)
    assert alone.judge(criteria).safe and more.judge(criteria).safe
    assert more.kl_divergence() < alone.kl_divergence()


def test_the_same_seed_chooses_the_same_views():
    criteria = [gy.KAnonymity(2), gy.EntropyDiversity(2)]
    one, other = (
        gy.select_marginals(paper(), criteria, restarts=8, rng=np.random.default_rng(3))
        for _ in range(2)
    )
    assert one.resolutions == other.resolutions


def test_a_start_that_is_not_safe_is_refused():
    with pytest.raises(gy.GygesError, match="the views to start from do not satisfy"):
        gy.select_marginals(paper(), [gy.KAnonymity(5)], start=[FIGURE_1B])


def test_a_start_that_does_not_decompose_is_refused():
    pairs = [{"zip": 0, "age": 2}, {"age": 2, "condition": 0}, {"zip": 0, "condition": 0}]
    with pytest.raises(gy.GygesError, match="do not decompose"):
        gy.select_marginals(paper(), [gy.KAnonymity(1)], start=pairs)


def test_too_few_sensitive_values_are_an_error():
    table = gy.read(
        {"q": ["x", "y"], "s": ["a", "b"]}, gy.Schema(quasi_identifiers=["q"], sensitive="s")
    )
    with pytest.raises(gy.errors.NothingSafeError, match="too few"):
        gy.select_marginals(table, [gy.DistinctDiversity(3)])


def test_where_no_view_is_safe_nothing_is_published():
    table = gy.read(
        {"q": ["x", "y"], "s": ["a", "b"]}, gy.Schema(quasi_identifiers=["q"], sensitive="s")
    )
    chosen = gy.select_marginals(table, [gy.KAnonymity(3)])
    assert chosen.views == () and chosen.judge([gy.KAnonymity(3)]).safe
    assert str(chosen) == "no views"


def test_a_table_without_sensitive_column_is_served_too():
    columns = {"a": list("xxyy") * 3, "b": list("uvuv") * 3}
    table = gy.read(columns, gy.Schema(quasi_identifiers=["a", "b"]))
    chosen = gy.select_marginals(table, [gy.KAnonymity(3)], restarts=3)
    assert abs(chosen.kl_divergence()) < 1e-12


def test_progress_is_reported_and_ends_at_1(monkeypatch):
    seen = []
    monkeypatch.setattr(selection, "FEW_SETS", 0)
    gy.select_marginals(paper(), [gy.KAnonymity(2)], restarts=4, progress=seen.append)
    assert len(seen) >= 4 and seen[-1].share == 1.0
    tried = [report.n_tried for report in seen]
    assert tried == sorted(tried)
    assert seen[-1].kl_divergence <= seen[0].kl_divergence


def test_the_time_limit_ends_a_search_with_something_safe():
    began = time.monotonic()
    criteria = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    chosen = gy.select_marginals(paper(), criteria, time_limit=0.05, restarts=10**9)
    assert time.monotonic() - began < 5
    assert chosen.judge(criteria).safe


def test_a_set_too_large_to_check_counts_as_unsafe(monkeypatch):
    from gyges.marginals import store

    monkeypatch.setattr(store, "LARGEST_MATRIX", 0)
    chosen = gy.select_marginals(paper(), [gy.KAnonymity(2), gy.DistinctDiversity(2)], restarts=2)
    assert chosen.views and not any("condition" in view.levels for view in chosen.views)


def adult(folder):
    import pandas as pd

    columns = ["age", "marital-status", "race", "sex"]
    rows = pd.read_csv(folder / "adult.csv.gz", dtype=str)
    rows = rows[(rows != "?").all(axis=1)][[*columns, "occupation"]]
    where = folder / "hierarchies" / "adult"
    hierarchies = {name: gy.Hierarchy.from_csv(where / f"{name}.csv") for name in columns}
    return gy.read(
        rows, gy.Schema(quasi_identifiers=columns, sensitive="occupation", hierarchies=hierarchies)
    )


def test_adult_gains_what_the_paper_promises(real_data):
    """Section 8: far better than any single 6-anonymous, 6-diverse table."""
    table = adult(real_data)
    criteria = [gy.KAnonymity(6), gy.EntropyDiversity(6)]
    chosen = gy.select_marginals(table, criteria, restarts=20)
    single = gy.Marginals.of(
        table, [{"age": 5, "marital-status": 1, "race": 0, "sex": 0, "occupation": 0}]
    )
    assert single.judge(criteria).safe and chosen.judge(criteria).safe
    assert chosen.kl_divergence() < single.kl_divergence() / 3
    assert chosen.kl_divergence() == pytest.approx(0.40510, abs=1e-5)


@pytest.mark.slow
def test_the_selection_on_adult_is_the_best_of_all_sets(real_data):
    table = adult(real_data)
    criteria = [gy.KAnonymity(6), gy.EntropyDiversity(6)]
    best, n_sets = best_of_all(table, criteria)
    assert n_sets == 18_271
    assert gy.select_marginals(table, criteria).kl_divergence() == pytest.approx(best, abs=1e-9)
