from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.bit_sets import add_common, cardinalities, ones, pack
from tests.kernels import plain


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(number):
    assert ones(np.uint64(number)) == number.bit_count()


@given(st.integers(1, 140), st.integers(0, 2**32 - 1))
def test_common_numbers_are_those_in_every_chosen_set(size, seed):
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(size, rng.integers(0, size + 1), replace=False)) for _ in range(5)]
    of_entry = np.array([i for i, held in enumerate(sets) for _ in held], dtype=np.int64)
    numbers = np.array([number for held in sets for number in sorted(held)], dtype=np.int64)
    words = pack(of_entry, numbers, 5, size)
    assert cardinalities(words).tolist() == [*map(len, sets), size]

    first, chosen = np.array([0, 2]), rng.integers(-1, 2, (20, 2))  # two collections of sets
    found = np.full(20, 3)
    add_common(words, first, chosen, found)

    everything = set(range(size))
    for got, (one, other) in zip(found - 3, chosen, strict=True):
        left = sets[one] if one >= 0 else everything
        right = sets[2 + other] if other >= 0 else everything
        assert got == len(left & right)
    assert (plain.common(words, first, chosen) == found - 3).all()
