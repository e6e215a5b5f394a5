"""Names for array types: a signature says what an array holds, docstrings give the shape."""

from __future__ import annotations

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
