"""Tables with very many columns: how many sets of columns an audit examines."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from gyges.adversaries.minimal_uniques import DistinctRows
from gyges.auditing.tells_apart import _MOST_SETS, _largest, _seconds


def test_sets_of_a_thousand_columns_are_not_all_counted():
    """The time for 2 ** 1200 sets of columns did not fit into a float."""
    names = tuple(f"item {i}" for i in range(1200))
    rows = DistinctRows(names, np.zeros((2, 1200), dtype=np.int32), np.array([3, 4]))
    most, n_sets = _largest(1200)
    assert (most, n_sets) == (1, 1200)
    assert 0 < _seconds(n_sets, rows) < 1


@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 19, 20, 46, 47, 200])
def test_all_sets_up_to_a_size_are_taken_as_long_as_they_are_few(n):
    sizes = [sum(comb(n, size) for size in range(1, most + 1)) for most in range(1, n + 1)]
    few = [most for most, n_sets in enumerate(sizes, 1) if n_sets <= _MOST_SETS] or [1]
    assert _largest(n) == (few[-1], sizes[few[-1] - 1])
