from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.signatures import narrow_signatures, signatures
from tests.kernels import made


def tops(counts, own, l):
    """The l largest of the other values' counts."""
    others = sorted(counts, reverse=True)
    others.remove(own)
    return (others + [0] * l)[:l]


def entries(sizes, starts, codes, counts):
    for g, n in enumerate(sizes.tolist()):
        held = counts[starts[g] : starts[g + 1]].tolist()
        for value, count in zip(codes[starts[g] : starts[g + 1]].tolist(), held, strict=True):
            yield value, n, count, held


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(0, 3))
def test_a_dense_table_finds_every_signature_with_its_largest_sum(seed, n_groups, l):
    rng = np.random.default_rng(seed)
    groups = made.ragged_counts(rng, n_groups)
    sizes, _, _, counts = groups
    blocks = np.array([0, 1, -1, 2, -1, 3])
    found, left = narrow_signatures(
        *groups, blocks, l, int(sizes.min()), int(np.ptp(sizes)) + 1, int(counts.max()) + 1, True
    )
    expected = {}
    for value, n, count, held in entries(*groups):
        if blocks[value] >= 0:
            key, summed = (int(blocks[value]), n, count), sum(tops(held, count, l))
            expected[key] = max(expected.get(key, 0), summed)
    assert {tuple(row[:3]): row[3] for row in found.tolist()} == expected
    assert len(left) == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.sampled_from([1, 3]))
def test_a_hash_table_lists_the_signature_of_every_entry(seed, n_groups, width):
    rng = np.random.default_rng(seed)
    groups = made.ragged_counts(rng, n_groups)
    block_starts, block_l = np.arange(7), rng.integers(0, 4, 6)  # a block for each value
    found, listed = signatures(*groups, block_starts, block_l, width, False, True)
    assert len({tuple(row) for row in found.tolist()}) == len(found)
    for (value, n, count, held), place in zip(entries(*groups), listed.tolist(), strict=True):
        shown = tops(held, count, int(block_l[value]))
        shown = [sum(shown)] if width == 1 else (shown + [0] * width)[:width]
        assert found[place].tolist() == [value, n, count, *shown]


@pytest.mark.parametrize("n_groups", [1, 15])
def test_groups_that_do_not_fit_are_named(n_groups):
    groups = made.ragged_counts(np.random.default_rng(2), n_groups)
    sizes, starts, _, counts = groups
    _, left = narrow_signatures(*groups, np.arange(6), 1, 1, 8, 4, False)
    fits = [
        n - 1 < 8 and counts[starts[g] : starts[g + 1]].max() < 4
        for g, n in enumerate(sizes.tolist())
    ]
    assert left.tolist() == [g for g, is_in in enumerate(fits) if not is_in]
