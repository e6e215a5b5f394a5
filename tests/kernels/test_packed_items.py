from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.packed_items import (
    CELL,
    COUNT,
    VALUE,
    WEIGHT,
    get,
    histograms,
    list_cells,
    narrow,
    number_groups,
    pack,
    put,
    weigh,
)
from tests.kernels import made, plain


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_fields_that_share_words_are_read_as_they_were_written(seed, n):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, (n, 2)).astype(np.int32)
    weights, values, counts = rng.integers(0, 16, n), rng.integers(0, 4, n), rng.integers(0, 4, n)
    sizes = [3, 3, 4, 5, 2, 2]  # bits: two columns, weight, cell, value, count
    fields = np.array([(0, sum(sizes[:f]), (1 << b) - 1) for f, b in enumerate(sizes[:4])])
    fields = np.append(fields, [(n, 0, 3), (n, 2, 3)], axis=0)  # the last two in another word
    ranks, rank_starts = np.arange(8)[::-1].copy(), np.array([-1, 0])  # column 1 is renumbered
    words = np.zeros(2 * n, dtype=np.int64)
    pack(words, fields, codes, ranks, rank_starts, np.zeros(0, dtype=np.int64), weights, 0, n)
    put(words, fields, 2 + VALUE, values)
    put(words, fields, 2 + COUNT, counts)
    assert get(words, fields, 0, 0, n).tolist() == codes[:, 0].tolist()
    assert get(words, fields, 1, 0, n).tolist() == (7 - codes[:, 1]).tolist()
    assert get(words, fields, 2 + CELL, 0, n).tolist() == list(range(n))
    assert get(words, fields, 2 + VALUE, 0, n).tolist() == values.tolist()
    assert get(words, fields, 2 + COUNT, 1, n).tolist() == counts[1:].tolist()
    assert weigh(words, fields, 2 + WEIGHT, 0, n) == weights.sum()


@given(made.tables(max_items=60), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_groups_are_counted_and_numbered(table, n_values, seed):
    codes, weights = table
    rng, (n, d) = np.random.default_rng(seed), codes.shape
    values = rng.integers(0, n_values, n)
    words, fields, *_ = made.items(codes, weights, values)
    is_first = rng.random(n) < 0.3
    is_first[0] = True
    starts = np.flatnonzero(is_first)
    ends = np.append(starts[1:], n)
    group = np.cumsum(is_first) - 1

    lengths, found, counts = histograms(words, fields, d, starts, ends, n_values)
    at = np.append(0, np.cumsum(lengths))
    for g, (start, end) in enumerate(zip(starts, ends, strict=True)):
        expected = Counter()
        for value, weight in zip(values[start:end], weights[start:end], strict=True):
            expected[int(value)] += int(weight)
        assert found[at[g] : at[g + 1]].tolist() == sorted(expected)
        assert counts[at[g] : at[g + 1]].tolist() == [expected[v] for v in sorted(expected)]
    by_sorting = plain.value_counts(group, values, weights, len(starts), n_values)
    assert (at == by_sorting[0]).all() and (counts == by_sorting[2]).all()

    numbered = np.full(n, -1)
    number_groups(words, fields, d + CELL, is_first, 0, 0, n, numbered)
    assert numbered.tolist() == group.tolist()
    first, cells = list_cells(words, fields, d + CELL, starts, ends, n)
    assert first.tolist() == [*starts.tolist(), n] and cells.tolist() == list(range(n))


@given(made.tables(max_items=150))
def test_bounds_shrink_to_the_codes_that_occur(table):
    codes, weights = table
    words, fields, *_ = made.items(codes, weights)
    d = codes.shape[1]
    bounds = np.array([[0] * d + [9] * d])
    for j in range(d):
        narrow(words, fields, 0, len(codes), bounds, 0, j)
    assert bounds[0].tolist() == [*codes.min(axis=0), *codes.max(axis=0)]
