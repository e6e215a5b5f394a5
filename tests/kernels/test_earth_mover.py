from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from gyges.kernels.earth_mover import is_metric, ordered_flow, transport


@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=1, max_size=6))
def test_what_flows_over_each_gap_of_a_line(rows):
    expected = [sum(abs(sum(row[: i + 1])) for i in range(len(row) - 1)) for row in rows]
    assert ordered_flow(np.array(rows)).tolist() == expected


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_on_a_line_the_flow_finds_what_the_closed_form_says(seed, m):
    p, q = np.random.default_rng(seed).dirichlet(np.ones(m), 2)
    ground = np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / (m - 1)
    found = transport(p, q, ground, 1e-15)
    assert found == pytest.approx(ordered_flow((p - q)[None])[0] / (m - 1))


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12), st.booleans())
def test_the_flow_costs_what_a_linear_program_finds(seed, n, m, has_ties):
    """Any ground distance, also one that breaks the triangle inequality or has many ties."""
    rng = np.random.default_rng(seed)
    ground = rng.integers(0, 3, (n, m)).astype(float) if has_ties else rng.random((n, m))
    p, q = rng.integers(0, 20, n), rng.integers(0, 20, m)
    p, q = p * max(q.sum(), 1), q * max(p.sum(), 1)
    if not p.sum() or not q.sum():
        p, q = 0 * p, 0 * q
    found = transport(p.astype(float), q.astype(float), ground, 0.0)
    assert found == pytest.approx(by_program(p, q, ground), rel=1e-9, abs=1e-9)


def by_program(p, q, ground):
    """min Σ f_ij d_ij with Σ_j f_ij = p_i, Σ_i f_ij = q_j, f >= 0: the definition itself."""
    n, m = ground.shape
    sums = [np.kron(np.eye(n), np.ones((1, m))), np.kron(np.ones((1, n)), np.eye(m))]
    solved = linprog(ground.ravel(), A_eq=np.vstack(sums), b_eq=np.concatenate([p, q]))
    return solved.fun


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_under_a_metric_what_both_have_stays_where_it_is(seed, m):
    rng = np.random.default_rng(seed)
    places = rng.random((m, 2))
    ground = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
    assert is_metric(ground)
    p, q = rng.integers(0, 9, m), rng.integers(0, 9, m)
    p, q = p * float(q.sum()), q * float(p.sum())
    rest = transport(np.maximum(p - q, 0), np.maximum(q - p, 0), ground, 0.0)
    assert rest == pytest.approx(by_program(p, q, ground), rel=1e-9, abs=1e-9)


def test_a_detour_that_is_shorter_is_no_metric():
    assert not is_metric(np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
