from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.cuts import STARTS, TALLY, TOTALS, cut, median, new_work, width
from gyges.kernels.packed_items import WEIGHT
from tests.kernels import made

# A tree over six codes: {0 1} {2 3} {4 5}, the first two of them under one node; levels 0 to 3.
LEVELS = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1], [0] * 6])
RUNS = np.stack(
    [
        [[row.tolist().index(x) for x in row] for row in LEVELS],
        [[6 - row[::-1].tolist().index(x) for x in row] for row in LEVELS],
    ]
)[:, None]


def sides(codes, weights, threshold):
    return int(weights[codes <= threshold].sum()), int(weights[codes > threshold].sum())


@given(made.tables(max_columns=1, max_code=300), st.integers(1, 4))
def test_a_line_is_cut_beside_its_weighted_median(table, least):
    codes, weights = table
    words, fields, columns, places, runs = made.items(codes, weights)
    flat, n, total = codes[:, 0], len(codes), int(weights.sum())
    lo, hi, work = int(flat.min()), int(flat.max()), new_work(1)
    m, below, at = median(words, fields, work, 1 + WEIGHT, 0, 0, n, lo, hi, total)
    expected = min(v for v in flat.tolist() if 2 * weights[flat <= v].sum() >= total)
    assert (m, below) == (expected, weights[flat < m].sum()) and at == weights[flat == m].sum()
    if lo == hi:
        return
    assert width(columns, places, runs, 0, lo, hi) == (hi - lo) / (places[0] or 1)
    spare = np.empty(n, dtype=np.int64)
    n_parts = cut(words, fields, columns, runs, work, spare, 0, 0, n, lo, hi, total, least, least)
    allowed = [t for t in (m, m - 1) if min(sides(flat, weights, t)) >= least]
    assert n_parts == (2 if allowed else 0)
    if n_parts:
        assert work[TALLY, 0] == allowed[0]
        assert tuple(work[TOTALS, :2].tolist()) == sides(flat, weights, allowed[0])
        moved, middle = made.read(words, fields, 0, n), int(work[STARTS, 1])
        assert moved.tolist() == [*flat[flat <= allowed[0]], *flat[flat > allowed[0]]]
        assert middle == (flat <= allowed[0]).sum()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=2), st.integers(1, 4))
def test_a_tree_is_cut_into_children_of_which_the_small_stay_together(rows, least):
    codes = np.array([[code] for code, _ in rows])
    weights = np.array([weight for _, weight in rows])
    words, fields, columns, _, _ = made.items(codes, weights, n_codes=6)
    columns = np.array([[0, 0, 6]])
    flat, n = codes[:, 0], len(codes)
    lo, hi = int(flat.min()), int(flat.max())
    if lo == hi:
        return
    level = next(v for v in range(4) if LEVELS[v][lo] == LEVELS[v][hi])
    under = int(np.sum(LEVELS[level] == LEVELS[level][lo]))
    assert width(columns, np.zeros(1), RUNS, 0, lo, hi) == (under - 1) / 5
    child = LEVELS[level - 1][flat]
    people = {int(c): int(weights[child == c].sum()) for c in np.unique(child)}
    alone = [c for c in people if people[c] >= least]
    rest = sum(n_held for n_held in people.values() if n_held < least)
    if 0 < rest < least and alone:
        smallest = min(alone, key=lambda c: people[c])
        rest += people[smallest]
        alone.remove(smallest)
    expected = [people[c] for c in alone] + ([rest] if rest else [])
    work, spare = new_work(6), np.empty(n, dtype=np.int64)
    n_parts = cut(
        words, fields, columns, RUNS, work, spare, 0, 0, n, lo, hi, int(weights.sum()), 1, least
    )
    assert n_parts == (len(expected) if len(expected) > 1 else 0)
    if n_parts:
        assert work[TOTALS, :n_parts].tolist() == expected
        moved = LEVELS[level - 1][made.read(words, fields, 0, n)]
        for p, c in enumerate(alone):
            assert set(moved[work[STARTS, p] : work[STARTS, p + 1]].tolist()) == {c}
