"""Proportional fitting of views that do not decompose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import gyges as gy
from gyges.marginals import fitting
from gyges.marginals.counts import ViewCounts
from gyges.marginals.induced import maximal
from tests.marginals import tables
from tests.oracles import marginals as oracle


def fitted(marginals):
    """Fit any views, decomposable or not."""
    counts = [marginals._store.counts(r) for r in maximal(marginals.resolutions)]
    return fitting.fit(marginals.attributes, counts, 1e-10)


@tables.FEW
@given(tables.decomposable_cases(shapes=("flat2", "uneven"), max_columns=3))
def test_fitting_finds_the_closed_form_where_there_is_one(case):
    m = case.marginals
    fit = fitted(m)
    rows = [case.as_row(cell) for cell in oracle.domain(case.paths)]
    assert np.allclose(fit.probability(m._codes(rows)), m.maxent(rows), atol=1e-8)
    assert np.isclose(fit.entropy(), m.distribution.entropy(), atol=1e-7)


@tables.FEW
@given(tables.tangled_cases())
def test_a_fit_meets_every_view_and_has_the_largest_entropy(case):
    """Its shares are those of every view, and its divergence is that of the oracle's fit."""
    m = case.marginals
    assert not m.decomposable
    rows = [case.as_row(cell) for cell in oracle.domain(case.paths)]
    shares = dict(zip(oracle.domain(case.paths), m.maxent(rows), strict=True))
    for view in case.views:
        wanted = oracle.count(case.rows, case.paths, view)
        for label, people in wanted.items():
            found = sum(
                p for c, p in shares.items() if oracle.project(c, case.paths, view) == label
            )
            assert np.isclose(found, people / len(case.rows), atol=1e-7)
    slow = oracle.fit(case.rows, case.paths, case.views, rounds=400)
    expected = oracle.kl_divergence(case.rows, slow)
    assert m.kl_divergence() == pytest.approx(expected, abs=0.02)
    assert all(shares[row] > 0 for row in case.rows)


def three_pairs(n_values=2, rows=None):
    """All pairs of three columns: a cycle of three views that is not graphical."""
    rows = rows or [
        (a, b, c) for a in "01" for b in "01" for c in "01" if (a, b, c) != tuple("111")
    ]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(["x", "y", "s"])}
    schema = gy.Schema(
        quasi_identifiers=["x", "y"], sensitive="s", kinds={"x": "category", "y": "category"}
    )
    table = gy.read(columns, schema)
    return gy.Marginals.of(table, [{"x": 0, "y": 0}, {"y": 0, "s": 0}, {"x": 0, "s": 0}])


def test_three_pairs_do_not_decompose_and_are_fitted():
    m = three_pairs()
    assert m.triangulated and not m.graphical and not m.decomposable
    rows = [{"x": a, "y": b, "s": c} for a in "01" for b in "01" for c in (0, 1)]
    p = m.maxent(rows)
    assert np.isclose(p.sum(), 1) and (p > 0).all()
    assert m.distribution.error <= 1e-9
    assert m.kl_divergence() > 0
    assert len(m.sample(50, np.random.default_rng(0))) == 50


def test_cells_that_all_counts_together_force_to_zero_are_zero_at_once():
    """The pairs leave no room for 0, 0, 0, though no pair alone says so."""
    m = three_pairs(rows=[("0", "0", "0"), ("0", "1", "1"), ("1", "0", "1"), ("1", "1", "0")] * 2)
    p = m.maxent([{"x": "0", "y": "0", "s": 1}])
    assert np.isclose(p[0], 1 / 8)  # every pair is uniform, and so is the fit
    forced = three_pairs(rows=[("0", "0", "1"), ("0", "1", "0"), ("1", "0", "0")])
    assert forced.maxent([{"x": "0", "y": "0", "s": 0}])[0] == 0
    assert forced.distribution.rounds < 50


def test_a_joint_table_that_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(fitting, "LARGEST_TABLE", 4)
    with pytest.raises(gy.GygesError, match="needs a table of 8 combinations"):
        three_pairs().maxent([{"x": "0", "y": "0", "s": 0}])


def test_a_fit_that_does_not_come_close_says_so(monkeypatch):
    monkeypatch.setattr(fitting, "MOST_ROUNDS", 1)
    with pytest.raises(gy.GygesError, match="stopped after 1 rounds"):
        three_pairs().kl_divergence()


def test_counts_that_no_table_has_are_refused():
    attributes = three_pairs().attributes
    one = ViewCounts((1, 0, 0), np.array([[0, 0, 0]], dtype=np.int32), np.array([2]))
    other = ViewCounts((1, 1, 0), np.array([[1, 0, 0]], dtype=np.int32), np.array([2]))
    with pytest.raises(gy.GygesError, match="contradict each other"):
        fitting.fit(attributes, [one, other], 1e-9)
