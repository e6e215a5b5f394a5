"""Names for array types: the type says what an array holds, docstrings give the shape."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
CodeArray: TypeAlias = NDArray[np.int32]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
TextArray: TypeAlias = NDArray[np.str_]


def frozen(*arrays: NDArray[np.generic]) -> None:
    """Make arrays read-only, so that no caller can change what a data class stores."""
    for array in arrays:
        array.setflags(write=False)


def distinct(keys: IntArray) -> IntArray:
    """The different keys in ascending order; `np.unique` takes up to ten times as long.

    It hashes before it sorts, which pays where few keys differ: pairs of numbers usually do.
    """
    ordered = np.sort(keys, axis=None)
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def distinct_pairs(
    one: IntArray | CodeArray, other: IntArray | CodeArray
) -> tuple[IntArray, IntArray]:
    """The different pairs of two arrays of codes, sorted by the first code, then by the second."""
    width = int(other.max(initial=0)) + 1
    return np.divmod(distinct(one.astype(np.int64, copy=False) * width + other), width)
