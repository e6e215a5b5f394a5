"""SkylineFind: the border between what an attacker may know and what is too much.

For one l the safe (k, m) are a staircase. Its corners are found one after another: from a corner
upwards in m, then down in k, each step by doubling and halving. Staircases shrink as l grows, so
that between two equal ones nothing changes. [Chen2009, Fig. 5] tries every l and every m instead.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np

from gyges.adversaries.dimension_formulas import Quotient
from gyges.adversaries.dimension_statistics import KINDS, Watch, found_signatures, minima_of
from gyges.data.schema import ValuesPerPerson
from gyges.kernels.frontier import staircase, undominated
from gyges.kernels.log_ratios import ONE
from gyges.release.groups import Groups

Amounts: TypeAlias = tuple[float, float, float]  # l, k, m; math.inf: no limit
Corners: TypeAlias = tuple[tuple[int, int], ...]  # k, m


def frontier(groups: Groups, code: int, c: Fraction) -> list[Amounts]:
    """The maximal amounts (l, k, m) whose breach probability for one value is below c."""
    groups = groups.take(np.unique(groups.group_of_entry[groups.value_codes == code]))
    if len(groups) == 0:
        return [(math.inf, math.inf, math.inf)]
    kind = KINDS[groups.values_per_person]
    most = int(groups.n_distinct.max()) - 1  # no group with the value has more others

    @cache
    def corners(l: int) -> Corners:
        return _staircase(groups, code, l, c)

    points: list[Amounts] = []
    for l, following in _steps(corners, 0, most):
        name = math.inf if l == most and kind != ONE else l
        points += [(name, k, m) for k, m in corners(l) if not _is_beneath(k, m, following)]
    return sorted(points)


def _is_beneath(k: int, m: int, corners: Corners) -> bool:
    """Whether (k, m) is safe on a staircase: of the corners with at least k the last counts."""
    place = bisect_right(corners, -k, key=lambda corner: -corner[0])
    return place > 0 and m <= corners[place - 1][1]


def _steps(corners: Callable[[int], Corners], first: int, last: int) -> list[tuple[int, Corners]]:
    """Each l after which the staircase changes, with the next staircase (none after the last)."""
    changes: list[tuple[int, Corners]] = [(last, ())]
    pending = [(first, last)]
    while pending:
        low, high = pending.pop()
        if low == high or corners(low) == corners(high):
            continue
        if high - low == 1:
            changes.append((low, corners(high)))
        else:
            middle = (low + high) // 2
            pending += [(low, middle), (middle, high)]
    return changes


def _staircase(groups: Groups, code: int, l: int, c: Fraction) -> Corners:
    """The maximal (k, m) that are safe together with l values, k falling and m rising.

    The kernel stops where floats cannot decide, and continues after fractions have.
    """
    kind = KINDS[groups.values_per_person]
    found = found_signatures(groups, Watch.of(groups.values, [(code, l, 0, 0)]))
    columns = [-found[:, i] for i in range(found.shape[1] - 1, 1, -1)]
    found = undominated(found[np.lexsort([*columns, found[:, 1]])])
    limit = (1 - c) / c
    log_limit = math.log(limit.numerator) - math.log(limit.denominator) if limit else -math.inf
    corners: list[tuple[int, int]] = []
    settled: list[tuple[int, int, int]] = []
    place = np.array([-1, -1])
    while True:
        known = np.array(settled, dtype=np.int64).reshape(-1, 3)
        more, place, (k, m) = staircase(kind, found, log_limit, known, *place)
        corners += map(tuple, more.tolist())
        if k < 0:
            return tuple(corners)
        watch = Watch.of(groups.values, [(code, l, int(k), int(m))])
        ratio = minima_of(found, watch, kind).ratio(0)
        is_safe = ratio is None or Quotient.of(limit) < ratio
        settled = [*(settled if len(more) == 0 else []), (int(k), int(m), 1 if is_safe else -1)]


def kinds_of_knowledge(values_per_person: ValuesPerPerson) -> tuple[str, str, str]:
    """What l, k and m count, as headings; several values per person change the first two.

    >>> kinds_of_knowledge("one")
    ('values the target does not have', 'other people', 'relatives')
    """
    if values_per_person == "one":
        return "values the target does not have", "other people", "relatives"
    return "values that imply this one", "other people who do not have it", "relatives"


def explain_point(point: Amounts, values_per_person: ValuesPerPerson = "one") -> str:
    """A point of a knowledge skyline in one sentence.

    >>> print(explain_point((2, 1, 3)))
    safe as long as the attacker knows at most 2 values that the target does not have, the value \
of at most 1 other person and at most 3 relatives of the target
    >>> print(explain_point((0, 4, 0)))
    safe as long as the attacker knows the values of at most 4 other people
    """
    l, k, m = point
    if math.inf in (k, m):
        return "safe whatever the attacker knows: nobody has the value"
    known = _in_words(l, k, m, values_per_person)
    if not known:
        return "safe as long as the attacker knows nothing but the release"
    *first, last = known
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"safe as long as the attacker knows {listed}"


def _in_words(l: float, k: float, m: float, values_per_person: ValuesPerPerson) -> list[str]:
    values = "any values" if l == math.inf else f"at most {_counted(l, 'value', 'values')}"
    people = f"at most {_counted(k, 'other person', 'other people')}"
    relatives = f"at most {_counted(m, 'relative', 'relatives')} of the target"
    if values_per_person == "one":
        about_target = f"{values} that the target does not have"
        about_others = f"the {'value' if k == 1 else 'values'} of {people}"
    else:
        about_target = f"{values} that {'implies' if l == 1 else 'imply'} this one for the target"
        about_others = f"{people} who {'does' if k == 1 else 'do'} not have the value"
    parts = [(l, about_target), (k, about_others), (m, relatives)]
    return [words for amount, words in parts if amount]


def _counted(amount: float, one: str, several: str) -> str:
    return f"{amount:,} {one if amount == 1 else several}"
