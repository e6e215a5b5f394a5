"""The nearest rows against all distances."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.nearest_rows import nearest_rows, runs

ROW = st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1))
ROWS = st.lists(ROW, min_size=1, max_size=20, unique=True).map(sorted)
LINES = st.tuples(st.booleans(), st.booleans(), st.booleans())


@given(rows=ROWS)
def test_runs_are_rows_that_agree_on_the_first_columns(rows):
    changes, ends = runs(np.array(rows))
    for i, row in enumerate(rows):
        for column in range(3):
            after = [j for j in range(i, len(rows)) if rows[j][: column + 1] != row[: column + 1]]
            assert ends[i, column] == min(after, default=len(rows))
        if i:
            assert rows[i - 1][changes[i]] != row[changes[i]]
            assert rows[i - 1][: changes[i]] == row[: changes[i]]


@given(
    rows=ROWS,
    targets=st.lists(ROW, min_size=1, max_size=6),
    lines=LINES,
    tabled=LINES,
    seed=st.integers(0, 99),
    room=st.integers(0, 9),
)
def test_the_nearest_rows_are_those_of_all_distances(rows, targets, lines, tabled, seed, room):
    """On a line the greatest code is missing, at NaN; in a table of labels the distance is looked
    up; the answers come in as many parts as fit.
    """
    greatest = np.array([2, 3, 1])
    tables = np.random.default_rng(seed).integers(0, 5, (3, 4, 4)) / 4
    is_line = np.array(lines) & ~np.array(tabled)
    codes, wanted = np.array(rows), np.array(targets)
    widths = np.where(tabled, 4, 0)
    starts_of_tables = np.cumsum([0, *widths * 4])[:-1]
    far = np.concatenate([np.zeros(0), *(tables[c].ravel() for c in range(3) if tabled[c])])

    def points(of):
        return np.where(is_line & (of == greatest), np.nan, of / np.where(is_line, 4.0, 1.0))

    def distance(row, target):
        apart = 0.0
        for c, (x, y) in enumerate(zip(row, target, strict=True)):
            is_near = is_line[c] and greatest[c] not in (x, y)
            apart += tables[c][x][y] if tabled[c] else abs(x - y) / 4 if is_near else float(x != y)
        return apart

    near, starts = np.empty(len(rows) + room, np.int32), np.zeros(len(targets) + 1, np.int64)
    labels = starts_of_tables.astype(np.int64), widths.astype(np.int64), far
    found, first = [], 0
    while first < len(targets):
        last = nearest_rows(
            points(codes), is_line, *runs(codes), *labels, points(wanted), first, near, starts
        )
        assert last > first
        found += [near[starts[t] : starts[t + 1]].tolist() for t in range(first, last)]
        first = last
    for target, some in zip(targets, found, strict=True):
        apart = [distance(row, target) for row in rows]
        assert some == [i for i, far in enumerate(apart) if far == min(apart)]
