"""Sets of small numbers as bits of 64-bit words: one AND intersects 64 values at a time.

Words are stored word by word (words × sets), so that a pass over many sets reads one run of
memory for each word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gyges.arrays import IntArray

WordArray: TypeAlias = NDArray[np.uint64]

WORD = 64  # bits in a word
_CHUNK = 1 << 16  # sets intersected in one go: they stay in the cache


def pack(set_of_entry: IntArray, numbers: IntArray, n_sets: int, size: int) -> WordArray:
    """Sets over 0..size-1 as words × (sets + 1); the last set, number -1, is the full one.

    Entry e says that `numbers[e]` is in the set `set_of_entry[e]`; each pair is given once.
    """
    n_words = -(-size // WORD)
    words = np.zeros((n_words, n_sets + 1), dtype=np.uint64)
    bits = np.left_shift(np.uint64(1), (numbers % WORD).astype(np.uint64))
    # Each pair comes once, so adding a bit is the same as setting it.
    np.add.at(words.reshape(-1), numbers // WORD * (n_sets + 1) + set_of_entry, bits)
    everything = np.arange(n_words * WORD).reshape(n_words, WORD) < size
    words[:, -1] = np.packbits(everything, axis=1, bitorder="little").view("<u8").ravel()
    return words


def cardinalities(words: WordArray) -> IntArray:
    """How many numbers each set holds."""
    return np.asarray(np.bitwise_count(words).sum(axis=0), dtype=np.int64)


def add_common(words: Sequence[WordArray], chosen: IntArray, common: IntArray) -> None:
    """Add to `common[i]` how many numbers the sets `words[j][:, chosen[i, j]]` share over all j.

    |⋂_j S_j| one word after another; number -1 is the full set, which takes nothing away.
    """
    for start in range(0, len(chosen), _CHUNK):
        rows = chosen[start : start + _CHUNK]
        places = [np.ascontiguousarray(rows[:, j]) for j in range(rows.shape[1])]
        for w in range(len(words[0])):
            shared = words[0][w][places[0]]
            for j in range(1, len(words)):
                shared &= words[j][w][places[j]]
            common[start : start + _CHUNK] += np.bitwise_count(shared)
