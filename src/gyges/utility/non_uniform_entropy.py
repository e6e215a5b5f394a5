"""Non-uniform entropy: the bits that a reader lacks to know the original values."""

from __future__ import annotations

import math

import numpy as np

from gyges.utility.grouping import Grouping
from gyges.utility.regions import people_covered


def non_uniform_entropy(grouping: Grouping) -> float:
    """Σ over people and columns of -log2 Pr(value | label) [DeWaal1999].

    Pr(value | label) is how many people of the table have the value, over how many have a value
    that the label covers. A suppressed person's label covers every value.
    """
    cells, bits = grouping.cells, 0.0
    everyone = math.log2(max(cells.n_people, 1))
    for column, domain in enumerate(cells.domains):
        codes, weights = cells.codes[:, column], cells.people.astype(np.float64)
        people = np.asarray(np.bincount(codes, weights, minlength=len(domain)), dtype=np.float64)
        held = people[people > 0]
        under = np.log2(people_covered(grouping, column, people))
        bits += float(under @ grouping.sizes) + grouping.n_left_out * everyone
        bits -= float(held @ np.log2(held))
    return bits
