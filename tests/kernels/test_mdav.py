from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.mdav import farthest, nearest_center, nearest_holding, remove
from tests.kernels import plain


@st.composite
def points(draw):
    """Whole numbers, so that distances are exact; two rows of numbers and one of marks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 600))
    numbers = rng.integers(-4, 5, (2, n)).astype(float)
    marks = rng.integers(0, 3, (1, n)).astype(np.int32)
    return numbers, marks, np.array([2.0]), rng.permutation(n), rng.integers(1, 4, n), rng


@given(points(), st.integers(1, 5))
def test_the_farthest_point_is_the_first_by_name_of_equally_far_ones(case, scale):
    numbers, marks, mark_weights, names, _, rng = case
    center, own = rng.integers(-9, 9, 2).astype(float), np.array([1])
    found = farthest(numbers, marks, mark_weights, names, len(names), center, own, float(scale))
    apart = plain.squared(numbers, marks, mark_weights, center, own, scale)
    assert found == min(range(len(names)), key=lambda i: (-apart[i], names[i]))


@given(points(), st.integers(1, 8))
def test_the_nearest_points_hold_enough_and_none_too_many(case, k):
    numbers, marks, mark_weights, names, weights, _ = case
    k = min(k, int(weights.sum()))
    center, own = np.zeros(2), np.array([0])
    found = nearest_holding(
        numbers, marks, mark_weights, names, weights, len(names), center, own, k
    ).tolist()
    apart = plain.squared(numbers, marks, mark_weights, center, own)
    expected = sorted(range(len(names)), key=lambda i: (apart[i], names[i]))
    n = next(n for n in range(1, len(names) + 1) if weights[expected[:n]].sum() >= k)
    assert found == expected[:n]


@given(points())
def test_each_point_finds_the_nearest_center_but_its_own(case):
    numbers, marks, mark_weights, _, _, rng = case
    n = numbers.shape[1]
    asked = rng.integers(0, n, 5)
    own = np.where(rng.random(5) < 0.5, asked, -1)
    found = nearest_center(
        numbers, marks, mark_weights, numbers[:, asked].copy(), marks[:, asked].copy(), own
    )
    for p, (place, left_out) in enumerate(zip(asked, own, strict=True)):
        apart = plain.squared(numbers, marks, mark_weights, numbers[:, place], marks[:, place])
        if left_out >= 0:
            apart[left_out] = np.inf
        assert found[p] == (-1 if np.isinf(apart).all() else apart.argmin())


@given(points(), st.integers(0, 4))
def test_the_last_points_fill_the_places_that_are_free(case, n_gone):
    numbers, marks, _, names, weights, rng = case
    n = len(names)
    gone = np.sort(rng.choice(n, min(n_gone, n), replace=False))[::-1].copy()
    before = {int(name): (*numbers[:, i], marks[0, i], weights[i]) for i, name in enumerate(names)}
    taken = {int(names[i]) for i in gone}
    left = remove(numbers, marks, weights, names, n, gone)
    after = {int(names[i]): (*numbers[:, i], marks[0, i], weights[i]) for i in range(left)}
    assert after == {name: point for name, point in before.items() if name not in taken}
