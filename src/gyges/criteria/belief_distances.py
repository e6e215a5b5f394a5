"""The distances of a rule about beliefs: matrices, or words for where a column's own come from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.kernel_columns import read_distances
from gyges.arguments import choice, mapping
from gyges.data.cells import Domain
from gyges.data.distances import check_distances
from gyges.errors import RuleError

# Where a column's distances come from, if a certificate does not state them as numbers.
ORDER, HIERARCHY, EQUAL, UNSTATED = "order", "hierarchy", "equal", "unstated"
DISTANCES_IN_WORDS = {
    ORDER: "distances of {} by its order in the original",
    HIERARCHY: "distances of {} by its hierarchy in the original",
    EQUAL: "equal distances of {}",
    UNSTATED: "distances of {} not stated",
}
DISTANCES_NOT_HERE = {
    ORDER: "the distances of {!r} follow the order of its values, which are not numbers or dates "
    "here: give the original table with its schema",
    HIERARCHY: "the distances of {!r} follow its hierarchy: give the original table with that "
    "hierarchy (--project gyges.toml)",
    EQUAL: "the distances of {!r} are equal, but the given table has an order or a "
    "hierarchy there: give the original table with its schema",
    UNSTATED: "the publisher used distances of {!r} that the certificate does not state",
}


def distances_from(domain: Domain) -> str:
    """The word for where a column's own distances come from."""
    if domain.is_ordered:
        return ORDER
    return EQUAL if domain.ladder is None else HIERARCHY


def stated_distances(distances: object) -> dict[str, ArrayLike | str]:
    """Matrices of distances; with one that is 0 everywhere, nothing would count as learned.

    A certificate may state a word for where the distances come from instead of a matrix.
    """
    named = mapping(distances, "distances", "{column: matrix}")
    words = {str(name): one for name, one in named.items() if isinstance(one, str)}
    for word in words.values():
        choice(word, tuple(DISTANCES_IN_WORDS), "distances: one")
    given = read_distances({name: one for name, one in named.items() if str(name) not in words})
    for name, matrix in given.items():
        n_values = len(np.asarray(matrix))
        checked = check_distances(matrix, n_values, f"the distances of column {name!r}")
        if n_values > 1 and not checked.any():
            raise RuleError(
                f"the distances of column {name!r} are 0 everywhere: all values would be the same; "
                f"give distances above 0, or omit them"
            )
    return {**given, **words}
