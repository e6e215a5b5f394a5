"""Points of a skyline: thinned out as the definition says, in time, and no more than a bound."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.skyline_points import MOST_POINTS, Point, undominated
from gyges.errors import RuleError

amounts = st.sampled_from([0, 1, 2, math.inf])
points = st.builds(Point, amounts, amounts, amounts, st.sampled_from([Fraction(1, 2), Fraction(1)]))


def implies(one, other):
    """At least as much knowledge, at most the confidence [Chen2009, Sect. 4.2]."""
    return all(a >= b for a, b in zip(one[:3], other[:3], strict=True)) and one.c <= other.c


@given(st.lists(points, max_size=12))
def test_points_that_others_imply_are_dropped(listed):
    kept, dropped = [], []
    for place, point in enumerate(listed):
        rivals = [
            other
            for there, other in enumerate(listed)
            if there != place and implies(other, point) and (other != point or there < place)
        ]
        if rivals:
            dropped.append((point, max(rivals, key=lambda other: (*other[:3], -other.c))))
        else:
            kept.append(point)
    assert undominated(listed) == (tuple(kept), dropped)


def test_many_points_take_seconds_and_more_are_refused():
    start = time.process_time()
    many = [(i, MOST_POINTS - i, i % 7, "1/2") for i in range(MOST_POINTS)]
    assert len(gy.Skyline({"*": many}).points["*"]) == MOST_POINTS
    assert time.process_time() - start < 30
    with pytest.raises(RuleError, match="more than 10,000 points"):
        gy.Skyline({"a": many, "b": many[:1]})
