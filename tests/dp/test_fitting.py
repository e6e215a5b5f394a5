"""The fitted distribution against the sum over all combinations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gyges.dp.elimination_tree import elimination_tree, model_cells
from gyges.dp.graphical_model import GraphicalModel
from gyges.dp.view_fit import NoisyView, fit_views, merged

NAMES = "abcde"


@st.composite
def models(draw):
    """Sizes, views that cover the columns, and a table of logarithms for each view."""
    sizes = {name: draw(st.integers(1, 3)) for name in NAMES[: draw(st.integers(1, 5))]}
    sets = st.sets(st.sampled_from(sorted(sizes)), min_size=1, max_size=3).map(sorted).map(tuple)
    views = draw(st.lists(sets, min_size=1, max_size=5, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = [rng.normal(0, 2, [sizes[c] for c in view]) for view in views]
    return sizes, views, tables


def joint(sizes, views, tables):
    """The normalized product over every combination."""
    names = list(sizes)
    logs = np.zeros([sizes[name] for name in names])
    for cell in itertools.product(*(range(sizes[name]) for name in names)):
        at = dict(zip(names, cell, strict=True))
        for view, table in zip(views, tables, strict=True):
            logs[cell] += table[tuple(at[name] for name in view)]
    found = np.exp(logs)
    return found / found.sum(), math.log(found.sum())


def in_tree(tree, views, tables):
    logs = {c: np.zeros(tree.shape(tree.axes(c))) for c in tree.order}
    for view, table in zip(views, tables, strict=True):
        axes = tree.sorted_axes(view)
        turned = np.transpose(table, [view.index(c) for c in axes])
        home = tree.home(view)
        shape = [tree.sizes[c] if c in axes else 1 for c in tree.axes(home)]
        logs[home] = logs[home] + turned.reshape(shape)
    return GraphicalModel.of(tree, logs)


@given(made=models(), data=st.data())
def test_every_marginal_is_the_sum_over_all_combinations(made, data):
    sizes, views, tables = made
    whole, log_sum = joint(sizes, views, tables)
    model = in_tree(elimination_tree(sizes, views), views, tables)
    assert model.log_sum == pytest.approx(log_sum)
    wanted = data.draw(st.permutations(sorted(sizes)))[: data.draw(st.integers(0, len(sizes)))]
    names = list(sizes)
    others = tuple(names.index(c) for c in names if c not in wanted)
    summed = whole.sum(axis=others)
    kept = [c for c in names if c in wanted]
    expected = np.transpose(summed, [kept.index(c) for c in wanted])
    assert model.marginal(tuple(wanted)) == pytest.approx(expected)


@given(made=models())
def test_the_predicted_size_is_that_of_the_tables(made):
    sizes, views, tables = made
    tree = elimination_tree(sizes, views)
    model = in_tree(tree, views, tables)
    assert model_cells(sizes, views) == sum(t.size for t in model.tables.values())


@given(made=models(), n=st.integers(1, 300), seed=st.integers(0, 2**32))
def test_rows_are_as_many_as_asked_and_possible(made, n, seed):
    sizes, views, tables = made
    tables = [np.where(table > 1.5, -np.inf, table) for table in tables]
    if any(not np.isfinite(table).any() for table in tables):
        return
    with np.errstate(divide="ignore"):
        whole = np.zeros([*sizes.values()])
        for cell in itertools.product(*map(range, sizes.values())):
            at = dict(zip(sizes, cell, strict=True))
            whole[cell] = sum(
                table[tuple(at[c] for c in view)] for view, table in zip(views, tables, strict=True)
            )
    if not np.isfinite(whole).any():
        return
    model = in_tree(elimination_tree(sizes, views), views, tables)
    rows = model.rows(n, np.random.default_rng(seed))
    assert [*rows] == [*sizes] and all(len(column) == n for column in rows.values())
    assert np.isfinite(whole[tuple(rows.values())]).all()


def test_rows_have_nearly_the_counts_of_the_model():
    sizes, views = {"a": 3, "b": 4, "c": 2}, [("a", "b"), ("b", "c")]
    rng = np.random.default_rng(2)
    tables = [rng.normal(0, 1, [sizes[c] for c in view]) for view in views]
    model = in_tree(elimination_tree(sizes, views), views, tables)
    rows = model.rows(10_000, rng)
    for view in views:
        drawn = np.zeros([sizes[c] for c in view])
        np.add.at(drawn, tuple(rows[c] for c in view), 1)
        assert np.abs(drawn - 10_000 * model.marginal(view)).max() <= 4


@settings(deadline=None)
@given(made=models(), seed=st.integers(0, 2**32), with_mask=st.booleans())
def test_a_fit_is_the_product_of_its_terms_within_what_is_possible(made, seed, with_mask):
    """Beliefs that were passed along the tree agree with the sum over every combination."""
    sizes, views, _ = made
    rng, total = np.random.default_rng(seed), 500.0
    noisy = [NoisyView(v, rng.normal(total / 6, 40, [sizes[c] for c in v]), 10.0) for v in views]
    masks = []
    if with_mask and sizes[views[0][0]] > 1 and len(views[0]) > 1:
        mask = np.ones([sizes[c] for c in views[0]], dtype=bool)
        mask[(0,) * mask.ndim] = False
        masks = [(views[0], mask)]
    fit = fit_views(sizes, noisy, total, masks=masks, sweeps=3000, tolerance=1e-10)
    names = list(sizes)
    logs = np.zeros([*sizes.values()])
    allowed = np.ones(logs.shape, dtype=bool)
    for cell in itertools.product(*map(range, sizes.values())):
        at = dict(zip(names, cell, strict=True))
        logs[cell] = sum(t[tuple(at[c] for c in v)] for v, t in fit.terms.values())
        for view, mask in masks:
            allowed[cell] &= mask[tuple(at[c] for c in view)]
    p = np.exp(np.where(allowed, logs - logs[allowed].max(), -np.inf))
    p *= total / p.sum()
    for view in merged(noisy):
        found = fit.model.marginal(view.columns) * total
        others = tuple(names.index(c) for c in names if c not in view.columns)
        kept = [c for c in names if c in view.columns]
        expected = np.transpose(p.sum(axis=others), [kept.index(c) for c in view.columns])
        assert found == pytest.approx(expected, abs=1e-4 * total)
        if masks:
            assert fit.model.marginal(views[0])[(0,) * len(views[0])] == 0


def test_no_noise_is_fitted_exactly():
    rng = np.random.default_rng(5)
    exact = rng.integers(0, 50, (3, 4, 2)).astype(float)
    views = [("a", "b"), ("b", "c")]
    noisy = [NoisyView(v, exact.sum(axis=2 if v[0] == "a" else 0), 1e-3) for v in views]
    fit = fit_views({"a": 3, "b": 4, "c": 2}, noisy, exact.sum())
    for view in noisy:
        assert fit.model.marginal(view.columns) * exact.sum() == pytest.approx(view.counts, abs=0.1)


def test_the_same_view_twice_counts_by_its_precision():
    one = NoisyView(("a", "b"), np.array([[0.0, 4.0]]), 1.0)
    two = NoisyView(("b", "a"), np.array([[10.0], [4.0]]), 3.0)
    [both] = merged([one, two])
    assert both.counts.ravel() == pytest.approx([1.0, 4.0])
    assert both.deviation == pytest.approx(math.sqrt(0.9))
