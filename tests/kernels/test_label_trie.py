from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.label_trie import find_groups, run_ends
from tests.kernels import plain


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 3))
def test_the_groups_found_are_those_whose_labels_cover_the_row(seed, n_groups, n_columns):
    rng, n_labels, n_codes = np.random.default_rng(seed), 4, 5
    covers = [rng.random((n_labels, n_codes)) > 0.5 for _ in range(n_columns)]
    labels = rng.integers(0, n_labels, (n_groups, n_columns)).astype(np.int32)
    labels = np.asfortranarray(labels[np.lexsort(labels.T[::-1])])
    rows = rng.integers(0, n_codes, (10, n_columns)).astype(np.int32)
    value, label = zip(*(np.nonzero(c.T) for c in covers), strict=True)
    lengths = np.concatenate([np.bincount(v, minlength=n_codes) for v in value])
    trie = (
        labels,
        run_ends(labels),
        np.concatenate([c.ravel() for c in covers]),
        np.arange(n_columns) * n_labels * n_codes,
        np.full(n_columns, n_codes),
        np.arange(n_columns) * n_codes,
        np.append(0, np.cumsum(lengths)),
        np.concatenate(label).astype(np.int32),
    )
    expected = plain.covering(rows.tolist(), covers, labels)
    room = np.arange(len(rows) + 1) * n_groups
    found = np.full(room[-1], -1)
    n_found = find_groups(rows, *trie, room, found)
    for r, places in enumerate(expected):
        assert found[room[r] : room[r] + n_found[r]].tolist() == places
    listed = np.full(room[-1], -1)  # by the lists alone, in some columns
    without = (*trie[:2], trie[2], trie[3], trie[4] * (np.arange(n_columns) % 2), *trie[5:])
    assert find_groups(rows, *without, room, listed).tolist() == n_found.tolist()
    assert listed.tolist() == found.tolist()


def test_runs_end_where_labels_change():
    labels = np.array([[0, 1], [0, 1], [0, 2], [1, 0]], dtype=np.int32)
    assert run_ends(labels).tolist() == [[3, 2], [3, 2], [3, 3], [4, 4]]
