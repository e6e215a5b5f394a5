from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.atom_costs import margin
from gyges.kernels.dominating_groups import closures, cost_of_each, join, scan
from tests.kernels import made, plain


def scanned(sizes, starts, counts, most):
    """The rows and costs that matter of all groups."""
    room = 64
    rows, costs = np.empty((room, most + 1), dtype=np.int64), np.empty((room, most + 1))
    ids = np.empty(room, dtype=np.int64)
    n, begin, aim = scan(sizes, starts, counts, 0, rows, costs, ids, 0)
    assert begin == len(sizes)
    return rows[:n].copy(), costs[:n].copy(), aim


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 4))
def test_few_groups_give_the_closures_of_all(seed, n_groups, most):
    rng = np.random.default_rng(seed)
    sizes, starts, _, counts = made.ragged_counts(rng, n_groups)
    most = min(most, int(np.diff(starts).min()))
    groups = [(n, counts[starts[g] : starts[g + 1]].tolist()) for g, n in enumerate(sizes.tolist())]
    star, aim = plain.closures(groups, most)
    _, costs, reached = scanned(sizes, starts, counts, most)
    found_star, found_aim = closures(costs)
    close = margin(most)
    if star[1] < math.inf:  # else the scan stops at once
        assert found_star.tolist() == pytest.approx(star, abs=close)
    assert reached == pytest.approx(aim[most], abs=close)
    assert found_aim[most] == pytest.approx(aim[most], abs=close)

    half = len(sizes) // 2
    if half:
        one = scanned(sizes[:half], starts[: half + 1], counts, most)
        other = scanned(sizes[half:], starts[half:], counts, most)
        assert join(*one[:2], *other[:2], most)[3] == pytest.approx(aim[most], abs=close)
    if star[1] < math.inf:
        each = cost_of_each(sizes, starts, counts, found_star)
        assert max(each) == pytest.approx(aim[most], abs=close)
