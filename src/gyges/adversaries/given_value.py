"""The worst k facts about a target who has one of some values.

For the target's sentence A a fact that is true wherever an atom A_i is false is at best A_i -> A:
"not A_i" leaves no more worlds without A, and A's own worlds all stay. So the least odds against A
are P(not A, not A_1, …, not A_k) / P(A) [Martin2007, Theorem 9]. Atoms about other groups are
placed as in minimize.py.

In the target's group, exchanging values shows which atoms are worst: if people who lack b, but not
the more frequent a, lack a instead, no more worlds are left. The target must lack the wanted values
V, which does not hinder the exchange (docs/attackers/implications.md has the proof). So everyone
else lacks the most frequent values, and the target V and the most frequent others; of values that
are equally frequent, those in V come first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from gyges.adversaries.minimize import Placing, find, least_probability
from gyges.adversaries.witness import Witness, atoms_about, denied_by
from gyges.arrays import IntArray
from gyges.release.groups import Groups

# A product for the target among the others, one for each wanted value, atoms of each person.
Pair: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
# People, the places of the wanted values, all counts from the most frequent down.
Target: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]


def worst_implications(groups: Groups, codes: Sequence[int], k: int) -> tuple[Fraction, Witness]:
    """The largest probability that k implications give to having one of some values."""
    kinds = targets(groups, codes)
    for (_, places, counts), group in kinds.items():
        n_others = len(counts) - len(places)
        if n_others <= k:  # k facts rule out every other value
            return Fraction(1), denied_by(groups, group, codes, n_others, "implications")
    everyone = _Others.of(groups, np.arange(len(groups)), k)
    bounds = {target: _bound(target, k, everyone) for target in kinds}
    best: tuple[Fraction, Witness] | None = None
    least = Fraction(0)
    for target in sorted(kinds, key=bounds.__getitem__):
        if best is not None and bounds[target] >= least:
            break
        group = kinds[target]
        odds, placed, others, n_others = _odds(groups, group, target, k)
        if best is None or odds < least:
            least = odds
            share = 1 / (1 + odds)
            best = share, _witness(groups, group, codes, placed, others.placed(n_others), share)
    assert best is not None
    return best


def worst_negations(groups: Groups, codes: Sequence[int], k: int) -> tuple[Fraction, Witness]:
    """The same for k negations: the target lacks the k most frequent other values."""
    shares: dict[int, Fraction] = {}
    for (n, places, counts), group in targets(groups, codes).items():
        others = [count for place, count in enumerate(counts) if place not in places]
        wanted = sum(counts[place] for place in places)
        shares[group] = Fraction(wanted, n - sum(others[:k]))
    group = max(shares, key=shares.__getitem__)
    return shares[group], denied_by(groups, group, codes, k, "negations", shares[group])


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


def targets(groups: Groups, codes: Sequence[int]) -> dict[Target, int]:
    """The kinds of groups that have one of some values, each with a group."""
    kinds: dict[Target, int] = {}
    wanted, is_wanted = set(codes), np.isin(groups.value_codes, codes)
    for group in np.unique(groups.group_of_entry[is_wanted]).tolist():
        held = _descending(groups, group, wanted)
        places = tuple(place for place, (code, _) in enumerate(held) if code in wanted)
        target = (int(groups.sizes[group]), places, tuple(count for _, count in held))
        kinds.setdefault(target, group)
    return kinds


def _descending(groups: Groups, group: int, wanted: Set[int]) -> list[tuple[int, int]]:
    """The values of a group and their counts, the most frequent first, then the wanted ones."""
    held = groups.value_counts_in(group).items()
    return sorted(held, key=lambda entry: (-entry[1], entry[0] not in wanted))


def _bound(target: Target, k: int, everyone: _Others) -> Fraction:
    """No odds against the target are less: as if the wanted values were one, and by any group."""
    n, places, counts = target
    wanted = sum(counts[place] for place in places)
    others = [count for place, count in enumerate(counts) if place not in places]
    row = (n, *np.cumsum(sorted([wanted, *others], reverse=True)[: k + 1]).tolist())
    return Fraction(n, wanted) * min(
        least_probability(row, h)[0] * everyone.probability(k + 1 - h) for h in range(1, k + 2)
    )


def _odds(
    groups: Groups, group: int, target: Target, k: int
) -> tuple[Fraction, Placed, _Others, int]:
    """The least odds against a value in a group, and the atoms in it and in the others."""
    n, places, counts = target
    others = _Others.of(groups, np.flatnonzero(np.arange(len(groups)) != group), k)
    options = [
        (placed.probability * others.probability(k + 1 - h), h, placed)
        for h, placed in enumerate(least_with_values(n, counts, places, k + 1), start=1)
        if others.placing is not None or h == k + 1
    ]
    least, h, placed = min(options, key=lambda option: option[0])
    wanted = sum(counts[place] for place in places)
    return Fraction(n, wanted) * least, placed, others, k + 1 - h


def _witness(
    groups: Groups,
    group: int,
    codes: Sequence[int],
    placed: Placed,
    elsewhere: list[tuple[int, tuple[int, ...]]],
    share: Fraction,
) -> Witness:
    order = [code for code, _ in _descending(groups, group, set(codes))]
    wanted = [code for code in order if code in codes]
    values = [code for code in order if code not in codes]
    aim = atoms_about(groups, group, 0, wanted)
    own = atoms_about(groups, group, 0, values[: placed.own - 1])
    for person, n_values in enumerate(placed.others, start=1):
        own += atoms_about(groups, group, person, order[:n_values])
    for other, parts in elsewhere:
        order = [code for code, _ in _descending(groups, other, set())]
        for person, n_values in enumerate(parts):
            own += atoms_about(groups, other, person, order[:n_values])
    is_named = groups.members is not None
    return Witness(
        share, aim[0], group, tuple(own), "implications", is_named, or_else=tuple(aim[1:])
    )


class Placed(NamedTuple):
    """The least probability that no atom holds, and where the atoms are."""

    probability: Fraction
    own: int  # atoms about the target: what it is about counts as one
    others: tuple[int, ...]  # about each other person: the most frequent values


def least_with_values(
    n: int, counts: Sequence[int], places: Sequence[int], most: int
) -> list[Placed]:
    """The least probability that none of 1, 2, …, `most` atoms about one group holds.

    The first atom is that the target has one of the wanted values, which are counts[place] times in
    a group of n. `counts` descend, wanted values before others that are as frequent.

    With S_c the c largest counts together, people who lack the c most frequent values, largest c
    first, have n - i - S_c values left to draw. A target who lacks the wanted values and `own`
    others lacks the `level` most frequent values, where the next one is neither: they come after
    those who lack as many. Subtract the worlds in which they have a wanted value that is less
    frequent. These products differ from the first only for people drawn before the target, so that
    products are kept of which no other are better in all.

    >>> least_with_values(5, [2, 2, 1], [2], 2)[1].probability  # Flu Flu Gout Gout Mumps
    Fraction(2, 5)
    """
    sums = [0]
    for c in range(most):
        sums.append(sums[-1] + (counts[c] if c < len(counts) else 0))
    others = [place for place in range(len(counts)) if place not in places]
    levels: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for own in range(min(most - 1, len(others)) + 1):
        level = others[own] if own < len(others) else len(counts)
        levels[min(level, most)].append((own, level))
    before: defaultdict[tuple[int, int], list[Pair]] = defaultdict(list)
    before[0, 0] = [(1, (1,) * len(places), ())]
    after: dict[tuple[int, int], tuple[int, int, tuple[int, ...]]] = {}
    for c in range(most, -1, -1):
        if c:
            _add_people(before, after, n, c, sums, places, most)
        for own, level in levels[c]:
            lacking = sum(counts[:level])
            beyond = [(x, counts[place]) for x, place in enumerate(places) if place >= level]
            for (i, used), pairs in list(before.items()):
                if used + own + 1 > most or i >= n:
                    continue
                for x, ys, parts in pairs:
                    left = x * (n - i - lacking) - sum(count * ys[y] for y, count in beyond)
                    _least(after, (i + 1, used + own + 1), (max(left, 0), own + 1, parts))
    return _least_placed(after, n, most)


def _add_people(
    before: defaultdict[tuple[int, int], list[Pair]],
    after: dict[tuple[int, int], tuple[int, int, tuple[int, ...]]],
    n: int,
    c: int,
    sums: Sequence[int],
    places: Sequence[int],
    most: int,
) -> None:
    """Add people who lack the c most frequent values, before the target and after."""
    for used in range(most - c + 1):
        for i in range(min(most, n)):
            left = max(n - i - sums[c], 0)
            for x, ys, parts in before.get((i, used), ()):
                ys = tuple(
                    y * max(n - 1 - i - sums[c] + (place < c), 0)
                    for y, place in zip(ys, places, strict=True)
                )
                _keep(before[i + 1, used + c], (x * left, ys, (*parts, c)))
            reached = after.get((i, used))
            if reached is not None:
                new = (reached[0] * left, reached[1], (*reached[2], c))
                _least(after, (i + 1, used + c), new)


def _least_placed(
    after: Mapping[tuple[int, int], tuple[int, int, tuple[int, ...]]], n: int, most: int
) -> list[Placed]:
    """The best of 1, 2, …, `most` atoms; fewer where more do no better."""
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
    """Add products unless others are as good: the first as small, the rest as large."""
    if any(_is_as_good(pair, new) for pair in pairs):
        return
    pairs[:] = [pair for pair in pairs if not _is_as_good(new, pair)]
    pairs.append(new)


def _is_as_good(one: Pair, other: Pair) -> bool:
    return one[0] <= other[0] and all(x >= y for x, y in zip(one[1], other[1], strict=True))


def _least(
    after: dict[tuple[int, int], tuple[int, int, tuple[int, ...]]],
    at: tuple[int, int],
    new: tuple[int, int, tuple[int, ...]],
) -> None:
    if at not in after or new[0] < after[at][0]:
        after[at] = new
