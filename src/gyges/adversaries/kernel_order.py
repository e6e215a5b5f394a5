"""In which order to sum over the columns: the cost of the kernel average depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

_MOST_COLUMNS_COMPARED = 10  # up to here every order is compared, through 2^columns sets


def elimination_order(sizes: Sequence[int], n_cells: int) -> list[int]:
    """The order of columns with the fewest steps Σ_i P_i · X_(i-1), as far as sizes tell.

    P_i distinct beginnings of i columns, X_(i-1) distinct endings from column i on; both are at
    most the product of the columns' sizes and the number of cells. An order and its reverse take
    equally many steps.

    >>> elimination_order([50, 2, 3], 100)
    [0, 2, 1]
    """
    columns = range(len(sizes))
    if len(sizes) > _MOST_COLUMNS_COMPARED:
        return sorted(columns, key=lambda i: sizes[i])
    best: dict[frozenset[int], tuple[int, list[int]]] = {frozenset(): (0, [])}
    for length in range(len(sizes)):
        for done in map(frozenset, combinations(columns, length)):
            cost, order = best[done]
            endings = min(n_cells, prod(sizes[i] for i in columns if i not in done))
            for column in columns:
                if column in done:
                    continue
                longer = done | {column}
                beginnings = min(n_cells, prod(sizes[i] for i in longer))
                steps = cost + beginnings * endings
                if longer not in best or steps < best[longer][0]:
                    best[longer] = (steps, [*order, column])
    return best[frozenset(columns)][1]
