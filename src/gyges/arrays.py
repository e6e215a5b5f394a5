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
