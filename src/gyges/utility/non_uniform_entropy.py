"""Non-uniform entropy: the bits that a reader lacks to know the original values."""

from __future__ import annotations

import math

import numpy as np

from gyges.arrays import FloatArray
from gyges.utility.grouping import Grouping
from gyges.utility.label_values import label_values


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


def people_covered(grouping: Grouping, column: int, people: FloatArray) -> FloatArray:
    """How many people have a value that each group's label covers; `people` has one entry per code.

    A difference of running totals along the labels' order: half a million values in 100,000 groups
    would be billions of pairs.
    """
    shown = label_values(grouping, column)
    running = np.concatenate([[0.0], np.cumsum(people[shown.order])])
    return np.asarray((running[shown.ends] - running[shown.begins])[shown.of_group])
