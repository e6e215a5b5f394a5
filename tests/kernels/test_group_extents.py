from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.group_extents import group_extents


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5), st.integers(0, 9)), min_size=1))
def test_extents_are_the_least_and_the_greatest_number_of_each_group(rows):
    used = sorted({row[0] for row in rows})
    place = np.array([used.index(row[0]) for row in rows])
    numbers = np.array([row[1:] for row in rows], dtype=np.int32)
    low, high = group_extents(place, len(used), numbers)
    for group, name in enumerate(used):
        mine = [row[1:] for row in rows if row[0] == name]
        assert low[:, group].tolist() == [min(column) for column in zip(*mine, strict=True)]
        assert high[:, group].tolist() == [max(column) for column in zip(*mine, strict=True)]
