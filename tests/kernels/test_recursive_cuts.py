from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.packed_items import CELL
from gyges.kernels.recursive_cuts import cut_down
from tests.kernels import made


def expected_groups(codes, weights, least):
    """Cut the widest column that can be cut beside its median, again and again."""
    span = max(int(codes.max()), 1)

    def cut(members):
        own, held = codes[members], weights[members]
        widths = np.ptp(own, axis=0) / span
        for j in np.argsort(-widths, kind="stable"):
            total = held.sum()
            if widths[j] == 0 or total < 2 * least:
                continue
            m = min(v for v in own[:, j].tolist() if 2 * held[own[:, j] <= v].sum() >= total)
            for threshold in (m, m - 1):
                is_left = own[:, j] <= threshold
                if min(held[is_left].sum(), held[~is_left].sum()) >= least:
                    return [*cut(members[is_left]), *cut(members[~is_left])]
        return [frozenset(members.tolist())]

    return set(cut(np.arange(len(codes))))


@given(made.tables(max_items=40), st.integers(1, 5))
def test_groups_are_those_of_the_recursion(table, least):
    codes, weights = table
    words, fields, columns, places, runs = made.items(codes, weights)
    n, d = codes.shape
    is_first = np.zeros(n, dtype=bool)
    bounds = np.array([0] * d + [int(codes.max())] * d)
    cut_down(
        words, fields, columns, places, runs, np.empty(n, dtype=np.int64),
        0, n, int(weights.sum()), bounds, least, 0, is_first,
    )  # fmt: skip
    starts = np.flatnonzero(is_first)
    cells = made.read(words, fields, d + CELL, n)
    found = {frozenset(part.tolist()) for part in np.split(cells, starts[1:])}
    assert is_first[0]
    assert found == expected_groups(codes, weights, least)
