from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.matching import arrange, circles, is_closed_in_bits
from tests.kernels import made, plain


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 3))
def test_choosers_are_arranged_exactly_where_an_arrangement_exists(seed, r, m):
    rng = np.random.default_rng(seed)
    p = (rng.random((r, m)) > 0.5).astype(float)
    held = np.zeros((r, m), dtype=np.int64)
    held[np.arange(r), rng.integers(0, m, r)] = 1
    totals = held.sum(axis=0)
    is_possible = any(True for _ in plain.arrangements(p.tolist(), totals))
    assert arrange(p, held) == is_possible
    if is_possible:
        assert (held.sum(axis=0) == totals).all() and (held.sum(axis=1) == 1).all()
        assert (p[held > 0] > 0).all()


@given(made.choices(share_of_zeros=0.6))
def test_a_chooser_may_take_a_value_of_its_circle_and_no_other(case):
    p, repeats, totals = case
    p = np.repeat(p, repeats, axis=0)
    ways = list(plain.arrangements(p.tolist(), totals))
    taken = np.array(ways[0])
    circle = circles(p, np.arange(len(p)), taken)
    for j in range(len(p)):
        possible = {way[j] for way in ways}
        allowed = {s for s in range(len(totals)) if circle[s] == circle[taken[j]] and p[j, s] > 0}
        assert possible == allowed


@given(st.integers(1, 64), st.integers(0, 2**32 - 1))
def test_a_graph_in_bits_is_closed_where_every_node_reaches_every_other(m, seed):
    rng = np.random.default_rng(seed)
    edges = rng.random((m, m)) < 2 / m
    bits = np.array([sum(1 << int(t) for t in np.flatnonzero(row)) for row in edges], dtype="u8")
    reach = edges | np.eye(m, dtype=bool)
    for _ in range(7):
        reach = reach @ reach
    assert is_closed_in_bits(bits) == bool(reach.all())
