"""Colours exchanged along circles at random, so that every arrangement is equally likely.

Items are arrows between places: an item of one colour points from its left place to its right one,
an item of a second colour back. A circle of arrows visits each place once, by one arrow in and one
out, so exchanging the two colours of all items on it keeps how often each colour occurs at each
place. Place 0 is outside: nothing is counted there, and an item may have it on either side.

A step draws a place and two colours by what is constant, walks along arrows drawn uniformly until a
place repeats, and exchanges the colours on that circle. Reversed, the same circle is drawn with the
same probability: at every place as many arrows lead in as lead out, so the number of arrows that
lead out does not change. Hence steps are symmetric, and of all arrangements that steps can reach
each is equally likely in the long run.

Earned by 40,000 steps among 60,000 items: a hundredth of the time without compiling; a step depends
on the ones before it, so NumPy cannot make them at once.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.compiled import compiled

_SHORT = 64  # items of a place that are all looked at; of more, some are drawn
_DRAWS = 400  # how many are drawn at most


@compiled()
def _leads_out(
    item: int, place: int, n_left: int, ends: IntArray, colour: IntArray, two: IntArray
) -> bool:
    """Whether the arrow of an item leads out of a place."""
    at = colour[item]
    if place == 0:
        return (at == two[0] and ends[0, item] == 0) or (at == two[1] and ends[1, item] == 0)
    return bool(at == two[0]) if place <= n_left else bool(at == two[1])


@compiled()
def _drawn(
    place: int,
    n_left: int,
    ends: IntArray,
    starts: IntArray,
    items: IntArray,
    colour: IntArray,
    two: IntArray,
) -> int:
    """An item whose arrow leads out of a place, each equally likely; -1 where none was found."""
    first, n = starts[place], starts[place + 1] - starts[place]
    if n > _SHORT:
        for _ in range(_DRAWS):
            item = items[first + np.random.randint(n)]  # noqa: NPY002
            if _leads_out(item, place, n_left, ends, colour, two):
                return int(item)
        return -1
    chosen, found = -1, 0
    for k in range(first, first + n):
        if _leads_out(items[k], place, n_left, ends, colour, two):
            found += 1
            if np.random.randint(found) == 0:  # noqa: NPY002
                chosen = items[k]
    return chosen


@compiled()
def exchange_along_circles(
    colour: IntArray,
    ends: IntArray,
    n_left: int,
    starts: IntArray,
    items: IntArray,
    n_steps: int,
    most_walked: int,
    seed: int,
) -> tuple[int, int]:
    """Make steps; change `colour` in place; return how many colours changed, and arrows walked.

    Args:
        colour: of each item.
        ends: 2 × items, the left and the right place of each item; 0 is outside.
        n_left: places 1 to n_left are on the left, those above on the right.
        starts, items: the items at each place (ragged); at place 0 those with one end there.
        most_walked: no further step begins after so many arrows.
    """
    np.random.seed(seed)  # noqa: NPY002
    position = np.full(len(starts) - 1, -1, dtype=np.int64)
    walked_places, walked = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    two = np.empty(2, np.int64)
    n_changed, n_walked = 0, 0
    for _ in range(n_steps):
        if n_walked >= most_walked:
            break
        place = 1 + np.random.randint(n_left)  # noqa: NPY002
        n = starts[place + 1] - starts[place]
        if n < 2:
            continue
        two[0] = colour[items[starts[place] + np.random.randint(n)]]  # noqa: NPY002
        two[1] = colour[items[starts[place] + np.random.randint(n)]]  # noqa: NPY002
        if two[0] == two[1]:
            continue
        length, begin = 0, -1
        while True:
            if position[place] >= 0:
                begin = position[place]
                break
            item = _drawn(place, n_left, ends, starts, items, colour, two)
            if item < 0:
                break
            position[place], walked_places[length], walked[length] = length, place, item
            length += 1
            is_from_left = colour[item] == two[0]
            place = ends[1, item] if is_from_left else ends[0, item]
        n_walked += length
        if begin >= 0:
            for k in range(begin, length):
                item = walked[k]
                colour[item] = two[1] if colour[item] == two[0] else two[0]
            n_changed += length - begin
        for k in range(length):
            position[walked_places[k]] = -1
    return n_changed, n_walked
