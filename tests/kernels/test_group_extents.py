from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.group_extents import join_extents


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.tuples(*[st.lists(st.integers(-5, 5), min_size=1)] * 2)),
        min_size=1,
    )
)
def test_extents_are_the_least_and_the_greatest_number_of_each_group(groups):
    used = sorted({name for name, _ in groups})
    place = np.array([used.index(name) for name, _ in groups], dtype=np.int32)
    low, high = (
        np.array([[end(column) for column in columns] for _, columns in groups], dtype=np.int32)
        for end in (min, max)
    )
    joined_low, joined_high = join_extents(place, len(used), low, high)
    for group, name in enumerate(used):
        mine = [columns for other, columns in groups if other == name]
        for c in range(2):
            numbers = [number for columns in mine for number in columns[c]]
            assert joined_low[group, c] == min(numbers)
            assert joined_high[group, c] == max(numbers)
