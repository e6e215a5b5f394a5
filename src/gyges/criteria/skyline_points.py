"""The points of a skyline: read, reduced to those that matter, listed for each value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gyges.adversaries.dimension_formulas import Quotient
from gyges.adversaries.dimension_statistics import Watch, code_of
from gyges.arguments import items
from gyges.arrays import FloatArray, IntArray
from gyges.data.values import Value
from gyges.errors import RuleError
from gyges.exact import Number, amount, probability

OTHERS = "*"  # every value of the release without an entry of its own
MOST_POINTS = 10_000  # of a skyline, all values together
_MOST_ROWS = 1_000_000  # of all values of a release together


class Point(NamedTuple):
    """An amount of knowledge, and the confidence that an attacker with it must not reach."""

    l: float  # values that the target does not have; math.inf: any number
    k: float  # other people
    m: float  # relatives
    c: Fraction

    def __str__(self) -> str:
        return f"({self.l}, {self.k}, {self.m})"


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A skyline for the values of one release: a row for each value and point."""

    watch: Watch
    points: list[Point]  # rows
    limits: list[Quotient]  # rows: the negated ratio that must be exceeded, (1 - c) / c
    log_limits: FloatArray  # rows
    confidences: FloatArray  # rows


def read_points(
    value: Value, listed: Iterable[Sequence[Number]], at_most: int = MOST_POINTS
) -> list[Point]:
    """The points of one value; an error says what is wrong with them."""
    form = f"the skyline of {value!r}: give a list of (l, k, m, c), such as [(1, 5, 2, '0.5')]"
    if isinstance(listed, (str, bytes, Mapping)) or not isinstance(listed, Iterable):
        raise RuleError(form)
    points: list[Point] = []
    for entry in items(listed, f"the skyline of {value!r}", "(l, k, m, c)"):
        if len(points) == at_most:
            raise RuleError(f"the skyline has more than {MOST_POINTS:,} points: give fewer")
        if isinstance(entry, (str, bytes, Mapping)) or not isinstance(entry, Sequence):
            raise RuleError(form)
        if len(entry) != 4:
            raise RuleError(f"{form}; one entry has {len(entry)} parts")
        l, k, m = (amount(entry[i], f"{'lkm'[i]} of {value!r}") for i in range(3))
        c = probability(entry[3], f"the confidence of {value!r}")
        if c == 0:
            raise RuleError(
                f"the confidence of {value!r} is 0: no probability is below 0, give more"
            )
        points.append(Point(l, k, m, c))
    return points


def undominated(points: Sequence[Point]) -> tuple[tuple[Point, ...], list[tuple[Point, Point]]]:
    """The points that no other implies, and the others, each with one that implies it.

    A point implies another that requires no more [Chen2009, Sect. 4.2].

    A point that implies another comes before it in the order of (l, k, m, -c), and the first of
    them is itself implied by none. So each point is compared with those kept before it, by their
    ranks: exactly, and with whole arrays.
    """
    n = len(points)
    ranks = np.stack([_ranks([_required(point)[part] for point in points]) for part in range(4)], 1)
    kept: list[int] = []
    frontier, implied_by = np.empty((n, 4), dtype=np.int64), [-1] * n
    for place in sorted(range(n), key=lambda place: _required(points[place]), reverse=True):
        first = (frontier[: len(kept)] >= ranks[place]).all(axis=1)
        if first.any():
            implied_by[place] = kept[int(first.argmax())]
        else:
            frontier[len(kept)] = ranks[place]
            kept.append(place)
    dropped = [(points[p], points[other]) for p, other in enumerate(implied_by) if other >= 0]
    return tuple(points[place] for place in sorted(kept)), dropped


def _required(point: Point) -> tuple[float, float, float, Fraction]:
    """What a point requires: more of each is more."""
    return (*point[:3], -point.c)


def _ranks(numbers: Sequence[float | Fraction]) -> IntArray:
    rank = {number: place for place, number in enumerate(sorted(set(numbers)))}
    return np.array([rank[number] for number in numbers], dtype=np.int64)


def laid_out(points: Mapping[str, tuple[Point, ...]], values: list[Value]) -> Plan:
    """Rows for all values of a release; a value of the skyline that does not occur has none."""
    own: dict[int, tuple[Point, ...]] = {}
    for value, listed in points.items():
        code = None if value == OTHERS else code_of(values, value)
        if code is not None:
            own[code] = listed
    default = points.get(OTHERS, ())
    n_rows = sum(len(own.get(code, default)) for code in range(len(values)))
    if n_rows > _MOST_ROWS:
        raise RuleError(
            f"the skyline has {n_rows:,} points for the values of this release, and at most "
            f"{_MOST_ROWS:,} can be checked: give fewer points"
        )
    given = [(code, point) for code in range(len(values)) for point in own.get(code, default)]
    watch = Watch.of(values, [(code, *point[:3]) for code, point in given])
    rows = [given[place][1] for place in watch.places]
    limits = [(1 - point.c) / point.c for point in rows]
    return Plan(
        watch=watch,
        points=rows,
        limits=[Quotient.of(limit) for limit in limits],
        log_limits=np.array([_log(limit) for limit in limits], dtype=np.float64),
        confidences=np.array([float(point.c) for point in rows], dtype=np.float64),
    )


def _log(number: Fraction) -> float:
    if number == 0:
        return -math.inf
    return math.log(number.numerator) - math.log(number.denominator)
