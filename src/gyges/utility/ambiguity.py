"""Ambiguity: how many different original rows a published row could stand for."""

from __future__ import annotations

import math

import numpy as np

from gyges.utility.grouping import Grouping
from gyges.utility.loss import column_loss


def ambiguity(grouping: Grouping) -> float:
    """Σ over people of Π over columns of the values that their label covers [Goldberger2010].

    The number of people where everything is published exactly. A suppressed person may have any
    combination of the columns' values. Infinite where a float cannot hold it: 1,000 columns.
    """
    domains = grouping.cells.domains
    product = grouping.sizes.astype(np.float64)
    for column, domain in enumerate(domains):
        # The loss of a label is (values covered - 1)/(values - 1).
        with np.errstate(over="ignore"):
            product *= np.rint(column_loss(grouping, column) * max(len(domain) - 1, 1)) + 1
    shown = float(product.sum())
    if not grouping.n_left_out:
        return shown
    return shown + grouping.n_left_out * math.prod(float(len(domain)) for domain in domains)
