"""KL-divergence between the table and what a reader of the release would estimate."""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray
from gyges.ragged import Ragged
from gyges.utility.grouping import Grouping


def kl_divergence(grouping: Grouping) -> float:
    """Σ p(x,s) ln p(x,s)/p*(x,s) over the published people [Chen2009, Sect. 8.4].

    p*(x,s) = Σ_G n_{x,G}/n · n_{s,G}/|G|, which is the paper's p*(x)·p*(s|x) where all people with
    the same x are in one group. One value per person.
    """
    cells, n = grouping.cells, int(grouping.sizes.sum())
    estimate = estimated_counts(grouping)
    count = cells.value_counts.astype(np.float64)
    seen = estimate > 0  # an entry is unseen only if all its people are suppressed
    share = count[seen] / count[seen].sum()
    return float(np.sum(share * np.log(share / (estimate[seen] / n))))


def estimated_counts(grouping: Grouping) -> FloatArray:
    """Σ_G n_{x,G} · n_{s,G}/|G| for each entry (x, s) of the cells."""
    cells, groups = grouping.cells, grouping.groups
    n_values = max(len(groups.values), 1)
    parts = Ragged.group_by(grouping.cell, len(cells)).take(cells.cell_of_entry)
    entry, part = parts.segment_of_value, parts.values
    keys = groups.group_of_entry * n_values + groups.value_codes
    asked = grouping.group[part] * n_values + cells.value_codes[entry]
    place = np.minimum(np.searchsorted(keys, asked), max(len(keys) - 1, 0))
    found = np.where(keys[place] == asked, groups.value_counts[place], 0)
    share = found / groups.sizes[grouping.group[part]]
    summed = np.bincount(
        entry, weights=grouping.people[part] * share, minlength=len(cells.value_codes)
    )
    return np.asarray(summed, dtype=np.float64)
