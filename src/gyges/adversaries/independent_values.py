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
    most = min(k, int(_room(parts, np.arange(len(parts))).min()))
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
    atoms = _atoms(groups, target, 0, 1)
    family = target if there is None else int(_alike(parts, minima.holders[0, there])[0])
    room = int(_room(parts, np.array([family]))[0])
    if there is None:
        atoms += _atoms(groups, target, 1, min(k, room))
    elif k <= room:
        atoms += _atoms(groups, family, 1, k)
    else:  # one of them has the value for certain
        atoms += _atoms(groups, family, 0, room + 1)
    group, is_named = int(groups.group_of_entry[target]), groups.members is not None
    return share, Witness(share, atoms[0], group, tuple(atoms[1:]), language, is_named, False)


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


def _room(parts: Groups, chosen: IntArray) -> IntArray:
    """How many people may lack a value before it is certain that somebody else has it."""
    n = parts.sizes[chosen]
    return n - 1 if parts.values_per_person == "multiset" else n - parts.value_counts[chosen]


def _alike(parts: Groups, holder: IntArray) -> IntArray:
    """The parts with so many people and occurrences."""
    return np.flatnonzero((parts.sizes == holder[0]) & (parts.value_counts == holder[1]))


def _atoms(groups: Groups, entry: int, first: int, number: int) -> list[Atom]:
    """Atoms that give some people of an entry's group its value."""
    group, code = int(groups.group_of_entry[entry]), int(groups.value_codes[entry])
    people = range(first, first + number)
    return [atom for x in people for atom in atoms_about(groups, group, x, [code])]
