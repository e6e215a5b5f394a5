from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.tally import add_up, collect
from tests.kernels import plain


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.lists(st.integers(1, 4), max_size=3))
def test_rows_are_added_up_in_the_order_of_their_codes(seed, n, widths):
    rng, n_values = np.random.default_rng(seed), 3
    columns = np.array([rng.integers(0, width, n) for width in widths]).reshape(len(widths), n)
    columns = np.ascontiguousarray(columns, dtype=np.int32)
    values, counts = rng.integers(0, n_values, n).astype(np.int32), rng.integers(1, 5, n)
    radix = np.array(widths, dtype=np.int64)
    sums = np.zeros((int(np.prod(widths)), n_values), dtype=np.int64)
    add_up(columns, radix, values, counts, sums)
    codes, totals, starts, found, times = collect(sums, radix)

    expected = Counter()
    for row, value, count in zip(columns.T.tolist(), values.tolist(), counts.tolist(), strict=True):
        expected[tuple(row), value] += count
    listed = {
        (tuple(codes[c].tolist()), int(found[e])): int(times[e])
        for c in range(len(codes))
        for e in range(starts[c], starts[c + 1])
    }
    assert listed == expected
    assert codes.tolist() == sorted(codes.tolist())
    assert totals.tolist() == [times[starts[c] : starts[c + 1]].sum() for c in range(len(codes))]
    if n:
        for one, other in zip(
            (codes, totals, starts, found, times),
            plain.tally(columns, widths, values, counts, n_values),
            strict=True,
        ):
            assert (one == other).all()
