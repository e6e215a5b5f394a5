"""The narrowest range and the smallest set that weigh enough, against trying all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.narrow_labels import narrowest_ranges, smallest_sets

CELLS = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 4)), min_size=1, max_size=9)


def asked(rows, k, kernel):
    """What a kernel says of cells given as (code, weight), in the order of the rows."""
    code, weight = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    cells = np.argsort(code, kind="stable")
    width = np.full(len(rows), -1)
    kernel(cells, code, weight, k, width)
    of_cell = np.empty(len(rows), dtype=np.int64)
    of_cell[cells] = width
    return of_cell.tolist()


def weighing(rows, values):
    return sum(weight for code, weight in rows if code in values)


@given(CELLS, st.data())
def test_a_range_is_the_narrowest_that_covers_the_cell_and_enough_weight(rows, data):
    k = data.draw(st.integers(1, sum(weight for _, weight in rows)))
    ends = [(low, high) for low in range(8) for high in range(low, 8)]
    enough = [(a, b) for a, b in ends if weighing(rows, range(a, b + 1)) >= k]
    least = [min(b - a for a, b in enough if a <= code <= b) for code, _ in rows]
    assert asked(rows, k, narrowest_ranges) == least


@given(CELLS, st.data())
def test_a_set_is_the_smallest_of_several_values_that_weighs_enough(rows, data):
    k = data.draw(st.integers(1, sum(weight for _, weight in rows)))
    codes = sorted({code for code, _ in rows})
    for (code, _), further in zip(rows, asked(rows, k, smallest_sets), strict=True):
        sets = [
            len(others)
            for n in range(1, len(codes))
            for others in combinations([other for other in codes if other != code], n)
            if weighing(rows, {code, *others}) >= k
        ]
        assert further == min(sets, default=1)
