"""The worst k facts where people have sets or multisets of values.

There every value of a group goes to its people independently of the others: a set's value to as
many different people as have it, each occurrence in a multiset to anybody. For the target's atom A,
k facts that each hold where some atom A_i does not (implications from it, its negation) leave at
least the odds P(not A, not A_1, …, not A_k) / P(A) against A, and the implications A_i -> A leave
no more. These odds are a product over values of v(j), the probability that j people of a group lack
a value, and log v is concave. So the worst atoms are all about the target's value in its group,
or all about one value of one group: [Chen2009]'s m relatives, whatever the value. A negation
changes only the probability of its own value in its own group: the worst are k other people who
lack the target's value. docs/attackers/implications.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from gyges.adversaries.dimension_statistics import (
    KINDS,
    StatisticMinima,
    Watch,
    found_signatures,
    minima_of,
)
from gyges.adversaries.sentences_syntax import Atom
from gyges.adversaries.witness import Language, Witness, atoms_about
from gyges.arrays import IntArray
from gyges.data.schema import ValuesPerPerson
from gyges.kernels import log_ratios as kernel
from gyges.release.groups import Groups

ANY = "any value"  # stands for each value in a group of its own


def by_value(groups: Groups) -> Groups:
    """A group for each value of each group: its people, and how many times they have the value."""
    n_entries = len(groups.value_codes)
    return Groups(
        sizes=groups.sizes[groups.group_of_entry],
        starts=np.arange(n_entries + 1, dtype=np.int64),
        value_codes=np.zeros(n_entries, dtype=np.int32),
        value_counts=groups.value_counts,
        values=[ANY],
        values_per_person=groups.values_per_person,
    )


def others_and_relatives(k: int, language: Language) -> tuple[int, int]:
    """The worst k facts as [Chen2009]'s amounts of knowledge: k other people, or m relatives."""
    return (k, 0) if language == "negations" else (0, k)


def curve_of_several(groups: Groups, k: int, language: Language) -> list[Fraction]:
    """The largest probability for 0, 1, …, k facts; shorter where fewer make the target certain."""
    parts = by_value(groups)
    if not len(parts):
        return [Fraction(0)] * (k + 1)
    most = min(k, min(_room(groups, entry) for entry in range(len(parts))))
    minima = _minima(parts, range(most + 1), language)
    return [minima.breach(row) for row in range(most + 1)]


def worst_of_several(
    groups: Groups, k: int, language: Language, code: int | None = None
) -> tuple[Fraction, Witness]:
    """The largest probability that k facts give to any value, or to one, and its witness."""
    parts = by_value(groups)
    aimed = np.arange(len(parts)) if code is None else np.flatnonzero(groups.value_codes == code)
    minima = _minima(parts.take(aimed), [k], language)
    if code is not None:  # relatives may have any value
        minima = _with_relatives(minima, _minima(parts, [k], language))
    share, here, there = _worst_places(minima)
    target = int(aimed[_alike(parts.take(aimed), minima.holders[0, here])[0]])
    family = target if there is None else int(_alike(parts, minima.holders[0, there])[0])
    return share, _witness(groups, [target], family, k, language, share)


def worst_of_class(
    groups: Groups, codes: Sequence[int], k: int, language: Language
) -> tuple[Fraction, Witness]:
    """The same for targets who have at least one of several values.

    Here too the atoms are about one value of one group, because their logarithms are concave.
    """
    held: dict[int, list[int]] = {}
    for entry in np.flatnonzero(np.isin(groups.value_codes, codes)).tolist():
        held.setdefault(int(groups.group_of_entry[entry]), []).append(entry)
    everything = range(len(groups.value_codes)) if language == "implications" else ()
    elsewhere = min(everything, key=lambda entry: _lacking(groups, entry, k), default=None)
    best: tuple[Fraction, list[int], int] | None = None
    for own in held.values():
        for family in own if elsewhere is None else {*own, elsewhere}:
            odds = _odds_of_class(groups, own, family, k, language)
            if best is None or odds < best[0]:
                best = odds, own, family
    assert best is not None
    share = 1 / (1 + best[0])
    return share, _witness(groups, best[1], best[2], k, language, share)


def _odds_of_class(
    groups: Groups, own: Sequence[int], family: int, k: int, language: Language
) -> Fraction:
    """The odds against having one of the own values, given k atoms about one value of a group."""
    lacks = math.prod((_lacking(groups, entry, 1) for entry in own), start=Fraction(1))
    if lacks == 0:
        return lacks
    if language == "negations":
        j = min(k, _room(groups, family))
        first = _lacking(groups, family, 1) * _lacking(groups, family, j)
        left = lacks / first * _lacking(groups, family, j + 1)
        return left / (1 - left)
    if family in own:
        left = _lacking(groups, family, k + 1) / _lacking(groups, family, 1)
    else:
        left = _lacking(groups, family, k)
    return lacks / (1 - lacks) * left


def _lacking(groups: Groups, entry: int, j: int) -> Fraction:
    """The probability that j people of an entry's group lack its value."""
    n = int(groups.sizes[groups.group_of_entry[entry]])
    return lacking(n, int(groups.value_counts[entry]), j, groups.values_per_person)


def lacking(n: int, s: int, j: int, kind: ValuesPerPerson) -> Fraction:
    """v(j): the probability that j of n people lack a value that occurs s times among them."""
    if kind == "multiset":
        return Fraction(max(n - j, 0), n) ** s
    return Fraction(math.perm(n - s, j), math.perm(n, j)) if j <= n - s else Fraction(0)


def _witness(
    groups: Groups,
    own: Sequence[int],
    family: int,
    k: int,
    language: Language,
    share: Fraction,
) -> Witness:
    """The target has one of their own entries' values; the atoms are about that of a family."""
    room = _room(groups, family)
    if family in own:
        known = _atoms(groups, family, 1, min(k, room))
    elif k <= room:
        known = _atoms(groups, family, 1, k)
    else:  # one of them has the value for certain
        known = _atoms(groups, family, 0, room + 1)
    aim = [atom for entry in own for atom in _atoms(groups, entry, 0, 1)]
    group, is_named = int(groups.group_of_entry[own[0]]), groups.members is not None
    return Witness(
        share, aim[0], group, tuple(known), language, is_named, False, or_else=tuple(aim[1:])
    )


def _worst_places(minima: StatisticMinima) -> tuple[Fraction, int, int | None]:
    """The largest probability, the statistic of the target and that of the relatives elsewhere."""
    least = minima.least[0]
    if least[kernel.RELATIVES] == -math.inf < least[kernel.TOGETHER]:  # of another value
        return Fraction(1), kernel.TARGET, kernel.RELATIVES
    ratios = minima.ratios(0)
    here, there = min(ratios, key=lambda pair: (ratios[pair], pair[1] is not None))
    return ratios[here, there].breach(), here, there


def _minima(parts: Groups, numbers: range | list[int], language: Language) -> StatisticMinima:
    """The five minima for each number of facts."""
    points = [(0, *others_and_relatives(k, language)) for k in numbers]
    watch = Watch.of(parts.values, [(0, *point) for point in points])
    return minima_of(found_signatures(parts, watch), watch, KINDS[parts.values_per_person])


def _with_relatives(one: StatisticMinima, other: StatisticMinima) -> StatisticMinima:
    """The minima for the target of one, and for the relatives of the other."""
    own = slice(kernel.RELATIVES)
    least, holders = other.least.copy(), other.holders.copy()
    least[:, own], holders[:, own] = one.least[:, own], one.holders[:, own]
    return replace(one, least=least, holders=holders)


def _room(groups: Groups, entry: int) -> int:
    """How many people may lack an entry's value before it is certain that somebody else has it."""
    n = int(groups.sizes[groups.group_of_entry[entry]])
    return n - 1 if groups.values_per_person == "multiset" else n - int(groups.value_counts[entry])


def _alike(parts: Groups, holder: IntArray) -> IntArray:
    """The parts with so many people and occurrences."""
    return np.flatnonzero((parts.sizes == holder[0]) & (parts.value_counts == holder[1]))


def _atoms(groups: Groups, entry: int, first: int, number: int) -> list[Atom]:
    """Atoms that give some people of an entry's group its value."""
    group, code = int(groups.group_of_entry[entry]), int(groups.value_codes[entry])
    people = range(first, first + number)
    return [atom for x in people for atom in atoms_about(groups, group, x, [code])]
