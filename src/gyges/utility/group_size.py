"""How large groups are: their average size, and discernibility."""

from __future__ import annotations

import numpy as np

from gyges.utility.grouping import Grouping


def average_group_size(grouping: Grouping) -> float:
    """Published people per group; the larger, the coarser [Chen2009, Sect. 8.4]."""
    return float(grouping.sizes.mean()) if grouping.n_groups else float("nan")


def discernibility(grouping: Grouping) -> int:
    """Σ |G|², and the whole table's size for each suppressed person [Bayardo2005]."""
    sizes = grouping.sizes.astype(object)
    return int(np.sum(sizes * sizes)) + grouping.n_left_out * grouping.n_people
