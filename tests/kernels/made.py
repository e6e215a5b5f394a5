"""Arrays as kernels take them, made by chance."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from gyges.kernels.packed_items import COUNT, NO_TREE, VALUE, WEIGHT, pack, put


def ragged_counts(rng, n_groups, n_values=6, most=5):
    """Sizes, starts, value codes and counts of groups with one value a member."""
    held = [
        np.sort(rng.choice(n_values, rng.integers(1, n_values + 1), replace=False))
        for _ in range(n_groups)
    ]
    starts = np.cumsum([0, *map(len, held)])
    codes = np.concatenate(held).astype(np.int32)
    counts = rng.integers(1, most + 1, len(codes))
    sizes = np.add.reduceat(counts, starts[:-1])
    return sizes, starts, codes, counts


def items(codes, weights, values=None, counts=None, n_codes=None, shift=0):
    """Words, fields and columns of items on lines; each field in a word of its own."""
    n, d = codes.shape
    n_fields = d + 4
    fields = np.stack(
        [np.arange(n_fields) * n, np.full(n_fields, shift), np.full(n_fields, (1 << 40) - 1)],
        axis=1,
    )
    words = np.zeros(n_fields * n, dtype=np.int64)
    no_ranks = np.full(d, -1)
    pack(
        words, fields, codes.astype(np.int32), np.zeros(0, dtype=np.int64), no_ranks,
        np.zeros(0, dtype=np.int64), weights, 0, n,
    )  # fmt: skip
    put(words, fields, d + VALUE, np.zeros(n, dtype=np.int64) if values is None else values)
    put(words, fields, d + COUNT, weights if counts is None else counts)
    size = int(codes.max()) + 1 if n_codes is None else n_codes
    columns = np.array([(NO_TREE, j * (size + 1), size) for j in range(d)], dtype=np.int64)
    places = np.tile(np.append(size - 1.0, np.arange(size)), d)
    runs = np.zeros((2, 0, 0, 0), dtype=np.int64)
    return words, fields, columns, places, runs


def read(words, fields, field, n):
    """One field of all items."""
    base, shift, mask = fields[field]
    return (words[base : base + n] >> shift) & mask


@st.composite
def tables(draw, max_items=30, max_columns=3, max_code=6):
    """Codes and weights of a few items."""
    n, d = draw(st.integers(1, max_items)), draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.integers(0, max_code, (n, d)), rng.integers(1, 4, n)


@st.composite
def choices(draw, max_choosers=5, max_values=3, share_of_zeros=0.4):
    """Probabilities, repeats and totals that some arrangement meets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    repeats = rng.integers(1, 3, draw(st.integers(1, max_choosers - 2)))
    held = rng.integers(0, draw(st.integers(1, max_values)), repeats.sum())
    _, held = np.unique(held, return_inverse=True)
    m = held.max() + 1
    p = rng.dirichlet(np.ones(m), len(repeats)) * (rng.random((len(repeats), m)) > share_of_zeros)
    p[np.repeat(np.arange(len(repeats)), repeats), held] += 0.2
    return p / p.sum(axis=1, keepdims=True), repeats, np.bincount(held)


__all__ = ["WEIGHT", "choices", "items", "ragged_counts", "read", "tables"]
