"""What the labels of a release prove about exact quasi-identifiers: the downcoding attack.

The attacker does not know the quasi-identifiers and replaces some labels by finer ones that are
certainly true [Cohen2022]. Two sources:

- A label is the narrowest that is true of its group. Every value of a set occurs in the group, and
  two values or two children of a hierarchy's node occur at least; where there are only two, both.
- The search cuts as long as every side keeps k people. In a group that it left with 2k people or
  more, most people share a value, or a child of the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gyges.arrays import distinct_pairs
from gyges.data.hierarchy import Ladder
from gyges.data.hierarchy_rules import TOP
from gyges.release.groups import FROM_0
from gyges.release.set_labels import members_of

_WHOLE_NUMBERS = re.compile(r"(\d{1,15})-(\d{1,15})")


@dataclass(frozen=True, slots=True)
class ColumnLabels:
    """One column of a release: the label of each group, and how labels of the column are made."""

    name: str
    labels: Sequence[str]
    is_ordered: bool  # numbers and dates: ranges
    children: Mapping[str, int] | None = None  # of each label of the hierarchy, where there is one
    # Some values are missing that may be any value: then `*` is not the narrowest label of a group.
    has_gaps: bool = False

    def n_certain(self) -> list[int]:
        """For each group, how many different values or children certainly occur in it."""
        known = self._values_seen()
        certain = {label: self._certain(label, known) for label in set(self.labels)}
        return [certain[label] for label in self.labels]

    def _certain(self, label: str, known: int) -> int:
        if self.has_gaps and label == TOP:
            return 0
        if self.is_ordered:
            return 2 if _spans_two(label) else 0
        if self.children is not None:
            return 2 if self.children.get(label) == 2 else 0
        if label == TOP:  # every value of the table occurs in the group
            return known
        members = members_of(label) or []
        return len(members) if len(members) > 1 else 0

    def _values_seen(self) -> int:
        """How many values the labels of all groups name, in a column of sets."""
        if self.is_ordered or self.children is not None:
            return 0
        named = (members_of(label) or [label] for label in set(self.labels) - {TOP})
        return len({value for values in named for value in values})

    def is_exact(self, label: str) -> bool:
        """Whether a label may be a single value, so that nothing finer can be proven."""
        if self.has_gaps and label == TOP:
            return True
        if self.is_ordered:
            is_range = ".." in label or label[:1] == "[" or _WHOLE_NUMBERS.fullmatch(label)
            return not is_range
        if self.children is not None:
            return label not in self.children
        return label != TOP and len(members_of(label) or [""]) == 1

    def n_crowded(self, label: str, people: int, k: int) -> int:
        """How many of a group's people certainly share a value (or a child); 0 if unknown.

        On a line no cut leaves k people on both sides. So fewer than k are below some value and
        fewer than k above it. In a tree either every child has fewer than k people, or one child
        has all but at most k - 1.
        """
        if people < 2 * k or self.is_exact(label):
            return 0
        if self.children is None:
            return people - 2 * (k - 1)
        return people - (k - 1) if self.children[label] * (k - 1) < people else 0


@dataclass(frozen=True, slots=True)
class Crowd:
    """People of one group who certainly share a value that its label does not show."""

    group: int = field(metadata=FROM_0)
    column: str
    people: int
    group_size: int

    def __str__(self) -> str:
        return (
            f"In group {self.group + 1}, at least {self.people:,} of {self.group_size:,} people "
            f"share one value of {self.column}, or one label below the published one."
        )


@dataclass(frozen=True, slots=True)
class FinerValues:
    """What the labels prove beyond what they say."""

    n_people: int
    n_refined: int  # people for whom a finer row than the published one is certainly true
    n_cells: int  # labels that can be replaced by a finer one, each of a different person
    n_resolved: int  # people of groups in which every person's value of some column is known
    crowds: tuple[Crowd, ...] = ()  # the largest of each group


def finer_values(
    columns: Sequence[ColumnLabels], sizes: Sequence[int], k: int | None
) -> FinerValues:
    """Count what labels prove; `k` where the rules ask for nothing else than groups of k.

    In one column the values that certainly occur belong to different people. In two columns they
    may belong to the same person, so for people only the best column of a group counts.
    """
    certain = np.array([column.n_certain() for column in columns], dtype=np.int64)
    certain = np.minimum(certain.reshape(len(columns), len(sizes)), np.asarray(sizes))
    best = certain.max(axis=0, initial=0)
    return FinerValues(
        n_people=int(np.sum(sizes)),
        n_refined=int(best.sum()),
        n_cells=int(certain.sum()),
        n_resolved=int(np.asarray(sizes)[best == np.asarray(sizes)].sum()),
        crowds=() if k is None else tuple(_crowds(columns, sizes, k)),
    )


def _crowds(columns: Sequence[ColumnLabels], sizes: Sequence[int], k: int) -> Iterable[Crowd]:
    for group, size in enumerate(sizes):
        found = [(one.n_crowded(one.labels[group], size, k), one.name) for one in columns]
        people, name = max(found, key=lambda pair: pair[0], default=(0, ""))
        if people > 1:
            yield Crowd(group, name, int(people), int(size))


def children_of_labels(ladder: Ladder) -> dict[str, int]:
    """How many children each label has that covers several; a padded label counts once."""
    found: dict[str, int] = {}
    for level in range(ladder.height, 0, -1):
        above, below = ladder.ancestors[level], ladder.ancestors[level - 1]
        pairs = distinct_pairs(above, below)[0]
        for node, n_children in zip(*np.unique(pairs, return_counts=True), strict=True):
            if n_children > 1:
                found[ladder.labels[level][node]] = int(n_children)
    return found


def _spans_two(label: str) -> bool:
    ends = _WHOLE_NUMBERS.fullmatch(label)
    return ends is not None and int(ends[2]) - int(ends[1]) == 1
