"""Which columns a row may hide: sets of columns, in the order in which a search tries them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gyges.arrays import BoolArray, FloatArray
from gyges.data.cells import Cells

_MOST = 1 << 12  # sets of columns; of more columns only the smallest and largest sets are tried


def masks_of(
    cells: Cells, costs: FloatArray, rng: np.random.Generator | None = None
) -> list[BoolArray]:
    """Sets of columns to hide (masks × columns), the cheapest first; nothing and everything too.

    Of equally expensive ones those come first that hide columns of many different values: more
    rows then agree in the rest. With `rng` that order is disturbed.
    """
    present = [int(domain.present.sum()) for domain in cells.domains]
    width = np.log(np.maximum(present, 1))
    masks = _all(len(costs)) if are_all(len(costs)) else _some(len(costs), width)
    noise = np.zeros(len(masks)) if rng is None else rng.uniform(0, 2, len(masks))
    score = masks.astype(np.float64) @ width + noise
    # A column may cost nothing: of two such sets the one that hides less comes first.
    order = np.lexsort((-score, masks.sum(axis=1), np.round(masks @ costs, 9)))
    return list(masks[order])


def are_all(n_columns: int) -> bool:
    """Whether every set of this many columns is tried."""
    return 1 << n_columns <= _MOST


def _all(n: int) -> BoolArray:
    return np.asarray(np.arange(1 << n)[:, np.newaxis] >> np.arange(n) & 1, dtype=bool)


def _some(n: int, width: FloatArray) -> BoolArray:
    """The sets of few columns, those of all but few, and between them the widest columns."""
    masks: list[BoolArray] = []
    for size in range(n + 1):
        of_size = [np.isin(np.arange(n), chosen) for chosen in combinations(range(n), size)]
        if len(masks) + len(of_size) > _MOST // 2:
            break
        masks += of_size
    widest_first = np.argsort(np.argsort(-width, kind="stable"))
    between = [widest_first < size for size in range(n + 1)]
    return np.unique([*masks, *(~mask for mask in masks), *between], axis=0)
