"""Exchanges along circles: against every arrangement of a few items, each equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from gyges.kernels.circle_exchanges import exchange_along_circles
from gyges.ragged import Ragged


def listed(ends):
    """The items at each place; outside those with one end there."""
    item = np.arange(ends.shape[1])
    one_end = (ends == 0).sum(axis=0) == 1
    place = np.concatenate([np.where(ends[side] > 0, ends[side], -1) for side in (0, 1)])
    place = np.concatenate([place, np.where(one_end, 0, -1)])
    grouped = Ragged.group_by(place, int(ends.max()) + 1)
    return grouped.of(np.tile(item, 3))


def counts(colour, ends):
    """How often each colour occurs at each place that is not outside."""
    return Counter(
        (place, int(c)) for side in ends for place, c in zip(side, colour, strict=True) if place
    )


# Left places are 1 and 2, right ones 3 and 4; 0 is outside.
SYSTEMS = [
    ([1, 1, 2, 2], [3, 4, 3, 4], [0, 1, 1, 0]),
    ([1, 1, 1, 2, 2, 2], [3, 3, 4, 3, 4, 4], [0, 1, 2, 1, 0, 2]),
    ([1, 1, 0], [3, 0, 3], [0, 1, 1]),
    ([1, 1, 2, 2, 0, 0], [3, 0, 3, 4, 4, 3], [0, 1, 1, 0, 1, 0]),
    ([1, 1, 1, 2, 2, 0, 0], [3, 4, 0, 3, 0, 4, 3], [0, 1, 1, 0, 0, 0, 1]),
]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_arrangement_is_equally_likely(system):
    """Drawn by many steps from one of them, against those that keep all counts."""
    left, right, colour = (np.array(one) for one in system)
    ends = np.stack([left, right])
    wanted = counts(colour, ends)
    possible = [one for one in product(range(3), repeat=len(colour)) if counts(one, ends) == wanted]
    places = listed(ends)
    seen: Counter[tuple[int, ...]] = Counter()
    for seed in range(400 * len(possible)):
        exchange_along_circles(colour, ends, 2, places.starts, places.values, 20, 10**6, seed)
        assert counts(colour, ends) == wanted
        seen[tuple(colour.tolist())] += 1
    assert set(seen) == set(possible)
    assert chisquare([seen[one] for one in possible]).pvalue > 1e-4


def test_many_items_at_a_place_are_drawn_and_all_counts_stay():
    """Above 64 items at a place some are drawn instead of looking at all."""
    rng = np.random.default_rng(0)
    n = 2_000
    ends = np.stack([rng.integers(0, 6, n), rng.integers(5, 11, n)])
    ends[1][ends[1] == 5] = 0
    colour, places = rng.integers(0, 4, n), listed(ends)
    before, first = counts(colour, ends), colour.copy()
    changed, walked = exchange_along_circles(
        colour, ends, 5, places.starts, places.values, 5_000, 10**9, 1
    )
    assert counts(colour, ends) == before and walked >= changed > 5_000
    assert (colour != first).mean() > 0.4


def test_no_step_begins_after_the_most_that_may_be_walked():
    left, right, colour = (np.array(one) for one in SYSTEMS[0])
    ends = np.stack([left, right])
    places = listed(ends)
    given = (colour, ends, 2, places.starts, places.values, 1_000)
    assert exchange_along_circles(*given, 0, 0) == (0, 0)
    assert exchange_along_circles(*given, 10, 0)[1] < 10 + len(colour)
