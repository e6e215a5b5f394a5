"""Searches whose choice of groups reveals nothing that the groups do not.

`choice="blind"`: groups are cut by quasi-identifiers and sizes alone. Then every rule holds on
them, or nothing is published. The rules must be decided by what is published, so all worlds that
agree with the release publish it.

`choice="simulatable"`: a cut is accepted if *every* way to divide the group's values among the
parts satisfies the rules. So each decision depends only on the quasi-identifiers and on how often
each value occurs in the group that is cut. Every group that is cut is a union of published groups.
Hence anyone who holds the release and knows the quasi-identifiers can repeat each decision, as in
simulatable auditing [Kenthapadi2005]. All worlds that agree with the release lead to the same
groups, and knowing the search excludes none of them (docs/attackers/minimality.md has the proof).

For the rules that `simulatable` allows, one division is the worst: a part takes the group's most
frequent values first. Its counts majorize those of every other part of that size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gyges.arrays import IntArray
from gyges.criteria.base import BoundRule
from gyges.data.cells import Cells
from gyges.errors import NothingSafeError, RuleError
from gyges.exact import counted
from gyges.ragged import Ragged
from gyges.release.groups import Groups
from gyges.search.descent import Descent
from gyges.search.levels import Cuts, Histograms, Segments

Choice: TypeAlias = Literal["finest", "simulatable", "blind"]


@dataclass(repr=False)
class SimulatableDescent(Descent[Segments]):
    """A search that asks rules about the worst parts that a cut may have."""

    def judged(
        self, cuts: Cuts, parts: Segments, cut_of_part: IntArray, held: Histograms | None = None
    ) -> Groups:
        """In place of each part, as many of the most frequent values of the group that is cut."""
        parents = self.counter.batch(self.items, self.level.take(cuts.group[cut_of_part]))
        return most_concentrated(parents, parts.totals)


def most_concentrated(groups: Groups, sizes: IntArray) -> Groups:
    """`sizes[g]` people of each group: those with its most frequent values.

    >>> groups = Groups.from_lists([["a", "b", "b", "c"]])
    >>> most_concentrated(groups, np.array([3])).counts
    array([[1, 2, 0]])
    """
    order = np.lexsort((-groups.value_counts, groups.group_of_entry))
    counts = Ragged(groups.value_counts[order], groups.starts)
    total = np.append(0, np.cumsum(counts.values))
    before = total[:-1] - np.repeat(total[counts.starts[:-1]], counts.lengths)
    left = np.repeat(sizes, counts.lengths) - before
    taken = np.clip(left, 0, counts.values)
    is_there = taken > 0
    return Groups.from_entries(
        sizes=sizes,
        group_of_entry=groups.group_of_entry[is_there],
        value_codes=groups.value_codes[order][is_there],
        value_counts=taken[is_there],
        values=groups.values,
    )


def refuse_telling_options(
    cells: Cells, rules: list[BoundRule[Any]], choice: Choice, *, order: str, relaxed: bool
) -> None:
    """Refuse options and rules under which the choice of groups would reveal something."""
    if order != "range" or relaxed:
        raise RuleError(
            f"choice='{choice}' cuts by quasi-identifiers alone: omit `order` and `relaxed`"
        )
    for one in rules:
        name = type(one.rule).__name__
        if choice == "blind" and one.rule.needs != "files":
            raise RuleError(
                f"choice='blind' needs rules that the published groups decide, and {name} reads "
                f"more than them"
            )
        if choice == "simulatable" and not one.rule.is_about_concentration:
            raise RuleError(
                f"choice='simulatable' does not know the worst part of a group under {name}: use "
                f"k-anonymity and distinct, entropy, recursive or probabilistic diversity, or "
                f"choice='blind', or method='buckets'"
            )
    if choice == "simulatable" and cells.values_per_person != "one":
        raise RuleError("choice='simulatable' needs one sensitive value per person")


def refuse_unless_safe(groups: Groups, rules: list[BoundRule[Any]], k: int) -> None:
    """Refuse groups that were cut by size alone if a rule does not hold on them."""
    broken = [str(rule) for rule in rules if not rule.holds_on(groups)]
    if broken:
        raise NothingSafeError(
            f"groups of at least {counted(k, 'person', 'people')}, cut by quasi-identifiers alone, "
            f"break {broken[0]}: with choice='blind' nothing is published; require larger groups "
            f"(KAnonymity), or use another choice"
        )
