"""The least odds against targets of several policies, each with its values and number of facts.

A target of a group has one of some values. With h atoms about the target's group the odds are at
least T(h), and j atoms about other groups are all false with probability at least star(j): a
product of L(j), the least of one group. So the odds given k facts are the least T(h) · star(k+1-h).
Where everyone has one value, star leaves out the target's own group (given_value.py); for several
values per person nothing need be left out (independent_values.py).

The best two groups for each j give star without any one group. It differs only where the group is
the best for some j, and those are at most k, so that for each h the k + 1 least T(h) are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gyges.adversaries.given_value import least_with_values
from gyges.adversaries.independent_values import lacking
from gyges.adversaries.minimize import least_probability
from gyges.data.schema import ValuesPerPerson
from gyges.release.groups import Groups

Row: TypeAlias = tuple[int, ...]  # a group as others see it: people, sums of the largest counts
Source: TypeAlias = tuple[Fraction, Row]  # L(j), and the group that has it


@dataclass(frozen=True, slots=True)
class TargetOdds:
    """The least odds T(1), …, T(k+1) against a target of a group."""

    odds: tuple[Fraction, ...]
    row: Row  # of the group; empty where it need not be left out


@dataclass(frozen=True, slots=True)
class PolicyOdds:
    """All that must be kept of a batch of groups: a few targets for each policy, and sources."""

    targets: tuple[tuple[TargetOdds, ...], ...]  # policies
    sources: tuple[tuple[Source, ...], ...]  # atoms j = 1, 2, …: the best two groups

    def least(self, policy: int) -> Fraction | None:
        """The least odds against a target of a policy; None where there is none."""
        return min((self.against(target) for target in self.targets[policy]), default=None)

    def against(self, target: TargetOdds) -> Fraction:
        """The least odds against one target, whose group is among those of the sources."""
        k = len(target.odds) - 1
        star = self._star(k, target.row)
        return min(odds * star[k - h] for h, odds in enumerate(target.odds))

    def _star(self, k: int, without: Row) -> list[Fraction]:
        star = [Fraction(1)]
        for j, best in enumerate(self.sources[:k], start=1):
            left = [least for least, row in best]
            places = [place for place, (_, row) in enumerate(best) if without and row == without]
            if places:
                del left[places[0]]
            split = (star[a] * star[j - a] for a in range(1, j // 2 + 1))
            star.append(min([star[j - 1], *left[:1], *split]))
        return star


def joined(parts: Iterable[PolicyOdds], n_policies: int, most: int) -> PolicyOdds:
    """The odds of several batches together; `most` is the largest number of facts."""
    listed = list(parts)
    targets = tuple(
        _kept(target for one in listed for target in one.targets[policy])
        for policy in range(n_policies)
    )
    sources = tuple(
        tuple(sorted(source for one in listed for source in one.sources[j])[:2])
        for j in range(most)
    )
    return PolicyOdds(targets, sources)


def _kept(targets: Iterable[TargetOdds]) -> tuple[TargetOdds, ...]:
    """For each number of atoms the least odds of a target in each of the k + 1 best groups."""
    distinct = sorted(set(targets), key=lambda target: (target.odds, target.row))
    kept: set[TargetOdds] = set()
    for h in range(len(distinct[0].odds) if distinct else 0):
        best: dict[Row, TargetOdds] = {}
        for target in sorted(distinct, key=lambda target: target.odds[h]):
            if len(best) == len(target.odds):
                break
            best.setdefault(target.row, target)
        kept.update(best.values())
    return tuple(target for target in distinct if target in kept)


def row_of(groups: Groups, group: int, most: int) -> Row:
    """A group as a source of atoms; empty where people have several values."""
    if groups.values_per_person != "one":
        return ()
    counts = sorted(groups.value_counts_in(group).values(), reverse=True)[:most]
    n = int(groups.sizes[group])
    sums = np.cumsum(counts).tolist()
    return (n, *sums, *[n] * (most - len(sums)))


def sources_of(groups: Groups, rows: Sequence[Row], most: int) -> tuple[tuple[Source, ...], ...]:
    """The best two groups for 1, 2, …, `most` atoms."""
    if groups.values_per_person == "one":
        twice = [row for row, n in Counter(rows).items() for _ in range(min(n, 2))]
        found = [[(least_probability(row, j)[0], row) for row in twice] for j in range(1, most + 1)]
    else:
        pairs = np.stack([groups.sizes[groups.group_of_entry], groups.value_counts], axis=1)
        distinct = np.unique(pairs, axis=0).tolist()
        kind = groups.values_per_person
        empty: Row = ()
        found = [[(lacking(n, s, j, kind), empty) for n, s in distinct] for j in range(1, most + 1)]
    return tuple(tuple(sorted(of_j)[:2]) for of_j in found)


def target_odds(groups: Groups, group: int, codes: Iterable[int], k: int, row: Row) -> TargetOdds:
    """The least odds against a target of a group who has one of some of its values."""
    counts, wanted = groups.value_counts_in(group), set(codes)
    held = sorted(counts, key=lambda code: (-counts[code], code not in wanted))
    places = tuple(place for place, code in enumerate(held) if code in wanted)
    n, descending = int(groups.sizes[group]), tuple(counts[code] for code in held)
    if groups.values_per_person == "one":
        return TargetOdds(_odds_of_one(n, descending, places, k), row)
    of_wanted = tuple(descending[place] for place in places)
    return TargetOdds(_odds_of_several(n, of_wanted, k, groups.values_per_person), row)


@lru_cache(maxsize=65536)  # pure, of small integers: a search asks for the same groups again
def _odds_of_one(n: int, counts: Row, places: Row, k: int) -> tuple[Fraction, ...]:
    wanted = sum(counts[place] for place in places)
    placed = least_with_values(n, counts, places, k + 1)
    return tuple(Fraction(n, wanted) * one.probability for one in placed)


@lru_cache(maxsize=65536)  # as above
def _odds_of_several(n: int, counts: Row, k: int, kind: ValuesPerPerson) -> tuple[Fraction, ...]:
    lacks = Fraction(1)
    for s in counts:
        lacks *= lacking(n, s, 1, kind)
    if lacks == 0:
        return (Fraction(0),) * (k + 1)
    least = [
        min(lacking(n, s, h, kind) / lacking(n, s, 1, kind) for s in counts)
        for h in range(1, k + 2)
    ]
    return tuple(lacks / (1 - lacks) * one for one in least)


def share_of_odds(odds: Fraction | None) -> Fraction:
    """The probability of what has these odds against it; 0 for what nobody has."""
    return Fraction(0) if odds is None else 1 / (1 + odds)
