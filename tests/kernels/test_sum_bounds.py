from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.sum_bounds import tighten
from gyges.ragged import Ragged
from tests.kernels import plain


@st.composite
def systems(draw):
    """A few unknowns of at most 2, each in up to three of four sums."""
    n = draw(st.integers(1, 5))
    chosen = [draw(st.lists(st.integers(0, 3), max_size=3, unique=True)) for _ in range(n)]
    sums_of = np.full((n, 3), -1, dtype=np.int64)
    for u, sums in enumerate(chosen):
        sums_of[u, : len(sums)] = sums
    truth = [draw(st.integers(0, 2)) for _ in range(n)]
    totals = [sum(truth[u] for u in range(n) if s in chosen[u]) for s in range(4)]
    changed = draw(st.integers(0, 4))
    if changed < 4:
        totals[changed] = draw(st.integers(-1, 4))
    return sums_of, np.array(totals)


def bounded(sums_of, totals, most_steps=10_000):
    listed = Ragged.group_by(sums_of.ravel(), len(totals))
    low, high = np.zeros(len(sums_of), dtype=np.int64), np.full(len(sums_of), 2)
    broken = tighten(
        low, high, totals, listed.starts, listed.values // 3, sums_of, totals >= 0, most_steps
    )
    return low, high, broken


@given(systems(), st.integers(0, 5))
def test_no_solution_is_excluded_and_the_bounds_are_those_of_passes_over_all_sums(system, few):
    sums_of, totals = system
    members = [np.flatnonzero((sums_of == s).any(axis=1)).tolist() for s in range(4)]
    solutions = [
        x
        for x in product(range(3), repeat=len(sums_of))
        if all(t < 0 or sum(x[u] for u in m) == t for m, t in zip(members, totals, strict=True))
    ]
    for steps in (few, 10_000):  # stopping early excludes no solution either
        low, high, broken = bounded(sums_of, totals, steps)
        assert not (solutions and broken.any())
        for x in solutions:
            assert (low <= x).all() and (x <= high).all()
    if not broken.any():
        assert (low.tolist(), high.tolist()) == plain.bounds_of_sums(members, totals, len(sums_of))
