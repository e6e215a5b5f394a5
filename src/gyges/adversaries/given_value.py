"""The worst k implications about a target who has a given value.

For a target atom A every implication B -> C is at best B -> A: "not B" alone leaves fewer worlds
without A than "not B, or C", and A's own worlds all stay. So the least odds against A are
P(not A, not A_1, …, not A_k) / P(A) [Martin2007, Theorem 9]. Atoms about other groups are placed as
in minimize.py.

In the target's group, let the target lack the values V and the others E. Then P(target lacks V and
E) is the sum over x outside V of n_x/n · P(E | the target has x). Given x, the least P(E) for so
many values of each person is that of the most frequent values [Martin2007, Lemma 12], of a group
with one x less. These are the same for all x where no two of the k+1 largest counts are equal. For
such E the terms grow with n_x, so that V is the value and the most frequent others. Where counts
are equal that is not proven: trying all sets on thousands of groups found no exception.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from gyges.adversaries.minimize import Placing, find, least_probability
from gyges.adversaries.witness import Witness, atoms_about, denied_by
from gyges.arrays import IntArray
from gyges.release.groups import Groups

Pair: TypeAlias = tuple[int, int, tuple[int, ...]]  # the two products, atoms of each person
Target: TypeAlias = tuple[int, int, tuple[int, ...]]  # people, place of the value, its counts


def worst_implications(groups: Groups, code: int, k: int) -> tuple[Fraction, Witness, bool]:
    """The largest probability that k implications give to a value; is it proven to be that?"""
    kinds = _targets(groups, code)
    for (_, _, counts), group in kinds.items():
        if len(counts) <= k + 1:  # k facts rule out every other value
            certain = denied_by(groups, group, code, len(counts) - 1, "implications")
            return Fraction(1), certain, True
    everyone = _Others.of(groups, np.arange(len(groups)), k)
    bounds = {target: _bound(target, k, everyone) for target in kinds}
    best: tuple[Fraction, Witness] | None = None
    least, is_proven = Fraction(0), True
    for target in sorted(kinds, key=bounds.__getitem__):
        if best is not None and bounds[target] >= least:
            break
        group = kinds[target]
        is_proven &= _is_proven(target, k)
        odds, placed, others, n_others = _odds(groups, group, target, k)
        if best is None or odds < least:
            least = odds
            share = 1 / (1 + odds)
            best = share, _witness(groups, group, code, placed, others.placed(n_others), share)
    assert best is not None
    return *best, is_proven or least == min(bounds.values())


def worst_negations(groups: Groups, code: int, k: int) -> tuple[Fraction, Witness, bool]:
    """The same for k negations: the target lacks the k most frequent other values."""
    shares: dict[int, Fraction] = {}
    for (n, place, counts), group in _targets(groups, code).items():
        others = [*counts[:place], *counts[place + 1 :]]
        shares[group] = Fraction(counts[place], n - sum(others[:k]))
    group = max(shares, key=shares.__getitem__)
    return shares[group], denied_by(groups, group, code, k, "negations", shares[group]), True


class _Others(NamedTuple):
    """People of some groups, and how best to place atoms on them."""

    placing: Placing | None  # None without people
    reach: int
    ids: IntArray
    rows: list[tuple[int, ...]]

    @classmethod
    def of(cls, groups: Groups, chosen: IntArray, k: int) -> _Others:
        if k == 0 or not groups.sizes[chosen].any():
            return cls(None, 0, chosen[:0], [])
        dominating, ids = find(groups.take(chosen), k - 1)
        rows = [tuple(row) for row in dominating.rows.tolist()]
        return cls(Placing(dominating), dominating.reach, chosen[ids], rows)

    def probability(self, j: int) -> Fraction:
        """The least probability that none of j atoms holds; few rule out all of a group."""
        return Fraction(1) if self.placing is None else self.placing.probability(min(j, self.reach))

    def placed(self, j: int) -> list[tuple[int, tuple[int, ...]]]:
        """Groups, and how many atoms are about each of their people."""
        if self.placing is None or j == 0:
            return []
        atoms: defaultdict[int, int] = defaultdict(int)
        for row, n_atoms in self.placing.spread(min(j, self.reach)):
            atoms[row] += n_atoms
        return [
            (int(self.ids[row]), least_probability(self.rows[row], n)[1])
            for row, n in atoms.items()
        ]


def _targets(groups: Groups, code: int) -> dict[Target, int]:
    """The kinds of groups that have a value, each with a group."""
    kinds: dict[Target, int] = {}
    for entry in np.flatnonzero((groups.value_codes == code) & (groups.value_counts > 0)).tolist():
        group = int(groups.group_of_entry[entry])
        counts = sorted(groups.value_counts_in(group).values(), reverse=True)
        place = counts.index(int(groups.value_counts[entry]))
        kinds.setdefault((int(groups.sizes[group]), place, tuple(counts)), group)
    return kinds


def _is_proven(target: Target, k: int) -> bool:
    """Whether the least odds are; with one fact the odds fall with the other atom's frequency."""
    _, place, counts = target
    return k <= 1 or place == 0 or all(counts[c - 1] > counts[c] for c in range(1, k + 1))


def _bound(target: Target, k: int, everyone: _Others) -> Fraction:
    """No odds against the target are less: the atoms may forget its value, and use its group."""
    n, place, counts = target
    row = (n, *np.cumsum(counts[: k + 1]).tolist())
    return Fraction(n, counts[place]) * min(
        least_probability(row, h)[0] * everyone.probability(k + 1 - h) for h in range(1, k + 2)
    )


def _odds(
    groups: Groups, group: int, target: Target, k: int
) -> tuple[Fraction, Placed, _Others, int]:
    """The least odds against a value in a group, and the atoms in it and in the others."""
    n, place, counts = target
    others = _Others.of(groups, np.flatnonzero(np.arange(len(groups)) != group), k)
    options = [
        (placed.probability * others.probability(k + 1 - h), h, placed)
        for h, placed in enumerate(least_with_value(n, counts, place, k + 1), start=1)
        if others.placing is not None or h == k + 1
    ]
    least, h, placed = min(options, key=lambda option: option[0])
    return Fraction(n, counts[place]) * least, placed, others, k + 1 - h


def _witness(
    groups: Groups,
    group: int,
    code: int,
    placed: Placed,
    elsewhere: list[tuple[int, tuple[int, ...]]],
    share: Fraction,
) -> Witness:
    counts = groups.value_counts_in(group)
    order = sorted(counts, key=lambda one: (-counts[one], one != code))
    values = [one for one in order if one != code]
    own = atoms_about(groups, group, 0, [code, *values[: placed.own - 1]])
    for person, n_values in enumerate(placed.others, start=1):
        own += atoms_about(groups, group, person, order[:n_values])
    for other, parts in elsewhere:
        counts = groups.value_counts_in(other)
        order = sorted(counts, key=lambda one: -counts[one])
        for person, n_values in enumerate(parts):
            own += atoms_about(groups, other, person, order[:n_values])
    is_named = groups.members is not None
    return Witness(share, own[0], group, tuple(own[1:]), "implications", is_named)


class Placed(NamedTuple):
    """The least probability that no atom holds, and where the atoms are."""

    probability: Fraction
    own: int  # atoms about the target, its value among them
    others: tuple[int, ...]  # about each other person: the most frequent values


def least_with_value(n: int, counts: Sequence[int], place: int, most: int) -> list[Placed]:
    """The least probability that none of 1, 2, …, `most` atoms about one group holds.

    The first atom is the target's: the value counts[place] times in a group of n. `counts`
    descend, the value before others that are as frequent.

    With S_c the c largest counts together, people who lack the c most frequent values, largest c
    first, have n - i - S_c values left to draw. If the target's value is among their own c values,
    the target is one of them. If not, the target lacks c - 1 frequent values and their own:
    the worlds in which they lack the c - 1 values, less those in which they have the value. The
    two products differ only for people drawn before the target who do not lack the value, so that
    pairs of products are kept of which no other is better in both.

    >>> least_with_value(5, [2, 2, 1], 2, 2)[1].probability  # Flu Flu Gout Gout Mumps
    Fraction(2, 5)
    """
    sums = [0]
    for c in range(most):
        sums.append(sums[-1] + (counts[c] if c < len(counts) else 0))
    before: defaultdict[tuple[int, int], list[Pair]] = defaultdict(list)
    before[0, 0] = [(1, 1, ())]
    after: dict[tuple[int, int], tuple[int, int, tuple[int, ...]]] = {}
    for c in range(most, 0, -1):
        has_value = c > place
        for used in range(most - c + 1):
            for i in range(min(most, n)):
                for x, y, parts in before.get((i, used), ()):
                    x *= max(n - i - sums[c], 0)
                    y *= max(n - 1 - i - sums[c] + has_value, 0)
                    _keep(before[i + 1, used + c], (x, y, (*parts, c)))
                reached = after.get((i, used))
                if reached is not None:
                    product = reached[0] * max(n - i - sums[c], 0)
                    _least(after, (i + 1, used + c), (product, reached[1], (*reached[2], c)))
        for (i, used), pairs in list(before.items()):
            if used + c > most or i >= n:
                continue
            for x, y, parts in pairs:
                if has_value:
                    left = x * max(n - i - sums[c], 0)
                else:
                    left = x * max(n - i - sums[c - 1], 0) - counts[place] * y
                _least(after, (i + 1, used + c), (left, c, parts))
    found: list[Placed] = []
    for j in range(1, most + 1):
        options = [found[-1]] if found else []
        options += [
            Placed(Fraction(product, math.perm(n, i)), own, parts)
            for (i, used), (product, own, parts) in after.items()
            if used == j
        ]
        found.append(min(options, key=lambda option: option.probability))
    return found


def _keep(pairs: list[Pair], new: Pair) -> None:
    """Add a pair unless another is as good in both: x as small, y as large."""
    if any(x <= new[0] and y >= new[1] for x, y, _ in pairs):
        return
    pairs[:] = [pair for pair in pairs if pair[0] < new[0] or pair[1] > new[1]]
    pairs.append(new)


def _least(
    after: dict[tuple[int, int], tuple[int, int, tuple[int, ...]]],
    at: tuple[int, int],
    new: tuple[int, int, tuple[int, ...]],
) -> None:
    if at not in after or new[0] < after[at][0]:
        after[at] = new
