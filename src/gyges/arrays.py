"""Names for array types: a signature says what an array holds, docstrings give the shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
CodeArray: TypeAlias = NDArray[np.int32]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]


def frozen(array: NDArray[np.generic]) -> None:
    """Make an array read-only: data classes store no array that somebody else may change."""
    array.setflags(write=False)


def lengths_of(starts: IntArray) -> IntArray:
    """How long the stretches `starts[i]:starts[i+1]` are."""
    return starts[1:] - starts[:-1]


def starts_of(lengths: Sequence[int] | NDArray[np.integer | np.bool_]) -> IntArray:
    """Where stretches of these lengths begin that follow each other, and where the last ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
