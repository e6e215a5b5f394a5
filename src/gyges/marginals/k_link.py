"""k-link anonymity: no view by itself, linked to other data, singles out fewer than k people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gyges.criteria.verdict import Verdict
from gyges.marginals.counts import ViewCounts
from gyges.marginals.induced import Attribute, Resolution
from gyges.marginals.store import CountStore
from gyges.marginals.view_rules import KLink, broken, passed


def least_linked(store: CountStore, resolution: Resolution) -> int:
    """The least number of people in a combination of one view, its sensitive column summed out.

    A view of the sensitive column alone has one combination, the empty one, with everyone.
    """
    return int(store.counts(store.without_sensitive(resolution)).people.min())


def judge_k_link(store: CountStore, views: Sequence[Resolution], k: int) -> Verdict:
    """Judge each view by itself [Kifer2006, Def. 4.1]."""
    rule = KLink(k)
    least = [least_linked(store, view) for view in views]
    if not least:
        return passed(rule, math.inf)
    worst = int(np.argmin(least))
    if least[worst] >= rule.k:
        return passed(rule, least[worst])
    counts = store.counts(store.without_sensitive(views[worst]))
    row = int(np.argmin(counts.people))
    return broken(rule, least[worst], labels_of(counts, row, store.attributes), view=worst)


def labels_of(counts: ViewCounts, row: int, attributes: Sequence[Attribute]) -> dict[str, str]:
    """One combination of a view in labels."""
    return {
        attribute.name: attribute.labels[r][counts.codes[row, place]]
        for place, (attribute, r) in enumerate(zip(attributes, counts.resolution, strict=True))
        if r > 0
    }
