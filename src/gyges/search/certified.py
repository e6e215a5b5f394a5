"""Certify the groups that a search ended with, and cut again where they only seemed safe.

While it cuts, a search may follow an estimate (`may_hold`). In the end every group is certified.
A group that fails is refused from then on, and the group that it was cut from is cut again: in
another column, or not at all. If a part fails again after that, this group is refused too and the
one above it is cut again, and so on. Only branches with a refused group are searched again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.search.descent import Descent
from gyges.search.levels import Segments


def certified(descent: Descent[Segments], found: Segments) -> Segments:
    """The groups of a finished descent, each certified unless only one group is left."""
    if not descent.acceptance.guessed:
        return found
    branches = _Branches(descent)
    good = branches.certify(found)
    while not good.all():
        wider = branches.above(found.take(~good))
        if len(wider) == 0:
            return found
        stays = _is_apart(found, wider)
        anew = branches.cut_again(wider)
        good = np.concatenate([good[stays], branches.certify(anew)])
        found = Segments.concatenated([found.take(stays), anew])
    return found


@dataclass
class _Branches:
    """A finished descent, some branches of which are cut again."""

    descent: Descent[Segments]
    certain: set[int] = field(default_factory=set)  # marks of groups that certainly hold
    recut: set[tuple[int, int]] = field(default_factory=set)  # segments that were cut again

    def certify(self, groups: Segments) -> BoolArray:
        """Which groups certainly satisfy every rule; the others are refused from now on."""
        acceptance = self.descent.acceptance
        counted = self.descent.counter.batch(self.descent.items, groups)
        marks = acceptance.marks_of(counted)
        good = np.isin(marks, list(self.certain))
        unknown = np.flatnonzero(~good)
        good[unknown] = True
        for rule in acceptance.guessed:
            left = unknown[good[unknown]]
            good[left] = rule.holds_each(counted.take(left))
        self.certain.update(marks[good].tolist())
        acceptance.refused.update(marks[~good].tolist())
        return good

    def above(self, groups: Segments) -> Segments:
        """For each group the nearest that it was cut from and that was not yet cut again.

        Nearer ones are refused. If all were cut again, it is the nearest. The result is sorted,
        and none is inside another.
        """
        divided = Segments.concatenated(
            [groups.take(np.zeros(0, dtype=np.int64)), *self.descent.divided]
        )
        chosen: set[int] = set()
        passed: set[int] = set()
        for start, end in zip(groups.starts.tolist(), groups.ends.tolist(), strict=True):
            around = np.flatnonzero((divided.starts <= start) & (end <= divided.ends))
            around = around[np.argsort(divided.ends[around] - divided.starts[around])]
            fresh = [x for x in around.tolist() if _segment(divided, x) not in self.recut]
            chosen.update(fresh[:1] or around[:1].tolist())
            passed.update(around[: around.tolist().index(fresh[0])].tolist() if fresh else [])
        for place in sorted(passed):  # one may be inside another: a batch has each cell once
            self._refuse(divided.take(np.array([place])))
        return _outermost(divided.take(np.array(sorted(chosen), dtype=np.int64)))

    def _refuse(self, groups: Segments) -> None:
        counted = self.descent.counter.batch(self.descent.items, groups)
        acceptance = self.descent.acceptance
        acceptance.refused.update(acceptance.marks_of(counted).tolist())

    def cut_again(self, groups: Segments) -> Segments:
        """Cut these groups of the items to the end, and remember how."""
        divided = Segments.concatenated(self.descent.divided)
        kept = divided.take(_is_apart(divided, groups))
        outside = {_segment(kept, x) for x in range(len(kept))}
        self.recut = (self.recut & outside) | {_segment(groups, x) for x in range(len(groups))}
        descent = self.descent
        descent.level, descent.closed, descent.divided = groups, [], [kept]
        descent.finish()
        return Segments.concatenated(descent.closed)


def _segment(groups: Segments, place: int) -> tuple[int, int]:
    return int(groups.starts[place]), int(groups.ends[place])


def _outermost(groups: Segments) -> Segments:
    """Of groups that are apart or one inside the other, those that are in no other, sorted."""
    order: IntArray = np.lexsort((-groups.ends, groups.starts))
    reached = np.append(0, np.maximum.accumulate(groups.ends[order]))[: len(order)]
    return groups.take(order[groups.starts[order] >= reached])


def _is_apart(groups: Segments, wider: Segments) -> BoolArray:
    """Which groups are not inside one of these, which are sorted and apart."""
    place = np.searchsorted(wider.starts, groups.starts, side="right") - 1
    return np.asarray((place < 0) | (groups.ends > wider.ends[place]))
